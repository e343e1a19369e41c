import * as Effect from "effect/Effect"
import { z } from "zod"
import type { Passage } from "../../files/documents/index.js"
import {
  allAliases,
  type EntityDetector,
  EntityStore,
  isRetired,
  type StoredEntity
} from "../../knowledge/entities/index.js"
import { rulesOf } from "../../knowledge/extraction/index.js"
import { GraphStore, type Relation } from "../../knowledge/graph/index.js"
import {
  hasEnded,
  mayMean,
  type NameType,
  type RelationQuestion,
  type RelationSought,
  relationAsked,
  relationWords
} from "../../knowledge/prose/index.js"
import { type Question, readQuestion } from "../../language/questions/index.js"
import { analyse } from "../../language/tokenization/index.js"
import { type DocumentId, type EntityId, groupBy, type WorkspaceScope } from "../../platform/kernel/index.js"

/** A sentence that states an edge of the graph. */
interface Said {
  readonly documentId: DocumentId
  readonly label: number
  readonly sentence: string
}

/** An edge that answers one step of a question. */
interface Step extends Said {
  readonly known: StoredEntity
  readonly found: StoredEntity
  readonly sought: RelationSought
}

/** Answer of the graph to a question that asks for a relation. */
export interface RelationAnswer {
  /** Edges in the order of the steps; every sentence of the last step answers. Empty where no edge does. */
  readonly steps: ReadonlyArray<ReadonlyArray<Step>>
  /** Sentences about what is named that state another relation than the one that is asked for, or its other end. */
  readonly others: ReadonlyArray<string>
}

/** An entity with more relations is asked about by its words alone. */
const edgesMax = 300
const evidenceEach = 3
const [answersMax, candidatesMax] = [8, 20]
/**
 * Follows a question such as "Who leads …?" or "Where is the parent of … based?" through the graph. Null when it asks
 * for no relation of a known name.
 */
export const relationAnswer = (workspace: WorkspaceScope, detector: EntityDetector, text: string) =>
  Effect.gen(function* () {
    const askedRelation = relationAsked(text)
    return askedRelation === null ? null : yield* follow(workspace, detector, askedRelation)
  })

const follow = (
  workspace: WorkspaceScope,
  detector: EntityDetector,
  asked: RelationQuestion
): Effect.Effect<RelationAnswer | null, never, EntityStore | GraphStore> =>
  Effect.gen(function* () {
    if ("name" in asked.of) {
      const bearers = yield* bearersOf(workspace, detector, asked.of.name)
      const edges = yield* Effect.forEach(bearers, (one) => edgesOf(workspace, one))
      const found = edges.map((own) => stepsOf(asked, own))
      const answering = found.filter((steps) => steps.length > 0)
      const [only = []] = answering
      if (answering.length === 1) return { steps: [only], others: [] }
      return answering.length > 1
        ? null
        : { steps: [], others: edges.flatMap((own) => othersOf(asked.sought, own)) }
    }
    const inner = yield* follow(workspace, detector, asked.of)
    if (inner === null) return null
    const ends = new Map(inner.steps.at(-1)?.map(({ found }) => [found.id, found]))
    const [end] = ends.values()
    if (end === undefined || ends.size > 1) return inner.steps.length > 0 ? null : inner
    const steps = stepsOf(asked, yield* edgesOf(workspace, end))
    return steps.length === 0 ? null : { steps: [...inner.steps, steps], others: [] }
  })

