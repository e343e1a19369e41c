import * as fc from "fast-check"
import { afterAll, beforeAll, describe, expect, it } from "vitest"
import type { Engine } from "../../../../adapters/sqlite/index.js"
import { createEngine } from "../../../support/database.js"

/** Words that are far from each other, in the languages of a team. */
const words = [
  "deployment",
  "authentication",
  "reimbursement",
  "throughput",
  "Kündigungsfrist",
  "Stromausfall",
  "recouvrement",
  "bibliothèque",
  "договоры",
  "отчётность"
]

/** One letter put in, left out, replaced or exchanged with the next; the first is right, or comes second. */
interface Slip {
  readonly kind: "put" | "left" | "replaced" | "exchanged"
  readonly at: number
  readonly letter: number
}
const slip: fc.Arbitrary<Slip> = fc.record({
  kind: fc.constantFrom("put", "left", "replaced", "exchanged"),
  at: fc.nat(),
  letter: fc.nat()
})

const misspell = (word: string, { at, kind, letter: drawn }: Slip): string => {
  const letters = /[а-я]/u.test(word) ? "екнмоз" : "etaoin"
  const letter = letters.charAt(drawn % letters.length)
  const place = 1 + (at % (word.length - 1))
  const [head, rest] = [word.slice(0, place), word.slice(place)]
  if (kind === "put") return head + letter + rest
  if (kind === "left") return head + rest.slice(1)
  if (kind === "replaced") return head + letter + rest.slice(1)
  return word.slice(0, place - 1) + rest.charAt(0) + word.charAt(place - 1) + rest.slice(1)
}

const opened: Array<Engine> = []
const engineWith = async (notes: Readonly<Record<string, string>>): Promise<Engine> => {
  const engine = await createEngine({ vault: "database:", data: ":memory:" })
  opened.push(engine)
  for (const [path, content] of Object.entries(notes)) await engine.documents.create({ path, content })
  return engine
}
afterAll(async () => {
  for (const engine of opened) await engine.close()
})

const found = async (engine: Engine, query: string): Promise<ReadonlyArray<string>> =>
  (await engine.search(query, { limit: 20 })).results.map(({ docPath }) => docPath)

describe("a misspelt word", () => {
  let engine: Engine
  beforeAll(async () => {
    engine = await engineWith(
      Object.fromEntries(
        words.map((word, i) => [`${i}.md`, `Of ${word} this page tells all, in ${i} parts.`])
      )
    )
  })

  it("finds what the word would have found, wherever the slip is", () =>
    fc.assert(
      fc.asyncProperty(fc.nat(words.length - 1), slip, async (i, how) => {
        const [first] = await found(engine, misspell(words[i] ?? "", how))
        expect(first).toBe(`${i}.md`)
      }),
      { numRuns: 300 }
    ))

  it("finds it with two slips where the word is long", async () => {
    expect(await found(engine, "Kundgungsfrits")).toEqual(["4.md"])
    expect(await found(engine, "recouvremment des loyrs")).toEqual(["6.md"])
  })

  it("is shown in the passage as it stands there", async () => {
    const { results } = await engine.search("how does the deploymnet go", { limit: 1 })
    expect(results[0]?.snippet).toMatch(/deployment/u)
  })
})

describe("a word that may be right", () => {
  it("is taken as it is where any passage holds it", async () => {
    const engine = await engineWith({
      "form.md": "The contract form has nine fields.",
      "from.md": "The formal contract comes from the bank."
    })
    expect(await found(engine, "formal")).toEqual(["from.md"])
    const { docId } = (await engine.search("formal", { limit: 1 })).results[0] ?? { docId: "" }
    await engine.documents.remove(docId)
    // A word that only a removed document had is not suggested as a correction.
    expect(await found(engine, "fromal")).toEqual([])
  })

  it("is not changed where it is short, a number or a code", async () => {
    const engine = await engineWith({ "a.md": "Cart, port 8443, KX-20411 and sha256sum are told of here." })
    for (const query of ["care", "pots", "8444", "20412", "sha265sum"])
      expect([query, await found(engine, query)]).toEqual([query, []])
  })

  it("weighs less for what it may have been meant for than a word that was said", async () => {
    const engine = await engineWith({
      "meant.md": "Retention of records.",
      "said.md": "Deletion of records."
    })
    expect(await found(engine, "deletion retentoin")).toEqual(["said.md", "meant.md"])
  })

  it("is left alone in a question of which four words stand nowhere", async () => {
    const engine = await engineWith({ "a.md": "Invoices are approved by the controller." })
    expect(await found(engine, "invoicse approevd contorller aproval")).toEqual([])
  })
})

describe("an index of many terms", () => {
  it("is looked through where the first letters agree", async () => {
    const vocabulary = Array.from({ length: 16_000 }, (_, i) =>
      `ab${i.toString(26).replace(/\d/gu, (digit) => String.fromCharCode(113 + Number(digit)))}`.repeat(6)
    )
    const engine = await engineWith({
      "many.md": vocabulary.join(" "),
      "one.md": "The abstraction layer is described here."
    })
    expect(await found(engine, "abstractoin")).toEqual(["one.md"])
  })
})
