import fc from "fast-check"
import { afterAll, beforeAll, describe, expect, it } from "vitest"
import { operations } from "../../../../core/operations.js"
import { EntityId, nameNorm, runOperation } from "../../../../core/platform/kernel/index.js"
import { candidatePairs, rarityIn } from "../../../../core/upkeep/overview/duplicate-pairs.js"
import {
  type Comparable,
  comparable,
  editDistance,
  editsMax,
  nameReasons,
  neighbourReason,
  scoreOf
} from "../../../../core/upkeep/overview/duplicate-score.js"
import { startServer, type TestServer } from "../../../support/server.js"

const idOf = (n: number) => EntityId.parse(`ent_${String(n).padStart(26, "0")}`)
const word = fc.constantFrom(
  "lantern",
  "lantren",
  "heron",
  "herons",
  "a",
  "ada",
  "love-lace",
  "Lovelace",
  "hub",
  "42"
)
const anyName = fc.oneof(
  fc.array(word, { minLength: 1, maxLength: 3 }).map((words) => words.join(" ")),
  fc.string({ unit: fc.constantFrom("a", "b", "c", "é", "1", " ", "-"), minLength: 1, maxLength: 14 })
)
const anyNames = fc
  .array(
    fc.record({
      name: anyName.filter((name) => nameNorm(name) !== ""),
      type: fc.constantFrom("person", "thing"),
      aliases: fc.array(anyName, { maxLength: 2 })
    }),
    { maxLength: 40 }
  )
  .map((all) =>
    all.map(({ aliases, name, type }, n) => {
      const norm = nameNorm(name)
      return comparable({
        id: idOf(n),
        name,
        type,
        nameNorm: norm,
        aliases: [...new Set(aliases.map(nameNorm))].filter((alias) => alias !== "" && alias !== norm)
      })
    })
  )

/** The textbook's distance, without any short cut. */
const plainDistance = (a: string, b: string): number => {
  const rows = Array.from({ length: a.length + 1 }, (_, i) =>
    Array.from({ length: b.length + 1 }, (_, j) => i || j)
  )
  const at = (i: number, j: number) => rows[i]?.[j] ?? 0
  for (let i = 1; i <= a.length; i++)
    for (let j = 1; j <= b.length; j++) {
      const row = rows[i]
      if (row === undefined) continue
      row[j] = Math.min(
        at(i - 1, j) + 1,
        at(i, j - 1) + 1,
        at(i - 1, j - 1) + (a[i - 1] === b[j - 1] ? 0 : 1)
      )
    }
  return at(a.length, b.length)
}

