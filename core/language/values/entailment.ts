/** Whether one value states another. */
import { dateEntails } from "./dates.js"
import type { Period } from "./rates.js"
import type { QuantityValue, Value } from "./value.js"

/**
 * Whether evidence supports a claimed value: the same code; a date of at least the same precision; a quantity of the
 * same dimension that rounds to the claimed one at the claim's precision, or is within its "about".
 */
export const valueEntails = (evidence: Value, claim: Value): boolean => {
  if (claim.kind === "code") return namedBy(evidence) === claim.code
  if (claim.kind === "date") {
    if (evidence.kind === "date")
      return claim.readings.some((one) => evidence.readings.some((other) => dateEntails(other, one)))
    const only = claim.readings[0]
    return (
      evidence.kind === "quantity" &&
      only?.month === null &&
      evidence.dimension === "count" &&
      evidence.low === only.year
    )
  }
  if (evidence.kind === "date") {
    const only = evidence.readings[0]
    return claim.dimension === "count" && only?.month === null && only.year === claim.low
  }
  // "v3.10" is version 3.10.
  if (evidence.kind === "code") return claim.written === evidence.code
  if (evidence.dimension !== claim.dimension) return isImplied(evidence, claim)
  if (claim.dimension === "clock" && claim.low === claim.high)
    return evidence.low === claim.low || evidence.high === claim.low
  if (isOtherVersion(evidence, claim) || isOtherSign(evidence, claim)) return false
  const share = rateShare(evidence, claim)
  if (share === undefined) return false
  const margin = claim.approximate
    ? Math.max(
        claim.tolerance,
        Math.min(0.05 * Math.max(Math.abs(claim.low), Math.abs(claim.high)), roundness(claim.low))
      )
    : evidence.tolerance < claim.tolerance
      ? claim.tolerance
      : 1e-9 * Math.max(1, Math.abs(claim.low))
  return (
    Math.abs(evidence.low * share - claim.low) <= margin &&
    Math.abs(evidence.high * share - claim.high) <= margin
  )
}

const namedBy = (value: Value): string | undefined =>
  value.kind === "code" ? value.code : value.kind === "quantity" ? value.written : undefined

/** What a quantity says beside its own dimension: 900 euros per month are monthly, 18 °C are 18 degrees. */
const isImplied = (evidence: QuantityValue, claim: QuantityValue): boolean => {
  if (claim.dimension === "recurrence")
    return claim.low === 1 && isSamePeriod(evidence.per ?? evidence.near, claim.per)
  // "18 degrees", and "18 below zero"
  if (claim.dimension === "angle" || (claim.dimension === "count" && claim.low < 0))
    return isTemperature(evidence) && valueEntails(evidence, { ...claim, dimension: evidence.dimension })
  if (evidence.dimension === "angle" && evidence.low < 0)
    return isTemperature(claim) && valueEntails({ ...evidence, dimension: claim.dimension }, claim)
  // "1 to 3" reads as a range.
  return (
    claim.dimension === "ratio" &&
    evidence.dimension === "count" &&
    evidence.low === claim.low &&
    evidence.high === claim.high
  )
}

/** Whether a quantity is in degrees of a scale of temperature. */
export const isTemperature = ({ dimension }: Pick<QuantityValue, "dimension">): boolean =>
  dimension === "celsius" || dimension === "fahrenheit"

const isSamePeriod = (one: Period | undefined, other: Period | undefined): boolean =>
  one !== undefined && one.unit === other?.unit && one.size === other.size

/** A written sign holds for both sides; words such as "over" may be left out, and their opposites are read elsewhere. */
const isOtherSign = ({ sign: given }: QuantityValue, { sign: said }: QuantityValue): boolean =>
  (given?.isWritten === true || said?.isWritten === true) && given?.sign !== said?.sign

/** Versions are compared as they are written; a number beside a version must have the same digits, too. */
const isOtherVersion = (evidence: QuantityValue, claim: QuantityValue): boolean =>
  (evidence.isVersion === true || claim.isVersion === true) &&
  (evidence.written ?? String(evidence.low)) !== (claim.written ?? String(claim.low))

/**
 * The factor from the evidence's period to the claim's: 1 where the claim names none, undefined where the evidence has
 * none or another.
 */
const rateShare = (evidence: QuantityValue, claim: QuantityValue): number | undefined => {
  if (claim.per === undefined) return 1
  const given = evidence.per ?? evidence.near
  if (given === undefined || given.unit !== claim.per.unit) return undefined
  return claim.per.size / given.size
}

/** Half a unit of the last non-zero digit: "about 500" may mean 487, "about 507" may not. */
const roundness = (value: number): number => {
  let step = 1
  while (value !== 0 && step < 1e15 && Number.isInteger(value / (step * 10))) step *= 10
  return step / 2
}
