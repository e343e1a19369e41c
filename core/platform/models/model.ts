/** A message of a conversation with a chat model. */
export interface ChatMessage {
  readonly role: "system" | "user" | "assistant"
  readonly content: string
}

/** Tokens as the provider counts them; `estimated` if it returned no counts and bytes / 4 are used. */
export interface Usage {
  readonly inputTokens: number
  readonly outputTokens: number
  /** Exact decimal US dollars; "0" when free or unknown. */
  readonly costUsd: string
  readonly estimated: boolean
}
