/** Options of one call that override the client's settings. */
export interface CallOptions {
  /** Aborts the call, which rejects with the signal's reason. */
  readonly signal?: AbortSignal | undefined
  /** Timeout per attempt in milliseconds. */
  readonly timeoutMs?: number | undefined
  /** Number of retries of an idempotent call. */
  readonly retries?: number | undefined
  readonly workspaceId?: string | undefined
  /** Request id for the server's logs: up to 128 letters, digits and `_ . : -`. */
  readonly requestId?: string | undefined
}

/** Options of a paged list. */
export interface PageOptions extends CallOptions {
  /** Maximum number of items. */
  readonly itemsMax?: number | undefined
}

/** The HTTP form of an operation. */
export interface Wire {
  readonly method: "GET" | "POST" | "PATCH" | "PUT" | "DELETE"
  /** With `{name}` for each parameter. */
  readonly path: string
  readonly query: ReadonlyArray<string>
  readonly hasBody: boolean
  /** Whether the operation is idempotent, so that a failed call is retried. */
  readonly mayRepeat: boolean
}

/** Options of a client. */
export interface ClientOptions {
  /** URL of the server, such as `https://kanon.example.org`; a path for a proxy of the same origin. */
  readonly baseUrl: string
  /** API key; omit it if a proxy adds one. */
  readonly key?: string | undefined
  /** Workspace of every call; required for a key that reaches several. */
  readonly workspaceId?: string | undefined
  /** Replaces the global `fetch`. */
  readonly fetch?: ((url: string, init: RequestInit) => Promise<Response>) | undefined
  /** Timeout per attempt in milliseconds; default one minute. */
  readonly timeoutMs?: number | undefined
  /** Number of retries of an idempotent call; default 2. */
  readonly retries?: number | undefined
  /** Headers of every call, for example for a proxy. */
  readonly headers?: Readonly<Record<string, string>> | undefined
  /** Called for each attempt, for logs; contains no keys or bodies. */
  readonly onAttempt?: ((attempt: Attempt) => void) | undefined
}

/** A finished attempt of a call. */
export interface Attempt {
  readonly method: string
  readonly path: string
  /** From 1. */
  readonly attempt: number
  /** Null if no response arrived. */
  readonly status: number | null
  readonly requestId: string | null
}
