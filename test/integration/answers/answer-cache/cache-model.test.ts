import * as Effect from "effect/Effect"
import fc from "fast-check"
import { describe, expect, it } from "vitest"
import { z } from "zod"
import { AnswerStore } from "../../../../core/answers/answering/index.js"

import { operations } from "../../../../core/operations.js"
import { scopeOf, type WorkspaceId } from "../../../../core/platform/kernel/index.js"
import { Settings } from "../../../../core/platform/workspace/index.js"
import { type CacheWorld, cacheWorld } from "../../../support/cache-world.js"
import { runs } from "../../../support/runs.js"

const subjects = ["Orlin", "Merrow", "the archive"]
const things = ["invoices", "letters"]
const files = ["archive.md", "cellar.md", "attic.md"]

const sentence = fc
  .tuple(fc.constantFrom(...subjects), fc.constantFrom(...things), fc.integer({ min: 2, max: 9 }))
  .map(([subject, thing, years]) => `${subject.replace("the a", "The a")} keeps ${thing} for ${years} years.`)
const content = fc
  .array(sentence, { minLength: 1, maxLength: 4 })
  .map((sentences) => `# Notes\n\n${sentences.join("\n")}\n`)

/** Questions of which many are near to each other: opposites, other times, other words for the same. */
const question = fc
  .tuple(
    fc.constantFrom("does", "did", "must"),
    fc.constantFrom(...subjects),
    fc.constantFrom("keep", "retain", "not keep"),
    fc.constantFrom(...things),
    fc.constantFrom("?", "", " in 2023?", " in 2024?")
  )
  .map(([verb, subject, keep, thing, end]) => `How long ${verb} ${subject} ${keep} ${thing}${end}`)

type Step = (play: Play) => Promise<unknown>

interface Play {
  readonly world: CacheWorld
  readonly workspace: WorkspaceId
  readonly documents: Map<string, string>
  readonly entities: Array<string>
  readonly hits: { count: number }
}

const anyFile = fc.constantFrom(...files)
const anyEntity = fc.nat({ max: 5 })

/** A call that may be refused: what there is to change may be gone. */
const attempt = async <A>(work: Promise<A>): Promise<A | null> => {
  try {
    return await work
  } catch (error) {
    if (/Conflict|InvalidInput|InvalidTransition|NotFound/u.test(String(error))) return null
    throw error
  }
}

const write: fc.Arbitrary<Step> = fc.oneof(
  fc.tuple(anyFile, content).map(
    ([path, text]): Step =>
      async ({ documents, workspace, world }) => {
        const known = documents.get(path)
        if (known !== undefined)
          return world.run(workspace, operations.replaceDocument, { id: known, content: text })
        const made = await world.run(workspace, operations.createDocument, { path, content: text })
        return documents.set(path, made.docId)
      }
  ),
  anyFile.map(
    (path): Step =>
      async ({ documents, workspace, world }) => {
        const id = documents.get(path)
        documents.delete(path)
        return id === undefined ? null : world.run(workspace, operations.deleteDocument, { id })
      }
  ),
  anyFile.map(
    (path): Step =>
      async ({ documents, workspace, world }) => {
        const id = documents.get(path)
        if (id === undefined || documents.has(`moved-${path}`)) return null
        await world.run(workspace, operations.moveDocument, { id, path: `moved-${path}` })
        documents.delete(path)
        return documents.set(`moved-${path}`, id)
      }
  ),
  fc.tuple(anyFile, fc.constantFrom("verified", "certified", "deprecated", "unverified")).map(
    ([path, verification]): Step =>
      async ({ documents, workspace, world }) => {
        const id = documents.get(path)
        return id === undefined ? null : world.run(workspace, operations.verifyDocument, { id, verification })
      }
  ),
  fc.tuple(anyEntity, fc.constantFrom("rename", "certify", "deprecate", "delete", "merge", "create")).map(
    ([at, what]): Step =>
      async ({ entities, workspace, world }) => {
        const id = entities[at % Math.max(1, entities.length)]
        const into = entities[(at + 1) % Math.max(1, entities.length)]
        if (what === "create") {
          const name = subjects[at % 2]
          const made = await attempt(world.run(workspace, operations.createEntity, { name, type: "system" }))
          return made === null ? null : entities.push(made.id)
        }
        if (id === undefined || into === undefined) return null
        const changes = {
          rename: () => world.run(workspace, operations.updateEntity, { id, name: `Renamed ${at}` }),
          certify: () => world.run(workspace, operations.certifyEntity, { id }),
          deprecate: () => world.run(workspace, operations.deprecateEntity, { id }),
          delete: () => world.run(workspace, operations.deleteEntity, { id }),
          merge: () => world.run(workspace, operations.mergeEntity, { id, intoId: into })
        }
        return attempt<unknown>(changes[what]())
      }
  ),
  fc.constantFrom(0.4, 0.5, 0.6).map(
    (seedShare): Step =>
      ({ workspace, world }) =>
        world.settings(workspace, { retrieval: { ...Settings.parse({}).retrieval, seedShare } })
  )
)

