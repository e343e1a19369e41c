import { memoize } from "../caching/index.js"
import { answerTypeOf, type Question } from "../questions/index.js"
import { findVersions, type ReadText, type ReadUnit } from "../text-analysis/index.js"
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

/** Whether a statement names versions, and not the one that the question names: version 3 for version 4. */
export const isOfOtherVersion = ({ read }: Question, unit: ReadUnit): boolean => {
  const asked = versionsIn(read)
  const given = asked.length === 0 ? [] : versionsIn(unit)
  return given.length > 0 && !given.some((version) => asked.includes(version))
}

const versionsIn = memoize(
  ({ text, values }: Pick<ReadText, "text" | "values">): ReadonlyArray<string> =>
    findVersions(text, values).flatMap(({ text: version }) => (/^[\d.]+$/u.test(version) ? [version] : []))
)

/** Whether a statement stands below a question of another kind: below "Do you ship to Iceland?" for "Why do you not …?" */
export const answersOtherKind = (
  { language, text }: Question,
  { heading, lead }: Pick<ReadUnit, "heading" | "lead">
): boolean => {
  const above = [lead, heading].find((one) => /[?？]$/u.test(one))
  return above !== undefined && answerTypeOf(above, language) !== answerTypeOf(text, language)
}

/** Whether the cell that a question asks for by the name of its column is empty in this row and filled in others. */
export const lacksAskedCell = (
  { terms }: Question,
  unit: ReadUnit,
  rows: ReadonlyArray<ReadUnit>
): boolean => {
  if (unit.kind !== "row") return false
  const own = columnsOf(unit)
  const asked = new Set(terms.map(({ surface }) => surface.toLowerCase()))
  return rows.some(
    (row) => row.block === unit.block && columnsOf(row).some((name) => asked.has(name) && !own.includes(name))
  )
}

const columnsOf = memoize(
  ({ text }: ReadUnit): ReadonlyArray<string> =>
    text.split("; ").flatMap((cell) => /^([^:]{1,80}): /u.exec(cell)?.[1]?.toLowerCase() ?? [])
)

const judged: ReadonlySet<ReadUnit["kind"]> = new Set(["row", "item", "field", "setting"])

const areOfOneKind = (one: Value, other: Value): boolean =>
  one.kind === other.kind &&
  (one.kind !== "quantity" || other.kind !== "quantity" || one.dimension === other.dimension)
