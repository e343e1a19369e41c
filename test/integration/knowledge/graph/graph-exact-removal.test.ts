import * as Effect from "effect/Effect"
import fc from "fast-check"
import { describe, expect, it } from "vitest"
import { extractGraph, rebuildGraph } from "../../../../core/knowledge/extraction/index.js"
import { rankGraph } from "../../../../core/knowledge/graph/index.js"
import { type DocumentId, Ids } from "../../../../core/platform/kernel/index.js"
import { graphPicture } from "../../../support/graph-picture.js"
import { graphLayer, MemoryVault } from "../../../support/graph-vault.js"
import { makeWorkspace, runEffect } from "../../../support/run.js"
import { runs } from "../../../support/runs.js"

const paths = ["a.md", "b.md", "eip-1.md", "eip-2.md", "sub/a.md", "sub/Orbit Plan.md"]
const titles = ["Orbit Plan", "Orbit", "Orbits", "Apollo Program", "EIP-1", "tag-one", "Überblick"]
const sentence = fc.constantFrom(
  "We build the Apollo Program here.",
  "Then the Apollo Programs of old.",
  "All know Orbit and the Orbit Plan.",
  "the orbit is small; an orbit plan too.",
  "See EIP-1 and EIP 2 for more, says the FOO.",
  "Ask the FOO or FOOs about Zeta Function Theory.",
  "A [[Missing Page]] and [[a]] and [x](eip-2.md).",
  "Go to [[sub/a|there]], [[Orbit Plan]] or [back](../b.md).",
  "Der Überblick über das Apollo Program.",
  "`code FOO`",
  "# Zeta Function"
)
const document = fc.record({
  title: fc.option(fc.constantFrom(...titles), { nil: null }),
  type: fc.option(fc.constantFrom("concept", "plan", "tag"), { nil: null }),
  aliases: fc.subarray(["FOO", "Missing Page", "The Plan"], { maxLength: 2 }),
  tags: fc.subarray(["tag-one", "Orbit", "tag two"], { maxLength: 2 }),
  requires: fc.option(fc.constantFrom("1", "2, 1", "Orbit Plan"), { nil: null }),
  body: fc.array(sentence, { maxLength: 5 })
})
const text = document.map(({ aliases, body, requires, tags, title, type }) =>
  [
    "---",
    ...(title === null ? [] : [`title: "${title}"`]),
    ...(type === null ? [] : [`type: ${type}`]),
    ...(requires === null ? [] : [`requires: ${requires}`]),
    `aliases: [${aliases.join(", ")}]`,
    `tags: [${tags.join(", ")}]`,
    "---",
    "",
    body.join("\n\n"),
    ""
  ].join("\n")
)
const place = fc.nat({ max: 5 })
const step = fc.oneof(
  {
    weight: 4,
    arbitrary: fc.record({ do: fc.constant("create" as const), path: fc.constantFrom(...paths), text })
  },
  { weight: 3, arbitrary: fc.record({ do: fc.constant("replace" as const), place, text }) },
  {
    weight: 2,
    arbitrary: fc.record({ do: fc.constant("move" as const), place, path: fc.constantFrom(...paths) })
  },
  { weight: 3, arbitrary: fc.record({ do: fc.constant("remove" as const), place }) },
  { weight: 1, arbitrary: fc.record({ do: fc.constant("restore" as const), place }) },
  { weight: 3, arbitrary: fc.record({ do: fc.constant("extract" as const) }) }
)
type Step = typeof step extends fc.Arbitrary<infer Value> ? Value : never

/** Does a step to the vault, as far as paths allow it. */
const take = (vault: MemoryVault, ids: ReadonlyArray<DocumentId>, one: Step): DocumentId | null => {
  const live = vault.documents.filter(({ deletedAt }) => deletedAt === null)
  const isFree = (path: string) => live.every((other) => other.path !== path)
  if (one.do === "extract") return null
  if (one.do === "create") return isFree(one.path) ? vault.create(one.path, one.text) : null
  const id = ids[one.place]
  const row = vault.documents.find((other) => other.id === id)
  if (id === undefined || row === undefined) return null
  if (one.do === "restore") {
    if (row.deletedAt !== null && isFree(row.path)) vault.restore(id)
  } else if (row.deletedAt === null) {
    if (one.do === "replace") vault.replace(id, one.text)
    else if (one.do === "remove") vault.remove(id)
    else if (isFree(one.path)) vault.move(id, one.path)
  }
  return null
}

