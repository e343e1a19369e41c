import type { StructuredAnswer } from "../../../../server/client/index.js"
import type { ConversationView } from "../../../../server/console/model.js"

/** A question of a conversation with what came of it. */
export interface Turn {
  readonly key: string
  readonly question: string
  readonly answer?: StructuredAnswer
  /** Null where the workspace keeps no answers. */
  readonly answerId?: string | null
  readonly error?: unknown
  readonly isStopped?: boolean
}

export interface Conversation {
  readonly id: string
  readonly turns: ReadonlyArray<Turn>
}

/** An id of a conversation; also where the page is not a secure context. */
export const newId = (): string =>
  Array.from(crypto.getRandomValues(new Uint8Array(12)), (byte) => byte.toString(16).padStart(2, "0")).join(
    ""
  )

// The server has the answered turns. The tab has the others: in its memory, and the questions also after a reload.

const memory = new Map<string, ReadonlyArray<Turn>>()

const slotOf = (workspaceId: string, id: string): string => `kanon.turns ${workspaceId} ${id}`

/** Keeps what the server does not have of a conversation. */
export const keepTurns = (workspaceId: string, { id, turns }: Conversation): void => {
  const slot = slotOf(workspaceId, id)
  const own = turns.filter(({ answerId }) => typeof answerId !== "string")
  memory.set(slot, own)
  const questions = own
    .filter(({ answer }) => answer === undefined)
    .map(({ key, question }) => ({ key, question }))
  if (questions.length === 0) sessionStorage.removeItem(slot)
  else sessionStorage.setItem(slot, JSON.stringify(questions))
}

/** Turns of a conversation that the server does not have; what was being asked was stopped by leaving. */
export const keptTurns = (workspaceId: string, id: string): ReadonlyArray<Turn> => {
  const slot = slotOf(workspaceId, id)
  const own = memory.get(slot) ?? (JSON.parse(sessionStorage.getItem(slot) ?? "[]") as ReadonlyArray<Turn>)
  const isOver = ({ answer, error }: Turn) => answer !== undefined || error !== undefined
  return own.map((turn) => (isOver(turn) ? turn : { ...turn, isStopped: true }))
}

/** Turns as the server has them. */
export const turnsOf = ({ turns }: ConversationView): ReadonlyArray<Turn> =>
  turns.map(({ answer, id, question }) => ({ key: id, question, answer, answerId: id }))
