import { existsSync, mkdirSync, readFileSync, renameSync, rmSync, writeFileSync } from "node:fs"
import { join } from "node:path"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import * as Logger from "effect/Logger"
import * as ManagedRuntime from "effect/ManagedRuntime"
import { describe, expect, it } from "vitest"
import { handlers, type Wired, wiring } from "../../../../core/engine/engine/index.js"
import { operations } from "../../../../core/operations.js"
import {
  JobStore,
  jobKinds,
  leadsTo,
  recurringPayload,
  whileWritable
} from "../../../../core/platform/jobs/index.js"
import {
  Atomic,
  Caller,
  type Fault,
  runOperation,
  scopeOf,
  type WorkspaceId
} from "../../../../core/platform/kernel/index.js"
import { changeSettings } from "../../../../core/platform/workspace/index.js"
import type { Ports } from "../../../../core/ports.js"
import { inspectWorkspace } from "../../../../core/upkeep/integrity/index.js"
import { defaultMaintenanceIntervals, recurringJobs } from "../../../../core/upkeep/maintenance/index.js"
import { atMoment } from "../../../support/clock-at.js"
import { portsOf } from "../../../support/database.js"
import { withFolder } from "../../../support/documents.js"
import { makeWorkspace } from "../../../support/run.js"

const dayMs = 86_400_000
const inspectionJobs = {
  owner: "test",
  works: false,
  handlers,
  leadsTo,
  kinds: jobKinds,
  whileWritable
}
const logger = Logger.none

/** A workspace over a folder, whose standing work is done when a test says so. */
class World {
  readonly #runtime: ManagedRuntime.ManagedRuntime<Ports | Wired, unknown>
  #workspace: WorkspaceId | undefined
  readonly vault: string
  /** How far the clock is ahead, in milliseconds. */
  aheadMs = 0

  constructor(folder: string) {
    this.vault = join(folder, "vault")
    mkdirSync(this.vault)
    const ports = portsOf({ vault: this.vault, data: ":memory:", logger })
    this.#runtime = ManagedRuntime.make(Layer.provideMerge(wiring, ports))
  }

  async run<A>(effect: Effect.Effect<A, Fault, Ports | Wired | Caller>): Promise<A> {
    this.#workspace ??= (await this.#runtime.runPromise(makeWorkspace())) as WorkspaceId
    const workspace = scopeOf(this.#workspace)
    return this.#runtime.runPromise(
      Effect.provideService(effect, Caller, { workspace, actor: "local", activity: "ui" }).pipe(
        atMoment(Date.now() + this.aheadMs)
      )
    )
  }

  /** Does the work that comes by itself, of one kind; gives the message where it fails. */
  work(kind: string): Promise<string | null> {
    const handler = handlers.find((one) => one.kind === kind)
    if (handler === undefined) throw new Error(`Nobody does ${kind}.`)
    return this.run(
      Effect.gen(function* () {
        const [store, { workspace }, { run: fenced }] = [yield* JobStore, yield* Caller, yield* Atomic]
        const [job] = yield* store.enqueue(workspace, [{ kind, payload: recurringPayload }])
        if (job === undefined) return "no job"
        const tools = { progress: () => Effect.void, fenced }
        const told = yield* Effect.match(handler.run(job, tools), {
          onFailure: ({ message }) => message,
          onSuccess: () => null
        })
        // Jobs that follow from it are run too.
        const ask = { limit: 9, workspaceMax: 9, maxAttempts: 1, owner: "test", leaseMs: 60_000 }
        for (;;) {
          let count = 0
          for (const one of handlers)
            for (const lease of yield* store.claim({ ...ask, kind: one.kind })) {
              if (one.kind !== kind) yield* Effect.orDie(one.run(lease.job, tools))
              yield* store.succeed(lease)
              count += 1
            }
          if (count === 0) return told
        }
      })
    )
  }

  close(): Promise<void> {
    return this.#runtime.dispose()
  }
}

