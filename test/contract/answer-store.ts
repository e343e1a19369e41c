import * as Effect from "effect/Effect"
import type * as Layer from "effect/Layer"
import * as Option from "effect/Option"
import { describe, expect } from "vitest"
import { AnswerStore, type CitedPassage, type StoredAnswer } from "../../core/answers/answering/index.js"
import type { DocumentStore } from "../../core/files/documents/index.js"
import type { EntityStore } from "../../core/knowledge/entities/index.js"
import { type Atomic, atomically, Ids } from "../../core/platform/kernel/index.js"
import type { WorkspaceStore } from "../../core/platform/workspace/index.js"
import { answerCacheStoreLaws } from "./answer-cache-store.js"
import { contractTestsFor } from "./contract-tests.js"
import { lawsAt, makeWorkspace } from "./workspace.js"

/** An answer of that moment, not yet in a store. */
export const answerAt = (createdAt: string, cited: ReadonlyArray<CitedPassage> = []) =>
  Effect.map(Ids, ({ make }): StoredAnswer & { readonly cited: ReadonlyArray<CitedPassage> } => ({
    id: make("answer"),
    question: "Wie lange? 'é 東京 🎉",
    answer: {
      answer: "Ten years [S1].",
      claims: [{ text: "Ten years.", citations: ["S1"] }],
      sources: cited.map(({ chunkId, documentId }, place) => ({
        id: `S${place + 1}`,
        docId: documentId,
        docTitle: "A title",
        docPath: "a.md",
        chunkId,
        snippet: "ten years"
      })),
      dataCalls: [],
      entities: [],
      groundedness: { verified: 1, total: 1 },
      policy: {
        mode: "off",
        verdict: "answer",
        confidence: 0,
        calibrationVersion: "none",
        reasons: ["policy_off"],
        caveats: [],
        conflicts: []
      },
      model: { chat: "laws", judge: "laws" },
      usage: { inputTokens: 3, outputTokens: 5, costUsd: 0.25 },
      generatedAt: createdAt
    },
    askedBy: "key_1",
    activity: "api",
    createdAt,
    cited
  }))

const passageOf = Effect.map(Ids, ({ make }) => ({ documentId: make("document"), chunkId: make("chunk") }))

