import * as Effect from "effect/Effect"
import * as Option from "effect/Option"
import { afterAll, expect } from "vitest"
import { type ScriptedReply, scriptedChatModel } from "../../adapters/models/index.js"
import { askTraced, Query, StructuredAnswer } from "../../core/answers/answering/index.js"
import { type ChatRequest, Models } from "../../core/platform/models/index.js"
import { Settings, WorkspaceStore } from "../../core/platform/workspace/index.js"
import { createDocuments, makeQuestionWorld, type TestDocument } from "./question-world.js"
import { asCaller, makeWorkspace } from "./run.js"

export const invoices = {
  title: "Archive",
  path: "archive.md",
  text: "The archive keeps invoices for 10 years. See https://intra.example/archive."
}

/** How a question is asked: the documents, what the chat model says, and settings of the workspace. */
export interface Setting {
  readonly documents?: ReadonlyArray<TestDocument>
  readonly script?: (request: ChatRequest, call: number) => ScriptedReply
  readonly fallback?: boolean
  readonly mode?: "shadow" | "enforce"
  readonly unsupported?: "show" | "withhold" | null
  readonly pathPrefix?: string
}

export const question = "How long does the archive keep invoices?"

export const withChat = ({ script }: Pick<Setting, "script">) => {
  let call = 0
  const chat =
    script === undefined
      ? Option.none()
      : Option.some(scriptedChatModel((request) => script(request, call++), "test/chat"))
  return Effect.provideService(Models, { chat, embedder: Option.none(), reranker: Option.none() })
}

/** Questions to a scripted chat model, for the tests of one file. */
export const scriptedQuestions = () => {
  const runtime = makeQuestionWorld()
  afterAll(() => runtime.dispose())

  /** Asks in a new workspace that holds these documents; a script stands for the chat model. */
  const asked = (
    { fallback = true, mode = "shadow", unsupported = null, ...setting }: Setting,
    text = question
  ) =>
    runtime.runPromise(
      Effect.gen(function* () {
        const workspace = yield* makeWorkspace()
        const store = yield* WorkspaceStore
        const settings = Settings.parse({
          models: { fallbackToExtractive: fallback },
          policy: { mode, unsupported }
        })
        yield* store.update({ ...(yield* store.get(workspace)), settings }, "2026-01-01T00:00:00.000Z")
        return yield* asCaller(workspace)(
          Effect.zipRight(
            createDocuments(setting.documents ?? [invoices]),
            Effect.either(askTraced(Query.parse({ question: text, pathPrefix: setting.pathPrefix })))
          )
        )
      }).pipe(withChat(setting))
    )

  const answered = async (setting: Setting, text?: string) => {
    const outcome = await asked(setting, text)
    if (outcome._tag === "Left") throw outcome.left
    expect(StructuredAnswer.safeParse(outcome.right.answer).error).toBeUndefined()
    return outcome.right
  }

  return { runtime, asked, answered }
}

/** A reply in the form that the chat model is asked for. */
export const reply = (given: object) =>
  JSON.stringify({
    answerable: true,
    missing: null,
    sentences: [{ text: "The archive keeps invoices for ten years.", citations: ["S1"] }],
    ...given
  })
