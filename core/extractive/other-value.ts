import type { Question } from "../questions/index.js"
import type { ReadText, ReadUnit } from "../text-analysis/index.js"
import { type Value, valueEntails } from "../values/index.js"

/**
 * Whether a row, item, field or setting has another value where the question gives one: week 47 for "Who is on call in
 * week 52?". Sentences may speak of several values at once and are not judged. A yes-or-no question is answered by
 * another value too.
 *
 * @param above What stands above the unit, which may hold the value.
 */
export const hasOtherValue = ({ answerType, read }: Question, unit: ReadUnit, above: ReadText): boolean =>
  answerType !== "yes-no" &&
  judged.has(unit.kind) &&
  read.values.some(
    (asked) =>
      unit.values.some((value) => areOfOneKind(value, asked)) &&
      !unit.values.some((value) => valueEntails(value, asked)) &&
      !above.values.some((value) => valueEntails(value, asked))
  )

const judged: ReadonlySet<ReadUnit["kind"]> = new Set(["row", "item", "field", "setting"])

const areOfOneKind = (one: Value, other: Value): boolean =>
  one.kind === other.kind &&
  (one.kind !== "quantity" || other.kind !== "quantity" || one.dimension === other.dimension)