describe("likely duplicates by name", () => {
  it("are found by blocks as by comparing everybody with everybody, each pair once", () => {
    fc.assert(
      fc.property(anyNames, (all) => {
        const rarity = rarityIn(all)
        const keyOf = ([a, b]: readonly [number, number]) => `${a} ${b}`
        const speaks = ([i, j]: readonly [number, number]) => {
          const [a, b] = [all[i], all[j]]
          return a !== undefined && b !== undefined && nameReasons(a, b, rarity).length > 0
        }
        const everybody = all.flatMap((_, j) =>
          all.slice(0, j).map((_other, i): readonly [number, number] => [i, j])
        )
        const blocked = [...candidatePairs(all, rarity)]
        expect(new Set(blocked.map(keyOf)).size).toBe(blocked.length)
        expect(blocked.filter(speaks).map(keyOf).sort()).toEqual(everybody.filter(speaks).map(keyOf).sort())
      })
    )
  })

  it("do not depend on who is asked about whom, and score below certainty", () => {
    fc.assert(
      fc.property(anyNames, (all) => {
        const rarity = rarityIn(all)
        for (const a of all.slice(0, 8))
          for (const b of all.slice(0, 8)) {
            if (a.id === b.id) continue
            const [there, back] = [nameReasons(a, b, rarity), nameReasons(b, a, rarity)]
            expect(there.map(({ code, strength }) => [code, strength])).toEqual(
              back.map(({ code, strength }) => [code, strength])
            )
            expect(scoreOf(there)).toBeLessThan(1)
            expect(scoreOf(there)).toBeGreaterThanOrEqual(
              Math.max(0, ...there.map(({ strength }) => strength)) - 1e-9
            )
          }
      })
    )
  })

  it("measure spelling as the textbook does, as far as it matters", () => {
    const text = fc.string({ unit: fc.constantFrom("a", "b", "c"), maxLength: 12 })
    fc.assert(
      fc.property(text, text, fc.nat(3), (a, b, most) => {
        expect(editDistance(a, b, most)).toBe(Math.min(plainDistance(a, b), most + 1))
      })
    )
    expect([4, 5, 11, 12].map(editsMax)).toEqual([0, 1, 1, 2])
  })

  const called = (name: string, type = "person", aliases: ReadonlyArray<string> = []): Comparable =>
    comparable({ id: idOf(0), name, type, nameNorm: nameNorm(name), aliases })
  const codes = (a: Comparable, b: Comparable) => nameReasons(a, b, rarityIn([a, b])).map(({ code }) => code)

  it.each([
    ["the same name as another type", called("Mercury", "planet"), called("mercury", "metal"), ["same_name"]],
    ["other punctuation and order", called("Lovelace, Ada"), called("Ada Lovelace"), ["same_letters"]],
    ["an accent", called("Café"), called("Cafe"), ["same_letters"]],
    ["a typing error", called("Kubernetes"), called("Kubernets"), ["spelling"]],
    ["two letters in the wrong order", called("Lantern"), called("Lantren"), ["spelling"]],
    ["another name", called("UNESCO"), called("Unesco Paris", "person", ["unesco"]), ["alias", "words"]],
    ["an initial", called("A. Lovelace"), called("Ada Lovelace"), ["words"]],
    [
      "an alias in common",
      called("Big Blue", "x", ["ibm"]),
      called("The Company", "x", ["ibm"]),
      ["shared_alias"]
    ],
    ["another number", called("RFC 2616"), called("RFC 2617"), []],
    ["another short word", called("cat"), called("car"), []],
    ["a space", called("Database server"), called("Data base server"), ["spelling"]],
    ["another letter that is a word", called("Vitamin A"), called("Vitamin B"), []],
    ["another numeral", called("Punic War I"), called("Punic War II"), ["words"]],
    ["another short word among long ones", called("Food technology"), called("Wood technology"), []],
    [
      "one letter, and other names that are not the other's",
      called("Iceland", "x", ["islande", "islandia", "исландия"]),
      called("Ireland", "x", ["irlande", "irlanda", "ирландия"]),
      []
    ],
    [
      "one letter, and another name that is the other's too",
      called("Painting", "x", ["peinture", "pintura", "живопись"]),
      called("Paintings", "x", ["peinture", "pinturas", "картины"]),
      ["spelling", "shared_alias"]
    ],
    ["nothing", called("Heron"), called("Lantern"), []]
  ] as const)("know %s", (_what, a, b, expected) => {
    expect(codes(a, b)).toEqual(expected)
    expect(codes(b, a)).toEqual(expected)
  })

  it("count a first letter that differs for less than one further on", () => {
    const scored = (a: string, b: string) => scoreOf(nameReasons(called(a), called(b), rarityIn([])))
    expect(scored("Migration", "Emigration")).toBeLessThan(0.5)
    expect(scored("Migration", "Miggration")).toBeGreaterThan(0.7)
  })

  it("gain by neighbours in common, and the more of them the more", () => {
    const ids = (from: number, to: number) =>
      new Set(Array.from({ length: to - from }, (_, i) => `${from + i}`))
    const strength = (a: ReadonlySet<string>, b: ReadonlySet<string>) => neighbourReason(a, b)?.strength ?? 0
    expect(strength(ids(0, 3), ids(5, 9))).toBe(0)
    expect(strength(ids(0, 2), ids(0, 2))).toBeCloseTo(0.25, 12)
    expect(strength(ids(0, 8), ids(0, 8))).toBeCloseTo(0.4, 12)
    expect(strength(ids(0, 8), ids(4, 12))).toBeLessThan(strength(ids(0, 8), ids(2, 10)))
  })
})

describe("likely duplicates of a workspace", () => {
  let server: TestServer
  beforeAll(async () => {
    server = await startServer()
  })
  afterAll(() => server.close())

  it("are proposed with the one that would stay, until somebody decides, and never merged alone", async () => {
    const workspace = await server.workspace("duplicates")
    const run = <A>(work: Parameters<TestServer["as"]>[1]) => server.as(workspace, work) as Promise<A>
    const make = async (name: string, type: string, aliases: ReadonlyArray<string> = []) =>
      (await server.as(workspace, runOperation(operations.createEntity, { name, type, aliases }))).id
    const find = (input: object = {}) => server.as(workspace, runOperation(operations.listDuplicates, input))
    const ada = await make("Ada Lovelace", "person")
    const swapped = await make("Lovelace, Ada", "person")
    const other = await make("Charles Babbage", "person", ["the inventor"])
    const engine = await make("Analytical Engine", "thing")
    await run(runOperation(operations.certifyEntity, { id: swapped }))
    for (const id of [ada, swapped])
      for (const dstEntityId of [other, engine])
        await run(
          runOperation(operations.createRelation, { srcEntityId: id, dstEntityId, type: "worked on" })
        )
    const page = await find()
    expect(page.total).toBe(1)
    const [pair] = page.items
    expect([pair?.head.id, pair?.duplicate.id]).toEqual([swapped, ada])
    expect(pair?.reasons.map(({ code }) => code)).toEqual(["same_letters", "neighbours"])
    expect(pair?.score).toBeCloseTo(1 - 0.15 * (1 - 0.5 * 0.5), 12)
    expect((await find({ id: other })).items).toEqual([])
    expect((await find({ id: ada })).items).toEqual(page.items)
    expect((await find({ minScore: 0.99 })).items).toEqual([])
    expect((await server.as(workspace, runOperation(operations.listEntities, {}))).total).toBe(4)
    await run(runOperation(operations.mergeEntity, { id: ada, intoId: swapped }))
    expect((await find()).items).toEqual([])
    const third = await make("Lovelace Ada", "person")
    expect((await find({ id: ada })).items.map(({ duplicate, head }) => [head.id, duplicate.id])).toEqual([
      [swapped, third]
    ])
    await run(runOperation(operations.deprecateEntity, { id: third, supersededBy: swapped }))
    expect((await find()).items).toEqual([])
  })
})
