import type { AnchorField, ReadUnit, Row } from "../../language/text-analysis/index.js"
import type { PreparedQuestion } from "../evidence/index.js"

/** Returns the share of the question that a row holds, by the weights of its words. */
export const coveredShare = ({ asked }: PreparedQuestion, row: (at: number) => number): number => {
  let [sum, total] = [0, 0]
  for (let at = 0; at < asked.length; at += 1) {
    const weight = asked[at]?.weight ?? 0
    total += weight
    sum += weight * row(at)
  }
  return total === 0 ? 0 : sum / total
}

/** The largest weight of a word that is not held, relative to the largest of all. */
export const heaviestMissingWord = ({ asked }: PreparedQuestion, row: (at: number) => number): number => {
  let [most, all] = [0, 0.05]
  for (let at = 0; at < asked.length; at += 1) {
    const weight = asked[at]?.weight ?? 0
    all = Math.max(all, weight)
    most = Math.max(most, weight * (1 - row(at)))
  }
  return most / all
}

/** Rows of words; codes are looked up as a whole. */
export const rowOf = (
  prepared: PreparedQuestion,
  read: { readonly set: ReadUnit["set"]; readonly field: AnchorField }
): Row => {
  const row = prepared.sought.rowOf(read.set)
  if (!prepared.asked.some(({ code }) => code !== null)) return row
  return prepared.asked.map(({ code }, at) => (code === null ? (row[at] ?? 0) : read.field.has(code) ? 1 : 0))
}
