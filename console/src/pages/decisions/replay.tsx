import type { ReactNode } from "react"
import { Link } from "wouter"
import type { ExplainedDecision } from "../../../../server/client/index.js"
import { WordsDifference } from "../../components/fields-diff.js"
import { Badge, Content } from "../../components/text.js"
import { decisionText } from "../../strings/decisions.js"

const text = decisionText.detail
const tones = { current: "good", changed: "warn", gone: "bad" } as const

type Citation = ExplainedDecision["citations"][number]

/** Every citation of an old answer, compared with the documents of today. */
export const Replay = ({
  explained: { answer, citations }
}: {
  readonly explained: ExplainedDecision
}): ReactNode =>
  citations.length === 0 ? (
    <p className="muted">{text.noCitations}</p>
  ) : (
    <ul className="stack tight">
      {citations.map((citation) => (
        <li
          key={citation.sourceId}
          className="panel"
          data-testid="replay-row"
          data-source={citation.sourceId}
          data-state={citation.state}
        >
          <p className="row">
            <code>{citation.sourceId}</code>
            {citation.state === "gone" ? (
              <Content>
                {answer?.sources.find(({ id }) => id === citation.sourceId)?.docTitle ?? citation.docId}
              </Content>
            ) : (
              <Link
                href={`/documents/${citation.docId}${citation.state === "current" ? `?chunk=${citation.chunkId}` : ""}`}
              >
                <Content>
                  {answer?.sources.find(({ id }) => id === citation.sourceId)?.docTitle ?? citation.docId}
                </Content>
              </Link>
            )}
            <Badge tone={tones[citation.state]}>{text.states[citation.state]}</Badge>
            <span className="muted small">{text.stateHints[citation.state]}</span>
          </p>
          <Passage citation={citation} />
        </li>
      ))}
    </ul>
  )

/** The cited words; of a changed passage what became of them. */
const Passage = ({ citation: { now, state, then } }: { readonly citation: Citation }): ReactNode => {
  if (then === null) return <p className="muted">{text.noText}</p>
  if (state !== "changed" || now === null)
    return (
      <blockquote dir="auto" className={state === "gone" ? "gone" : ""}>
        {then.text}
      </blockquote>
    )
  if (now.text === then.text) return <p className="muted">{text.onlyPlace}</p>
  return (
    <>
      <p className="muted small">
        {text.before} ({text.version(then.docVersion)}) → {text.now}
      </p>
      <blockquote dir="auto">
        <WordsDifference from={then.text} to={now.text} />
      </blockquote>
    </>
  )
}
