import { type ReactNode, useState } from "react"
import { useChange } from "../../api/hooks.js"
import { useScopeReason } from "../../api/session.js"
import { Button } from "../../components/button.js"
import { ErrorNote } from "../../components/error.js"
import { strings } from "../../strings.js"

const texts = strings.ask.judge

/** The set of judgments that feedback feeds, too. */
const set = "feedback"
/** The topic of a question: its words, as a short name without blanks. */
const topicOf = (question: string): string =>
  (question.toLowerCase().match(/[\p{L}\p{N}]+/gu) ?? ["question"]).join("-").slice(0, 80)

/** Judges whether the document of a passage answers the question: a judgment for evaluations. */
export const JudgePassage = ({
  docId,
  path,
  question
}: {
  readonly docId: string
  readonly path: string
  readonly question: string
}): ReactNode => {
  const [given, setGiven] = useState<number | null>(null)
  const put = useChange("putQrels", ["listQrels", "judgeAgreement", "proposeQrels"])
  const reason = useScopeReason("kb:write")
  if (reason !== undefined) return null
  const judge = (grade: number) =>
    put.mutate(
      { judgments: [{ set, queryId: topicOf(question), query: question, docId, grade }] },
      { onSuccess: () => setGiven(grade) }
    )
  return (
    <span className="row">
      {(
        [
          [4, texts.answers],
          [0, texts.unrelated]
        ] as const
      ).map(([grade, label]) => (
        <Button
          key={grade}
          size="small"
          kind="quiet"
          data-testid="judge-passage"
          data-grade={grade}
          aria-pressed={given === grade}
          aria-label={`${label}: ${path}`}
          busy={put.isPending}
          onClick={() => judge(grade)}
        >
          {label}
        </Button>
      ))}
      <ErrorNote error={put.error} />
    </span>
  )
}
