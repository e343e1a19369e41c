import { useCallback, useEffect, useRef, useState } from "react"
import type { AnswerEvent, QueryInput, StructuredAnswer } from "../server/client/index.js"
import { useKanon } from "./provider.js"

/** An answer with the id under which it is kept; null where answers are not kept. */
export interface Asked {
  readonly answer: StructuredAnswer
  readonly answerId: string | null
}

/** Carries a question: `onStage` may be told what is being done, `onEvent` all that is known before the answer. */
export type AskTransport = (
  input: QueryInput,
  context: {
    readonly signal: AbortSignal
    readonly onStage: (stage: string) => void
    readonly onEvent: (event: AnswerEvent) => void
  }
) => Promise<Asked>

/** Outcome of a question: `stopped` after `stop`, after a newer question, and when the component unmounts. */
export type AskOutcome =
  | ({ readonly kind: "answered" } & Asked)
  | { readonly kind: "failed"; readonly error: unknown }
  | { readonly kind: "stopped" }

/** State of a question that is being asked: its stage, its answer or its error. */
export interface AskState {
  readonly ask: (input: QueryInput) => Promise<AskOutcome>
  /** Leaves the question; the server stops its work. */
  readonly stop: () => void
  readonly isAsking: boolean
  /** Present stage, if the transport reports it. */
  readonly stage: string | null
  /** Sentences of the answer that were checked so far; the answer replaces them. */
  readonly claims: StructuredAnswer["claims"]
  /** The sources of the answer, once they are chosen. */
  readonly sources: StructuredAnswer["sources"]
  readonly last: Asked | undefined
  readonly error: unknown
}

const unanswered = { stage: null, claims: [], sources: [] }

/** The state after an event. */
const afterEvent = <State extends Pick<AskState, "stage" | "claims" | "sources">>(
  state: State,
  event: AnswerEvent
): State => {
  switch (event.type) {
    case "stage":
      return { ...state, stage: event.name }
    case "sources":
      return { ...state, sources: event.sources }
    case "claim":
      return {
        ...state,
        claims: [...state.claims.slice(0, event.index), event.claim, ...state.claims.slice(event.index + 1)]
      }
    case "answer":
      return state
  }
}

/** Asks questions one at a time: a new one stops the one before. Without a transport `POST /api/v1/query` is streamed. */
export const useAsk = (transport?: AskTransport): AskState => {
  const client = useKanon()
  const control = useRef<AbortController | null>(null)
  const [state, setState] = useState<Omit<AskState, "ask" | "stop">>({
    isAsking: false,
    ...unanswered,
    last: undefined,
    error: null
  })
  useEffect(() => () => control.current?.abort(), [])
  const stop = useCallback(() => {
    control.current?.abort()
    control.current = null
    setState((last) => ({ ...last, ...unanswered, isAsking: false }))
  }, [])
  const ask = useCallback(
    async (input: QueryInput): Promise<AskOutcome> => {
      control.current?.abort()
      const mine = new AbortController()
      control.current = mine
      setState((last) => ({ ...last, ...unanswered, isAsking: true, error: null }))
      const send: AskTransport =
        transport ??
        (async (question, { onEvent, signal }) => {
          for await (const event of client.streamQuery(question, { signal })) {
            if (event.type === "answer") return { answer: event.answer, answerId: event.answerId }
            onEvent(event)
          }
          throw new Error("The stream ended before the answer came.")
        })
      const onEvent = (event: AnswerEvent) =>
        setState((last) => (control.current === mine ? afterEvent(last, event) : last))
      try {
        const asked = await send(input, {
          signal: mine.signal,
          onEvent,
          onStage: (name) => onEvent({ type: "stage", name })
        })
        if (control.current !== mine) return { kind: "stopped" }
        setState({ ...unanswered, isAsking: false, last: asked, error: null })
        return { kind: "answered", ...asked }
      } catch (error) {
        if (control.current !== mine || mine.signal.aborted) return { kind: "stopped" }
        setState((last) => ({ ...last, ...unanswered, isAsking: false, error }))
        return { kind: "failed", error }
      }
    },
    [client, transport]
  )
  return { ...state, ask, stop }
}
