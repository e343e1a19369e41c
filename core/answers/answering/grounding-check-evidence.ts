import * as Effect from "effect/Effect"
import * as Option from "effect/Option"
import { DocumentStore, type Passage } from "../../files/documents/index.js"
import { EntityStore, headOf } from "../../knowledge/entities/index.js"
import { GraphStore } from "../../knowledge/graph/index.js"
import { languageOf } from "../../language/languages/index.js"
import { contentTerms, TermSet } from "../../language/text-analysis/index.js"
import { analyse } from "../../language/tokenization/index.js"
import {
  type DocumentId,
  type EntityId,
  forEachYielding,
  NotFound,
  type WorkspaceScope,
  yieldToEventLoop
} from "../../platform/kernel/index.js"
import { retrieve } from "../../search/retrieval/index.js"

/** Passages that one claim is compared with, and all claims together. */
const perClaim = 4
const passagesMax = 100
/** Mentions of the given entities that are looked at. */
const mentionsMax = 500
/** A claim is looked for by its first so many characters. */
const queryChars = 1000

/** The passages that may carry a text's claims. */
export interface CheckEvidence {
  readonly passages: ReadonlyArray<Passage>
  /** Labels of the candidates of each claim, the most likely first. */
  readonly candidates: ReadonlyArray<ReadonlyArray<number>>
  /** Inverse document frequencies, of those words that are known. */
  readonly termWeights: ReadonlyMap<string, number>
}

/** Every one of the named documents and entities must be there: NotFound for one that is gone, unknown or foreign. */
const present = (
  workspace: WorkspaceScope,
  docIds: ReadonlyArray<DocumentId>,
  entityIds: ReadonlyArray<EntityId>
) =>
  Effect.gen(function* () {
    const documents = yield* DocumentStore
    for (const id of new Set(docIds)) {
      const found = Option.getOrNull(yield* documents.find(workspace, id))
      if (found === null || found.deletedAt !== null) return yield* new NotFound({ what: "document" })
    }
    // A merged id means its head.
    const heads = yield* Effect.forEach(new Set(entityIds), headOf)
    return { documents: new Set(docIds), entities: new Set(heads.map(({ id }) => id)) }
  })

/** Finds for each claim what may carry it: in the named documents and entities, else anywhere in the workspace. */
export const evidenceForClaims = (
  workspace: WorkspaceScope,
  claims: ReadonlyArray<string>,
  given: {
    readonly docIds: ReadonlyArray<DocumentId> | undefined
    readonly entityIds: ReadonlyArray<EntityId> | undefined
  }
) =>
  Effect.gen(function* () {
    const { docIds, entityIds } = given
    const yieldWhenDue = yieldToEventLoop()
    if (docIds === undefined && entityIds === undefined)
      return gathered(
        yield* Effect.forEach(claims, (claim) => Effect.zipRight(yieldWhenDue, searched(workspace, claim)))
      )
    const { documents, entities } = yield* present(workspace, docIds ?? [], entityIds ?? [])
    const passages = yield* named(workspace, documents, entities)
    const weights = yield* weightsOf(passages, yieldWhenDue)
    const sets = yield* forEachYielding(passages, (passage) =>
      Effect.sync(() => termSet(`${passage.docTitle} ${passage.headingPath.join(" ")} ${passage.text}`))
    )
    return gathered(
      yield* Effect.forEach(claims, (claim) =>
        Effect.map(nearest(claim, passages, sets, weights, yieldWhenDue), (found) => ({
          passages: found,
          weights
        }))
      )
    )
  })

interface Found {
  readonly passages: ReadonlyArray<Passage>
  readonly weights: ReadonlyMap<string, number>
}

const searched = (workspace: WorkspaceScope, claim: string) =>
  Effect.map(
    retrieve(workspace, { query: claim.slice(0, queryChars), limit: perClaim, rerank: false }),
    ({ passages, termWeights }): Found => ({
      passages: passages.map(({ passage }) => passage),
      weights: termWeights
    })
  )

const gathered = (found: ReadonlyArray<Found>): CheckEvidence => {
  const passages = new Map<number, Passage>()
  // The best of every claim comes before the second best of any.
  for (let place = 0; place < perClaim; place += 1)
    for (const one of found) {
      const passage = one.passages[place]
      if (passage !== undefined && passages.size < passagesMax) passages.set(passage.label, passage)
    }
  return {
    passages: [...passages.values()],
    candidates: found.map((one) =>
      one.passages.map(({ label }) => label).filter((label) => passages.has(label))
    ),
    // Claims about named documents share one map of weights, which is read once.
    termWeights: new Map([...new Set(found.map(({ weights }) => weights))].flatMap((weights) => [...weights]))
  }
}

/** Every live passage of the documents, and those that mention the entities or what was merged into them. */
const named = (
  workspace: WorkspaceScope,
  docIds: ReadonlySet<DocumentId>,
  entityIds: ReadonlySet<EntityId>
) =>
  Effect.gen(function* () {
    const documents = yield* DocumentStore
    const chunks = yield* Effect.forEach(docIds, (id) => documents.chunks(workspace, id))
    const entities = yield* (yield* EntityStore).members(workspace, [...entityIds])
    const ids = [...new Set([...entityIds, ...entities.map(({ id }) => id)])]
    const mentions =
      ids.length === 0
        ? []
        : (yield* (yield* GraphStore).mentions(
            workspace,
            { entityIds: ids },
            { limit: mentionsMax, offset: 0 }
          )).items
    const labels = new Set([...chunks.flat(), ...mentions].map(({ label }) => label))
    return yield* documents.passages(workspace, [...labels])
  })

const termSet = (text: string): TermSet => new TermSet(analyse(text).map(({ term }) => term))

/** Rarity among the passages themselves: of a few documents the whole is known. */
const weightsOf = (passages: ReadonlyArray<Passage>, yieldWhenDue: Effect.Effect<void>) =>
  Effect.gen(function* () {
    const counts = new Map<string, number>()
    for (const { text } of passages) {
      yield* yieldWhenDue
      for (const term of new Set(analyse(text).map((one) => one.term)))
        counts.set(term, (counts.get(term) ?? 0) + 1)
    }
    const weigh = (count: number) => Math.log(1 + (passages.length - count + 0.5) / (count + 0.5))
    return new Map([...counts].map(([term, count]) => [term, weigh(count)]))
  })

/** Passages that are scored in one turn. */
const scoredAtOnce = 50

const nearest = (
  claim: string,
  passages: ReadonlyArray<Passage>,
  sets: ReadonlyArray<TermSet>,
  weights: ReadonlyMap<string, number>,
  yieldWhenDue: Effect.Effect<void>
) =>
  Effect.gen(function* () {
    const language = languageOf(claim)
    const terms = contentTerms(analyse, claim, language)
    const scored: Array<{ readonly passage: Passage; readonly score: number }> = []
    for (const [at, passage] of passages.entries()) {
      if (at % scoredAtOnce === 0) yield* yieldWhenDue
      const score = terms.reduce(
        (sum, { term }) => sum + (weights.get(term) ?? 1) * (sets[at]?.match(term, language) ?? 0),
        0
      )
      if (score > 0) scored.push({ passage, score })
    }
    return scored
      .sort((a, b) => b.score - a.score || a.passage.label - b.passage.label)
      .slice(0, perClaim)
      .map(({ passage }) => passage)
  })
