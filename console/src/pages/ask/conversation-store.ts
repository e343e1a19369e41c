import type { StructuredAnswer } from "../../../../server/client/index.js"

/** A question of a conversation with what came of it. */
export interface Turn {
  readonly key: string
  readonly question: string
  readonly answer?: StructuredAnswer
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

export const newConversation = (): Conversation => ({ id: newId(), turns: [] })

/** Conversations by workspace: they outlive a visit to another page, not a reload. */
const kept = new Map<string, Conversation>()
export const keptConversation = (workspaceId: string): Conversation => {
  const { id, turns } = kept.get(workspaceId) ?? newConversation()
  // Leaving the page stopped what was being asked.
  const isOver = ({ answer, error }: Turn) => answer !== undefined || error !== undefined
  return { id, turns: turns.map((turn) => (isOver(turn) ? turn : { ...turn, isStopped: true })) }
}
export const keepConversation = (workspaceId: string, conversation: Conversation): void => {
  kept.set(workspaceId, conversation)
}
