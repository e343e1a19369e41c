/** One thing wrong with an input; `path` leads to it from the root of the input. */
export interface ErrorIssue {
  readonly path: ReadonlyArray<string | number>
  readonly code: string
  readonly message: string
}

/** The server refused, or could not do, what was asked: `code` tells which. */
export class KanonApiError extends Error {
  override readonly name = "KanonApiError"
  /** The HTTP status. */
  readonly status: number
  /** The contract's word, such as `not_found`; `http_502` and the like where something else answered. */
  readonly code: string
  /** What is wrong with the body, where `code` is `invalid_body`; else empty. */
  readonly issues: ReadonlyArray<ErrorIssue>
  /** What stands in the way of a `conflict`, where it is known. */
  readonly existingId: string | null
  /** Names the request in the server's logs. */
  readonly requestId: string | null
  /** When it makes sense to try again, where the server said so. */
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

/** No whole answer came: whether a write was done is not known. */
export class KanonConnectionError extends Error {
  override readonly name = "KanonConnectionError"
  constructor(
    /** `network`: the connection failed; `timeout`: the answer took too long; `response`: it made no sense. */
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

/** Seconds, given as such or as a moment. */
const secondsOf = (text: string | null): number | null => {
  if (text === null) return null
  if (/^\d{1,9}$/.test(text)) return Number(text)
  const at = Date.parse(text)
  return Number.isNaN(at) ? null : Math.max(0, Math.ceil((at - Date.now()) / 1000))
}
