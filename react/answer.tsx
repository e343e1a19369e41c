import { type ReactNode, useMemo } from "react"
import type { DataCall, StructuredAnswer, Verdict } from "../server/client/index.js"
import { Citation, type CitationTarget, standingOf } from "./citation.js"
import type { CitedSource, QuotedClaim } from "./wire.js"
import { type AnswerWords, englishAnswer } from "./words.js"

export interface AnswerProps {
  readonly answer: StructuredAnswer
  /** The id under which the answer is kept. */
  readonly answerId?: string | null
  /** Called when somebody chooses a source or a data call of a sentence. */
  readonly onCite?: ((target: CitationTarget) => void) | undefined
  /** Texts; English by default. */
  readonly words?: AnswerWords
  /** Shown below the verdict: why, feedback, and so on. */
  readonly children?: ReactNode
}

/**
 * The verdict on what is shown. In `shadow` the gate only notes what it would have done: a written answer is shown all
 * the same, and is one with caveats then.
 */
const shownVerdictOf = ({ claims, policy: { mode, verdict } }: StructuredAnswer): Verdict =>
  mode === "shadow" && claims.length > 0 && (verdict === "clarify" || verdict === "abstain_with_pointers")
    ? "answer_with_caveats"
    : verdict

/** An answer: its sentences with their citations, verdict, confidence, caveats and conflicts. It has no styles. */
export const Answer = ({
  answer,
  answerId = null,
  onCite,
  words = englishAnswer,
  children
}: AnswerProps): ReactNode => {
  const { caveats, confidence, conflicts } = answer.policy
  const verdict = shownVerdictOf(answer)
  const targets = useTargets(answer)
  const isGiven = verdict === "answer" || verdict === "answer_with_caveats"
  return (
    <section
      className="kanon-answer"
      data-testid="answer"
      data-answer-id={answerId ?? ""}
      aria-label={words.title}
    >
      <div className="kanon-verdict">
        <span data-testid="answer-verdict" data-verdict={verdict}>
          {words.verdicts[verdict]}
        </span>
        {answer.policy.mode !== "off" && (
          <span data-testid="answer-confidence" data-confidence={confidence}>
            {words.confidence(confidence)}
          </span>
        )}
        {verdict !== answer.policy.verdict && (
          <span className="kanon-would-have" data-testid="answer-would-have">
            {words.wouldHave(answer.policy.verdict)}
          </span>
        )}
        {answer.groundedness.total > 0 && (
          <span className="kanon-grounded">
            {words.grounded(answer.groundedness.verified, answer.groundedness.total)}
          </span>
        )}
      </div>
      {answer.policy.reasons.includes("chat_model_unavailable") && (
        <p className="kanon-built-in" data-testid="answer-built-in">
          {words.builtIn}
        </p>
      )}
      {answer.claims.length === 0 ? (
        <p className="kanon-text" dir="auto">
          {answer.answer}
        </p>
      ) : (
        <p className="kanon-text" dir="auto">
          {answer.claims.map((claim, index) => (
            <span
              // biome-ignore lint/suspicious/noArrayIndexKey: sentences have no other name than their place.
              key={index}
              data-testid="claim"
              data-status={claim.status ?? "unsupported"}
              className="kanon-claim"
            >
              <ClaimText claim={claim} words={words} />
              {claim.status !== undefined && claim.status !== "supported" && (
                <span className="kanon-claim-status"> ({words.statuses[claim.status]})</span>
              )}
              {claim.citations.map((id) => {
                const target = targets.get(id)
                return (
                  target !== undefined && (
                    <Citation key={id} target={withQuotes(target, claim)} onCite={onCite} words={words} />
                  )
                )
              })}{" "}
            </span>
          ))}
        </p>
      )}
      {caveats.length > 0 && (
        <ul className="kanon-caveats" aria-label={words.caveats}>
          {caveats.map(({ code, message, sourceIds }) => (
            <li key={code} data-testid="caveat" data-code={code}>
              <span dir="auto">{message}</span>
              {sourceIds.map((id) => {
                const target = targets.get(id)
                return (
                  target !== undefined && <Citation key={id} target={target} onCite={onCite} words={words} />
                )
              })}
            </li>
          ))}
        </ul>
      )}
      {conflicts.map((conflict) => (
        <div
          key={`${conflict.subject} ${conflict.attribute} ${conflict.kind}`}
          className="kanon-conflict"
          data-testid="conflict"
          data-kind={conflict.kind}
        >
          <p>{words.conflict(conflict.subject, conflict.attribute)}</p>
          <ul>
            {conflict.sides.map((side) => {
              const target = targets.get(side.sourceId)
              return (
                <li
                  key={`${side.sourceId} ${side.value}`}
                  data-preferred={conflict.preferred === side.sourceId}
                >
                  <strong dir="auto">{side.value}</strong> <q dir="auto">{side.quote}</q>
                  {target !== undefined && <Citation target={target} onCite={onCite} words={words} />}
                </li>
              )
            })}
          </ul>
          <p className="kanon-reason" dir="auto">
            {conflict.preferred === null
              ? words.noPreference
              : words.preferred(conflict.preferred, conflict.reason)}
          </p>
        </div>
      ))}
      {!isGiven && answer.sources.length > 0 && (
        <div className="kanon-pointers">
          <p>{words.pointers}</p>
          <ul>
            {answer.sources.map((source) => (
              <li key={source.id} data-testid="pointer" data-source={source.id}>
                <button
                  type="button"
                  onClick={() => onCite?.({ kind: "source", id: source.id, source, quotes: [] })}
                >
                  <bdi dir="auto">{source.docTitle}</bdi>
                </button>
                <span dir="auto">{source.snippet}</span>
              </li>
            ))}
          </ul>
        </div>
      )}
      {children}
    </section>
  )
}

