import type * as Context from "effect/Context"
import * as Effect from "effect/Effect"
import * as Option from "effect/Option"
import { type Detectors, detectEntities } from "../../knowledge/entities/index.js"
import { Ids, type WorkspaceScope } from "../../platform/kernel/index.js"
import { type Embedder, modelsFor } from "../../platform/models/index.js"
import { AnswerStore, type CacheEntry, type CacheQuestion } from "../answering/index.js"
import { guardNames, type Refusal, refusedBy } from "./guards.js"
import { type CacheKeys, matchesItsKeys } from "./keys.js"
import { parseWording, type QuestionWording, questionKey } from "./question-key.js"

/** Maximum number of entries compared per evidence. */
const candidatesMax = 32

/** Minimum cosine of two questions that may share an answer. */
const cosineMin = 0.95

/** Timeout of the embedding model; after it, only equal texts match. */
const patience = "2 seconds"

/** The matching entry, or the reason why the nearest one was rejected. */
export interface Found {
  readonly entry: CacheEntry | null
  readonly refusal: Refusal | null
}

const nothing: Found = { entry: null, refusal: null }

/**
 * Looks up an answer to an equivalent question on the same evidence: equal text, or a text that passes every guard
 * and that an embedding model finds similar. Without such a model only equal texts match.
 */
export const findCachedAnswer = (
  workspace: WorkspaceScope,
  { evidence, settings }: Pick<CacheQuestion, "evidence" | "settings">,
  keys: CacheKeys,
  at: string
) =>
  Effect.gen(function* () {
    const store = (yield* AnswerStore).cache
    const { embedder } = yield* modelsFor(workspace, settings.models)
    const wanted = { scope: keys.scope, evidence: keys.evidence, at }
    const { sha256 } = yield* Ids
    const candidates = (yield* store.like(workspace, wanted, candidatesMax)).filter((entry) =>
      matchesItsKeys(entry, sha256)
    )
    const text = evidence.question.text
    const keyOfQuestion = questionKey(text)
    const same = candidates.filter(({ id }) => id === keys.id)
    const others = candidates.filter(({ id, question }) => id !== keys.id && question !== "")
    const near = Option.isNone(embedder) ? [] : others
    if (same.length + near.length === 0) return nothing
    const known = [...evidence.entities].map(({ id }) => id).sort()
    const wording = yield* Effect.cached(wordingOf(workspace, text))
    const evaluatedEntries = yield* Effect.forEach([...same, ...near], (entry) =>
      Effect.map(refusalOf(workspace, { text, wording, known }, entry), (refusal) => ({ entry, refusal }))
    )
    const passed = evaluatedEntries.filter(({ refusal }) => refusal === null).map(({ entry }) => entry)
    const equal = passed.find(({ id, question }) => id === keys.id || questionKey(question) === keyOfQuestion)
    if (equal !== undefined) return { entry: equal, refusal: null } satisfies Found
    if (passed.length > 0 && Option.isSome(embedder)) {
      const alike = yield* nearestEntry(embedder.value, text, passed)
      return { entry: alike, refusal: alike === null ? "similarity" : null } satisfies Found
    }
    return {
      entry: null,
      refusal: furthest(evaluatedEntries.flatMap(({ refusal }) => refusal ?? []))
    } satisfies Found
  })

/** A question in the form that is compared with entries. */
interface ComparedQuestion {
  readonly text: string
  /** Parsed lazily and once. */
  readonly wording: Effect.Effect<QuestionWording, never, Detectors>
  /** Known entities in the question, ascending. */
  readonly known: ReadonlyArray<string>
}

/** Returns why an entry does not answer the question, or null. */
const refusalOf = (
  workspace: WorkspaceScope,
  { known, text, wording }: ComparedQuestion,
  { kept, question }: CacheEntry
) =>
  Effect.gen(function* () {
    const same = kept.entityIds.length === known.length && kept.entityIds.every((id, at) => id === known[at])
    if (!same) return "entities" as const
    // Without stored questions only the digest is known, and it was equal.
    if (question === "" || question === text) return null
    return refusedBy(yield* wording, yield* wordingOf(workspace, question))
  })

const wordingOf = (workspace: WorkspaceScope, text: string) =>
  Effect.map(detectEntities(workspace, text), (found) => parseWording(text, found))

/** Returns the refusal of the entry that passed most guards. */
const furthest = (found: ReadonlyArray<Refusal>): Refusal | null =>
  guardNames.findLast((name) => found.includes(name)) ?? null

/** Returns the entry with the most similar question above the minimum; null also when the model fails. */
const nearestEntry = (
  embedder: Context.Tag.Service<Embedder>,
  text: string,
  entries: ReadonlyArray<CacheEntry>
) =>
  embedder
    .embed([text, ...entries.slice(0, embedder.batchMax - 1).map(({ question }) => question)], "query")
    .pipe(
      Effect.timeout(patience),
      Effect.map(([questionVector, ...others]) => {
        if (questionVector === undefined) return null
        const scored = others.map((other, place) => ({
          score: dot(questionVector, other),
          entry: entries[place]
        }))
        const best = scored.sort((a, b) => b.score - a.score)[0]
        return best !== undefined && best.score >= cosineMin ? (best.entry ?? null) : null
      }),
      Effect.catchAll((error) =>
        Effect.as(
          Effect.logWarning("Questions could not be compared: the embedding model is down.", error),
          null
        )
      )
    )

const dot = (one: Float32Array, other: Float32Array): number =>
  one.length === other.length ? one.reduce((sum, value, place) => sum + value * (other[place] ?? 0), 0) : 0
