import * as Effect from "effect/Effect"
import { RdfReader, type RdfSource } from "../../core/knowledge/vocabulary/index.js"
import { invalid, type ServiceLayer, serviceLayer } from "../../core/platform/kernel/index.js"
import { runInThread } from "../host/one-job-thread.js"
import type { Parsed } from "./parse.js"

/** The built thread file; TypeScript sources have no thread, since Node 20 has no TypeScript loader for threads. */
const besides = import.meta.url.endsWith(".ts") ? null : new URL("./parse-worker-main.js", import.meta.url)

/** Shorter documents are parsed in place, because starting a thread takes longer. In characters of text or of JSON. */
const shortMax = 20_000
/** The longest time for one document: the largest takes some seconds. */
const parseMs = 120_000

/**
 * Parses RDF in one thread per document, so that the main loop stays free. Short documents are parsed in place, and
 * so are all if no thread can be started.
 */
export const rdfReader = (file: URL | null = besides): ServiceLayer<RdfReader> =>
  serviceLayer(
    RdfReader,
    Effect.succeed({
      read: (source) =>
        Effect.flatMap(
          file === null || isShort(source)
            ? parseHere(source)
            : runInThread<Parsed>(file, source).pipe(
                Effect.timeoutTo({
                  duration: parseMs,
                  onSuccess: (parsed) => parsed,
                  onTimeout: (): Parsed => ({ problem: `It takes longer than ${parseMs / 1000} s to read.` })
                }),
                Effect.catchTag("NoThread", ({ reason }) =>
                  Effect.zipRight(
                    Effect.logWarning(`No thread to read a vocabulary in; it is read in place. ${reason}`),
                    parseHere(source)
                  )
                )
              ),
          (parsed) =>
            "vocabulary" in parsed
              ? Effect.succeed(parsed.vocabulary)
              : Effect.fail(invalid(["document"], "invalid_rdf", parsed.problem))
        )
    })
  )

const parseHere = (source: RdfSource): Effect.Effect<Parsed> =>
  Effect.promise(async () => (await import("./parse.js")).parseVocabulary(source))

const isShort = (source: RdfSource): boolean =>
  (source.format === "json-ld" ? JSON.stringify(source.document) : source.text).length <= shortMax
