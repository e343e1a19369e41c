import { useCallback, useEffect, useRef, useState } from "react"
import { type QueryInput, replyOf, type StructuredAnswer } from "../server/client/index.js"
import { useKanon } from "./provider.js"

/** An answer with the id under which it is kept; null where answers are not kept. */
export interface Asked {
  readonly answer: StructuredAnswer
  readonly answerId: string | null
}

/** Carries a question: `onStage` may be told what is being done. */
export type AskTransport = (
  input: QueryInput,
  context: { readonly signal: AbortSignal; readonly onStage: (stage: string) => void }
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
  readonly last: Asked | undefined
  readonly error: unknown
}

/** Asks questions one at a time: a new one stops the one before. Without a transport `POST /api/v1/query` is called. */
export const useAsk = (transport?: AskTransport): AskState => {
  const client = useKanon()
  const control = useRef<AbortController | null>(null)
  const [state, setState] = useState<Omit<AskState, "ask" | "stop">>({
    isAsking: false,
    stage: null,
    last: undefined,
    error: null
  })
  useEffect(() => () => control.current?.abort(), [])
  const stop = useCallback(() => {
    control.current?.abort()
    control.current = null
    setState((last) => ({ ...last, isAsking: false, stage: null }))
  }, [])
  const ask = useCallback(
    async (input: QueryInput): Promise<AskOutcome> => {
      control.current?.abort()
      const mine = new AbortController()
      control.current = mine
      setState((last) => ({ ...last, isAsking: true, stage: null, error: null }))
      const send: AskTransport =
        transport ??
        (async (question, { signal }) => {
          const answer = await client.query(question, { signal })
          return { answer, answerId: replyOf(answer).answerId }
        })
      try {
        const asked = await send(input, {
          signal: mine.signal,
          onStage: (stage) => setState((last) => (control.current === mine ? { ...last, stage } : last))
        })
        if (control.current !== mine) return { kind: "stopped" }
        setState({ isAsking: false, stage: null, last: asked, error: null })
        return { kind: "answered", ...asked }
      } catch (error) {
        if (control.current !== mine || mine.signal.aborted) return { kind: "stopped" }
        setState((last) => ({ ...last, isAsking: false, stage: null, error }))
        return { kind: "failed", error }
      }
    },
    [client, transport]
  )
  return { ...state, ask, stop }
}
