import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import * as ManagedRuntime from "effect/ManagedRuntime"
import * as Stream from "effect/Stream"
import { documentsChanged, recoverPendingWrites, type Vault } from "../../files/documents/index.js"
import { announce, enqueue, jobKinds } from "../../platform/jobs/index.js"
import { atomically, Caller, crashPoint, type Ids, scopeOf } from "../../platform/kernel/index.js"
import type { Ports } from "../../ports.js"
import {
  type ExportTrailer,
  type Imported,
  loadExport,
  type ReadOptions,
  refuseFullVault,
  verifyExport
} from "../../upkeep/transfer/index.js"
import { unwrapExit } from "./running-calls.js"
import { wiring } from "./wiring.js"

/** Opens the bytes of an export; called once per read. */
export type OpenExport = () => AsyncIterable<Uint8Array>

/**
 * Reads and validates a whole export without changes. Rejected with a KanonError `invalid_export` if it is incomplete
 * or altered, or with the error of the source.
 */
export const verifyExportFile = <E>(
  open: OpenExport,
  host: Layer.Layer<Ids, E>,
  options: ReadOptions = {}
): Promise<ExportTrailer> =>
  unwrapExit(Effect.runPromiseExit(Effect.provide(verifyExport(bytesOf(open), options), host)))

/** Rejects with a KanonError `conflict` if the vault holds a Markdown file; creates nothing. */
export const requireEmptyVault = <E>(vault: Layer.Layer<Vault, E>): Promise<void> =>
  unwrapExit(Effect.runPromiseExit(Effect.provide(refuseFullVault, vault)))

/**
 * Imports an export into a store and an empty vault atomically, then writes the files. Derived data is left to the next
 * `openEngine` and its worker: text index, vectors, ranks, and files that could not be written yet. Rejected with a
 * KanonError, `conflict` if the workspace exists or the vault is not empty, and then nothing has changed.
 *
 * @param vault The host's name for the vault that the ports lead to.
 */
export const loadWorkspace = async <E>(
  ports: Layer.Layer<Ports, E>,
  open: OpenExport,
  vault: string,
  options: ReadOptions = {}
): Promise<Imported> => {
  const runtime = ManagedRuntime.make(Layer.provideMerge(wiring, ports))
  try {
    return await unwrapExit(runtime.runPromiseExit(load(open, vault, options)))
  } finally {
    await runtime.dispose()
  }
}

const load = (open: OpenExport, vault: string, options: ReadOptions) =>
  Effect.gen(function* () {
    const imported = yield* loadExport(
      bytesOf(open),
      (workspace) =>
        Effect.provideService(enqueueDerivedData, Caller, { workspace, actor: "local", activity: "import" }),
      vault,
      options
    )
    yield* crashPoint("import.afterTransaction")
    const workspace = scopeOf(imported.workspaceId)
    yield* Effect.provideService(recoverPendingWrites(workspace), Caller, {
      workspace,
      actor: "local",
      activity: "import"
    })
    yield* crashPoint("import.afterFiles")
    return imported
  })

/** Enqueues the jobs for data that records do not contain. */
const enqueueDerivedData = atomically(
  Effect.zipRight(
    announce(documentsChanged, {}),
    enqueue([{ kind: jobKinds.analytics, dedupeKey: jobKinds.analytics }])
  )
)

/** An error of the source is passed on unchanged. */
const bytesOf = (open: OpenExport) =>
  Stream.orDie(Stream.suspend(() => Stream.fromAsyncIterable(open(), (error) => error)))
