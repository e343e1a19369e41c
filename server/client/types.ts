/** How one call differs from the client's own settings. */
export interface CallOptions {
  /** Gives the call up; it is then rejected with the signal's reason. */
  readonly signal?: AbortSignal | undefined
  /** For each attempt, in milliseconds. */
  readonly timeoutMs?: number | undefined
  /** How often a call that may be repeated is tried again. */
  readonly retries?: number | undefined
  readonly workspaceId?: string | undefined
  /** Names the request in the server's logs: up to 128 letters, digits and `_ . : -`. */
  readonly requestId?: string | undefined
}

/** Of a list that is read page by page. */
export interface PageOptions extends CallOptions {
  /** Ends the sequence after so many items. */
  readonly itemsMax?: number | undefined
}

/** An operation on the wire. */
export interface Wire {
  readonly method: "GET" | "POST" | "PATCH" | "PUT" | "DELETE"
  /** With `{name}` for each parameter. */
  readonly path: string
  readonly query: ReadonlyArray<string>
  readonly hasBody: boolean
  /** Whether a second call changes nothing more, so that a failed one is tried again. */
  readonly mayRepeat: boolean
}

/** Where the server is, who calls, and how patiently. */
export interface ClientOptions {
  /** Where the server is, such as `https://kanon.example.org`; a path for a proxy of the same origin. */
  readonly baseUrl: string
  /** Left out where a proxy adds it. */
  readonly key?: string | undefined
  /** The workspace of every call; needed with a key that reaches several. */
  readonly workspaceId?: string | undefined
  /** Instead of the global `fetch`. */
  readonly fetch?: ((url: string, init: RequestInit) => Promise<Response>) | undefined
  /** For each attempt, in milliseconds; a minute by default. */
  readonly timeoutMs?: number | undefined
  /** How often a call that may be repeated is tried again; twice by default. */
  readonly retries?: number | undefined
  /** Sent with every call, such as a proxy's own. */
  readonly headers?: Readonly<Record<string, string>> | undefined
  /** Told of each attempt, for logs: never of keys or bodies. */
  readonly onAttempt?: ((attempt: Attempt) => void) | undefined
}

/** One attempt at a call, once it is over. */
export interface Attempt {
  readonly method: string
  readonly path: string
  /** From 1. */
  readonly attempt: number
  /** Null where no response came. */
  readonly status: number | null
  readonly requestId: string | null
}
