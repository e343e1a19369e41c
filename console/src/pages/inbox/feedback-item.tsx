import type { ReactNode } from "react"
import { Answer } from "../../../../react/index.js"
import type { InboxItem, JudgmentData } from "../../../../server/console/inbox-model.js"
import type { AnswerView } from "../../../../server/console/model.js"
import { useConsoleChange, useOperation, useOwn } from "../../api/hooks.js"
import { useMark } from "../../api/inbox.js"
import { useScopeReason } from "../../api/session.js"
import { Button } from "../../components/button.js"
import { ErrorNote } from "../../components/error.js"
import { Loaded } from "../../components/states.js"
import { Person } from "../../components/text.js"
import { useToast } from "../../components/toast.js"
import { answerText } from "../../strings/answer.js"
import { inboxText as text } from "../../strings/inbox.js"
import { runText } from "../../strings/runs.js"
import { feedbackValue } from "../runs/run-feedback.js"
import { Head } from "./item-parts.js"
import { SettleVerbs } from "./settle.js"

type FeedbackItem = Extract<InboxItem, { readonly kind: "feedback" }>

/** A complaint with the answer that it is about, and what follows from it. */
export const NegativeFeedback = ({ item }: { readonly item: FeedbackItem }): ReactNode => {
  const { answerId, feedbackKind, judgments, runId, saidBy, value } = item.data
  const [href, open] =
    answerId !== null ? [`/answers/${answerId}`, text.open.answer] : [`/runs/${runId ?? ""}`, text.open.run]
  return (
    <div className="stack">
      <Head item={item} href={href} open={open} />
      <p>{text.feedback.text}</p>
      <blockquote dir="auto">
        {runText.feedback.kinds[feedbackKind]}: {feedbackValue(value)}
      </blockquote>
      <p className="muted">
        <Person id={saidBy} />
      </p>
      <section className="callout" aria-label={text.feedback.about} data-testid="inbox-answer">
        {answerId !== null ? <AboutAnswer id={answerId} /> : <AboutRun id={runId ?? ""} />}
      </section>
      {judgments.map((judgment) => (
        <Suggestion key={`${judgment.docId ?? ""} ${judgment.query}`} item={item} judgment={judgment} />
      ))}
      <SettleVerbs item={item} rejected={text.settle.reject} />
    </div>
  )
}

const AboutAnswer = ({ id }: { readonly id: string }): ReactNode => {
  const view = useOwn<AnswerView>(`answers/${id}`)
  return (
    <Loaded query={view}>
      {({ answer }) => <Answer answer={answer} answerId={id} onCite={() => {}} words={answerText} />}
    </Loaded>
  )
}

const AboutRun = ({ id }: { readonly id: string }): ReactNode => {
  const run = useOperation("getRun", { id })
  return (
    <Loaded query={run}>
      {({ run: { output } }) => <p dir="auto">{output?.text ?? text.feedback.noOutput}</p>}
    </Loaded>
  )
}

const Suggestion = ({
  item,
  judgment: { answers, docId, feedbackIds, path, query, set, why }
}: {
  readonly item: FeedbackItem
  readonly judgment: JudgmentData
}): ReactNode => {
  const reason = useScopeReason("kb:write")
  const toast = useToast()
  const mark = useMark()
  const accept = useConsoleChange("acceptQrels", ["inbox", "proposeQrels", "listQrels"])
  const store = () =>
    accept.mutate(
      { set, feedbackIds, ...(docId === null ? {} : { docId }) },
      {
        onSuccess: () => {
          toast({ text: text.judgment.done })
          mark.mutate({ kind: item.kind, id: item.id, state: "done" })
        }
      }
    )
  return (
    <section className="callout">
      <h3>{text.judgment.text(set)}</h3>
      <p dir="auto">{[query, path, ...answers].filter((part) => part !== null && part !== "").join(" · ")}</p>
      <p className="muted" dir="auto">
        {why}
      </p>
      <ErrorNote error={accept.error} />
      <Button size="small" reason={reason} busy={accept.isPending} onClick={store}>
        {text.judgment.accept}
      </Button>
    </section>
  )
}
