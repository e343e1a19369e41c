/** A key of a block of configuration, as it stands there. */
export interface Setting {
  /** Its line, without what continues a list of them. */
  readonly text: string
  /** The keys and sections that it is nested in, with points between them; empty where there is none. */
  readonly path: string
  /** Offsets of the text in the block. */
  readonly start: number
  readonly end: number
}

/** A longer block is data. */
const linesMax = 300
const lineMaxChars = 300
/** What a block is called that holds keys and values. */
const tags = /^(?:ya?ml|toml|ini|cfg|conf|config|properties|env|dotenv|json[5c]?|hcl)$/iu

const keyLine = /^(\s*)(?:-\s+)?("?)(\p{L}[\p{L}\p{N}_./-]*)\2\s*([:=])(?=\s|$|\S)\s*(.*)$/u
const sectionLine = /^\s*\[{1,2}([^\]\n]{1,80})\]{1,2}\s*$/u
/** A value that begins below its key. */
const opens = /^(?:[{[|>][-+]?|)\s*(?:#.*|\/\/.*)?$/u

/**
 * The keys with their values of a fenced block that is called yaml, toml, ini, json, env or the like, in their order;
 * none of other blocks: what looks like a key may be a program's. Linear in the text.
 *
 * @param tag What stands behind the fence that opens the block.
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
