import type * as ManagedRuntime from "effect/ManagedRuntime"
import * as Stream from "effect/Stream"
import { type Ids, KanonError, type WorkspaceScope } from "./kernel/index.js"
import { type Digests, exportWorkspace, type WorkspaceArchive } from "./transfer/index.js"

/** The lines of an export, for those who know nothing of Effect; each loop over it makes an export of its own. */
export const exportPieces = <R, E>(
  runtime: ManagedRuntime.ManagedRuntime<R | WorkspaceArchive | Digests | Ids, E>,
  workspace: WorkspaceScope
): AsyncIterable<Uint8Array> => {
  const pieces = Stream.mapError(exportWorkspace(workspace), (fault) => new KanonError(fault))
  return {
    async *[Symbol.asyncIterator]() {
      yield* Stream.toAsyncIterableRuntime(pieces, await runtime.runtime())
    }
  }
}
