import { useCallback, useState } from "react"
import type { QueryInput, StructuredAnswer } from "../server/client/index.js"
import { type AskOutcome, type AskState, type AskTransport, useAsk } from "./use-ask.js"

/** A question of a thread with what came of it. */
export interface ThreadTurn {
  readonly key: string
  readonly question: string
  readonly answer?: StructuredAnswer
  readonly answerId?: string | null
  readonly error?: unknown
  readonly isStopped?: boolean
}

/** A conversation: its turns, and the question that is being asked, if there is one. */
export interface ThreadState extends Pick<AskState, "claims" | "isAsking" | "sources" | "stage" | "stop"> {
  readonly conversationId: string
  readonly turns: ReadonlyArray<ThreadTurn>
  /** Asks the next question; it is completed from those before it. */
  readonly ask: (question: string) => Promise<AskOutcome>
}

/** What every question of a thread has, such as a folder or a language. */
export interface ThreadOptions {
  readonly input?: Omit<QueryInput, "question" | "conversationId">
  /** Goes on with a conversation; left out, a new one begins. */
  readonly conversationId?: string
  readonly turns?: ReadonlyArray<ThreadTurn>
  readonly transport?: AskTransport
}

const newId = (): string =>
  Array.from(crypto.getRandomValues(new Uint8Array(12)), (byte) => byte.toString(16).padStart(2, "0")).join(
    ""
  )

/** Asks questions of one conversation, and keeps what came of each. */
export const useThread = ({
  conversationId: given,
  input,
  transport,
  turns: before = []
}: ThreadOptions = {}): ThreadState => {
  const [conversationId] = useState(() => given ?? newId())
  const [turns, setTurns] = useState(before)
  const { ask: send, claims, isAsking, sources, stage, stop } = useAsk(transport)
  const ask = useCallback(
    async (question: string): Promise<AskOutcome> => {
      const key = newId()
      setTurns((last) => [...last, { key, question }])
      const outcome = await send({ ...input, question, conversationId })
      setTurns((last) => last.map((turn) => (turn.key === key ? { ...turn, ...resultOf(outcome) } : turn)))
      return outcome
    },
    [conversationId, input, send]
  )
  return { conversationId, turns, ask, claims, isAsking, sources, stage, stop }
}

const resultOf = (outcome: AskOutcome): Omit<ThreadTurn, "key" | "question"> => {
  switch (outcome.kind) {
    case "answered":
      return { answer: outcome.answer, answerId: outcome.answerId }
    case "failed":
      return { error: outcome.error }
    case "stopped":
      return { isStopped: true }
  }
}
