import * as Redacted from "effect/Redacted"

/** A provider's address and headers. */
export interface Endpoint {
  readonly url: string
  readonly apiKey?: Redacted.Redacted<string> | undefined
  readonly fetch: typeof globalThis.fetch
}

/** A response status other than success, with the fields that `attemptFailed` reads. */
class ResponseStatus extends Error {
  override readonly name = "ResponseStatus"
  constructor(
    readonly statusCode: number,
    readonly responseHeaders: Readonly<Record<string, string>>,
    said: string
  ) {
    super(said)
  }
}

/** Posts JSON and parses JSON, for protocols without a package. */
export const postJson = async (
  { apiKey, fetch, url }: Endpoint,
  body: unknown,
  signal: AbortSignal
): Promise<unknown> => {
  const response = await fetch(url, {
    method: "POST",
    headers: {
      "content-type": "application/json",
      ...(apiKey === undefined ? {} : { authorization: `Bearer ${Redacted.value(apiKey)}` })
    },
    body: JSON.stringify(body),
    signal
  })
  const text = await response.text()
  if (!response.ok)
    throw new ResponseStatus(response.status, Object.fromEntries(response.headers), errorMessageIn(text))
  return JSON.parse(text)
}

const saidMax = 300

/** Returns the provider's error message, in the common formats. */
const errorMessageIn = (text: string): string => {
  try {
    const value: unknown = JSON.parse(text)
    const errorMessage = [["error", "message"], ["message"], ["detail"], ["error"]]
      .map((path) => path.reduce<unknown>(fieldOf, value))
      .find((one) => typeof one === "string")
    return String(errorMessage ?? "").slice(0, saidMax)
  } catch {
    return text.slice(0, saidMax)
  }
}

const fieldOf = (value: unknown, name: string): unknown =>
  typeof value === "object" && value !== null ? Reflect.get(value, name) : undefined

/** Appends a path to an address, with or without a trailing slash. */
export const under = (baseUrl: string, path: string): string => `${baseUrl.replace(/\/+$/u, "")}/${path}`
