import * as Redacted from "effect/Redacted"

/** A provider's address, and what goes with every request to it. */
export interface Endpoint {
  readonly url: string
  readonly apiKey?: Redacted.Redacted<string> | undefined
  readonly fetch?: typeof globalThis.fetch | undefined
}

/** A status that is no success, with what `attemptFailed` reads of it. */
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

/** Posts JSON and reads JSON, for the protocols that no package of ours speaks. */
export const postJson = async (
  { apiKey, fetch = globalThis.fetch, url }: Endpoint,
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
    throw new ResponseStatus(response.status, Object.fromEntries(response.headers), saidIn(text))
  return JSON.parse(text)
}

const saidMax = 300

/** What a provider says of an error, in the forms that are common. */
const saidIn = (text: string): string => {
  try {
    const value: unknown = JSON.parse(text)
    const said = [["error", "message"], ["message"], ["detail"], ["error"]]
      .map((path) => path.reduce<unknown>(fieldOf, value))
      .find((one) => typeof one === "string")
    return String(said ?? "").slice(0, saidMax)
  } catch {
    return text.slice(0, saidMax)
  }
}

const fieldOf = (value: unknown, name: string): unknown =>
  typeof value === "object" && value !== null ? Reflect.get(value, name) : undefined

/** An address with a path behind it, whether or not it ends in a slash. */
export const under = (baseUrl: string, path: string): string => `${baseUrl.replace(/\/+$/u, "")}/${path}`
