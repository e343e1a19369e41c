import type { ReactNode } from "react"
import { Link } from "wouter"
import type { ExplainedDecision } from "../../../../server/client/index.js"
import { useOperation } from "../../api/hooks.js"
import { ApiCall } from "../../components/api-call.js"
import { JsonView } from "../../components/json-view.js"
import { Page } from "../../components/page.js"
import { Loaded } from "../../components/states.js"
import { Badge, Content, Person, Time } from "../../components/text.js"
import { formatShare } from "../../language.js"
import { decisionText } from "../../strings/decisions.js"
import { runText } from "../../strings/runs.js"
import { VerdictBadge } from "./decision-list.js"
import { Replay } from "./replay.js"
import { Trace } from "./trace.js"

const text = decisionText.detail

type Part = { readonly explained: ExplainedDecision }

/** One decision: why, what was given, and which of its citations still stand. */
export const DecisionPage = ({ id }: { readonly id: string }): ReactNode => {
  const decision = useOperation("getPolicyDecision", { id })
  if (decision.data === undefined)
    return (
      <Page title={decisionText.one}>
        <Loaded query={decision}>{() => null}</Loaded>
      </Page>
    )
  const explained = decision.data
  const { answerId, question } = explained.decision
  return (
    <Page
      title={question ?? decisionText.noQuestion}
      wide
      lead={
        <>
          <VerdictBadge verdict={explained.decision.verdict} />{" "}
          {decisionText.confidence(formatShare(explained.decision.confidence))}
        </>
      }
      actions={
        answerId !== null && (
          <Link href={`/answers/${answerId}`} className="button plain">
            {decisionText.openAnswer}
          </Link>
        )
      }
    >
      <div className="with-side">
        <div className="stack">
          <Why explained={explained} />
          <section className="panel">
            <h2>{text.answer}</h2>
            {explained.answer === null ? (
              <p className="muted">{text.answerGone}</p>
            ) : (
              <p dir="auto" className="prose">
                {explained.answer.answer}
              </p>
            )}
          </section>
          <section className="stack tight">
            <h2>{text.citations}</h2>
            <Replay explained={explained} />
          </section>
          <Trace trace={explained.trace} />
          <details>
            <summary>{text.features}</summary>
            <JsonView label={text.features} value={explained.features} />
          </details>
          <ApiCall name="getPolicyDecision" input={{ id }} />
        </div>
        <Facts explained={explained} />
      </div>
    </Page>
  )
}

const Why = ({ explained: { decision } }: Part): ReactNode =>
  decision.reasons.length + decision.caveats.length + decision.conflicts.length === 0 ? null : (
    <section className="panel stack tight">
      {decision.reasons.length > 0 && (
        <>
          <h2>{text.why}</h2>
          <ul className="bullets">
            {decision.reasons.map((reason) => (
              <li key={reason} className="sentence" dir="auto">
                {reason.replaceAll("_", " ")}
              </li>
            ))}
          </ul>
        </>
      )}
      {decision.caveats.length > 0 && (
        <>
          <h2>{text.caveats}</h2>
          <ul className="bullets">
            {decision.caveats.map((caveat) => (
              <li key={caveat.code} data-testid="caveat" data-code={caveat.code} dir="auto">
                <Badge tone="warn">{decisionText.caveats[caveat.code]}</Badge> {caveat.message}
              </li>
            ))}
          </ul>
        </>
      )}
      {decision.conflicts.length > 0 && (
        <>
          <h2>{text.conflicts}</h2>
          {decision.conflicts.map((conflict) => (
            <div key={`${conflict.subject}-${conflict.attribute}`} data-testid="conflict">
              <h3>
                <Content>{`${conflict.subject}: ${conflict.attribute}`}</Content>
              </h3>
              <ul className="bullets">
                {conflict.sides.map((side) => (
                  <li key={side.sourceId} dir="auto">
                    <code>{side.sourceId}</code> <strong>{side.value}</strong> {side.quote}
                  </li>
                ))}
              </ul>
              <p className="muted" dir="auto">
                {conflict.reason}
              </p>
            </div>
          ))}
        </>
      )}
    </section>
  )

const Facts = ({ explained: { decision, replayable } }: Part): ReactNode => (
  <aside className="panel side-card">
    <h2>{text.facts}</h2>
    <dl className="facts">
      <dt>{text.mode}</dt>
      <dd>{decisionText.modes[decision.mode]}</dd>
      <dt>{text.gate}</dt>
      <dd>{text.gates[decision.gate]}</dd>
      <dt>{text.applied}</dt>
      <dd>{decision.applied ? text.yes : text.no}</dd>
      <dt>{text.threshold}</dt>
      <dd>{formatShare(decision.threshold)}</dd>
      <dt>{text.calibration}</dt>
      <dd>
        <code>{decision.calibrationVersion}</code>
      </dd>
      <dt>{text.groundedness}</dt>
      <dd>
        {decision.groundedness.verified} / {decision.groundedness.total}
      </dd>
      <dt>{text.asked}</dt>
      <dd>
        <Person id={decision.askedBy} />
      </dd>
      <dt>{text.at}</dt>
      <dd>
        <Time at={decision.decidedAt} form="exact" />
      </dd>
      <dt>{text.cache}</dt>
      <dd>{decision.cache.replaceAll("_", " ")}</dd>
      <dt>{text.models}</dt>
      <dd>
        <code>{decision.models.chat}</code>
        <br />
        <code>{decision.models.judge}</code>
      </dd>
      <dt>{text.cost}</dt>
      <dd>{decision.usage.costUsd} USD</dd>
      <dt>{text.duration}</dt>
      <dd>{runText.ms(decision.durationMs)}</dd>
    </dl>
    <p className="muted small">{replayable ? text.replayable : text.notReplayable}</p>
  </aside>
)
