import * as Effect from "effect/Effect"
import * as Option from "effect/Option"
import type * as Scope from "effect/Scope"
import {
  type CheckedStatements,
  checkStatements,
  LongClaims,
  type TextToCheck
} from "../../core/answers/answering/index.js"
import { LongLinks } from "../../core/files/document-moves/index.js"
import {
  LongTextParser,
  LongTextRenderer,
  type ParsedContent,
  parseContent
} from "../../core/files/documents/index.js"
import { type Moved, type Relocation, relinked, relinkingOf } from "../../core/files/links/index.js"
import type { draftHtml, HtmlDraft } from "../../core/files/markdown/index.js"
import { type Facts, LongFacts, readFacts } from "../../core/knowledge/extraction/index.js"
import {
  Caller,
  chosenLayer,
  invalid,
  mergeServices,
  noServices,
  type ServiceLayer,
  serviceLayer
} from "../../core/platform/kernel/index.js"
import type { NoThread } from "./one-job-thread.js"
import { usualThesaurusFolder } from "./thesaurus-files.js"
import { type OutOfBounds, type ThreadPool, threadPool } from "./thread-pool.js"

/** Job of a thread. */
export type LongTextJob =
  | { readonly kind: "parts"; readonly given: Parameters<typeof parseContent> }
  | { readonly kind: "facts"; readonly given: Parameters<typeof readFacts> }
  | {
      readonly kind: "links"
      readonly given: readonly [source: string, moved: Moved, relocation: Relocation]
    }
  | { readonly kind: "html"; readonly given: Parameters<typeof draftHtml> }
  | { readonly kind: "claims"; readonly given: readonly [asked: TextToCheck, thesaurusFolder: string] }

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

/** Limits of the threads: memory of each, and the time of one job. Rendering counts the wait for a thread, too. */
export interface LongTextLimits {
  readonly memoryMb: number
  readonly partsMs: number
  readonly factsMs: number
  readonly linksMs: number
  readonly htmlMs: number
  readonly claimsMs: number
}
const defaultLimits: LongTextLimits = {
  memoryMb: 1024,
  partsMs: 60_000,
  factsMs: 300_000,
  linksMs: 60_000,
  htmlMs: 10_000,
  claimsMs: 120_000
}
/** Characters of HTML that the main thread takes from a thread, at most. */
const htmlCharsMax = 16_000_000

/** Parses long texts in threads, so that the main thread stays free; provides nothing when threads are unavailable. */
export const longTexts = (thesaurusFolder: string) =>
  workerFile === null ? noServices : longTextsIn(workerFile, {}, thesaurusFolder)

/**
 * The same with the program `file`. Where no thread can be started, texts are parsed in place, which is logged, and
 * shown without format.
 */
export const longTextsIn = (
  file: URL,
  limits: Partial<LongTextLimits> = {},
  thesaurusFolder = usualThesaurusFolder
): ServiceLayer<
  LongTextParser | LongFacts | LongLinks | LongTextRenderer | LongClaims,
  never,
  Scope.Scope
> => {
  const all = { ...defaultLimits, ...limits }
  return chosenLayer(
    Effect.map(threadPool<LongTextJob>(file, all.memoryMb), (pool) =>
      mergeServices(
        partsIn(pool, all),
        factsIn(pool, all),
        linksIn(pool, all),
        htmlIn(pool, all),
        claimsIn(pool, all, thesaurusFolder)
      )
    )
  )
}

/** Jobs of one workspace take turns. */
const owner = Effect.map(
  Effect.serviceOption(Caller),
  Option.match({ onNone: () => "", onSome: ({ workspace }) => workspace as string })
)