/** The entities that a name may mean: those that bear it, else the only one whose name begins with it. */
const bearersOf = (workspace: WorkspaceScope, detector: EntityDetector, name: string) =>
  Effect.gen(function* () {
    const store = yield* EntityStore
    const [whole] = detector
      .detect(name, { anyCase: true })
      .filter(({ end, start }) => start === 0 && end === name.length)
    const own = (yield* store.findMany(workspace, whole?.entityIds ?? [])).filter((one) => !isRetired(one))
    if (own.some(({ type }) => isThing(type))) return own
    const start = `${name.toLowerCase()} `
    const longer = detector.entities.flatMap(({ headId, surfaces }) =>
      surfaces.some((surface) => surface.length > start.length && surface.toLowerCase().startsWith(start))
        ? [headId]
        : []
    )
    const heads = [...new Set(longer)]
    if (heads.length > candidatesMax) return own
    const known = new Set(own.map(({ id }) => id))
    const others = (yield* store.findMany(workspace, heads)).filter(
      (one) => !isRetired(one) && !known.has(one.id)
    )
    const things = others.filter(({ type }) => isThing(type))
    return things.length > 1 ? own : [...own, ...(things.length === 1 ? things : others)]
  })

const thingTypes: ReadonlySet<string> = new Set<NameType>([
  "person",
  "organization",
  "place",
  "product",
  "event"
])
const isThing = (type: string): boolean => thingTypes.has(type)

interface EdgeAt {
  readonly self: StoredEntity
  readonly other: StoredEntity
  readonly relation: Relation
  /** The end of the relation that is `self`. */
  readonly at: "from" | "to"
  readonly said: ReadonlyArray<Said>
}

/** The edges of an entity that sentences state. */
const edgesOf = (workspace: WorkspaceScope, self: StoredEntity) =>
  Effect.gen(function* () {
    const [graph, entities] = [yield* GraphStore, yield* EntityStore]
    const { items, total } = yield* graph.relations(
      workspace,
      { entityId: self.id },
      { limit: edgesMax, offset: 0 }
    )
    if (total > edgesMax) return []
    const ends = items.flatMap(
      (relation): ReadonlyArray<{ relation: Relation; at: EdgeAt["at"]; id: EntityId }> => {
        const { dstHead, srcHead } = relation
        if (srcHead === null || dstHead === null) return []
        return srcHead === self.id
          ? [{ relation, at: "from", id: dstHead }]
          : [{ relation, at: "to", id: srcHead }]
      }
    )
    const others = new Map(
      (yield* entities.findMany(
        workspace,
        ends.map(({ id }) => id)
      )).map((one) => [one.id, one])
    )
    const evidence = groupBy(
      yield* graph.evidence(
        workspace,
        ends.map(({ relation }) => relation.id),
        evidenceEach
      ),
      ({ relationId }) => relationId
    )
    return ends.flatMap(({ at, id, relation }): ReadonlyArray<EdgeAt> => {
      const other = others.get(id)
      const said = (evidence.get(relation.id) ?? []).flatMap(({ documentId, label, quote }) =>
        label === null || !isSentence(relation.type, quote) ? [] : [{ documentId, label, sentence: quote }]
      )
      return other === undefined || said.length === 0 ? [] : [{ self, other, relation, at, said }]
    })
  })

