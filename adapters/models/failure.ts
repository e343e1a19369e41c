import * as Data from "effect/Data"

/** A failed attempt at a provider. Contains no key, no address and no part of the request. */
export class AttemptFailed extends Data.TaggedError("AttemptFailed")<{
  readonly message: string
  /** Another attempt may succeed: 408, 409, 425, 429, 5xx, connection broken, time limit. */
  readonly retryable: boolean
  /** HTTP status; null without a response. */
  readonly status: number | null
  /** The provider's `Retry-After`; null without one. */
  readonly retryAfterMs: number | null
  /** Nothing was sent, because the circuit of this model is open. */
  readonly paused: boolean
  /** The provider did not reply within the time limit. */
  readonly timedOut?: boolean
}> {}

/** A failure without a response that another attempt may overcome. */
const unanswered = { retryable: true, status: null, retryAfterMs: null, paused: false }

/** The attempt exceeded its time limit. */
export const timedOut = (limitMs: number): AttemptFailed =>
  new AttemptFailed({ ...unanswered, message: `No reply within ${limitMs} ms`, timedOut: true })

/** Nothing was sent, because the provider failed too often recently. */
export const circuitOpen = (retryAfterMs: number): AttemptFailed =>
  new AttemptFailed({
    ...unanswered,
    message: "The provider failed repeatedly, so calls to it are paused",
    retryAfterMs,
    paused: true
  })

/** A malformed reply, which a retry would not change. */
export const unusable = (message: string): AttemptFailed =>
  new AttemptFailed({ ...unanswered, message, retryable: false })

/**
 * Converts an error thrown by an SDK call.
 *
 * @param secrets Texts that must not appear, wherever the provider repeats them.
 * @param nowMs The present time, for a `Retry-After` with a date.
 */
export const attemptFailed = (
  thrown: unknown,
  secrets: ReadonlyArray<string>,
  nowMs: number
): AttemptFailed => {
  const status = statusOf(thrown)
  const message = scrub(describe(thrown, status), secrets)
  // An invalid reply with a success status (the page of a gateway) is a network fault.
  const isRefused = status !== null && status >= 400
  const retryable = isRefused ? retryableStatus.has(status) || status >= 500 : isConnectionFault(thrown)
  return new AttemptFailed({
    message,
    retryable,
    status,
    retryAfterMs: boundedWait(retryAfterOf(thrown, nowMs)),
    paused: false
  })
}

const retryableStatus = new Set([408, 409, 425, 429])

const field = (value: unknown, name: string): unknown =>
  typeof value === "object" && value !== null && name in value ? Reflect.get(value, name) : undefined

const statusOf = (thrown: unknown): number | null => {
  const status = field(thrown, "statusCode")
  return typeof status === "number" ? status : null
}

/** An unparsable reply (not JSON, no choices) may be correct the next time; a wrong argument never is. */
const isConnectionFault = (thrown: unknown): boolean => {
  const name = String(field(thrown, "name") ?? "")
  if (field(thrown, "isRetryable") === true) return true
  return !/InvalidArgument|InvalidPrompt|LoadAPIKey|LoadSetting|NoSuchModel|UnsupportedFunctionality|UnsupportedModelVersion|TooManyEmbedding|RequestRefused/u.test(
    name
  )
}

const describe = (thrown: unknown, status: number | null): string => {
  const message = field(thrown, "message")
  const odd = oddPlaceOf(thrown)
  const detail = typeof message === "string" && message !== "" ? `: ${message}${odd}` : ""
  return status === null
    ? `The model could not be reached or gave no usable reply${detail}`
    : `The provider answered ${status}${detail}`
}

/** The place in a reply that has another form than expected, from the causes of the error. */
const oddPlaceOf = (thrown: unknown): string => {
  let cause = field(thrown, "cause")
  for (let depth = 0; depth < 4 && cause !== undefined; depth += 1) {
    const issues = field(cause, "issues")
    const [first] = Array.isArray(issues) ? issues : []
    const path = field(first, "path")
    if (Array.isArray(path)) return ` (${path.join(".")}: ${String(field(first, "message"))})`
    cause = field(cause, "cause")
  }
  return ""
}

/** Maximum length of a reported message, and of the text read for it: gateway pages may be megabytes long. */
const messageMaxChars = 500
const readMaxChars = 8192

/** Removes given secrets, anything that looks like a credential, and credentials in addresses. */
const scrub = (text: string, secrets: ReadonlyArray<string>): string =>
  beginning(
    text,
    secrets.filter((secret) => secret.length >= 4)
  )
    .replace(/\b(?:sk|pk|key|Bearer|Basic)[-_ ][A-Za-z0-9_\-+/=.*]{6,}/gu, redacted)
    .replace(/\b[A-Za-z0-9_-]{24,}\b/gu, (word) => (/\d/u.test(word) ? redacted : word))
    .replace(/\/\/[^\s/@]+@/gu, `//${redacted}@`)
    .slice(0, messageMaxChars)

const redacted = "[redacted]"

/**
 * Returns the beginning of a text with the secrets removed. No part of a secret remains at the end: a given one that
 * starts before the end is removed as a whole, one that starts after it is cut off, and the word at the cut is
 * dropped, because it may have been a credential or an address with one.
 */
const beginning = (text: string, secrets: ReadonlyArray<string>): string => {
  const overhang = Math.max(0, ...secrets.map((secret) => secret.length))
  const isCut = text.length > readMaxChars + overhang
  const read = isCut ? text.slice(0, readMaxChars + overhang) : text
  const masked = secrets.reduce((rest, secret) => rest.replaceAll(secret, redacted), read)
  if (!isCut) return masked
  const cut = masked.slice(0, Math.max(0, masked.length - overhang))
  let end = cut.length
  while (end > 0 && /\S/u.test(cut.charAt(end - 1))) end--
  return `${cut.slice(0, end)}${redacted}`
}

/** Upper bound of a reported `Retry-After`: a provider with a wrong clock must not block callers for years. */
const retryAfterMaxMs = 3_600_000
const boundedWait = (waitMs: number | null): number | null =>
  waitMs === null ? null : Math.min(waitMs, retryAfterMaxMs)

const retryAfterOf = (thrown: unknown, nowMs: number): number | null => {
  const headers = field(thrown, "responseHeaders")
  const millis = field(headers, "retry-after-ms")
  if (typeof millis === "string" && /^\d{1,9}$/u.test(millis)) return Number(millis)
  const given = field(headers, "retry-after")
  if (typeof given !== "string") return null
  if (/^\d{1,7}(?:\.\d+)?$/u.test(given)) return Math.ceil(Number(given) * 1000)
  const date = Date.parse(given)
  return Number.isNaN(date) ? null : Math.max(0, date - nowMs)
}
