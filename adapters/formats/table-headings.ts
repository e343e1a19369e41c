/** Whether the first row of a table names its columns, for tables without marks of headings. */

/** Rows that are looked at. */
const rowsMax = 200

/** Numbers, with signs, units of money and per cent, and dates. */
const valuePattern =
  /^[-+(]?[$€£¥]?\s?[-+]?\d[\d., '\u00a0\u202f]*(?:[eE][-+]?\d+)?\s?[%€$£¥]?\)?$|^\d{1,4}[-/.]\d{1,2}[-/.]\d{1,4}(?:[T ].{0,30})?$|^\d{1,2}:\d\d(?::\d\d)?$/

/** A number with its unit. */
const measurePattern =
  /^[-+−]?\d[\d.,' \u00a0\u202f]*\s?(?:\p{L}{1,4}[²³]?|°\p{L}?)$|^\p{Lu}{3}\s?[-−]?\d[\d.,' ]*$/u

/** Whether a text is a number, a date or the like. */
export const isValueText = (text: string): boolean => text.length <= 60 && valuePattern.test(text.trim())

const isMeasure = (text: string): boolean =>
  isValueText(text) || (text.length <= 60 && measurePattern.test(text.trim()))

const isYear = (text: string): boolean => /^(?:1[89]|20)\d\d$/.test(text.trim())

/**
 * Whether the first row names the columns. It does not where one of its cells is a value as most cells below it are: years
 * and numbers in equal steps above other values are headings of columns all the same. Nor does it where all texts of the
 * first column end with a colon.
 */
export const hasHeadings = (rows: ReadonlyArray<ReadonlyArray<string>>): boolean => {
  const [head = [], ...body] = rows.slice(0, rowsMax)
  const labels = rows.slice(0, rowsMax).flatMap(([label = ""]) => (label.trim() === "" ? [] : [label.trim()]))
  if (labels.length > 1 && labels.every((label) => label.endsWith(":"))) return false
  if (body.length === 0) return !(head.length === 2 && isMeasure(head[1] ?? "") && !isYear(head[1] ?? ""))
  if (isSeries(head.slice(1)) && !isMeasure(head[0] ?? "")) return true
  return !head.some((cell, column) => {
    if (!isMeasure(cell)) return false
    const below = body.map((row) => row[column]?.trim() ?? "").filter((one) => one !== "")
    const values = below.filter(isMeasure)
    if (isYear(cell)) return values.length > 1 && values.every(isYear)
    return values.length * 2 >= below.length && values.length > 0
  })
}

/** Years, or numbers in equal steps, as they head columns. */
const isSeries = (cells: ReadonlyArray<string>): boolean => {
  const numbers = cells.map((cell) => (/^\d{1,6}$/.test(cell.trim()) ? Number(cell) : Number.NaN))
  if (cells.length > 0 && cells.every(isYear)) return new Set(cells).size === cells.length && cells.length > 1
  const step = (numbers[1] ?? Number.NaN) - (numbers[0] ?? Number.NaN)
  return (
    numbers.length > 2 &&
    step > 0 &&
    numbers.every((number, at) => at === 0 || number - (numbers[at - 1] ?? 0) === step)
  )
}
