import * as Context from "effect/Context"
import * as Effect from "effect/Effect"
import * as Option from "effect/Option"
import type { Chunk, Document } from "../../files/documents/index.js"
import { serviceLayer } from "../../platform/kernel/index.js"
import { loadTagger } from "../prose/index.js"
import { assemble, type Facts, readFacts } from "./document-facts.js"

/**
 * Reads one document for the graph. It returns candidates with evidence: names with counts, and references with their
 * position. Whether a name becomes an entity, and of what type, is decided later from all documents together, so a
 * candidate never overrides a person and is removed with its document.
 *
 * The built-in extractor is a pure function of the document. One that calls a model wraps it and adds to `terms` and
 * `references`. It must return equal facts for an equal document (store the model's reply under the content hash), or
 * removals are no longer exact. It is called within a unit of work, so call the model beforehand.
 */
export class Extractor extends Context.Tag("kanon/Extractor")<
  Extractor,
  { readonly read: (document: Document, chunks: ReadonlyArray<Chunk>) => Effect.Effect<Facts> }
>() {}

/**
 * Extracts the facts of long texts off the main thread, if the host provides this; otherwise they are extracted in
 * place.
 */
export class LongFacts extends Context.Tag("kanon/LongFacts")<
  LongFacts,
  { readonly read: (...given: Parameters<typeof readFacts>) => Effect.Effect<Facts> }
>() {}

/** Minimum length of a long text, in UTF-16 units. */
const longChars = 16 * 1024

/** The built-in extractor: reads titles, headings, front matter, links and prose, without model or network. */
const builtIn: Context.Tag.Service<Extractor> = {
  read: ({ frontMatter, path, title }, chunks) =>
    Effect.gen(function* () {
      yield* Effect.promise(loadTagger)
      const source = assemble(chunks)
      const document = { path, title, frontMatter }
      const elsewhere =
        source.length < longChars ? null : Option.getOrNull(yield* Effect.serviceOption(LongFacts))
      return elsewhere === null ? readFacts(document, source) : yield* elsewhere.read(document, source)
    })
}
/** Provides the built-in, rule-based extractor. */
export const builtInExtractor = serviceLayer(Extractor, Effect.succeed(builtIn))

/** Returns whether the host provides its own extractor. */
export const hasOwnExtractor = Effect.map(Extractor, (one) => one !== builtIn)