/** A quote of front matter or of a link states an edge in no words. */
const isSentence = (type: string, quote: string): boolean =>
  relationWords(type, quote) !== null || /\p{Ll} .*[.!]["”']?$/u.test(quote)

const stepsOf = (
  { isPresent, kinds, sought }: RelationQuestion,
  edges: ReadonlyArray<EdgeAt>
): ReadonlyArray<Step> => {
  const steps = edges.flatMap(({ at, other, relation, said, self }) => {
    const wanted = sought.find(({ known, type }) => type === relation.type && known === at)
    if (wanted === undefined || isRetired(other)) return []
    if (kinds !== null && isThing(other.type) && !kinds.some((kind) => kind === other.type)) return []
    const fitting = said.filter(
      ({ sentence }) =>
        (wanted.says?.test(sentence) ?? true) &&
        !(isPresent && hasEnded(relation.type, sentence, [nameIn(sentence, self), nameIn(sentence, other)]))
    )
    return fitting.map((one): Step => ({ ...one, known: self, found: other, sought: wanted }))
  })
  return steps.length > answersMax ? [] : steps
}

/** "Works at Merrow Yard as head of assays": the leader of a part does not lead the whole. */
const leadsPart =
  /(?<!\p{L})as (?:the |an? |its )?(?:\p{Ll}+ ){0,2}(?:head|director|manager|leader|lead|chief|chair) (?:of|for) (?:the )?\p{Ll}/u

const othersOf = (
  sought: ReadonlyArray<RelationSought>,
  edges: ReadonlyArray<EdgeAt>
): ReadonlyArray<string> =>
  edges.flatMap(({ relation: { type }, said }) => {
    const isOtherEnd = sought.some((one) => one.type === type)
    return said.flatMap(({ sentence }) =>
      isOtherEnd ||
      (sought.some((one) => one.type === "leads") && type === "works_for" && leadsPart.test(sentence)) ||
      (!mayMean(type, sought) && sought.every((one) => relationWords(one.type, sentence) === null))
        ? [sentence]
        : []
    )
  })

/** Sentences that answer a question, as the built-in model gives them preference. */
export interface StatedAnswers {
  /** The question in the words of the sentences; one part for each of several steps. */
  readonly question: Question
  readonly said: ReadonlyArray<{ readonly of: string; readonly sentence: string }>
}

/** The question in the words of the sentences that answer it; null unless a passage holds one for each step. */
export const questionInSentenceWords = (
  question: Question,
  { steps }: RelationAnswer,
  passages: ReadonlyMap<number, Passage>
): StatedAnswers | null => {
  const heldSteps = steps.map((step) => step.filter(({ label }) => passages.has(label)))
  const parts = heldSteps.flatMap(([first]) => (first === undefined ? [] : [textOf(first)]))
  if (parts.length === 0 || parts.length < steps.length) return null
  const [read, ...more] = parts.map((text) => readQuestion(text, analyse))
  if (read === undefined) return null
  const whole = more.length === 0 ? read : readQuestion(parts.join(" "), analyse)
  return {
    question: {
      ...whole,
      original: question.original,
      parts: more.length === 0 ? [] : [read, ...more],
      compared: []
    },
    said: heldSteps.flatMap((step, at) =>
      step.map(({ sentence }) => ({ of: [read, ...more][at]?.text ?? "", sentence }))
    )
  }
}

/** A relation of the graph that a question was answered by, and the rule by which its sentence was read. */
export const AnsweringRelation = z.object({
  type: z.string(),
  from: z.string(),
  to: z.string(),
  rule: z.string().nullable().describe("Null where a model read it, or a person stated it.")
})
export type AnsweringRelation = z.infer<typeof AnsweringRelation>

/** The relations of an answer, in the order of its steps. */
export const answeringRelations = (workspace: WorkspaceScope, { steps }: RelationAnswer) =>
  Effect.gen(function* () {
    const all = steps.flat()
    const rules = yield* rulesOf(
      workspace,
      all.map(({ documentId, sentence, sought: { type } }) => ({ documentId, sentence, type }))
    )
    return all.map(({ found, known, sought: { known: at, type } }, place): AnsweringRelation => {
      const [from, to] = at === "from" ? [known, found] : [found, known]
      return { type, from: from.name, to: to.name, rule: rules[place] ?? null }
    })
  })

/** Returns the question for one step in the words of the sentence that answers it. */
const textOf = ({ found, known, sentence, sought: { known: at, type } }: Step): string => {
  const words = relationWords(type, sentence) ?? type.replaceAll("_", " ")
  const asks = found.type === "person" ? "Who" : found.type === "place" ? "Where" : "Which"
  const name = nameIn(sentence, known)
  return at === "to" ? `${asks} ${words} ${name}?` : `${asks} ${name} ${words}?`
}

/** The longest name of an entity in a sentence. */
const nameIn = (sentence: string, entity: StoredEntity): string =>
  [entity.name, ...allAliases(entity)]
    .filter((one) => sentence.includes(one))
    .sort((a, b) => b.length - a.length)[0] ?? entity.name
