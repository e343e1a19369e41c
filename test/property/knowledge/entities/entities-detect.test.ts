import fc from "fast-check"
import { describe, expect, it } from "vitest"
import {
  isDetectable,
  makeDetector,
  surfaceKey,
  type Tokens,
  tokenize
} from "../../../../core/knowledge/entities/index.js"
import type { EntityId } from "../../../../core/platform/kernel/index.js"

const id = (number: number) => `ent_${String(number).padStart(26, "0")}` as EntityId
const detectorOf = (...names: ReadonlyArray<string | ReadonlyArray<string>>) =>
  makeDetector(
    names.map((name, place) => ({
      id: id(place),
      headId: id(place),
      surfaces: typeof name === "string" ? [name] : name
    }))
  )
const found = (names: ReadonlyArray<string | ReadonlyArray<string>>, text: string) =>
  detectorOf(...names)
    .detect(text)
    .map(({ end, start, surface }) => {
      expect(surface).toBe(text.slice(start, end))
      return surface
    })

describe("detection of known entities", () => {
  it("takes the longest name at the leftmost place, none overlapping", () => {
    expect(found(["New York", "New York Times", "Times Square"], "The New York Times Square")).toEqual([
      "New York Times"
    ])
    expect(found(["a b c d", "b c"], "a b c x")).toEqual(["b c"])
  })
  it("finds whole words only, with a plural or possessive behind", () => {
    expect(found(["contract"], "contracts, subcontract, contract's, contractor")).toEqual([
      "contracts",
      "contract"
    ])
    const both = detectorOf("contract", "Contracts").detect("contracts")
    expect(both.map(({ key, namedIds }) => [key, namedIds])).toEqual([["contracts", [id(1)]]])
    expect(found(["Node"], "nodejs node.js NODE")).toEqual(["node", "NODE"])
  })
  it("meets hyphens, blanks and none in codes", () => {
    expect(found(["EIP-145"], "EIP 145, eip-145, EIP145, EIP\u2011145, EIP-1451, EIP145a, 5EIP145")).toEqual([
      "EIP 145",
      "eip-145",
      "EIP145",
      "EIP\u2011145"
    ])
  })
  it("does not reach over punctuation, blocks or table cells", () => {
    expect(found(["salt pepper"], "salt, pepper. Salt\n\nPepper | salt | pepper\n- salt\n- pepper")).toEqual(
      []
    )
    expect(found(["salt pepper", "Foo: Bar"], "salt\npepper; foo: bar")).toEqual(["salt\npepper", "foo: bar"])
  })
  it("tells names apart by their signs", () => {
    expect(found(["C++", "C#"], "C++ is not C# nor C")).toEqual(["C++", "C#"])
  })
  it("needs no boundary in scripts without blanks", () => {
    expect(found(["東京", "東京都"], "私は東京都に住む。東京へ")).toEqual(["東京都", "東京"])
  })
  it("gives offsets of the original text under folding and composition", () => {
    expect(
      found(["Straße", "ﬁle", "Ångström", "Σίσυφος"], "STRASSE, FILE A\u030angstro\u0308m ΣΊΣΥΦΟΣ")
    ).toEqual(["STRASSE", "FILE", "A\u030angstro\u0308m", "ΣΊΣΥΦΟΣ"])
    expect(found(["½ cup"], "take ½ cup")).toEqual(["½ cup"])
  })
  it("never matches a lone stop word, letter or number", () => {
    expect(found(["The", "a", "2024", "It"], "the a 2024 it")).toEqual([])
    expect(found(["The Who"], "the who")).toEqual(["the who"])
  })
  it("reports all entities of one surface, heads for the merged", () => {
    const [one] = makeDetector([
      { id: id(1), headId: id(1), surfaces: ["Mercury"] },
      { id: id(2), headId: id(2), surfaces: ["Planet", "mercury"] },
      { id: id(3), headId: id(1), surfaces: ["MERCURY"] }
    ]).detect("On Mercury.")
    expect(one?.entityIds).toEqual([id(1), id(2)])
    expect(one?.namedIds).toEqual([id(1), id(2), id(3)])
  })

  const word = fc.constantFrom(
    "ab",
    "cd",
    "ef",
    "Gh",
    "EIP",
    "20",
    "ß",
    "é",
    "東",
    "京",
    "s",
    "abcds",
    "abcd",
    "-",
    "'",
    ",",
    "\n",
    "\n\n",
    "x1",
    "😀",
    "ﬀ"
  )
  const text = fc
    .array(fc.tuple(word, fc.constantFrom("", " ")), { maxLength: 12 })
    .map((parts) => parts.flat().join(""))

  /** All keys that match at a word, by the rules said plainly: whole words, and a plural "s" behind the last. */
  const matchesAt = ({ joined, words }: Tokens, at: number, keys: ReadonlyArray<string>) =>
    keys.flatMap((key) => {
      const parts = key.split(" ")
      const last = at + parts.length - 1
      const tail = words[last] ?? ""
      const isPlural = tail.length > 3 && tail === `${parts.at(-1)}s`
      if (
        joined[at] === true ||
        !parts.every((part, place) => words[at + place] === part || (at + place === last && isPlural))
      )
        return []
      if (joined[last + 1] !== true) return [{ key, last }]
      return !isPlural && words[last + 1] === "s" && joined[last + 2] !== true
        ? [{ key, last: last + 1 }]
        : []
    })

  it("equals a search of every name at every place", () => {
    fc.assert(
      fc.property(fc.array(text, { maxLength: 8 }), text, (names, sought) => {
        const keys = [...new Set(names.map(surfaceKey).filter(isDetectable))]
        const tokens = tokenize(sought)
        const expected: Array<{ key: string; start: number; end: number }> = []
        for (let at = 0; at < tokens.words.length; at++) {
          // The most words; of as many, the name as it is written before one whose plural it is.
          const [best] = matchesAt(tokens, at, keys).sort(
            (a, b) => b.key.split(" ").length - a.key.split(" ").length || b.key.length - a.key.length
          )
          if (best === undefined) continue
          expected.push({ key: best.key, start: tokens.starts[at] ?? -1, end: tokens.ends[best.last] ?? -1 })
          at = best.last
        }
        const hits = detectorOf(...names).detect(sought)
        expect(hits.map(({ end, key, start }) => ({ key, start, end }))).toEqual(expected)
        for (const { key, namedIds } of hits) {
          expect(namedIds).toEqual(
            names.flatMap((name, number) => (surfaceKey(name) === key ? [id(number)] : []))
          )
        }
      }),
      { numRuns: 500 }
    )
  })

  it("finds every detectable name standing by itself", () => {
    fc.assert(
      fc.property(fc.string({ unit: "grapheme", maxLength: 30 }), (name) => {
        fc.pre(isDetectable(surfaceKey(name)) && !/\n|\r/u.test(name))
        expect(
          detectorOf(name)
            .detect(`( ${name} )`)
            .map(({ key }) => key)
        ).toEqual([surfaceKey(name)])
      }),
      { numRuns: 500 }
    )
  })

  it("takes time in proportion to the text, whatever it is", () => {
    const hostile = [
      "a ".repeat(50_000),
      "(".repeat(100_000),
      "\u0301".repeat(100_000),
      "東".repeat(100_000),
      "\n".repeat(100_000)
    ]
    const detector = detectorOf("a a a a a a a a b", "東東東東東京", "((( b")
    for (const one of hostile) expect(detector.detect(one)).toEqual([])
  })
})
