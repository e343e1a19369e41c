import { describe, expect, it } from "vitest"
import { wordwise } from "../../../core/language/languages/index.js"

const matches = (make: () => RegExp, text: string): ReadonlyArray<string> =>
  [...text.matchAll(wordwise(make)())].map(([match]) => match)

describe("A pattern of words", () => {
  it("ends words at letters beyond ASCII, before and behind a group or a word", () => {
    const words = () => /\b(?:ou|über|срок)\b|\bdû/giu
    expect(matches(words, "où ou ouï, über überall, срок сроки, dû endû")).toEqual([
      "ou",
      "über",
      "срок",
      "dû"
    ])
  })

  it("finds a word beside signs of a script without blanks", () => {
    expect(matches(() => /\bdue\b/giu, "日本due 残due日 overdue")).toEqual(["due", "due"])
  })

  it("lets a word follow an apostrophe that ends a group", () => {
    expect(matches(() => /\b(?:de|d['’])\b/giu, "groupe d'une ville de France, d' ")).toEqual(["d'", "de"])
  })

  it("keeps a boundary between two groups at either side", () => {
    expect(matches(() => /(?:a|-)\b(?:b|-)/gu, "a- -b ab --")).toEqual(["a-", "-b"])
  })

  it("takes letters and numbers of the alphabets, in a class and alone, and capitals where case counts", () => {
    expect(matches(() => /[\p{L}-]+ \p{N}/giu, "Größe-ё ½, 日 3")).toEqual(["Größe-ё ½"])
    expect(matches(() => /\p{Lu}\p{L}+/gu, "Änderung und Ärger, öffnen")).toEqual(["Änderung", "Ärger"])
    expect(matches(() => /(?<=\()\p{Lu}+/giu, "(Éa)")).toEqual(["Éa"])
  })
})