/**
 * Asks, and asks once more past the cache: the model's answer follows the evidence and the words of the question, so
 * an answer that was given again wrongly is another one.
 */
const ask = (text: string, policyMode: "off" | "shadow" | "enforce"): Step => {
  return async ({ hits, workspace, world }) => {
    const given = await world.ask(workspace, text, { policyMode })
    const anew = await world.ask(workspace, text, { policyMode, includeData: true })
    const { answer, claims, entities, sources } = anew.answer
    expect(given.answer).toMatchObject({ answer, claims, entities, sources })
    expect(given.answer.policy.verdict).toBe(anew.answer.policy.verdict)
    if (given.trace.stages.some(({ count, name }) => name === "generate" && count === 0) && claims.length > 0)
      hits.count += 1
  }
}

const step = (asked: ReadonlyArray<string>): fc.Arbitrary<Step> =>
  fc.oneof(
    {
      weight: 4,
      arbitrary: fc
        .tuple(fc.constantFrom(...asked), fc.constantFrom("off", "shadow"))
        .map(([text, mode]) => ask(text, mode))
    },
    { weight: 1, arbitrary: question.map((text) => ask(text, "enforce")) },
    { weight: 2, arbitrary: write }
  )

const twice = (text: string): ReadonlyArray<[boolean, Step]> => [
  [true, ask(text, "off")],
  [true, ask(text, "off")]
]

const script = fc.array(question, { minLength: 2, maxLength: 4 }).chain((asked) =>
  fc
    .array(fc.tuple(fc.boolean(), step(asked)), { minLength: 10, maxLength: 25 })
    // Chance alone may draw hardly a question that is asked again before something is written.
    .map((steps) => [...steps, ...asked.slice(0, 1).flatMap(twice)])
)

describe("the answer cache, through any writes", () => {
  it("gives nothing that would not be answered anew, and never what another workspace asked", async () => {
    const world = await cacheWorld()
    const hits = { count: 0 }
    let number = 0
    const play = async (): Promise<Play> => {
      number += 1
      const workspace = await world.server.workspace(`model-${number}`)
      // The threshold is 0 because the model's answers fit the question only by chance: no confidence keeps them out of
      // the cache.
      const { policy } = Settings.parse({})
      const thresholds = { ...policy.thresholds, confidence: 0 }
      await world.settings(workspace, { cacheMode: "on", policy: { ...policy, thresholds } })
      const documents = new Map<string, string>()
      for (const path of files) {
        const text = `# Notes\n\nOrlin keeps invoices for ${path.length} years.\nMerrow keeps letters for 3 years.\n`
        documents.set(
          path,
          (await world.run(workspace, operations.createDocument, { path, content: text })).docId
        )
      }
      const made = await world.run(workspace, operations.createEntity, { name: "Orlin", type: "system" })
      return { world, workspace, documents, entities: [z.string().parse(made.id)], hits }
    }
    try {
      await fc.assert(
        fc.asyncProperty(script, async (steps) => {
          const [one, other] = [await play(), await play()]
          for (const [isFirst, run] of steps) {
            const at = isFirst ? one : other
            await run(at)
            const astray = Effect.flatMap(AnswerStore, ({ cache: store }) =>
              store.astray(scopeOf(at.workspace), 10)
            )
            expect(await world.server.as(at.workspace, astray)).toEqual([])
          }
        }),
        // Fewer may meet no answer that is held.
        { numRuns: Math.max(10, runs(20)) }
      )
      // Or nothing was tried.
      expect(hits.count).toBeGreaterThan(10)
    } finally {
      await world.server.close()
    }
  })
})
