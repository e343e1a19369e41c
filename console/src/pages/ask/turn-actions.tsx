import type { ReactNode } from "react"
import type { StructuredAnswer } from "../../../../server/client/index.js"
import { Button } from "../../components/button.js"
import { useToast } from "../../components/toast.js"
import { strings } from "../../strings.js"

const texts = strings.ask

/** The text of an answer with its citations and its sources, for a mail or a document. */
const withCitations = ({ answer, claims, sources }: StructuredAnswer): string => {
  const text =
    claims.length === 0
      ? answer
      : claims.map(({ citations, text }) => [text, ...citations.map((id) => `[${id}]`)].join(" ")).join(" ")
  const list = sources.map(({ docPath, docTitle, id }) => `[${id}] ${docTitle}, ${docPath}`)
  return [text, ...(list.length === 0 ? [] : [list.join("\n")])].join("\n\n")
}

/** Copies an answer, and asks its question again. */
export const TurnActions = ({
  answer,
  onAgain
}: {
  readonly answer: StructuredAnswer
  readonly onAgain: () => void
}): ReactNode => {
  const toast = useToast()
  // Browsers give a clipboard to secure pages alone.
  const clipboard: Clipboard | undefined = navigator.clipboard
  return (
    <span className="row">
      {clipboard !== undefined && (
        <Button
          size="small"
          kind="quiet"
          data-testid="answer-copy"
          onClick={() =>
            void clipboard
              .writeText(withCitations(answer))
              .then(() => toast({ text: texts.copied }))
              .catch(() => toast({ text: texts.notCopied }))
          }
        >
          {texts.copy}
        </Button>
      )}
      <Button size="small" kind="quiet" data-testid="answer-again" onClick={onAgain}>
        {texts.again}
      </Button>
    </span>
  )
}
