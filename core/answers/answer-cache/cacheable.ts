import { wordwise } from "../../language/languages/index.js"
import type { CacheOutcome, KeptAnswer, WrittenAnswer } from "../answering/index.js"
import type { Evidence as AnswerEvidence } from "../evidence/index.js"

/** Caveats that make an answer too uncertain to cache. */
const uncertainCaveats = new Set(["low_confidence", "partial_grounding"])

/**
 * Words relative to the present day: the same question may have another answer tomorrow. English, German, French and
 * Spanish only.
 */
const relativeTimeWords = wordwise(
  () =>
    /(?<![\p{L}\p{M}\p{N}])(?:today|tonight|tomorrow|yesterday|(?:this|next|last) (?:hour|morning|evening|week|weekend|month|quarter|year|summer|winter|spring|autumn)|(?:right|just) now|\d+ (?:days?|weeks?|months?|years?) (?:ago|from now)|heute|morgen|gestern|vorgestern|übermorgen|(?:diese[nrsm]?|nächste[nrsm]?|letzte[nrsm]?) (?:woche|monat|quartal|jahr|jahres)|aujourd['’]hui|demain|hier|(?:cette|la) (?:semaine|année) ?(?:prochaine|dernière)?|ce mois|hoy|mañana|ayer|est[ea] (?:semana|mes|año)|今天|明天|昨天|今年|明年|去年|今日|明日|昨日|오늘|내일|어제)(?![\p{L}\p{M}\p{N}])|今天|明天|昨天|今年|明年|去年|今日|明日|昨日|오늘|내일|어제/iu
)

/**
 * Returns whether an answer may be cached: a model answered, every claim is grounded, the gate had no doubt, nothing
 * degraded, and the question does not refer to the present day. Pure.
 */
export const isCacheable = (question: string, outcome: CacheOutcome): boolean => {
  const { answerable, checks, claims, degraded, policy } = outcome
  return (
    answerable &&
    !degraded &&
    claims.length > 0 &&
    checks.length === claims.length &&
    checks.every(({ supported }) => supported) &&
    (policy.verdict === "answer" || policy.verdict === "answer_with_caveats") &&
    !policy.caveats.some(({ code }) => uncertainCaveats.has(code)) &&
    !relativeTimeWords().test(question)
  )
}

/** Returns the cached answer with the source ids of the present evidence; null if a passage is missing. Pure. */
export const withCurrentSources = (kept: KeptAnswer, { sources }: AnswerEvidence): WrittenAnswer | null => {
  const places = new Map(sources.map(({ id, passage }) => [passage.id, id]))
  const ids = new Map(kept.sources.map(({ chunkId, id }) => [id, places.get(chunkId)]))
  const named = kept.claims.flatMap(({ citations }) => citations)
  if (named.length === 0 || named.some((id) => ids.get(id) === undefined)) return null
  return {
    answer: kept.answer.replace(/\[(S\d+)\]/gu, (marker, id: string) => {
      const now = ids.get(id)
      return now === undefined ? marker : `[${now}]`
    }),
    claims: kept.claims.map(({ citations, text }) => ({
      text,
      citations: citations.flatMap((id) => ids.get(id) ?? [])
    })),
    checks: kept.checks
  }
}
