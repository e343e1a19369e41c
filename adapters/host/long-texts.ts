import * as Effect from "effect/Effect"
import { LongTextParser, type ParsedContent, parseContent } from "../../core/files/documents/index.js"
import { type Facts, LongFacts, readFacts } from "../../core/knowledge/extraction/index.js"
import {
  mergeServices,
  noServices,
  type ServiceLayer,
  serviceLayer
} from "../../core/platform/kernel/index.js"
import { runInThread } from "./one-job-thread.js"

/** Job of the thread. */
export type LongTextJob =
  | { readonly kind: "parts"; readonly given: Parameters<typeof parseContent> }
  | { readonly kind: "facts"; readonly given: Parameters<typeof readFacts> }

/**
 * Passages in the reply: without their texts, which are slices of the source, and as JSON, which is faster to parse
 * than a structured clone.
 */
export type PartsReply = Omit<ParsedContent, "passages"> & { readonly passages: string }
type Bare = Omit<ParsedContent["passages"][number], "text">

/**
 * The built file beside this one; null when running from sources, because Node 20 has no TypeScript loader for
 * threads.
 */
const workerFile = import.meta.url.endsWith(".ts") ? null : new URL("./long-texts-main.js", import.meta.url)

/** Parses long texts in threads, so that the main thread stays free; provides nothing when threads are unavailable. */
export const longTexts = () => (workerFile === null ? noServices : longTextsIn(workerFile))

/**
 * The same with the program `file`: one thread per text. Parses in place, and logs that, when no thread can be
 * started.
 */
export const longTextsIn = (file: URL): ServiceLayer<LongTextParser | LongFacts> =>
  mergeServices(partsIn(file), factsIn(file))

const partsIn = (file: URL) =>
  serviceLayer(
    LongTextParser,
    Effect.succeed({
      takeApart: (...given) =>
        elsewhere(
          Effect.map(
            asked<PartsReply>(file, { kind: "parts", given }),
            ({ passages, ...rest }): ParsedContent => {
              const [, source] = given
              const bare = JSON.parse(passages) as ReadonlyArray<Bare>
              return {
                ...rest,
                passages: bare.map((one) => ({ ...one, text: source.slice(one.start, one.end) }))
              }
            }
          ),
          () => parseContent(...given)
        )
    })
  )

const factsIn = (file: URL) =>
  serviceLayer(
    LongFacts,
    Effect.succeed({
      read: (...given) => elsewhere(asked<Facts>(file, { kind: "facts", given }), () => readFacts(...given))
    })
  )

const asked = <Result>(file: URL, job: LongTextJob) => runInThread<Result>(file, job)

const elsewhere = <A>(there: ReturnType<typeof runInThread<A>>, here: () => A): Effect.Effect<A> =>
  Effect.catchTag(there, "NoThread", ({ reason }) =>
    Effect.map(
      Effect.logWarning(
        `The thread for long texts could not be started; they are parsed in the main thread. ${reason}`
      ),
      here
    )
  )
