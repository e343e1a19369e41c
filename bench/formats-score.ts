/** Compares what a reader made of a file with what the program shows that made the file. */

/** The expected content of a file. With `isWhole`, `text` has every value of the file, so that any other is wrong. */
export interface Known {
  readonly text: ReadonlyArray<string>
  readonly isWhole: boolean
  /** Tables with the row of their headings first. */
  readonly tables: ReadonlyArray<ReadonlyArray<ReadonlyArray<string>>>
  /** Whether rules are drawn around the cells of each table. */
  readonly ruled: ReadonlyArray<boolean>
  /** Items of lists with their numbers or letters. */
  readonly items: ReadonlyArray<readonly [string, string]>
}

/** Counts over files. Values that differ count as changed, with a warning or without. */
export const noScore = {
  values: 0,
  changed: 0,
  silent: 0,
  warned: 0,
  words: 0,
  wordsLost: 0,
  ruled: 0,
  ruledRight: 0,
  unruled: 0,
  unruledRight: 0,
  items: 0,
  itemsRight: 0
}
export type Score = typeof noScore

/** The sum of two scores. */
export const added = (a: Score, b: Score): Score => ({
  values: a.values + b.values,
  changed: a.changed + b.changed,
  silent: a.silent + b.silent,
  warned: a.warned + b.warned,
  words: a.words + b.words,
  wordsLost: a.wordsLost + b.wordsLost,
  ruled: a.ruled + b.ruled,
  ruledRight: a.ruledRight + b.ruledRight,
  unruled: a.unruled + b.unruled,
  unruledRight: a.unruledRight + b.unruledRight,
  items: a.items + b.items,
  itemsRight: a.itemsRight + b.itemsRight
})

const valuePattern = /(?:(?<![\p{L}\p{N}])[-+])?\p{Nd}+(?:[.,:'’]\p{Nd}+)*(?:\^[-−]?[\d.]+)?/gu

const superscripts = "⁰¹²³⁴⁵⁶⁷⁸⁹"

const plain = (text: string): string =>
  text
    .replace(/[₀-₉]/g, (digit) => String("₀₁₂₃₄₅₆₇₈₉".indexOf(digit)))
    .replace(/([⁻]?)([⁰¹²³⁴⁵⁶⁷⁸⁹]+)/g, (_, sign: string, digits: string) =>
      ["^", sign === "" ? "" : "-", ...Array.from(digits, (digit) => superscripts.indexOf(digit))].join("")
    )
    .replace(/\]\([^)]*\)/g, "]")
    .replace(/\\(?=[^\w\s])|[*`]/g, "")
    .replace(/[−–]/g, "-")

/** Marks of items stand for themselves: they are no values of the text. */
const withoutLabels = (markdown: string): string =>
  markdown.replace(/^[ \t>]*(?:[-*+] )?\(?(?:\d{1,3}|[a-z]|[ivx]{1,5})[.)](?= )/gm, "")

const valuesOf = (text: string): ReadonlyArray<string> =>
  Array.from(plain(text).matchAll(valuePattern), ([value]) => value)

const wordsOf = (text: string): ReadonlyArray<string> => plain(text).match(/\p{L}{2,}/gu) ?? []

const counted = (values: ReadonlyArray<string>): ReadonlyMap<string, number> => {
  const counts = new Map<string, number>()
  for (const value of values) counts.set(value, (counts.get(value) ?? 0) + 1)
  return counts
}

/** How many of some things others lack. */
const lacking = (want: ReadonlyMap<string, number>, have: ReadonlyMap<string, number>): number =>
  [...want].reduce((sum, [value, count]) => sum + Math.max(0, count - (have.get(value) ?? 0)), 0)

const lettersOf = (text: string): string => text.replace(/[^\p{L}\p{N}]+/gu, " ").trim()
const closed = (text: string): string => plain(text).replace(/[\s^~]/g, "")

/** The tables of a Markdown text. */
const tablesOf = (markdown: string): Known["tables"] =>
  (markdown.match(/^\|.*\|$(?:\n\|.*\|$)+/gm) ?? []).map((table) =>
    table
      .split("\n")
      .filter((line) => !/^\|[-| :]+\|$/.test(line))
      .map((line) =>
        line
          .slice(1, -1)
          .split(/(?<!\\)\|/)
          .map((cell) => plain(cell).trim())
      )
  )

/** Cells of a table that stand under their heading, in the row of their first cell; and how many there are. */
const cellsInPlace = (
  written: Known["tables"],
  [head = [], ...rows]: Known["tables"][number]
): readonly [number, number] => {
  let [right, all] = [0, 0]
  for (const row of rows)
    for (const [column, cell] of row.entries()) {
      if (cell === "") continue
      all += 1
      const isThere = written.some((lines) =>
        lines.some((top, start) => {
          const at = top.findIndex((one) => lettersOf(one) === lettersOf(head[column] ?? ""))
          const first = top.findIndex((one) => lettersOf(one) === lettersOf(head[0] ?? ""))
          return (
            at >= 0 &&
            first >= 0 &&
            lines
              .slice(start + 1)
              .some(
                (line) =>
                  closed(line[at] ?? "") === closed(cell) &&
                  lettersOf(line[first] ?? "") === lettersOf(row[0] ?? "")
              )
          )
        })
      )
      if (isThere) right += 1
    }
  return [right, all]
}

/** Whether an item stands behind its number or letter. */
const isNumbered = (lines: ReadonlyArray<string>, [label, text]: readonly [string, string]): boolean =>
  lines.some((line) => {
    const found = /^[\s>]*(?:[-*+•] +)?\(?([\da-z]+(?:\.\d+)*)[.)]? +(.*)$/.exec(plain(line))
    return found?.[1] === label && closed(found[2] ?? "").startsWith(closed(text))
  })

/** Compares the Markdown that a reader made of a file with the expected content. */
export const scoreOf = (known: Known, markdown: string, isWarned: boolean): Score => {
  const want = counted(valuesOf(known.text.join("\n")))
  const have = counted(valuesOf(known.isWhole ? withoutLabels(markdown) : markdown))
  const [wantWords, haveWords] = [counted(wordsOf(known.text.join("\n"))), counted(wordsOf(markdown))]
  const lost = lacking(want, have)
  const changed = known.isWhole ? Math.min(lost, lacking(have, want)) : 0
  const written = tablesOf(markdown)
  const lines = markdown.split("\n")
  let score = {
    ...noScore,
    values: [...want.values()].reduce((sum, count) => sum + count, 0),
    changed,
    silent: isWarned ? 0 : lost - changed,
    warned: isWarned ? lost - changed : 0,
    words: known.isWhole ? [...wantWords.values()].reduce((sum, count) => sum + count, 0) : 0,
    wordsLost: known.isWhole ? lacking(wantWords, haveWords) : 0,
    items: known.items.length,
    itemsRight: known.items.filter((item) => isNumbered(lines, item)).length
  }
  for (const [at, table] of known.tables.entries()) {
    const [right, all] = cellsInPlace(written, table)
    score = added(
      score,
      known.ruled[at] === true
        ? { ...noScore, ruled: all, ruledRight: right }
        : { ...noScore, unruled: all, unruledRight: right }
    )
  }
  return score
}
