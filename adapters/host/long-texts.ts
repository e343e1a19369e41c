import * as Effect from "effect/Effect"
import { LongTextParser, type ParsedContent, parseContent } from "../../core/documents/index.js"
import { type Facts, LongFacts, readFacts } from "../../core/extraction/index.js"
import { mergeServices, noServices, type ServiceLayer, serviceLayer } from "../../core/kernel/index.js"
import { runInThread } from "./one-job-thread.js"

/** What the thread is asked for. */
export type LongTextJob =
  | { readonly kind: "parts"; readonly given: Parameters<typeof parseContent> }
  | { readonly kind: "facts"; readonly given: Parameters<typeof readFacts> }

/** Passages as they come back: without their texts, which lie in the source, and as JSON, which is quicker to read. */
export type PartsReply = Omit<ParsedContent, "passages"> & { readonly passages: string }
type Bare = Omit<ParsedContent["passages"][number], "text">

/** Beside this file once it is built; sources have no thread, since Node 20 gives threads no loader for TypeScript. */
const besides = import.meta.url.endsWith(".ts") ? null : new URL("./long-texts-main.js", import.meta.url)

/** Takes long texts apart in threads, so that the main loop stays free; nothing where there are none. */
export const longTexts = () => (besides === null ? noServices : longTextsIn(besides))

/** The same by the program `file`: a thread a text, and in place where none can be started, which is told. */
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
      Effect.logWarning(`No thread to take a long text apart in; it is done in place. ${reason}`),
      here
    )
  )
