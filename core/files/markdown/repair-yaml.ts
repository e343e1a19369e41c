import { Composer, Parser } from "yaml"

/** A block of YAML that can be read, and the lines that were left out of it. */
interface Repaired {
  readonly yaml: string
  /** Numbers of the lines, from 1 at the first line of the block, with what is wrong with each. */
  readonly dropped: ReadonlyArray<{ readonly line: number; readonly reason: string }>
}

/** Maximum number of entries that are repaired; a block with more mistakes is hardly front matter. */
const repairsMax = 200

/**
 * Repairs a block of YAML entry by entry, an entry being a line that starts a top-level key and the lines below it.
 * Values that YAML rejects but whose meaning is plain (`@name`, a backtick, a second colon) become quoted text. What is
 * still wrong is left out: the one line if the entry can be read without it, else the whole entry.
 */
export const repairYaml = (yaml: string): Repaired => {
  const lines = yaml.split("\n")
  const dropped: Array<Repaired["dropped"][number]> = []
  let repairs = 0
  for (const [from, to] of entriesOf(lines)) {
    const entry = lines.slice(from, to)
    if (mistakeIn(entry) === null) continue
    repairs += 1
    const quoted = entry.map(quotedValue)
    const mistake = mistakeIn(quoted)
    if (mistake === null) lines.splice(from, to - from, ...quoted)
    else {
      const without = quoted.map((line, at) => (at === mistake.line && at > 0 ? "" : line))
      const isEnough = mistake.line > 0 && repairs <= repairsMax && mistakeIn(without) === null
      lines.splice(from, to - from, ...(isEnough ? without : entry.map(() => "")))
      dropped.push({ line: from + 1 + (isEnough ? mistake.line : 0), reason: mistake.reason })
    }
  }
  return { yaml: lines.join("\n"), dropped }
}

/** Returns start and end of each entry; lines before the first key belong to the first entry. */
const entriesOf = (lines: ReadonlyArray<string>): ReadonlyArray<readonly [number, number]> => {
  const starts = lines.flatMap((line, at) => (at === 0 || /^[^\s#\-\]}]/u.test(line) ? [at] : []))
  return starts.map((start, at) => [start, starts[at + 1] ?? lines.length])
}

/** Returns the first mistake of an entry, or null. */
const mistakeIn = (
  lines: ReadonlyArray<string>
): { readonly line: number; readonly reason: string } | null => {
  const [document, second] = [
    ...new Composer({ schema: "core", merge: false, uniqueKeys: false, prettyErrors: false }).compose(
      new Parser().parse(lines.join("\n"))
    )
  ]
  const error = document?.errors[0] ?? second?.errors[0]
  if (error === undefined) return null
  const before = lines.join("\n").slice(0, error.pos[0])
  return { line: Math.min(before.split("\n").length, lines.length) - 1, reason: error.message }
}

/** Quotes the value of a line if it starts with a character that YAML reserves, or has a colon of its own. */
const quotedValue = (line: string): string => {
  const found = /^(\s*(?:- +)?(?:[^\s:#'"[\]{}][^:'"[\]{}]*: +|- +))(\S.*?)\s*$/u.exec(line)
  const [, before = "", value = ""] = found ?? []
  const isOdd = /^[@`%]/u.test(value) || (/^[^\s'"[\]{}|>&*!#]/u.test(value) && /:(?: |$)/u.test(value))
  return isOdd ? `${before}'${value.replaceAll("'", "''")}'` : line
}
