import { useMutation } from "@tanstack/react-query"
import { type ReactNode, useState } from "react"
import type { AnswerFeedback } from "../../../../server/console/model.js"
import { callOwn } from "../../api/connection.js"
import { useRefresh } from "../../api/hooks.js"
import { Button } from "../../components/button.js"
import { ErrorNote } from "../../components/error.js"
import { Field } from "../../components/page.js"
import { strings } from "../../strings.js"

const texts = strings.ask

/** A thumb, and after a thumb down a correction. */
export const FeedbackButtons = ({ answerId }: { readonly answerId: string }): ReactNode => {
  const refresh = useRefresh()
  const [thumb, setThumb] = useState<"up" | "down" | null>(null)
  const [text, setText] = useState("")
  const [isSent, setSent] = useState(false)
  const send = useMutation({
    mutationFn: (body: AnswerFeedback) =>
      callOwn(`answers/${encodeURIComponent(answerId)}/feedback`, { method: "POST", body }),
    onSuccess: () => refresh(["answers", "inbox"])
  })
  const give = (next: "up" | "down") => {
    setThumb(next)
    send.mutate({ kind: "thumb", value: { thumb: next } })
  }
  return (
    <div className="stack tight" data-testid="feedback" data-thumb={thumb ?? ""}>
      <div className="row small">
        <span className="muted">{isSent || thumb === "up" ? texts.thanks : texts.feedback}</span>
        <Button
          size="small"
          kind="quiet"
          aria-pressed={thumb === "up"}
          busy={send.isPending}
          onClick={() => give("up")}
        >
          {texts.helpful}
        </Button>
        <Button
          size="small"
          kind="quiet"
          aria-pressed={thumb === "down"}
          busy={send.isPending}
          onClick={() => give("down")}
        >
          {texts.notHelpful}
        </Button>
      </div>
      {thumb === "down" && !isSent && (
        <form
          className="stack tight"
          onSubmit={(event) => {
            event.preventDefault()
            if (text.trim() === "") return
            send.mutate({ kind: "correction", value: { text } }, { onSuccess: () => setSent(true) })
          }}
        >
          <Field label={texts.feedbackNote}>
            <textarea rows={3} dir="auto" value={text} onChange={(event) => setText(event.target.value)} />
          </Field>
          <div>
            <Button type="submit" size="small" kind="primary" busy={send.isPending}>
              {texts.feedbackSend}
            </Button>
          </div>
        </form>
      )}
      <ErrorNote error={send.error} />
    </div>
  )
}
