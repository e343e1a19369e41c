/** The unit in which a question asks for an amount. */

import { memoize } from "../../platform/caching/index.js"
import { wordwise } from "../languages/index.js"
import type { ReadUnit } from "../text-analysis/index.js"
import { dimensionsOfUnit } from "../values/index.js"
import type { Question } from "./question.js"

/** The unit of "how many kilograms". */
export interface AskedUnit {
  /** Index terms of its words, which an amount with a sign or an abbreviation does not have: kg, €, °C, %. */
  readonly terms: ReadonlyArray<string>
  readonly dimensions: ReadonlyArray<string>
}

/** Returns the unit that a question counts in; null where it counts things or asks for something else. */
export const askedUnitOf = memoize(({ read, text }: Question): AskedUnit | null => {
  const stored =
    /(?<!\p{L})how much (?:(?:disk|free|storage) )?(?<what>space|storage|memory|disk|ram)(?!\p{L})/iu.exec(
      text
    )?.groups?.["what"]
  if (stored !== undefined)
    return { dimensions: dimensionsOfUnit("GB"), terms: read.part(stored).words.map(({ term }) => term) }
  const { cent, unit } = counted().exec(text)?.groups ?? {}
  const words = cent ?? unit
  if (words === undefined) return null
  const dimensions = dimensionsOfUnit(cent === undefined ? words : "percent")
  return dimensions.length === 0
    ? null
    : { dimensions, terms: read.part(words).words.map(({ term }) => term) }
})
const counted = wordwise(
  () =>
    /(?<!\p{L})(?:how many|wie ?viele?|combien d(?:e |['’])|cuánt[oa]s|сколько) ?(?:(?<cent>per cent|pour cent|por ciento)|(?<unit>\p{L}+|°[CF]?|[%€$£¥]))(?![\p{L}\p{N}])/iu
)

/** Whether a text has an amount in the unit that is asked for, however its name is written. */
export const holdsUnit = ({ dimensions }: AskedUnit, { values }: Pick<ReadUnit, "values">): boolean =>
  values.some((value) => value.kind === "quantity" && dimensions.includes(value.dimension))
