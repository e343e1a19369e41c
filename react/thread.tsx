import { type KeyboardEvent, type ReactNode, useState } from "react"
import { Answer, type AnswerProps } from "./answer.js"
import type { ThreadState, ThreadTurn } from "./use-thread.js"
import { type AnswerWords, englishAnswer } from "./words.js"

/** Texts of `Thread` and `Composer`, for translation. */
export interface ThreadWords {
  readonly title: string
  readonly question: string
  readonly placeholder: string
  readonly ask: string
  readonly stop: string
  readonly stopped: string
  readonly working: string
  readonly failed: (error: unknown) => string
}

/** English texts of `Thread` and `Composer`. */
export const englishThread: ThreadWords = {
  title: "Conversation",
  question: "Question",
  placeholder: "Ask a question…",
  ask: "Ask",
  stop: "Stop",
  stopped: "You stopped this question.",
  working: "Working on the answer…",
  failed: (error) => (error instanceof Error ? error.message : "The question could not be answered.")
}

export interface ThreadProps {
  readonly thread: ThreadState
  /** Called when somebody chooses a source or a data call of a sentence. */
  readonly onCite?: AnswerProps["onCite"]
  readonly words?: ThreadWords
  readonly answerWords?: AnswerWords
  /** Shown below an answer, such as its sources or buttons for feedback. */
  readonly renderAnswer?: ((turn: ThreadTurn) => ReactNode) | undefined
}

/** The questions of a conversation with their answers; sentences appear as they are checked. */
export const Thread = ({
  thread: { claims, isAsking, turns },
  onCite,
  words = englishThread,
  answerWords = englishAnswer,
  renderAnswer
}: ThreadProps): ReactNode => (
  <ol className="kanon-thread" aria-label={words.title} data-testid="thread">
    {turns.map((turn, index) => {
      const isOpen = isAsking && index === turns.length - 1
      return (
        <li key={turn.key} className="kanon-turn" data-testid="turn">
          <h2 className="kanon-question" dir="auto">
            {turn.question}
          </h2>
          {isOpen && (
            <p className="kanon-stage" role="status">
              {words.working}
            </p>
          )}
          {isOpen && claims.length > 0 && (
            <p className="kanon-text" dir="auto">
              {claims.map(({ text }) => text).join(" ")}
            </p>
          )}
          {turn.isStopped === true && <p className="kanon-stopped">{words.stopped}</p>}
          {turn.error !== undefined && (
            <p className="kanon-error" role="alert" dir="auto">
              {words.failed(turn.error)}
            </p>
          )}
          {turn.answer !== undefined && (
            <Answer answer={turn.answer} answerId={turn.answerId ?? null} onCite={onCite} words={answerWords}>
              {renderAnswer?.(turn)}
            </Answer>
          )}
        </li>
      )
    })}
  </ol>
)

/** The field for the next question. Enter asks, Shift and Enter begin a line. */
export const Composer = ({
  thread: { ask, isAsking, stop },
  words = englishThread
}: {
  readonly thread: Pick<ThreadState, "ask" | "isAsking" | "stop">
  readonly words?: ThreadWords
}): ReactNode => {
  const [question, setQuestion] = useState("")
  const isEmpty = question.trim() === ""
  const submit = () => {
    if (isEmpty || isAsking) return
    void ask(question.trim())
    setQuestion("")
  }
  const onKeyDown = (event: KeyboardEvent) => {
    // An input method uses Enter to choose a word.
    if (event.key !== "Enter" || event.shiftKey || event.nativeEvent.isComposing) return
    event.preventDefault()
    submit()
  }
  return (
    <form
      className="kanon-composer"
      onSubmit={(event) => {
        event.preventDefault()
        submit()
      }}
    >
      <textarea
        data-testid="composer-question"
        aria-label={words.question}
        placeholder={words.placeholder}
        rows={1}
        maxLength={4000}
        dir="auto"
        value={question}
        onChange={(event) => setQuestion(event.target.value)}
        onKeyDown={onKeyDown}
      />
      {isAsking ? (
        <button type="button" data-testid="composer-stop" onClick={stop}>
          {words.stop}
        </button>
      ) : (
        <button type="submit" data-testid="composer-ask" disabled={isEmpty}>
          {words.ask}
        </button>
      )}
    </form>
  )
}
