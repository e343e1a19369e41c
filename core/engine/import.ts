import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import * as ManagedRuntime from "effect/ManagedRuntime"
import * as Stream from "effect/Stream"
import { documentsChanged, recoverPendingWrites, type Vault } from "../documents/index.js"
import { announce, enqueue, jobKinds } from "../jobs/index.js"
import { atomically, Caller, crashPoint, type Ids, scopeOf } from "../kernel/index.js"
import type { Ports } from "../ports.js"
import {
  type Digests,
  type ExportTrailer,
  type Imported,
  loadExport,
  type ReadOptions,
  refuseFullVault,
  verifyExport
} from "../transfer/index.js"
import { wiring } from "../wiring.js"
import { settle } from "./workspace-handle.js"

/** Opens the bytes of an export; called once for each time that they are read. */
export type OpenExport = () => AsyncIterable<Uint8Array>

/**
 * Reads an export to its end and judges every byte of it; changes nothing. Rejected with a KanonError
 * `invalid_export` when it is not whole and unchanged, with the error of the source where that breaks off.
 */
export const verifyExportFile = <E>(
  open: OpenExport,
  host: Layer.Layer<Digests | Ids, E>,
  options: ReadOptions = {}
): Promise<ExportTrailer> =>
  settle(Effect.runPromiseExit(Effect.provide(verifyExport(bytesOf(open), options), host)))

/** Rejected with a KanonError `conflict` when the vault holds a Markdown file; makes nothing. */
export const requireEmptyVault = <E>(vault: Layer.Layer<Vault, E>): Promise<void> =>
  settle(Effect.runPromiseExit(Effect.provide(refuseFullVault, vault)))

/**
 * Takes an export into an empty store and an empty vault, all of it or nothing. Then writes the files.
 * What can be derived is left to the next `openEngine` and its worker: text index, vectors, ranks, and files that
 * could not be written yet. Rejected with a KanonError, `conflict` when something is there already, and then nothing
 * has changed.
 */
export const loadWorkspace = async <E>(
  ports: Layer.Layer<Ports, E>,
  open: OpenExport,
  options: ReadOptions = {}
): Promise<Imported> => {
  const runtime = ManagedRuntime.make(Layer.provideMerge(wiring, ports))
  try {
    return await settle(runtime.runPromiseExit(load(open, options)))
  } finally {
    await runtime.dispose()
  }
}

const load = (open: OpenExport, options: ReadOptions) =>
  Effect.gen(function* () {
    const imported = yield* loadExport(
      bytesOf(open),
      (workspace) =>
        Effect.provideService(oweDerived, Caller, { workspace, actor: "local", activity: "import" }),
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

/** What no record carries is made anew in the background. */
const oweDerived = atomically(
  Effect.zipRight(
    announce(documentsChanged, {}),
    enqueue([{ kind: jobKinds.analytics, dedupeKey: jobKinds.analytics }])
  )
)

/** A source that breaks off is not ours to mend: its error goes through as it is. */
const bytesOf = (open: OpenExport) =>
  Stream.orDie(Stream.suspend(() => Stream.fromAsyncIterable(open(), (error) => error)))
