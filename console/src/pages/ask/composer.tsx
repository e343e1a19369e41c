import { type KeyboardEvent, type ReactNode, useEffect, useRef, useState } from "react"
import { useScopeReason } from "../../api/session.js"
import { Button } from "../../components/button.js"
import { strings } from "../../strings.js"
import { type AskOptions, OptionsForm } from "./options.js"

const texts = strings.ask
const draftSlot = "kanon.question"

/** The field for a question. Enter asks, Shift and Enter begin a line; the draft outlives a reload. */
export const Composer = ({
  isFirst,
  isAsking,
  initial,
  onAsk,
  onStop,
  options,
  onOptions
}: {
  readonly isFirst: boolean
  readonly isAsking: boolean
  readonly initial: string | null
  readonly onAsk: (question: string) => void
  readonly onStop: () => void
  readonly options: AskOptions
  readonly onOptions: (options: AskOptions) => void
}): ReactNode => {
  const [question, setQuestion] = useState(() => initial ?? sessionStorage.getItem(draftSlot) ?? "")
  const [hasOptions, setHasOptions] = useState(false)
  const field = useRef<HTMLTextAreaElement>(null)
  const reason = useScopeReason("kb:read")
  useEffect(() => field.current?.focus({ preventScroll: true }), [])
  const change = (text: string) => {
    setQuestion(text)
    sessionStorage.setItem(draftSlot, text)
  }
  const submit = () => {
    if (question.trim() === "" || isAsking || reason !== undefined) return
    onAsk(question.trim())
    change("")
  }
  const key = (event: KeyboardEvent) => {
    // An input method uses Enter to choose a word.
    if (event.key !== "Enter" || event.shiftKey || event.nativeEvent.isComposing) return
    event.preventDefault()
    submit()
  }
  const count = Object.keys(options).length
  return (
    <form
      className="composer"
      onSubmit={(event) => {
        event.preventDefault()
        submit()
      }}
    >
      <textarea
        ref={field}
        data-testid="ask-question"
        aria-label={texts.label}
        placeholder={isFirst ? texts.placeholder : texts.followUp}
        dir="auto"
        rows={isFirst ? 3 : 2}
        maxLength={4000}
        value={question}
        onChange={(event) => change(event.target.value)}
        onKeyDown={key}
      />
      <div className="row spread">
        <button
          type="button"
          className="button quiet small"
          aria-expanded={hasOptions}
          onClick={() => setHasOptions(!hasOptions)}
        >
          {count === 0 ? texts.options : texts.optionsActive(count)}
        </button>
        {isAsking ? (
          <Button onClick={onStop}>{texts.stop}</Button>
        ) : (
          <Button data-testid="ask-submit" type="submit" kind="primary" reason={reason}>
            {texts.submit}
          </Button>
        )}
      </div>
      {hasOptions && <OptionsForm options={options} onChange={onOptions} />}
    </form>
  )
}