/** The laws of `AnswerStore`. `layer` gives an empty store each time. */
export const answerStoreContract = <E>(
  name: string,
  layer: () => Layer.Layer<AnswerStore | DocumentStore | EntityStore | WorkspaceStore | Atomic | Ids, E>
): void => {
  answerCacheStoreLaws(name, layer)
  describe(`AnswerStore: ${name}`, () => {
    const law = contractTestsFor(layer)

    law("gives back an answer, field by field", function* () {
      const [store, scope] = [yield* AnswerStore, yield* makeWorkspace]
      const given = yield* answerAt(lawsAt, [yield* passageOf])
      yield* store.add(scope, [given])
      const { cited: _, ...stored } = given
      expect(yield* store.find(scope, given.id)).toEqual(Option.some(stored))
      expect(yield* store.find(scope, (yield* answerAt(lawsAt)).id)).toEqual(Option.none())
      yield* store.add(scope, [])
    })

    law(
      "counts the answers that cite a document, each once however many of its passages it cites",
      function* () {
        const [store, scope, ids] = [yield* AnswerStore, yield* makeWorkspace, yield* Ids]
        const one = yield* passageOf
        const other = { ...one, chunkId: ids.make("chunk") }
        yield* store.add(scope, [
          yield* answerAt(lawsAt, [one, other]),
          yield* answerAt(lawsAt, [one]),
          yield* answerAt(lawsAt, [yield* passageOf])
        ])
        expect(yield* store.countCiting(scope, one.documentId)).toBe(2)
        expect(yield* store.countCiting(scope, ids.make("document"))).toBe(0)
      }
    )

    law("returns the latest turns of a conversation, oldest first, to whoever asked them", function* () {
      const [store, scope, foreign] = [yield* AnswerStore, yield* makeWorkspace, yield* makeWorkspace]
      const turn = (day: string, conversationId: string, askedBy = "key_1", standaloneQuestion?: string) =>
        Effect.map(answerAt(`2026-01-${day}T00:00:00.000Z`), (made) => ({
          ...made,
          askedBy,
          question: `question ${day}`,
          answer: {
            ...made.answer,
            conversationId,
            ...(standaloneQuestion === undefined ? {} : { standaloneQuestion })
          }
        }))
      yield* store.add(scope, [
        yield* turn("03", "chat", "key_1", "question 03, whole"),
        yield* turn("01", "chat"),
        yield* turn("02", "chat"),
        yield* turn("04", "chat", "key_2"),
        yield* turn("05", "other")
      ])
      const turns = (workspace: typeof scope, askedBy = "key_1") =>
        store.turns(workspace, { conversationId: "chat", askedBy, limit: 2 })
      expect((yield* turns(scope)).map(({ question }) => question)).toEqual([
        "question 02",
        "question 03, whole"
      ])
      expect(yield* turns(scope, "key_2")).toEqual([{ question: "question 04", answer: "Ten years [S1]." }])
      expect(yield* turns(foreign)).toEqual([])
      yield* store.prune(scope, "2999-01-01T00:00:00.000Z", 10)
      expect(yield* turns(scope)).toEqual([])
    })

    law(
      "lists the conversations of a person by title and first question, and forgets one whole",
      function* () {
        const [store, scope, foreign] = [yield* AnswerStore, yield* makeWorkspace, yield* makeWorkspace]
        const turn = (day: string, conversationId: string, askedBy = "usr_1") =>
          Effect.map(answerAt(`2026-01-${day}T00:00:00.000Z`), (made) => ({
            ...made,
            askedBy,
            question: `question ${day}`,
            answer: { ...made.answer, conversationId }
          }))
        yield* store.add(scope, [
          yield* turn("01", "a"),
          yield* turn("02", "b"),
          yield* turn("03", "a"),
          yield* turn("04", "a", "usr_2")
        ])
        const listed = (workspace: typeof scope, askedBy = "usr_1") =>
          Effect.map(
            store.conversations(workspace, askedBy, { limit: 10, offset: 0 }),
            ({ items, total }) => [
              total,
              items.map(({ firstQuestion, id, questions, title }) => [id, title, firstQuestion, questions])
            ]
          )
        const a = { conversationId: "a", askedBy: "usr_1" }
        for (const title of ["Draft", "Cranes"])
          yield* store.setTitle(scope, { ...a, title, updatedAt: lawsAt })
        expect(yield* listed(scope)).toEqual([
          2,
          [
            ["a", "Cranes", "question 01", 2],
            ["b", null, "question 02", 1]
          ]
        ])
        expect(yield* listed(scope, "usr_2")).toEqual([1, [["a", null, "question 04", 1]]])
        expect(yield* listed(foreign)).toEqual([0, []])
        expect(yield* store.forget(foreign, a)).toBe(0)
        expect(yield* store.forget(scope, a)).toBe(2)
        expect(yield* store.conversation(scope, a)).toEqual(Option.none())
        expect(yield* listed(scope, "usr_2")).toEqual([1, [["a", null, "question 04", 1]]])
        // The title went with the conversation: one with the same id has none.
        yield* store.add(scope, [yield* turn("05", "a")])
        expect(Option.getOrThrow(yield* store.conversation(scope, a))).toMatchObject({
          title: null,
          questions: 1
        })
      }
    )

    law("forgets the oldest ones before a moment with what they cite, as many as it is told", function* () {
      const [store, scope] = [yield* AnswerStore, yield* makeWorkspace]
      const one = yield* passageOf
      const days = ["01", "02", "03", "04"]
      const answers = yield* Effect.forEach(days, (day) => answerAt(`2026-01-${day}T00:00:00.000Z`, [one]))
      yield* store.add(scope, [...answers].reverse())
      const left = Effect.map(
        Effect.forEach(answers, ({ id }) => store.find(scope, id)),
        (found) => found.map(Option.isSome)
      )
      expect(yield* store.prune(scope, "2026-01-04T00:00:00.000Z", 2)).toBe(2)
      expect(yield* left).toEqual([false, false, true, true])
      expect(yield* store.countCiting(scope, one.documentId)).toBe(2)
      expect(yield* store.prune(scope, "2026-01-04T00:00:00.000Z", 2)).toBe(1)
      expect(yield* store.prune(scope, "2026-01-04T00:00:00.000Z", 2)).toBe(0)
      expect(yield* left).toEqual([false, false, false, true])
    })

    law("keeps nothing of a unit of work that fails", function* () {
      const [store, scope] = [yield* AnswerStore, yield* makeWorkspace]
      const given = yield* answerAt(lawsAt, [yield* passageOf])
      yield* Effect.flip(atomically(Effect.zipRight(store.add(scope, [given]), Effect.fail("no"))))
      expect(yield* store.find(scope, given.id)).toEqual(Option.none())
    })

    law("shows nothing to another workspace and forgets nothing of it", function* () {
      const [store, scope, foreign] = [yield* AnswerStore, yield* makeWorkspace, yield* makeWorkspace]
      const one = yield* passageOf
      const given = yield* answerAt(lawsAt, [one])
      yield* store.add(scope, [given])
      expect(yield* store.find(foreign, given.id)).toEqual(Option.none())
      expect(yield* store.countCiting(foreign, one.documentId)).toBe(0)
      expect(yield* store.prune(foreign, "2999-01-01T00:00:00.000Z", 10)).toBe(0)
      expect(Option.isSome(yield* store.find(scope, given.id))).toBe(true)
    })
  })
}
