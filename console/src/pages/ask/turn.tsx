import type { ReactNode } from "react"
import { Link } from "wouter"
import { Answer, Citations, type CitationTarget } from "../../../../react/index.js"
import type { StructuredAnswer } from "../../../../server/client/index.js"
import type { AskStage } from "../../../../server/console/model.js"
import { ErrorNote } from "../../components/error.js"
import { answerText } from "../../strings/answer.js"
import { strings } from "../../strings.js"
import type { Turn } from "./conversation-store.js"
import { FeedbackButtons } from "./feedback.js"
import { Readings } from "./readings.js"
import { TurnActions } from "./turn-actions.js"
import { Why } from "./why.js"

const texts = strings.ask
const stages: ReadonlyArray<AskStage> = ["gather", "select", "gate", "generate", "ground", "compare", "judge"]

/** A question and what came of it. */
export const TurnView = ({
  turn,
  stage,
  claims,
  isAsking,
  onAsk,
  onCite,
  onRetry
}: {
  readonly turn: Turn
  readonly stage: string | null
  /** Sentences of the answer that were checked so far. */
  readonly claims: StructuredAnswer["claims"]
  readonly isAsking: boolean
  readonly onAsk: (question: string) => void
  readonly onCite: (target: CitationTarget) => void
  readonly onRetry: () => void
}): ReactNode => {
  const { answer, answerId = null, error, isStopped, question } = turn
  return (
    <article className="turn">
      <h2 className="turn-question" dir="auto">
        {question}
      </h2>
      {isAsking && <Stages stage={stage} />}
      {isAsking && claims.length > 0 && (
        <p className="kanon-text" dir="auto">
          {claims
            .map(({ citations, text }) => [text, ...citations.map((id) => `[${id}]`)].join(" "))
            .join(" ")}
        </p>
      )}
      {isStopped === true && <p className="muted">{texts.stopped}</p>}
      <ErrorNote error={error} onRetry={onRetry} />
      {answer !== undefined && (
        <>
          {answer.standaloneQuestion !== undefined && answer.standaloneQuestion !== question && (
            <p className="muted small" dir="auto">
              {texts.understood(answer.standaloneQuestion)}
            </p>
          )}
          {answer.indexing !== undefined && (
            <p className="note info">{texts.indexing(answer.indexing.done, answer.indexing.total)}</p>
          )}
          <Answer answer={answer} answerId={answerId} onCite={onCite} words={answerText}>
            <Readings answer={answer} answerId={answerId} question={question} onAsk={onAsk} />
            <Citations answer={answer} onCite={onCite} words={answerText} />
            <Why answer={answer} answerId={answerId} question={answer.standaloneQuestion ?? question} />
            <div className="row spread">
              {answerId !== null && <FeedbackButtons answerId={answerId} />}
              <span className="row">
                <TurnActions answer={answer} onAgain={() => onAsk(question)} />
                {answerId !== null && (
                  <Link href={`/answers/${answerId}`} className="small">
                    {texts.link}
                  </Link>
                )}
              </span>
            </div>
          </Answer>
        </>
      )}
    </article>
  )
}

const Stages = ({ stage }: { readonly stage: string | null }): ReactNode => {
  const at = stages.indexOf(stage as AskStage)
  const text = stages[Math.max(at, 0)] ?? "gather"
  return (
    <div className="stages" role="status">
      <ol aria-hidden="true">
        {stages.map((one, index) => (
          <li key={one} data-state={index < at ? "done" : index === Math.max(at, 0) ? "now" : "later"} />
        ))}
      </ol>
      <span>{texts.stages[text]}…</span>
    </div>
  )
}
