import * as Effect from "effect/Effect"
import type { z } from "zod"
import { scriptedChatModel } from "../../adapters/models/index.js"
import { cacheStats } from "../../core/answers/answer-cache/index.js"
import { askTraced, Query } from "../../core/answers/answering/index.js"
import type { Wired } from "../../core/engine/engine/index.js"
import {
  Caller,
  type FaultTag,
  type Operation,
  runOperation,
  type WorkspaceId
} from "../../core/platform/kernel/index.js"
import { type ChatRequest, Embedder } from "../../core/platform/models/index.js"
import { type Settings, WorkspaceStore } from "../../core/platform/workspace/index.js"
import type { Ports } from "../../core/ports.js"
import { startServer, type TestServer } from "./server.js"

const at = "2026-01-01T00:00:00.000Z"

/** A passage as a chat model is shown it. */
interface Shown {
  readonly id: string
  readonly sentences: ReadonlyArray<string>
}

const shownIn = ({ messages }: ChatRequest): ReadonlyArray<Shown> =>
  [
    ...(messages.at(-1)?.content ?? "").matchAll(
      /^--- \S+ begin (?<id>S\d+)\n(?<text>[\s\S]*?)^--- \S+ end/gmu
    )
  ].map(({ groups }) => ({
    id: groups?.["id"] ?? "",
    sentences: (groups?.["text"] ?? "").split("\n").filter((line) => /^[\p{L}\p{N} .,'-]+\.$/u.test(line))
  }))

const hashOf = (text: string): number =>
  [...text].reduce((sum, character) => (sum * 31 + (character.codePointAt(0) ?? 0)) % 65_521, 7)

/** Words that the cache takes for one: the model answers such questions alike. */
const alike = (question: string): string =>
  question
    .toLowerCase()
    .replace(/\bretain\b/gu, "keep")
    .replace(/[^\p{L}\p{N} ]|\bthe /gu, "")

/**
 * Answers with a sentence of the evidence that the words of the question choose: other evidence or another question
 * has another answer, and the order of the passages changes nothing.
 */
const quotingModel = (onCall: () => void) =>
  scriptedChatModel((request) => {
    onCall()
    const question = /^Question: (.*)$/mu.exec(request.messages.at(-1)?.content ?? "")?.[1] ?? ""
    const said = shownIn(request)
      .flatMap(({ id, sentences }) => sentences.map((text) => ({ id, text })))
      .sort((a, b) => (a.text < b.text ? -1 : 1))
    const chosen = said[hashOf(alike(question)) % Math.max(1, said.length)]
    return JSON.stringify(
      chosen === undefined
        ? { answerable: false, missing: "all", sentences: [] }
        : {
            answerable: true,
            missing: null,
            sentences: [{ text: chosen.text, citations: [chosen.id] }]
          }
    )
  }, "test/quoting")

/** An embedder for which all texts are alike: what the guards let pass is a hit. */
const credulousEmbedder = Embedder.of({
  modelId: "test/credulous",
  batchMax: 64,
  embed: (texts) => Effect.succeed(texts.map(() => new Float32Array([1, 0, 0, 0])))
})

export interface CacheWorld {
  readonly server: TestServer
  /** Calls of the chat model so far. */
  readonly calls: () => number
  /** Does something while the next answer is being written. */
  readonly meanwhile: (work: () => Promise<unknown>) => void
  readonly ask: (
    workspace: WorkspaceId,
    question: string,
    options?: Partial<Query>
  ) => Promise<Effect.Effect.Success<ReturnType<typeof askTraced>>>
  /** Runs an operation as the local user of the workspace. */
  readonly run: <Input extends z.ZodType, Output extends z.ZodType, Tag extends FaultTag>(
    workspace: WorkspaceId,
    operation: Operation<string, Input, Output, Tag, Ports | Wired | Caller>,
    input: unknown
  ) => Promise<z.input<Output>>
  readonly stats: (workspace: WorkspaceId) => Promise<Effect.Effect.Success<ReturnType<typeof cacheStats>>>
  readonly settings: (workspace: WorkspaceId, change: Partial<Settings>) => Promise<void>
}

/** A server whose chat model quotes, and for whose embedder everything is alike unless told otherwise. */
export const cacheWorld = async (
  embedder: Embedder["Type"] | null = credulousEmbedder
): Promise<CacheWorld> => {
  let calls = 0
  let meanwhile: (() => Promise<unknown>) | null = null
  const quoting = quotingModel(() => {
    calls += 1
  })
  const chat = {
    ...quoting,
    generate: (request: ChatRequest) =>
      Effect.zipLeft(
        quoting.generate(request),
        Effect.promise(async () => {
          const work = meanwhile
          meanwhile = null
          await work?.()
        })
      )
  }
  const server = await startServer({ models: { chat, ...(embedder === null ? {} : { embedder }) } })
  return {
    server,
    calls: () => calls,
    meanwhile: (work) => {
      meanwhile = work
    },
    ask: (workspace, question, options = {}) =>
      server.as(workspace, askTraced(Query.parse({ question, ...options }))),
    run: (workspace, operation, input) => server.as(workspace, runOperation(operation, input)),
    stats: (workspace) => server.as(workspace, cacheStats()),
    settings: (workspace, change) =>
      server.as(
        workspace,
        Effect.gen(function* () {
          const [store, { workspace: scope }] = [yield* WorkspaceStore, yield* Caller]
          const before = yield* store.get(scope)
          yield* store.update({ ...before, settings: { ...before.settings, ...change } }, at)
        })
      )
  }
}
