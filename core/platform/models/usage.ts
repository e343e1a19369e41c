import type { Usage } from "./model.js"

/** Model usage of a workspace in a month. */
export type MonthlyUsage = Omit<Usage, "estimated">

/** Returns the UTC month of a timestamp, such as `2026-11`. */
export const monthOf = (timestamp: string): string => timestamp.slice(0, 7)

/** Returns whether the usage is zero. */
export const isNothing = ({ costUsd, inputTokens, outputTokens }: MonthlyUsage): boolean =>
  inputTokens === 0 && outputTokens === 0 && costUsd === "0"

/** Maximum number of tokens of one call; a larger count is a mistake of the provider. */
const tokensMax = 1_000_000_000

/** Maximum cost of one call in whole US dollars: the sum of a month stays within 64 bits. */
const costPattern = /^\d{1,6}(?:\.\d{1,60})?$/u

/**
 * Returns usage that can be added up and stored: counts are whole numbers from 0 to 10^9, and an amount that is no
 * plain decimal below a million is 0. What had to be changed is marked as estimated.
 */
export const checkedUsage = (usage: Usage): Usage => {
  const [inputTokens, outputTokens] = [countOf(usage.inputTokens), countOf(usage.outputTokens)]
  const costUsd = costPattern.test(usage.costUsd) ? usage.costUsd : "0"
  const isGiven =
    inputTokens === usage.inputTokens && outputTokens === usage.outputTokens && costUsd === usage.costUsd
  return { inputTokens, outputTokens, costUsd, estimated: usage.estimated || !isGiven }
}

const countOf = (count: number): number =>
  Number.isFinite(count) && count > 0 ? Math.min(Math.ceil(count), tokensMax) : 0
