import * as Effect from "effect/Effect"
import { z } from "zod"
import type { AnswerTrace, StructuredAnswer } from "../../core/answers/answering/index.js"
import type { Engine } from "../../core/engine/engine/index.js"
import { operations } from "../../core/operations.js"
import { defined } from "../../core/platform/kernel/index.js"
import { command } from "./command.js"
import { showExplanation } from "./explain.js"
import { type Failure, wrongUsage } from "./failure.js"
import { switchFlag } from "./flags.js"
import { liveSentences } from "./live-sentences.js"
import { call, ingestFiles, withWorkspace } from "./session.js"
import { citedSources, showAnswer } from "./show-answer.js"
import { paintNote, say } from "./terminal.js"

/** The contract's bound, in UTF-16 units; known here so that nothing is ingested for a question that is refused. */
const questionMax = 4000

export const askCommand = command("ask", {
  description: "Answer a question with the passages that support the answer.",
  input: z.object({
    question: z.string().describe("The question, 1 to 4,000 characters."),
    maxSources: operations.query.input.shape.maxSources,
    includeData: operations.query.input.shape.includeData,
    pathPrefix: operations.query.input.shape.pathPrefix,
    tag: operations.query.input.shape.tag,
    verification: operations.query.input.shape.verification,
    conversationId: operations.query.input.shape.conversationId,
    noSync: switchFlag("Answer from the index without checking the files for changes."),
    policyMode: operations.query.input.shape.policyMode,
    instructions: operations.query.input.shape.instructions,
    language: operations.query.input.shape.language,
    answerFormat: operations.query.input.shape.answerFormat,
    asOf: operations.query.input.shape.asOf,
    explain: switchFlag("Show how the answer came about: candidates, features, rules, stages.")
  }),
  arguments: { question: {} },
  flags: {
    asOf: { placeholder: "DAY" },
    conversationId: {
      name: "conversation",
      placeholder: "ID",
      description: "Complete the question from earlier ones with the same id, which may be any word."
    },
    answerFormat: { name: "format", description: "The form of the answer" },
    instructions: {
      placeholder: "TEXT",
      description: "Wishes for the wording, at most 2,000 characters; they lift no check."
    },
    language: { placeholder: "TAG", description: "The language of the answer, such as de." },
    includeData: { description: "Run the data queries bound to what the question names." },
    maxSources: { description: "Maximum number of passages to answer from" },
    policyMode: { name: "policy", description: "The mode of the gate, instead of the workspace setting." }
  },
  run: function* (input) {
    const { question } = input
    if (question.trim() === "") return yield* wrongUsage("The question is empty.")
    if (question.length > questionMax) {
      return yield* wrongUsage(
        `The question has ${question.length} characters; at most ${questionMax} are allowed.`
      )
    }
    yield* withWorkspace({ ...input, worker: !input.noSync }, function* ({ engine, place }) {
      if (!input.noSync && !place.fresh) yield* sync(engine, input.json)
      const live = liveSentences(input.json)
      const { answer: answered, trace } = yield* call((signal) =>
        engine.askTraced(question, {
          signal,
          ...(live === null ? {} : { onPart: live.onPart }),
          maxSources: input.maxSources,
          includeData: input.includeData,
          pathPrefix: input.pathPrefix,
          tag: input.tag,
          verification: input.verification,
          ...defined({
            answerFormat: input.answerFormat,
            asOf: input.asOf,
            conversationId: input.conversationId,
            instructions: input.instructions,
            language: input.language,
            policyMode: input.policyMode
          })
        })
      ).pipe(Effect.ensuring(Effect.sync(() => live?.clear())))
      if (!input.json) yield* tellWithoutVectors(engine)
      const text = input.json ? "" : yield* present(engine, question, answered)
      return {
        output: input.explain ? { answer: answered, trace } : answered,
        text: () => (input.explain ? `${text}\n\n${explained(trace)}` : text)
      }
    })
  }
})

/** A small workspace has no vectors, so that only passages with words of the question are found. */
const tellWithoutVectors = (engine: Engine): Effect.Effect<void, Failure> =>
  Effect.gen(function* () {
    const { counts, vectors } = yield* call(() => engine.status())
    if (vectors.model !== null || !vectors.upToDate || counts.chunks === 0) return
    yield* say(paintNote.dim("Searched by words alone: there are too few passages for vectors."))
  })

const explained = ({ explanation, gate }: AnswerTrace): string =>
  showExplanation(
    explanation,
    gate === null
      ? null
      : {
          ...gate,
          ...gate.decision,
          caveatCodes: gate.decision.caveats.map(({ code }) => code)
        }
  )

/** Single files that cannot be read do not keep the others from answering, nor do data that can only be read. */
const sync = (engine: Engine, json: boolean): Effect.Effect<void, Failure> =>
  Effect.gen(function* () {
    const report = yield* Effect.catchIf(
      ingestFiles(engine, { json, lines: false }),
      ({ code }) => code === "data_read_only",
      () => Effect.succeed(null)
    )
    if (report === null) {
      if (!json) yield* say(paintNote.dim("The data can only be read: what changed since is not in them."))
      return
    }
    const { documents } = report
    if (documents.failed === 0 || json) return
    const files = documents.failed === 1 ? "1 file" : `${documents.failed} files`
    yield* say(paintNote.dim(`${files} could not be read; kanon ingest lists them.`))
  })

/**
 * The answer for people. Under which headings its passages stand, how far their documents are trusted and what
 * stands around a cited sentence is no part of an answer: a search and the documents themselves know.
 */
export const present = (
  engine: Engine,
  question: string,
  answered: StructuredAnswer
): Effect.Effect<string, Failure> =>
  Effect.gen(function* () {
    if (answered.sources.length === 0) return showAnswer(answered, { places: new Map(), texts: new Map() })
    const moment = defined({ asOf: answered.asOf })
    const { results } = yield* call((signal) => engine.search(question, { limit: 50, signal, ...moment }))
    const cited = new Map(citedSources(answered).map(({ docId, validAt }) => [docId, validAt]))
    const texts = yield* Effect.forEach(cited, ([id, validAt]) =>
      // A former version is quoted as it was; a document that has gone meanwhile from its snippet.
      Effect.map(
        Effect.orElseSucceed(
          call(() => engine.documents.get(id, validAt === undefined ? moment : { asOf: validAt })),
          () => ({ content: "" })
        ),
        ({ content }): readonly [string, string] => [id, content]
      )
    )
    return showAnswer(answered, {
      places: new Map(results.map((result) => [result.chunkId, result])),
      texts: new Map(texts)
    })
  })