const partsIn = ({ run }: ThreadPool<LongTextJob>, { partsMs }: LongTextLimits) =>
  serviceLayer(
    LongTextParser,
    Effect.succeed({
      takeApart: (...given) =>
        Effect.flatMap(owner, (own) => run<PartsReply>(own, { kind: "parts", given }, partsMs)).pipe(
          Effect.map(({ passages, ...rest }): ParsedContent => {
            const [, source] = given
            const bare = JSON.parse(passages) as ReadonlyArray<Bare>
            return {
              ...rest,
              passages: bare.map((one) => ({ ...one, text: source.slice(one.start, one.end) }))
            }
          }),
          Effect.catchTag(
            "NoThread",
            inPlace(() => parseContent(...given))
          ),
          Effect.catchTag("OutOfBounds", ({ bound }) =>
            Effect.fail({ code: "too_complex", message: `The text takes too much ${bound} to be read.` })
          )
        )
    })
  )

const factsIn = ({ run }: ThreadPool<LongTextJob>, { factsMs }: LongTextLimits) =>
  serviceLayer(
    LongFacts,
    Effect.succeed({
      read: (...given) =>
        Effect.flatMap(owner, (own) => run<Facts>(own, { kind: "facts", given }, factsMs)).pipe(
          Effect.catchTag(
            "NoThread",
            inPlace(() => readFacts(...given))
          ),
          Effect.catchTag("OutOfBounds", ({ bound }) =>
            Effect.die(new Error(`Reading the facts of ${given[0].path} takes too much ${bound}.`))
          )
        )
    })
  )

const linksIn = ({ run }: ThreadPool<LongTextJob>, { linksMs }: LongTextLimits) =>
  serviceLayer(
    LongLinks,
    Effect.succeed({
      relinked: (...given) =>
        Effect.flatMap(owner, (own) => run<string>(own, { kind: "links", given }, linksMs)).pipe(
          Effect.catchTag(
            "NoThread",
            inPlace(() => relinked(given[0], given[1], relinkingOf(given[2])))
          ),
          Effect.catchTag("OutOfBounds", ({ bound }) =>
            Effect.as(
              Effect.logWarning(`The links of ${given[1].from} stay: reading them takes too much ${bound}.`),
              given[0]
            )
          )
        )
    })
  )

const htmlIn = ({ run }: ThreadPool<LongTextJob>, { htmlMs }: LongTextLimits) =>
  serviceLayer(
    LongTextRenderer,
    Effect.succeed({
      draft: (workspace, ...given) =>
        run<HtmlDraft>(workspace, { kind: "html", given }, htmlMs).pipe(
          Effect.timeoutFail({
            duration: htmlMs,
            onTimeout: (): OutOfBounds => ({ _tag: "OutOfBounds", bound: "time" })
          }),
          Effect.map(({ html, ...rest }) =>
            html.length > htmlCharsMax ? Option.none() : Option.some({ html, ...rest })
          ),
          Effect.catchAllCause((cause) =>
            Effect.as(Effect.logWarning("A text is shown without its format.", cause), Option.none())
          )
        )
    })
  )

const claimsIn = ({ run }: ThreadPool<LongTextJob>, { claimsMs }: LongTextLimits, thesaurusFolder: string) =>
  serviceLayer(
    LongClaims,
    Effect.succeed({
      check: (given) =>
        Effect.flatMap(owner, (own) =>
          run<CheckedStatements>(own, { kind: "claims", given: [given, thesaurusFolder] }, claimsMs)
        ).pipe(
          Effect.catchTag("NoThread", ({ reason }) =>
            Effect.zipRight(notStarted(reason), checkStatements(given))
          ),
          Effect.catchTag("OutOfBounds", ({ bound }) =>
            Effect.fail(invalid(["text"], "too_complex", `The text takes too much ${bound} to be checked.`))
          )
        )
    })
  )

const notStarted = (reason: string) =>
  Effect.logWarning(
    `The thread for long texts could not be started; they are parsed in the main thread. ${reason}`
  )

const inPlace =
  <A>(here: () => A) =>
  ({ reason }: NoThread): Effect.Effect<A> =>
    Effect.map(notStarted(reason), here)
