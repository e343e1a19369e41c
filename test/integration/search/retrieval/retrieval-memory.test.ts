import { mkdirSync } from "node:fs"
import { join } from "node:path"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import * as ManagedRuntime from "effect/ManagedRuntime"
import * as fc from "fast-check"
import { describe, expect, it } from "vitest"
import { postgresPorts } from "../../../../adapters/postgres/index.js"
import { sqlitePorts } from "../../../../adapters/sqlite/index.js"
import { queryOperations } from "../../../../core/answers/answering/index.js"
import { gatherEvidence } from "../../../../core/answers/gathering/gather-evidence.js"
import { readGovernance } from "../../../../core/answers/gathering/governance.js"
import { type Wired, wiring } from "../../../../core/engine/engine/index.js"
import { moveOperations } from "../../../../core/files/document-moves/index.js"
import { DocumentStore, documentOperations } from "../../../../core/files/documents/index.js"
import { entityOperations } from "../../../../core/knowledge/entities/index.js"
import { readQuestion } from "../../../../core/language/questions/index.js"
import { analyse } from "../../../../core/language/tokenization/index.js"
import { record } from "../../../../core/platform/audit/index.js"
import { enqueue } from "../../../../core/platform/jobs/index.js"
import {
  atomically,
  Caller,
  type DocumentId,
  now,
  runOperation,
  type WorkspaceScope
} from "../../../../core/platform/kernel/index.js"
import { WorkspaceStore } from "../../../../core/platform/workspace/index.js"
import type { Ports } from "../../../../core/ports.js"
import { mergeSegments, PostingStore } from "../../../../core/search/lexical/index.js"
import { retrievalOperations, SearchCache } from "../../../../core/search/retrieval/index.js"
import { temporaryFolder } from "../../../support/folders.js"
import { dropDatabase, makeDatabase } from "../../../support/postgres.js"
import { asCaller, makeWorkspace } from "../../../support/run.js"
import { runs } from "../../../support/runs.js"

type Services = Ports | Wired

type Proof = (
  both: ReadonlyArray<<A, E>(effect: Effect.Effect<A, E, Services>) => Promise<A>>,
  workspace: WorkspaceScope
) => Promise<void>

/** Two programs on one data folder, as two processes are: nothing is shared between them but the file. */
const onSqlite = (proof: Proof): Promise<void> =>
  withTwo(proof, (folder) => sqlitePorts({ vault: folder, data: join(folder, "data.d") }))

/** Two programs on one database of a server. */
const onPostgres = async (proof: Proof): Promise<void> => {
  const database = await makeDatabase()
  try {
    await withTwo(proof, (vault) => postgresPorts({ vault, database, connectionsMax: 3 }))
  } finally {
    await dropDatabase(database)
  }
}

const withTwo = async (proof: Proof, portsIn: (folder: string) => Layer.Layer<Ports>): Promise<void> => {
  const folder = temporaryFolder("memory")
  mkdirSync(join(folder, "data.d"))
  const ports = portsIn(folder)
  const open = () => ManagedRuntime.make(Layer.provideMerge(wiring, Layer.fresh(ports)))
  const programs = [open(), open()]
  try {
    const [first] = programs
    if (first === undefined) return
    const workspace = await first.runPromise(makeWorkspace())
    await proof(
      programs.map((program) => (effect) => program.runPromise(effect)),
      workspace
    )
  } finally {
    for (const program of programs) await program.dispose()
  }
}

const words = ["wing", "lift", "drag", "flow"]
const step = fc.record({
  by: fc.nat(1),
  kind: fc.constantFrom("create", "replace", "remove", "undo", "merge"),
  name: fc.nat(5),
  text: fc.array(fc.constantFrom(...words), { minLength: 1, maxLength: 6 }).map((chosen) => chosen.join(" "))
})

const databases = [
  { name: "SQLite", withBoth: onSqlite, share: 1 },
  { name: "Postgres", withBoth: onPostgres, share: 0.25 }
] as const

