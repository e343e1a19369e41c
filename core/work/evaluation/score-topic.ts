import type { TracedAnswer } from "../../answers/answering/index.js"
import {
  answerF1,
  bestPerDocument,
  citationScores,
  exactMatch,
  metricNamed,
  normaliseAnswer,
  rank,
  type Scores
} from "../../answers/measures/index.js"
import type { DocumentId } from "../../platform/kernel/index.js"
import type { RetrievedPassage } from "../../search/retrieval/index.js"
import type { EvalOptions, EvalResult, Topic } from "./model.js"
import { gradesOf } from "./topics.js"

/** Metrics of a ranking that every run computes. */
export const rankingMetrics = [
  ...["ndcg@10", "ndcg_exp@10", "ap", "rr", "p@10", "recall@100", "success@10", "rprec", "bpref", "err@10"],
  ...["rbp(p=0.8)", "rbp_residual(p=0.8)", "judged@10"]
] as const

/** Scores a ranking of documents against the judgments of its topic. */
export const rankingScores = (topic: Topic, ranking: ReadonlyArray<string>): Scores => {
  const grades = gradesOf(topic)
  return Object.fromEntries(rankingMetrics.map((name) => [name, metricNamed(name)?.(ranking, grades) ?? 0]))
}

/** The result of a topic of the suite retrieval: passages collapsed to documents, ranked as trec_eval ranks. */
export const retrievalResult = (
  topic: Topic,
  passages: ReadonlyArray<RetrievedPassage>,
  { depth }: EvalOptions
): EvalResult => {
  const found = bestPerDocument(
    passages.map(({ passage, rerankScore, score }) => ({
      id: passage.documentId,
      score: rerankScore ?? score
    }))
  )
  return {
    queryId: topic.queryId,
    query: topic.query,
    ...ranked(topic, found, depth),
    ...(topic.expectAbstain ? { expectAbstain: true } : {})
  }
}

const ranked = (
  topic: Topic,
  found: ReadonlyArray<{ readonly id: DocumentId; readonly score: number }>,
  depth: number
) => {
  const byId = new Map<string, (typeof found)[number]>(found.map((one) => [one.id, one]))
  const best = rank(found)
    .slice(0, depth)
    .flatMap((id) => byId.get(id) ?? [])
  const ranking = best.map(({ id }) => id)
  return { metrics: rankingScores(topic, ranking), ranking, scores: best.map(({ score }) => score) }
}

/**
 * The result of a question that was asked. An answer is right when it contains an accepted answer or shares most of its
 * words (`isRightAnswer`); where none is known, when it cites a relevant document.
 */
export const answerResult = (
  topic: Topic,
  { answer, trace }: TracedAnswer,
  options: EvalOptions
): EvalResult => {
  const texts = answer.claims.map(({ text }) => text)
  const sourceOf = new Map(answer.sources.map((source) => [source.id, source]))
  const grades = gradesOf(topic)
  const citesRelevant = answer.claims.some(({ citations }) =>
    citations.some((id) => (grades.get(sourceOf.get(id)?.docId ?? "") ?? 0) >= 1)
  )
  const answered = trace.answerable
  const right =
    answered &&
    !topic.expectAbstain &&
    (topic.answers.length > 0 ? isRightAnswer(texts, topic.answers) : citesRelevant)
  const { precision, recall } = citationScores(
    answer.claims.map(({ citations }, at) => ({ citations, supportedBy: trace.support?.[at] ?? [] }))
  )
  const { total, verified } = answer.groundedness
  const docs = answer.sources.map(({ docId }) => docId)
  const found = [...new Set(docs)].map((id, place) => ({ id, score: 1 / (place + 1) }))
  const sourceRanking = ranked(topic, found, options.depth)
  const gold = topic.expectAbstain ? [""] : topic.answers
  const candidateTexts = answered ? [answer.answer.replace(/\s*\[[SD]\d+\]/gu, ""), ...texts] : [""]
  const best = (score: (text: string) => number): number => Math.max(0, ...candidateTexts.map(score))
  return {
    queryId: topic.queryId,
    query: topic.query,
    metrics: {
      right: right ? 1 : 0,
      answered: answered ? 1 : 0,
      ...(gold.length === 0
        ? {}
        : {
            exactMatch: best((text) => exactMatch(text, gold)),
            f1: best((text) => answerF1(text, gold))
          }),
      ...(total === 0
        ? {}
        : {
            groundedness: verified / total,
            citationPrecision: precision,
            citationRecall: recall,
            claims: total,
            verifiedClaims: verified
          }),
      ...(topic.judgments.length === 0 ? {} : sourceRanking.metrics)
    },
    ranking: sourceRanking.ranking,
    scores: sourceRanking.scores,
    verdict: answer.policy.verdict,
    confidence: answer.policy.confidence,
    answer: answer.answer,
    claims: answer.claims.map(({ citations, text }, at) => ({
      text,
      citations: citations.flatMap((id) => {
        const source = sourceOf.get(id)
        return source === undefined ? [] : [{ id, docId: source.docId, chunkId: source.chunkId }]
      }),
      verified: trace.checks[at]?.supported ?? false
    })),
    right,
    ...(topic.expectAbstain ? { expectAbstain: true } : {})
  }
}

/** Least token F1 of a claim that does not contain the gold answer. */
const f1Min = 0.6

/** Judges by rule, without a model: some claim contains a gold answer, or shares most of its words with it. */
export const isRightAnswer = (claims: ReadonlyArray<string>, golds: ReadonlyArray<string>): boolean => {
  const texts = claims.map(normaliseAnswer)
  return golds.some((gold) => {
    const wanted = normaliseAnswer(gold)
    return (
      wanted !== "" &&
      texts.some((text) => ` ${text} `.includes(` ${wanted} `) || answerF1(text, [gold]) >= f1Min)
    )
  })
}
