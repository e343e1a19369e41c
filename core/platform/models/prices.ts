/** Price per token, in 1e-10 US dollars: 1 USD per million tokens is 10,000. */
export interface Price {
  readonly input: Money
  /** Price of input that the provider had cached. */
  readonly cachedInput: Money
  readonly output: Money
  /** Price per call in addition to tokens. */
  readonly call?: Money
}

/** Converts a list price: US dollars per million tokens, and per thousand calls if calls are billed. */
export const pricePerMillion = (usd: {
  readonly input: number
  readonly cachedInput?: number
  readonly output: number
  readonly perThousandCalls?: number | undefined
}): Price => ({
  input: perToken(usd.input),
  cachedInput: perToken(usd.cachedInput ?? usd.input),
  output: perToken(usd.output),
  ...(usd.perThousandCalls === undefined
    ? {}
    : { call: BigInt(Math.round(usd.perThousandCalls * 10_000_000)) })
})

const perToken = (usdPerMillion: number): Money => BigInt(Math.round(usdPerMillion * 10_000))

/** Token counts of one call; `cachedInput` is part of `input`. */
export interface TokenCounts {
  readonly input: number
  readonly cachedInput: number
  readonly output: number
  /** Billed calls (search units); default 0. */
  readonly calls?: number
}

/** Returns the exact cost of a call as a decimal string of US dollars. Counts are rounded down and are at least 0. */
export const costOf = (price: Price, tokens: TokenCounts): string => {
  const input = whole(tokens.input)
  const given = whole(tokens.cachedInput)
  const cached = given < input ? given : input
  return formatUsd(
    (input - cached) * price.input +
      cached * price.cachedInput +
      whole(tokens.output) * price.output +
      whole(tokens.calls ?? 0) * (price.call ?? 0n)
  )
}

const whole = (count: number): bigint =>
  Number.isFinite(count) && count > 0 ? BigInt(Math.floor(count)) : 0n

/** Estimates the tokens of a text: UTF-8 bytes / 4, rounded up. */
export const estimateTokens = (text: string): number => {
  let bytes = 0
  for (const char of text) {
    const point = char.codePointAt(0) ?? 0
    bytes += point < 0x80 ? 1 : point < 0x800 ? 2 : point < 0x10000 ? 3 : 4
  }
  return Math.ceil(bytes / 4)
}

/**
 * List prices of common models at the end of 2025, US dollars per million tokens [input, cached input, output]. Other
 * models cost 0 unless their adapter is given a price. Prices change, so configure one if it matters.
 */
const listPrices: Readonly<Record<string, readonly [number, number, number]>> = {
  "gpt-4o": [2.5, 1.25, 10],
  "gpt-4o-mini": [0.15, 0.075, 0.6],
  "gpt-4.1": [2, 0.5, 8],
  "gpt-4.1-mini": [0.4, 0.1, 1.6],
  "gpt-4.1-nano": [0.1, 0.025, 0.4],
  "gpt-5": [1.25, 0.125, 10],
  "gpt-5-mini": [0.25, 0.025, 2],
  "gpt-5-nano": [0.05, 0.005, 0.4],
  "claude-opus-4-1": [15, 1.5, 75],
  "claude-sonnet-4-5": [3, 0.3, 15],
  "claude-haiku-4-5": [1, 0.1, 5],
  "text-embedding-3-small": [0.02, 0.02, 0],
  "text-embedding-3-large": [0.13, 0.13, 0]
}

/** List prices of models billed per thousand calls. */
const listPricesOfCalls: Readonly<Record<string, number>> = { "rerank-v3.5": 2 }

/** Returns the list price of a model, also for a dated or provider-prefixed name ("openai/gpt-4o-2024-08-06"). */
export const listPriceOf = (modelId: string): Price | undefined => {
  const name = (modelId.split(/[/:]/u).at(-1) ?? modelId).replace(/-(?:20\d{2}-?\d{2}-?\d{2}|latest)$/u, "")
  if (Object.hasOwn(listPricesOfCalls, name))
    return pricePerMillion({ input: 0, output: 0, perThousandCalls: listPricesOfCalls[name] })
  const price = Object.hasOwn(listPrices, name) ? listPrices[name] : undefined
  if (price === undefined) return undefined
  const [input, cachedInput, output] = price
  return pricePerMillion({ input, cachedInput, output })
}

/** US dollars in integer units of 1e-10, so that sums are exact. */
export type Money = bigint

const decimals = 10
const unit = 10n ** BigInt(decimals)

/**
 * Formats an amount as a decimal string with at most ten decimals, without exponent or trailing zeros: "0",
 * "0.0000225".
 */
export const formatUsd = (money: Money): string => {
  const sign = money < 0n ? "-" : ""
  const absolute = money < 0n ? -money : money
  const fraction = (absolute % unit).toString().padStart(decimals, "0").replace(/0+$/u, "")
  return `${sign}${absolute / unit}${fraction === "" ? "" : `.${fraction}`}`
}

/**
 * Parses a decimal string and truncates it to ten decimals.
 *
 * @throws RangeError (a defect) when the text is no plain decimal number.
 */
export const parseUsd = (text: string): Money => {
  const parts = /^(-?)(\d{1,30})(?:\.(\d{1,60}))?$/u.exec(text)
  if (parts === null) throw new RangeError(`Not a decimal amount: ${JSON.stringify(text)}`)
  const [, sign, whole = "0", fraction = ""] = parts
  const money = BigInt(whole) * unit + BigInt(fraction.slice(0, decimals).padEnd(decimals, "0"))
  return sign === "-" ? -money : money
}

/** Returns the exact sum of decimal strings. */
export const addUsd = (...amounts: ReadonlyArray<string>): string =>
  formatUsd(amounts.reduce((sum, amount) => sum + parseUsd(amount), 0n))