describe.each(databases)("what searches remember on $name", ({ share, withBoth }) => {
  it("is never older than the last change, whoever made it", () =>
    fc.assert(
      fc.asyncProperty(fc.array(step, { minLength: 2, maxLength: 10 }), (steps) =>
        withBoth(async (both, workspace) => {
          const model = new Map<string, { readonly id: string; readonly text: string }>()
          const as = asCaller(workspace)
          for (const { by, kind, name, text } of steps) {
            const run = both[by]
            if (run === undefined) continue
            const path = `n${name}.md`
            const held = model.get(path)
            const content = `# Note\n\n${text}\n`
            if (kind === "create" && held === undefined) {
              const { docId } = await run(
                as(runOperation(documentOperations.createDocument, { path, content }))
              )
              model.set(path, { id: docId, text })
            } else if (kind === "replace" && held !== undefined) {
              await run(as(runOperation(documentOperations.replaceDocument, { id: held.id, content })))
              model.set(path, { ...held, text })
            } else if (kind === "remove" && held !== undefined) {
              await run(as(runOperation(documentOperations.deleteDocument, { id: held.id })))
              model.delete(path)
            } else if (kind === "merge") await run(mergeSegments(workspace))
            else if (kind === "undo") await run(undoneChange(workspace))
            for (const program of both) {
              for (const q of words) {
                const { results } = await program(
                  as(runOperation(retrievalOperations.search, { q, limit: 50 }))
                )
                const expected = [...model].filter(([, now]) => now.text.split(" ").includes(q))
                expect(results.map(({ docPath }) => docPath).sort()).toEqual(
                  expected.map(([at]) => at).sort()
                )
                for (const { docPath, snippet } of results)
                  expect(snippet).toContain(model.get(docPath)?.text)
              }
            }
          }
        })
      ),
      { numRuns: runs(8 * share) }
    ))
})

const otherStep = fc.record({
  by: fc.nat(1),
  kind: fc.constantFrom("verify", "move", "settings", "remove", "restore", "replace", "quiet"),
  note: fc.nat(2),
  choice: fc.nat(3)
})
const verifications = ["unverified", "verified", "certified", "deprecated"] as const

describe.each(databases)(
  "what searches remember on $name, beside what remembers nothing",
  ({ share, withBoth }) => {
    it("gives the same results, ranks and titles after every change of another kind", () =>
      fc.assert(
        fc.asyncProperty(fc.array(otherStep, { minLength: 3, maxLength: 12 }), (steps) =>
          withBoth(async (both, workspace) => {
            const as = asCaller(workspace)
            const [first] = both
            const ids = await Promise.all(
              words.slice(0, 3).map(async (word, place) => {
                const content = `# ${word}\n\n${words.slice(0, place + 2).join(" ")}\n`
                return first?.(
                  as(runOperation(documentOperations.createDocument, { path: `${word}.md`, content }))
                )
              })
            )
            for (const [place, { by, choice, kind, note }] of steps.entries()) {
              const [id, run] = [ids[note]?.docId, both[by]]
              if (id === undefined || run === undefined) continue
              await run(Effect.ignore(as(otherChange(id, kind, choice, place))))
              for (const program of both) {
                const search = as(
                  runOperation(retrievalOperations.search, { q: words.slice(0, 2).join(" "), limit: 50 })
                )
                // Within a unit of work there is no stamp, and everything is read.
                expect(await program(search)).toEqual(await program(atomically(search)))
                const catalog = Effect.flatMap(DocumentStore, (store) =>
                  Effect.all([store.stamps(workspace), store.counts(workspace)])
                )
                expect(await program(catalog)).toEqual(await program(atomically(catalog)))
                const asked = askedOf(workspace)
                expect(await program(asked)).toEqual(await program(atomically(asked)))
              }
            }
          })
        ),
        { numRuns: runs(Math.ceil(6 * share)) }
      ))

    it("is kept while only what no search reads is written, by whichever program", () =>
      withBoth(async (both, workspace) => {
        const as = asCaller(workspace)
        const [first, second] = both
        if (first === undefined || second === undefined) return
        const content = "# Note\n\nwing lift\n"
        const { docId } = await first(
          as(runOperation(documentOperations.createDocument, { path: "a.md", content }))
        )
        const stamp = Effect.flatMap(PostingStore, (store) => store.stamp(workspace))
        const before = await first(stamp)
        expect(before).not.toBeNull()
        for (const program of both)
          await program(as(otherChange(docId, "quiet", program === first ? 0 : 1, 0)))
        expect(await first(stamp)).toBe(before)
        expect(await second(stamp)).toBe(before)
        for (const kind of ["verify", "move", "settings", "replace", "remove"] as const) {
          const last = await first(stamp)
          await second(as(otherChange(docId, kind, 1, 1)))
          expect(await first(stamp), kind).not.toBe(last)
        }
      }))
  }
)