describe("the graph after any history", () => {
  it("draws nothing for a link of a document to itself, whatever else bears the end of its path", async () => {
    const pictures = await runEffect(
      Effect.gen(function* () {
        const vault = new MemoryVault(yield* Ids)
        const both = Effect.provide(vault.layer)
        const [lived, fresh] = [yield* makeWorkspace("lived"), yield* makeWorkspace("fresh")]
        vault.create("sub/a.md", "---\ntitle: Orbit Plan\n---\n\nGo to [[sub/a|there]].\n")
        yield* both(extractGraph(lived))
        vault.create("a.md", "# a\n")
        for (const workspace of [lived, fresh]) {
          yield* both(extractGraph(workspace))
          yield* rankGraph(workspace)
        }
        return [yield* both(graphPicture(lived)), yield* both(graphPicture(fresh))]
      }).pipe(Effect.provide(graphLayer()), Effect.orDie)
    )
    for (const picture of pictures) expect(picture).toMatchObject({ edges: [], relations: [] })
    expect(pictures[0]).toEqual(pictures[1])
  })

  it("equals that of a fresh build over what is left", async () => {
    await fc.assert(
      fc.asyncProperty(fc.array(step, { minLength: 1, maxLength: 14 }), async (steps) => {
        const [lived, fresh] = await runEffect(
          Effect.gen(function* () {
            const vault = new MemoryVault(yield* Ids)
            const workspace = yield* makeWorkspace("lived")
            const ids: Array<DocumentId> = []
            const both = Effect.provide(vault.layer)
            for (const one of steps) {
              const made = take(vault, ids, one)
              if (made !== null) ids.push(made)
              if (one.do === "extract") yield* both(extractGraph(workspace))
            }
            yield* both(extractGraph(workspace))
            yield* rankGraph(workspace)
            const anew = yield* makeWorkspace("fresh")
            yield* both(extractGraph(anew))
            yield* rankGraph(anew)
            return [yield* both(graphPicture(workspace)), yield* both(graphPicture(anew))]
          }).pipe(Effect.provide(graphLayer()), Effect.orDie)
        )
        expect(lived).toEqual(fresh)
      }),
      { numRuns: runs(30) }
    )
  })

  /** A history told in words, checked against a fresh build. */
  const history = (tell: (vault: MemoryVault, then: Array<() => void>) => void) =>
    runEffect(
      Effect.gen(function* () {
        const vault = new MemoryVault(yield* Ids)
        const [workspace, anew] = [yield* makeWorkspace(), yield* makeWorkspace()]
        const then: Array<() => void> = []
        tell(vault, then)
        const both = Effect.provide(vault.layer)
        const pictures = [
          yield* Effect.zipRight(both(extractGraph(workspace)), both(graphPicture(workspace)))
        ]
        for (const act of then) {
          act()
          yield* both(extractGraph(workspace))
          pictures.push(yield* both(graphPicture(workspace)))
        }
        yield* both(extractGraph(anew))
        expect(pictures.at(-1)).toEqual(yield* both(graphPicture(anew)))
        return pictures
      }).pipe(Effect.provide(graphLayer()), Effect.orDie)
    )

  it("draws the relations of those who link to a document that took the name of another", async () => {
    const [before, after] = await history((vault, then) => {
      const renamed = vault.create("p/index.md", "# One")
      vault.create("q/index.md", "# One")
      vault.create("r/index.md", "# Two")
      vault.create("c.md", "# Three\n\n[x](p/index.md)")
      then.push(() => vault.replace(renamed, "# Two"))
    })
    expect(before?.edges).toEqual(["document/three links_to document/one (p) 1"])
    expect(after?.edges).toEqual(["document/three links_to document/two (p) 1"])
  })

  it("tells documents of one name apart for as long as there are two", async () => {
    const pictures = await history((vault, then) => {
      vault.create("acme/li-wei.md", "# Li Wei\n\nLi Wei keeps the books.")
      const second = vault.create("bolt/li-wei.md", "# Li Wei\n\nLi Wei audits.")
      then.push(() => vault.remove(second))
      then.push(() => vault.restore(second))
      then.push(() => vault.replace(second, "# Wei Li"))
    })
    const names = pictures.map(({ entities }) => entities.map((one) => one.split(" = ")[0]))
    const both = ["document/li wei (acme)/Li Wei (acme)", "document/li wei (bolt)/Li Wei (bolt)"]
    expect(names).toEqual([
      both,
      ["document/li wei/Li Wei"],
      both,
      ["document/li wei/Li Wei", "document/wei li/Wei Li"]
    ])
    // In its own document a name means that document's entity.
    expect(pictures[0]?.mentions.every((mention) => mention.endsWith(" 1"))).toBe(true)
  })

  it("drops a term that more documents write small, and takes it back", async () => {
    const concepts = (
      await history((vault, then) => {
        vault.create("a.md", "# A\n\nWe saw the Quasar and the Quasar again.")
        vault.create("b.md", "# B\n\nIt is the Quasar.")
        const others = ["c.md", "d.md", "e.md"].map((path) => vault.create(path, "# Else"))
        then.push(() =>
          others.slice(0, 2).forEach((id) => {
            vault.replace(id, "# Else\n\nIt is a quasar.")
          })
        )
        then.push(() =>
          others.slice(0, 1).forEach((id) => {
            vault.remove(id)
          })
        )
      })
    ).map(({ entities }) => entities.filter((one) => one.startsWith("concept/")).length)
    expect(concepts).toEqual([1, 0, 1])
  })

  it("is the same after a rebuild, and a run with nothing to do changes nothing", () =>
    runEffect(
      Effect.gen(function* () {
        const vault = new MemoryVault(yield* Ids)
        const workspace = yield* makeWorkspace()
        for (const [at, path] of paths.entries()) {
          vault.create(path, `# ${titles[at]}\n\nWe know the Apollo Program, [[Orbit]] and [[Nowhere Land]].`)
        }
        const both = Effect.provide(vault.layer)
        yield* both(extractGraph(workspace))
        yield* rankGraph(workspace)
        const before = yield* both(graphPicture(workspace))
        expect(before.mentions.length).toBeGreaterThan(6)
        expect(yield* both(extractGraph(workspace))).toEqual({ documents: 0, names: 0, drawn: 0 })
        yield* both(rebuildGraph(workspace))
        yield* rankGraph(workspace)
        expect(yield* both(graphPicture(workspace))).toEqual(before)
      }).pipe(Effect.provide(graphLayer()), Effect.orDie)
    ))
})
