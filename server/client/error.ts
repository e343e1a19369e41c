/** An error in an input; `path` leads to it from the root. */
export interface ErrorIssue {
  readonly path: ReadonlyArray<string | number>
  readonly code: string
  readonly message: string
}

/** An error answer of the server, identified by `code`. */
export class KanonApiError extends Error {
  override readonly name = "KanonApiError"
  /** The HTTP status. */
  readonly status: number
  /** Error code such as `not_found`; `http_502` and similar if another server answered. */
  readonly code: string
  /** Errors in the input if `code` is `invalid_body`; else empty. */
  readonly issues: ReadonlyArray<ErrorIssue>
  /** The conflicting item of a `conflict`, if known. */
  readonly existingId: string | null
  /** Id of the request in the server's logs. */
  readonly requestId: string | null
  /** When to retry, if the server stated it. */
  readonly retryAfterSeconds: number | null

  constructor(response: Pick<Response, "headers" | "status">, body: unknown) {
    const error = isRecord(body) ? body : {}
    const code = typeof error["error"] === "string" ? error["error"] : `http_${response.status}`
    super(typeof error["message"] === "string" ? error["message"] : `The server answered ${code}.`)
    this.status = response.status
    this.code = code
    this.issues = Array.isArray(error["issues"]) ? error["issues"].filter(isIssue) : []
    this.existingId = typeof error["existingId"] === "string" ? error["existingId"] : null
    this.requestId = response.headers.get("x-request-id")
    this.retryAfterSeconds = secondsOf(response.headers.get("retry-after"))
  }
}

/** No complete answer arrived; whether a write was done is unknown. */
export class KanonConnectionError extends Error {
  override readonly name = "KanonConnectionError"
  constructor(
    /** `network`: the connection failed; `timeout`: no answer in time; `response`: an invalid answer. */
    readonly code: "network" | "timeout" | "response",
    message: string,
    options?: { readonly cause?: unknown }
  ) {
    super(message, options)
  }
}

const isRecord = (value: unknown): value is Readonly<Record<string, unknown>> =>
  typeof value === "object" && value !== null && !Array.isArray(value)

const isIssue = (value: unknown): value is ErrorIssue =>
  isRecord(value) &&
  Array.isArray(value["path"]) &&
  typeof value["code"] === "string" &&
  typeof value["message"] === "string"

/** Parses a Retry-After header, in seconds or as a date. */
const secondsOf = (text: string | null): number | null => {
  if (text === null) return null
  if (/^\d{1,9}$/.test(text)) return Number(text)
  const at = Date.parse(text)
  return Number.isNaN(at) ? null : Math.max(0, Math.ceil((at - Date.now()) / 1000))
}
