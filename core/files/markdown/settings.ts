/** A key of a configuration block. */
export interface Setting {
  /** Its line, without the separator of a list. */
  readonly text: string
  /** The enclosing keys, sections and names of records, separated by dots; empty when there are none. */
  readonly path: string
  /** Offset of the text in the block. */
  readonly start: number
  readonly end: number
}

interface Parent {
  readonly indent: number
  readonly key: string
}

/** Keys above a line are taken to be indented evenly. */
const enclosing = (outer: string, line: string): ReadonlyArray<Parent> => {
  const keys = outer === "" ? [] : outer.split(".")
  const indent = indentOf(line)
  return keys.map((key, at) => ({ key, indent: Math.floor((indent * at) / Math.max(1, keys.length)) }))
}

/** A longer block counts as data. */
const linesMax = 300
const lineMaxChars = 300
/** Info strings of configuration blocks. */
const tags = /^(?:ya?ml|toml|ini|cfg|conf|config|properties|env|dotenv|json[5c]?|hcl)$/iu

const keyLine = /^(\s*)(?:-\s+)?("?)(\p{L}[\p{L}\p{N}_./-]*)\2\s*([:=])(?=\s|$|\S)\s*(.*)$/u
const sectionLine = /^\s*\[{1,2}([^\]\n]{1,80})\]{1,2}\s*$/u
/** A key that tells the records of a list apart. */
const recordName = /^(?:name|id|key|title|slug)$/iu
/** A record of JSON on a line of its own. */
const recordLine = /^\s*\{(?:\s*"[^"\n]{1,60}"\s*:[^\n]*)\}\s*,?\s*$/u
const unquotedValue = (value: string): string =>
  value.replace(/[,\s]+$|\s#.*$/gu, "").replace(/^["']|["']$/gu, "")
const namesRecord = (key: string, value: string): boolean => recordName.test(key) && /^.{1,60}$/u.test(value)
/** A value that starts on the line after its key. */
const opens = /^(?:[{[|>][-+]?|)\s*(?:#.*|\/\/.*)?$/u

/**
 * Returns the keys with their values, and records of JSON on one line, in a fenced block marked yaml, toml, ini, json,
 * env or similar, in order; none for other blocks, where a match may be program code. Linear.
 *
 * @param tag The info string of the opening fence.
 * @param outer The keys that enclose the first line, separated by dots, where the block begins before `body`.
 */
export const settingsIn = (tag: string, body: string, outer = ""): ReadonlyArray<Setting> => {
  if (!tags.test(tag)) return []
  const lines = body.split("\n")
  return lines.length > linesMax ? [] : read(body, lines, outer).settings
}

/**
 * Returns the dotted path of the keys that enclose a line of a configuration block; empty for other blocks.
 *
 * @param before The block up to the line.
 */
export const enclosingPath = (tag: string, before: string, line: string): string => {
  if (!tags.test(tag)) return ""
  const { above, section } = read(before, before.split("\n"), "")
  const indent = indentOf(line)
  return pathOf(
    section,
    above.filter((parent) => parent.indent < indent)
  )
}

const pathOf = (section: string, above: ReadonlyArray<Parent>): string =>
  [section, ...above.map(({ key }) => key)].filter((part) => part !== "").join(".")

const hasDeeperKey = (line: string, indent: number): boolean =>
  indentOf(line) > indent && !/^\s*-/u.test(line) && keyLine.test(line)

const indentOf = (line: string): number => /^\s*/u.exec(line)?.[0].length ?? 0

const read = (body: string, lines: ReadonlyArray<string>, outer: string) => {
  const settings: Array<Setting> = []
  let [section, isRecord] = ["", false]
  let above = enclosing(outer, lines[0] ?? "")
  let at = 0
  for (const [row, line] of lines.entries()) {
    const start = at
    at += line.length + 1
    const named = sectionLine.exec(line)?.[1]
    if (named !== undefined)
      [section, above, isRecord] = [named.trim(), [], line.trimStart().startsWith("[[")]
    if (line.length <= lineMaxChars && recordLine.test(line)) {
      const from = start + line.indexOf("{")
      const text = body.slice(from, start + line.length).replace(/[,\s]+$/u, "")
      settings.push({ text, path: pathOf(section, above), start: from, end: from + text.length })
      continue
    }
    const [, blank, quote = "", key, , value] =
      named !== undefined || line.length > lineMaxChars ? [] : (keyLine.exec(line) ?? [])
    if (blank === undefined || key === undefined || value === undefined) continue
    above = above.filter(({ indent }) => indent < blank.length)
    if (opens.test(value)) {
      above = [...above, { indent: blank.length, key }]
      continue
    }
    const from = start + line.indexOf(quote + key)
    const text = body.slice(from, start + line.length).replace(/[,\s]+$/u, "")
    const name = unquotedValue(value)
    const isName = namesRecord(key, name)
    // The name of a record stands in the path of its other keys.
    const isFirstOfMore = isName && /^\s*-\s/u.test(line) && hasDeeperKey(lines[row + 1] ?? "", blank.length)
    if (!isFirstOfMore)
      settings.push({ text, path: pathOf(section, above), start: from, end: from + text.length })
    if (!isName) continue
    // The keys of the record have a deeper indent than its dash.
    if (/^\s*-\s/u.test(line)) above = [...above, { indent: blank.length + 1, key: name }]
    else if (isRecord && above.length === 0) [section, isRecord] = [`${section}.${name}`, false]
  }
  return { settings, section, above }
}
