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
