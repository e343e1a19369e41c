import type * as Context from "effect/Context"
import * as Effect from "effect/Effect"
import type { Chunk, Document } from "../../core/documents/index.js"
import { builtInExtractor, Extractor, type Facts } from "../../core/extraction/index.js"
import { HostFunctionFailed } from "../../core/kernel/index.js"

/** An extractor of the host. Its function may return facts, a promise of them, or an effect. */
export interface GivenExtractor {
  /**
   * Returns the facts of a document from its passages; equal documents must give equal facts. `builtIn` returns those
   * of the built-in extractor. Called in a transaction, so compute model results beforehand.
   */
  readonly read: (
    document: Document,
    chunks: ReadonlyArray<Chunk>,
    builtIn: () => Promise<Facts>
  ) => Effect.Effect<Facts> | Promise<Facts> | Facts
}

/** Returns the extractor as a service. What the function throws is the error of the job, with its message. */
export const extractorOf = ({ read }: GivenExtractor): Context.Tag.Service<Extractor> => ({
  read: (document, chunks) =>
    Effect.suspend(() => {
      const made = read(document, chunks, () => Effect.runPromise(readBuiltIn(document, chunks)))
      if (Effect.isEffect(made)) return made
      return made instanceof Promise ? Effect.promise(() => made) : Effect.succeed(made)
    }).pipe(Effect.catchAllDefect((thrown) => Effect.die(new HostFunctionFailed("The extractor", thrown))))
})

const readBuiltIn = (document: Document, chunks: ReadonlyArray<Chunk>) =>
  Effect.flatMap(Extractor, (extractor) => extractor.read(document, chunks)).pipe(
    Effect.provide(builtInExtractor)
  )