/** The text of a claim; words that no source carries are marked. */
const ClaimText = ({
  claim,
  words
}: {
  readonly claim: QuotedClaim
  readonly words: AnswerWords
}): ReactNode => {
  const { text, unmatched = [] } = claim
  const parts: Array<ReactNode> = []
  let from = 0
  for (const { end, start } of [...unmatched].sort((a, b) => a.start - b.start)) {
    if (start < from || end > text.length) continue
    parts.push(
      text.slice(from, start),
      <em key={start} className="kanon-unmatched" data-testid="unmatched" title={words.unmatched}>
        {text.slice(start, end)}
      </em>
    )
    from = end
  }
  return (
    <span>
      {parts}
      {text.slice(from)}
    </span>
  )
}

/** The sources and data calls of an answer by their ids, such as `S1` and `D1`. */
const useTargets = (answer: StructuredAnswer): ReadonlyMap<string, CitationTarget> =>
  useMemo(
    () =>
      new Map<string, CitationTarget>([
        ...answer.sources.map(
          (source: CitedSource) => [source.id, { kind: "source", id: source.id, source, quotes: [] }] as const
        ),
        ...answer.dataCalls.map((call: DataCall) => [call.id, { kind: "data", id: call.id, call }] as const)
      ]),
    [answer]
  )

/** The words of the source that carry this sentence. */
const withQuotes = (target: CitationTarget, claim: QuotedClaim): CitationTarget => {
  if (target.kind !== "source") return target
  const quotes = (claim.quotes ?? []).filter(({ sourceId }) => sourceId === target.id)
  return { ...target, quotes }
}

/** The documents and data calls that an answer cites, each with all of its sources. */
export const Citations = ({
  answer,
  onCite,
  words = englishAnswer
}: Pick<AnswerProps, "answer" | "onCite" | "words">): ReactNode => {
  const targets = useTargets(answer)
  const cited = new Set(answer.claims.flatMap(({ citations }) => citations))
  const groups = new Map<string, [CitationTarget, ...Array<CitationTarget>]>()
  for (const target of targets.values()) {
    if (!cited.has(target.id)) continue
    const key = target.kind === "source" ? target.source.docId : target.id
    const group = groups.get(key)
    if (group === undefined) groups.set(key, [target])
    else group.push(target)
  }
  return (
    <ol className="kanon-citations" aria-label={words.sources}>
      {[...groups].map(([key, group]) => (
        <Cited key={key} group={group} onCite={onCite} words={words} />
      ))}
    </ol>
  )
}

const Cited = ({
  group,
  onCite,
  words
}: {
  readonly group: readonly [CitationTarget, ...ReadonlyArray<CitationTarget>]
  readonly onCite: AnswerProps["onCite"]
  readonly words: AnswerWords
}): ReactNode => {
  const [first] = group
  const pages = group.flatMap((one) => (one.kind === "source" ? (one.source.page ?? []) : []))
  return (
    <li data-standing={standingOf(first)}>
      {group.map((target) => (
        <Citation key={target.id} target={target} onCite={onCite} words={words} />
      ))}
      <bdi dir="auto">{first.kind === "source" ? first.source.docTitle : first.call.queryTitle}</bdi>
      {first.kind === "source" && (
        <span className="kanon-path" dir="auto">
          {[first.source.docPath, ...[...new Set(pages)].map(words.page)].join(" · ")}
        </span>
      )}
      <span className="kanon-standing">{words.standings[standingOf(first)]}</span>
    </li>
  )
}