const inWorld = (proof: (world: World) => Promise<void>) => () =>
  withFolder(async (folder) => {
    const world = new World(folder)
    try {
      await proof(world)
    } finally {
      await world.close()
    }
  })

const list = runOperation(operations.listDocuments, { limit: 50, offset: 0 })
const trash = runOperation(operations.listTrash, { limit: 50, offset: 0 })
const create = (path: string, content: string) => runOperation(operations.createDocument, { path, content })

describe("work that comes by itself", () => {
  it("stands in one place and can be switched off, each for itself", () => {
    expect(recurringJobs().map(({ everyMs }) => everyMs)).toEqual(Object.values(defaultMaintenanceIntervals))
    expect(recurringJobs({ retentionEveryMs: 0, reconcileEveryMs: 5 })).toEqual([
      { kind: "reconcile", everyMs: 5 },
      { kind: jobKinds.agentRuns, everyMs: defaultMaintenanceIntervals.agentRunsEveryMs },
      {
        kind: jobKinds.syncSchedule,
        everyMs: defaultMaintenanceIntervals.connectorsEveryMs
      },
      { kind: "staleness", everyMs: defaultMaintenanceIntervals.stalenessEveryMs },
      { kind: "contradictions", everyMs: defaultMaintenanceIntervals.contradictionsEveryMs }
    ])
    for (const { kind } of recurringJobs()) expect(handlers.map((one) => one.kind)).toContain(kind)
  })

  it(
    "takes in what changed among the files, and nothing of a vault that is suddenly empty",
    inWorld(async (world) => {
      writeFileSync(join(world.vault, "one.md"), "# One\n")
      writeFileSync(join(world.vault, "two.md"), "# Two\n")
      expect(await world.work("reconcile")).toBeNull()
      expect((await world.run(list)).items.map(({ path }) => path)).toEqual(["one.md", "two.md"])
      rmSync(join(world.vault, "two.md"))
      expect(await world.work("reconcile")).toBeNull()
      expect((await world.run(list)).total).toBe(1)
      renameSync(join(world.vault, "one.md"), join(world.vault, "..", "one.md"))
      expect(await world.work("reconcile")).toContain("empty")
      expect((await world.run(list)).total).toBe(1)
      renameSync(join(world.vault, "..", "one.md"), join(world.vault, "one.md"))
      expect(await world.work("reconcile")).toBeNull()
    })
  )

  it(
    "keeps the trash for ever unless it is told days, and then as long as these, without a trace but the trail",
    inWorld(async (world) => {
      const { docId } = await world.run(create("gone.md", "# Gone\n\nSecret words.\n"))
      await world.run(runOperation(operations.replaceDocument, { id: docId, content: "# Gone\n\nOther.\n" }))
      await world.run(create("kept.md", "# Kept\n"))
      await world.run(runOperation(operations.deleteDocument, { id: docId }))
      const file = join(world.vault, ".kanon", "trash", `${docId}.md`)
      expect([existsSync(file), (await world.run(trash)).items[0]?.purgeAt]).toEqual([true, null])
      const bytes = readFileSync(file)
      world.aheadMs = 1000 * dayMs
      expect(await world.work("retention")).toBeNull()
      expect((await world.run(trash)).total).toBe(1)

      await world.run(changeSettings({ retention: { trashDays: 30 } }))
      world.aheadMs = 29 * dayMs
      expect(await world.work("retention")).toBeNull()
      const [item] = (await world.run(trash)).items
      expect(Date.parse(item?.purgeAt ?? "") - Date.parse(item?.deletedAt ?? "")).toBe(30 * dayMs)
      world.aheadMs = 31 * dayMs
      expect(await world.work("retention")).toBeNull()
      expect([existsSync(file), (await world.run(trash)).total]).toEqual([false, 0])
      const versions = runOperation(operations.listDocumentVersions, { id: docId, limit: 9, offset: 0 })
      await expect(world.run(versions)).rejects.toThrow()
      const restored = runOperation(operations.restoreFromTrash, { id: docId })
      await expect(world.run(restored)).rejects.toThrow()
      const { items } = await world.run(
        runOperation(operations.listAuditEvents, { subjectId: docId, limit: 9 })
      )
      expect(items.map(({ action }) => action)).toEqual([
        "document.purge",
        "document.delete",
        "document.replace",
        "document.create"
      ])
      const examine = async (repair: boolean) => {
        const { findings } = await world.run(inspectWorkspace({ repair }, inspectionJobs))
        return findings.filter(({ severity }) => severity === "difference").map(({ code }) => code)
      }
      expect(await examine(false)).toEqual([])
      expect((await world.run(list)).total).toBe(1)
      // A copy of the vault from before is put back.
      writeFileSync(file, bytes)
      expect(await examine(true)).toEqual(["trash_file_stray"])
      expect([existsSync(file), (await world.run(trash)).total]).toEqual([false, 0])
      expect(await examine(false)).toEqual([])
    })
  )

  it(
    "forgets the trash beside work that never ends, but nothing whose end nobody has followed yet",
    inWorld(async (world) => {
      await world.run(changeSettings({ retention: { trashDays: 30 } }))
      const { docId } = await world.run(create("gone.md", "# Gone\n\nOf Project Heron.\n"))
      await world.run(create("kept.md", "# Kept\n\nOf Project Heron.\n"))
      expect(await world.work("reconcile")).toBeNull()
      await world.run(runOperation(operations.deleteDocument, { id: docId }))
      world.aheadMs = 31 * dayMs
      // The jobs that follow the removal run after it, within the same call.
      expect(await world.work("retention")).toBeNull()
      expect((await world.run(trash)).total).toBe(1)
      await world.run(
        Effect.gen(function* () {
          const [store, { workspace }] = [yield* JobStore, yield* Caller]
          yield* store.enqueue(workspace, [{ kind: jobKinds.embedding, dedupeKey: "next", delayMs: dayMs }])
        })
      )
      expect(await world.work("retention")).toBeNull()
      expect((await world.run(trash)).total).toBe(0)
    })
  )

  it(
    "lets a document be restored whose removal for good was interrupted behind its file",
    inWorld(async (world) => {
      const { docId } = await world.run(create("back.md", "# Back\n\nIts words.\n"))
      await world.run(runOperation(operations.deleteDocument, { id: docId }))
      rmSync(join(world.vault, ".kanon", "trash", `${docId}.md`))
      await world.run(runOperation(operations.restoreFromTrash, { id: docId }))
      const { content } = await world.run(runOperation(operations.getDocument, { id: docId }))
      expect(content).toContain("Its words.")
    })
  )

  it(
    "tells the trail once of each review that became due, and again after the next",
    inWorld(async (world) => {
      const { docId } = await world.run(create("watched.md", "# Watched\n"))
      const { id } = await world.run(
        runOperation(operations.createEntity, { name: "Heron", type: "project" })
      )
      const verify = runOperation(operations.verifyDocument, { id: docId, verification: "verified" })
      const review = runOperation(operations.reviewEntity, { id })
      const told = async () => {
        const events = await world.run(runOperation(operations.listAuditEvents, { limit: 50 }))
        return events.items
          .filter(({ action }) => action.endsWith(".overdue"))
          .map(({ subjectId }) => subjectId)
      }
      for (const round of [1, 2]) {
        await world.run(verify)
        await world.run(review)
        for (const days of [179, 181, 182]) {
          world.aheadMs = ((round - 1) * 200 + days) * dayMs
          expect(await world.work("staleness")).toBeNull()
          expect((await told()).sort()).toEqual(
            Array.from({ length: days > 180 ? round : round - 1 }, () => [docId, id])
              .flat()
              .sort()
          )
        }
        world.aheadMs = round * 200 * dayMs
      }
    })
  )
})
