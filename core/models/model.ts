/** One message of a conversation with a chat model. */
export interface ChatMessage {
  readonly role: "system" | "user" | "assistant"
  readonly content: string
}

/** Tokens as the provider counts them; `estimated` when it gave no figures and we counted bytes / 4. */
export interface Usage {
  readonly inputTokens: number
  readonly outputTokens: number
  /** Decimal US dollars, exact; "0" when free or unknown. */
  readonly costUsd: string
  readonly estimated: boolean
}
