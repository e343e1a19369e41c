import * as Cause from "effect/Cause"
import type * as ManagedRuntime from "effect/ManagedRuntime"
import * as Stream from "effect/Stream"
import type { Vault } from "../../files/documents/index.js"
import { type Ids, isFault, KanonError, type WorkspaceScope } from "../../platform/kernel/index.js"
import { exportWorkspace, type WorkspaceArchive } from "../../upkeep/transfer/index.js"

/** Returns the lines of an export as an async iterable; each loop makes a new export. */
export const exportStream = <R, E>(
  runtime: ManagedRuntime.ManagedRuntime<R | WorkspaceArchive | Ids | Vault, E>,
  workspace: WorkspaceScope
): AsyncIterable<Uint8Array> => streamAsIterable(runtime, exportWorkspace(workspace))

/**
 * Returns a stream as an async iterable whose errors are those of a call: a KanonError for a fault, else the defect.
 */
export const streamAsIterable = <A, F, R, E>(
  runtime: ManagedRuntime.ManagedRuntime<R, E>,
  stream: Stream.Stream<A, F, R>
): AsyncIterable<A> => {
  const withErrors = Stream.catchAllCause(stream, (cause): Stream.Stream<never, Error | F> => {
    const error = Cause.squash(cause)
    return isFault(error) ? Stream.fail(new KanonError(error)) : Stream.failCause(cause)
  })
  return {
    async *[Symbol.asyncIterator]() {
      yield* Stream.toAsyncIterableRuntime(withErrors, await runtime.runtime())
    }
  }
}
