/** A key of a configuration block. */
export interface Setting {
  /** Its line, without the separator of a list. */
  readonly text: string
  /** The enclosing keys and sections, separated by dots; empty when there are none. */
  readonly path: string
  /** Offset of the text in the block. */
  readonly start: number
  readonly end: number
}

/** A longer block counts as data. */
const linesMax = 300
const lineMaxChars = 300
/** Info strings of configuration blocks. */
const tags = /^(?:ya?ml|toml|ini|cfg|conf|config|properties|env|dotenv|json[5c]?|hcl)$/iu

const keyLine = /^(\s*)(?:-\s+)?("?)(\p{L}[\p{L}\p{N}_./-]*)\2\s*([:=])(?=\s|$|\S)\s*(.*)$/u
const sectionLine = /^\s*\[{1,2}([^\]\n]{1,80})\]{1,2}\s*$/u
/** A value that starts on the line after its key. */
const opens = /^(?:[{[|>][-+]?|)\s*(?:#.*|\/\/.*)?$/u

/**
 * Returns the keys with their values in a fenced block marked yaml, toml, ini, json, env or similar, in order; none
 * for other blocks, where a match may be program code. Linear.
 *
 * @param tag The info string of the opening fence.
 */
export const settingsIn = (tag: string, body: string): ReadonlyArray<Setting> => {
  if (!tags.test(tag)) return []
  const lines = body.split("\n")
  if (lines.length > linesMax) return []
  const settings: Array<Setting> = []
  let section = ""
  let above: ReadonlyArray<{ readonly indent: number; readonly key: string }> = []
  let at = 0
  for (const line of lines) {
    const start = at
    at += line.length + 1
    const named = sectionLine.exec(line)?.[1]
    if (named !== undefined) [section, above] = [named.trim(), []]
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
    const path = [section, ...above.map((parent) => parent.key)].filter((part) => part !== "").join(".")
    settings.push({ text, path, start: from, end: from + text.length })
  }
  return settings
}
