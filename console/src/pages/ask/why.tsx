import { type ReactNode, useState } from "react"
import { Link } from "wouter"
import type { StructuredAnswer } from "../../../../server/client/index.js"
import { Badge } from "../../components/text.js"
import { strings } from "../../strings.js"
import { useConsoleDecision } from "./decision.js"
import { JudgePassage } from "./judge-passage.js"

const texts = strings.ask
const words: Readonly<Record<string, string | ((detail: string) => string)>> = strings.reasonWords

/** A reason of the gate in words. */
const reasonInWords = (reason: string): string => {
  const colon = reason.indexOf(":")
  const [code, detail] = colon < 0 ? [reason, ""] : [reason.slice(0, colon), reason.slice(colon + 1)]
  const known = words[code]
  if (known === undefined) return reason.replaceAll("_", " ")
  return typeof known === "string" ? known : known(detail)
}

/** Why an answer is as it is: reasons, rules, all passages that came up, what was left out, time and cost. */
export const Why = ({
  answer,
  answerId,
  question
}: {
  readonly answer: StructuredAnswer
  readonly answerId: string | null
  readonly question: string
}): ReactNode => {
  const [isOpen, setOpen] = useState(false)
  return (
    <details
      className="disclosure"
      data-testid="answer-why"
      onToggle={(event) => setOpen(event.currentTarget.open)}
    >
      <summary>{texts.why}</summary>
      <div className="stack why">
        {answer.policy.reasons.length > 0 && (
          <section className="stack tight">
            <h3>{texts.reasons}</h3>
            <ul className="bullets">
              {answer.policy.reasons.map((reason) => (
                <li key={reason} dir="auto">
                  {reasonInWords(reason)}
                </li>
              ))}
            </ul>
          </section>
        )}
        {isOpen && <Trace answerId={answerId} question={question} />}
        <p className="muted small">{texts.model(answer.model.chat)}</p>
      </div>
    </details>
  )
}

const Trace = ({
  answerId,
  question
}: {
  readonly answerId: string | null
  readonly question: string
}): ReactNode => {
  const explained = useConsoleDecision(answerId)
  if (explained === undefined) return <p className="muted small">{texts.noDecision}</p>
  const { decision, trace } = explained
  const withheld = trace.claims?.filter((claim) => claim.withheld) ?? []
  return (
    <>
      {trace.rules.length > 0 && (
        <section className="stack tight">
          <h3>{texts.rules}</h3>
          <ul className="stack tight">
            {trace.rules.map(({ fired, rule, skipped, why }) => (
              <li key={rule} className="row">
                <Badge tone={fired ? "warn" : skipped ? "neutral" : "good"}>
                  {fired ? texts.fired : skipped ? texts.skipped : texts.passed}
                </Badge>
                <span className="grow" dir="auto">
                  {why}
                </span>
              </li>
            ))}
          </ul>
        </section>
      )}
      <section className="stack tight">
        <h3>
          {texts.passages(trace.candidates.filter(({ sourceId }) => sourceId !== null).length, trace.found)}
        </h3>
        <ol className="stack tight">
          {trace.candidates.slice(0, 20).map(({ chunkId, docId, docPath, headingPath, sourceId }) => (
            <li key={chunkId} className="row small">
              <Badge tone={sourceId === null ? "neutral" : "info"}>
                {sourceId === null ? texts.passageUnused : texts.passageUsed(sourceId)}
              </Badge>
              <Link href={`/documents/${docId}?passage=${chunkId}`} dir="auto" className="grow">
                {headingPath === "" ? docPath : `${docPath} › ${headingPath}`}
              </Link>
              <JudgePassage docId={docId} path={docPath} question={question} />
            </li>
          ))}
        </ol>
      </section>
      {withheld.length > 0 && (
        <section className="stack tight">
          <h3>{texts.withheld}</h3>
          <ul className="bullets">
            {withheld.map(({ text }) => (
              <li key={text} dir="auto">
                {text}
              </li>
            ))}
          </ul>
        </section>
      )}
      <section className="stack tight">
        <h3>{texts.steps}</h3>
        <ul className="row small muted">
          {trace.stages.map(({ costUsd, durationMs, name }) => (
            <li key={name}>
              {name} {Math.round(durationMs)} ms{Number(costUsd) > 0 ? ` ${texts.cost(costUsd)}` : ""}
            </li>
          ))}
        </ul>
      </section>
      <Link href={`/decisions/${decision.id}`}>{texts.decision}</Link>
    </>
  )
}