/** A change of what searches show or weigh, or (`quiet`) of what they never look at. */
const otherChange = (id: DocumentId, kind: string, choice: number, place: number) =>
  Effect.gen(function* () {
    if (kind === "verify")
      yield* runOperation(documentOperations.verifyDocument, {
        id,
        verification: verifications[choice] ?? "verified"
      })
    else if (kind === "move")
      yield* runOperation(moveOperations.moveDocument, { id, path: `moved/${choice}-${place}.md` })
    else if (kind === "replace")
      yield* runOperation(documentOperations.replaceDocument, {
        id,
        content: `${choice > 1 ? "---\nstatus: superseded\n---\n" : ""}# New\n\nwing ${place}\n\n## Else\n\nlift\n`
      })
    else if (kind === "remove") yield* runOperation(documentOperations.deleteDocument, { id })
    else if (kind === "restore") yield* runOperation(documentOperations.restoreDocument, { id })
    else if (kind === "settings") yield* weighOtherwise(10 + choice * 20 + place)
    else {
      yield* enqueue([{ kind: "analytics", dedupeKey: `note-${place}` }])
      yield* runOperation(entityOperations.createEntity, {
        name: `Thing ${choice} ${place}`,
        type: "concept"
      })
      yield* record([{ action: "note", subjectId: id }])
      yield* runOperation(queryOperations.query, { question: `what of wing ${place}` })
    }
  })

/** Returns the evidence of a question with its governance status. */
const askedOf = (workspace: WorkspaceScope) =>
  Effect.gen(function* () {
    const stamp = yield* (yield* PostingStore).stamp(workspace)
    const settings = yield* (yield* SearchCache).settings(workspace, stamp)
    const question = readQuestion("What is wing lift of Thing 1 2?", analyse)
    const { seen, ...found } = yield* gatherEvidence(workspace, question, { gated: true, settings, stamp })
    const passages = found.sources.map(({ passage }) => passage)
    const subjects = {
      documents: [...new Set(passages.map(({ documentId }) => documentId))],
      titles: [...passages.map(({ docTitle }) => docTitle), "Thing 1 2", "Thing 0 0"],
      entities: found.entities.map(({ id }) => id)
    }
    return { found, standing: yield* readGovernance(workspace, subjects, seen), settings }
  })

const weighOtherwise = (rrfK: number) =>
  Effect.gen(function* () {
    const [store, { workspace }] = [yield* WorkspaceStore, yield* Caller]
    const { settings, ...rest } = yield* store.get(workspace)
    yield* store.update(
      { ...rest, settings: { ...settings, retrieval: { ...settings.retrieval, rrfK } } },
      yield* now
    )
  })

/** Takes every passage out of the index, looks, and undoes it. */
const undoneChange = (workspace: WorkspaceScope) =>
  Effect.ignore(
    atomically(
      Effect.gen(function* () {
        yield* (yield* PostingStore).clear(workspace)
        const { results } = yield* asCaller(workspace)(
          runOperation(retrievalOperations.search, { q: words.join(" "), limit: 50 })
        )
        expect(results).toEqual([])
        return yield* Effect.fail("undone")
      })
    )
  )
