import * as Context from "effect/Context"
import * as Effect from "effect/Effect"
import * as Option from "effect/Option"
import type { Chunk, Document } from "../documents/index.js"
import { serviceLayer } from "../kernel/index.js"
import { assemble, type Facts, readFacts } from "./document-facts.js"

/**
 * Reads one document for the graph. What it gives are proposals with their evidence: names with counts and
 * references with their place; whether a name becomes an entity, and of what type, is decided afterwards from
 * all documents together, so a proposal never outranks a person and never outlives its document.
 *
 * The built-in one is a pure function of the document. One that asks a model wraps it and adds to `terms` and
 * `references`; it must give equal facts for an equal document (keep what the model said under the hash of the
 * content), or removal is no longer exact. It is called in a unit of work: ask the model before, not here.
 */
export class Extractor extends Context.Tag("kanon/Extractor")<
  Extractor,
  { readonly read: (document: Document, chunks: ReadonlyArray<Chunk>) => Effect.Effect<Facts> }
>() {}

/** Reads the facts of long texts where that holds up nobody. Where there is none they are read in place. */
export class LongFacts extends Context.Tag("kanon/LongFacts")<
  LongFacts,
  { readonly read: (...given: Parameters<typeof readFacts>) => Effect.Effect<Facts> }
>() {}

/** UTF-16 units from which on a text is a long one. */
const longChars = 128 * 1024

/** Reads titles, headings, front matter, links and prose. No model, no network. */
const builtIn: Context.Tag.Service<Extractor> = {
  read: ({ frontMatter, path, title }, chunks) =>
    Effect.gen(function* () {
      const source = assemble(chunks)
      const document = { path, title, frontMatter }
      const elsewhere =
        source.length < longChars ? null : Option.getOrNull(yield* Effect.serviceOption(LongFacts))
      return elsewhere === null ? readFacts(document, source) : yield* elsewhere.read(document, source)
    })
}
/** The extractor without a model: it reads titles, headings, front matter, links and prose by rules. */
export const builtInExtractor = serviceLayer(Extractor, Effect.succeed(builtIn))

/** Whether the graph is read by an extractor that the host brought along. */
export const hasOwnExtractor = Effect.map(Extractor, (one) => one !== builtIn)
