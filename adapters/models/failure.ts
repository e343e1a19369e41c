import * as Data from "effect/Data"

/** One attempt at a provider that failed. Carries no key, no address and no part of the request. */
export class AttemptFailed extends Data.TaggedError("AttemptFailed")<{
  readonly message: string
  /** Another attempt may succeed: 408, 409, 425, 429, 5xx, connection broken, time limit. */
  readonly retryable: boolean
  /** HTTP status; null when there was no response. */
  readonly status: number | null
  /** What the provider asked for in `Retry-After`; null when it did not. */
  readonly retryAfterMs: number | null
  /** Nothing was sent: the circuit of this model is open. */
  readonly paused: boolean
}> {}

/** The attempt took longer than its limit. */
export const timedOut = (limitMs: number): AttemptFailed =>
  new AttemptFailed({
    message: `No reply within ${limitMs} ms`,
    retryable: true,
    status: null,
    retryAfterMs: null,
    paused: false
  })

/** Nothing was sent, since the provider failed too often of late. */
export const circuitOpen = (retryAfterMs: number): AttemptFailed =>
  new AttemptFailed({
    message: "The provider failed repeatedly, so calls to it are paused",
    retryable: true,
    status: null,
    retryAfterMs,
    paused: true
  })

/**
 * Reads what an SDK call threw.
 *
 * @param secrets Texts that must not show up, wherever the provider repeats them.
 * @param nowMs The present, for a `Retry-After` that is a date.
 */
export const attemptFailed = (
  thrown: unknown,
  secrets: ReadonlyArray<string>,
  nowMs: number
): AttemptFailed => {
  const status = statusOf(thrown)
  const message = scrub(describe(thrown, status), secrets)
  // A reply with a good status that is none (the page of a gateway) is a fault of the way there.
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

/** A reply that cannot be read (not JSON, no choices) may be whole the next time; a wrong argument never is. */
const isConnectionFault = (thrown: unknown): boolean => {
  const name = String(field(thrown, "name") ?? "")
  if (field(thrown, "isRetryable") === true) return true
  return !/InvalidArgument|InvalidPrompt|LoadAPIKey|LoadSetting|NoSuchModel|UnsupportedFunctionality|UnsupportedModelVersion|TooManyEmbedding|RequestRefused/u.test(
    name
  )
}

const describe = (thrown: unknown, status: number | null): string => {
  const message = field(thrown, "message")
  const said = typeof message === "string" && message !== "" ? `: ${message}` : ""
  return status === null
    ? `The model could not be reached or gave no usable reply${said}`
    : `The provider answered ${status}${said}`
}

/** What is told of a failure, and how much is read for it: pages of a gateway may be megabytes long. */
const toldMaxChars = 500
const readMaxChars = 8192

/** Cuts out given secrets, anything that looks like a credential, and credentials in addresses. */
const scrub = (text: string, secrets: ReadonlyArray<string>): string =>
  beginning(
    text,
    secrets.filter((secret) => secret.length >= 4)
  )
    .replace(/\b(?:sk|pk|key|Bearer|Basic)[-_ ][A-Za-z0-9_\-+/=.*]{6,}/gu, redacted)
    .replace(/\b[A-Za-z0-9_-]{24,}\b/gu, (word) => (/\d/u.test(word) ? redacted : word))
    .replace(/\/\/[^\s/@]+@/gu, `//${redacted}@`)
    .slice(0, toldMaxChars)

const redacted = "[redacted]"

/**
 * As much of a text as is read, the given secrets cut out. No part of a secret is left at the end: a given one
 * that begins before the end is seen whole, one that begins behind it is cut off, and so is the word that the cut
 * goes through, which may have been a credential or an address with one.
 */
const beginning = (text: string, secrets: ReadonlyArray<string>): string => {
  const overhang = Math.max(0, ...secrets.map((secret) => secret.length))
  const isCut = text.length > readMaxChars + overhang
  const read = isCut ? text.slice(0, readMaxChars + overhang) : text
  const masked = secrets.reduce((rest, secret) => rest.replaceAll(secret, redacted), read)
  if (!isCut) return masked
  const kept = masked.slice(0, Math.max(0, masked.length - overhang))
  let end = kept.length
  while (end > 0 && /\S/u.test(kept.charAt(end - 1))) end--
  return `${kept.slice(0, end)}${redacted}`
}

/** Callers are told what a provider asks for, up to an hour: a wrong clock of its own is not to keep them away for years. */
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
