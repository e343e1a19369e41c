/**
 * Blanks out what a Markdown text marks as not said: struck-out text (`~~…~~`, `<s>`, `<del>`, `<strike>`) and comments
 * (`%%…%%`, `<!-- … -->`). Offsets and line breaks stay. Code keeps its characters. A comment without its end reaches to
 * the end of the text, `%%` only where it stands alone on a line. Linear.
 */
export const withoutRetractions = (markdown: string): string => {
  if (!/~~|%%|<!--|<(?:s|del|strike)>/iu.test(markdown)) return markdown
  const cuts: Array<readonly [number, number]> = []
  // Closers that do not occur any more, so that each is looked for once.
  const missingClosers = new Set<string>()
  const find = (closer: string, from: number): number => {
    if (missingClosers.has(closer)) return -1
    const at = lower.indexOf(closer, from)
    if (at < 0) missingClosers.add(closer)
    return at
  }
  const lower = markdown.toLowerCase()
  openers.lastIndex = 0
  for (let match = openers.exec(lower); match !== null; match = openers.exec(lower)) {
    const [{ length }, at] = [match[0], match.index]
    const mark = match[0].trimStart()
    if (mark.startsWith("`") || mark.startsWith("~~~")) {
      const close = find(mark, at + length)
      if (close >= 0) openers.lastIndex = close + mark.length
      // The rest of an open block is code; an open run of backticks is text.
      else if (mark.length > 2 && isLineStart(lower, at)) break
      continue
    }
    const closer = closers[mark] ?? ""
    const close = find(closer, at + length)
    const reach = mark === "~~" ? lower.indexOf("\n\n", at) : -1
    if (close >= 0 && (reach < 0 || close < reach)) {
      cuts.push([at, close + closer.length])
      openers.lastIndex = close + closer.length
    } else if (close < 0 && (mark === "<!--" || (mark === "%%" && isAlone(lower, at)))) {
      cuts.push([at, markdown.length])
      break
    }
  }
  if (cuts.length === 0) return markdown
  let [out, from] = ["", 0]
  for (const [start, end] of cuts) {
    out += markdown.slice(from, start)
    const blank = markdown.slice(start, end).replace(/[^\r\n]/gu, blankOf)
    // Four blanks would open a block of code.
    out += opensBlock.test(out.slice(-200)) && blank.length > 1 ? `${blank.slice(0, -1)}\n` : blank
    from = end
  }
  return out + markdown.slice(from)
}

const openers = /`+|~~~+|~~(?=[^\s~])|%%|<!--|<(?:s|del|strike)>/gu
const closers: Readonly<Record<string, string>> = {
  "~~": "~~",
  "%%": "%%",
  "<!--": "-->",
  "<s>": "</s>",
  "<del>": "</del>",
  "<strike>": "</strike>"
}

const opensBlock = /(?:^|\n[ \t]*\n|(?:^|\n)#[^\n]*\n)[ \t]*$/u

/** Returns one blank per UTF-16 unit. */
const blankOf = (sign: string): string => " ".repeat(sign.length)

const isLineStart = (text: string, at: number): boolean => {
  const line = text.slice(Math.max(0, at - 4), at)
  return /(?:^|\n) {0,3}$/u.test(line)
}

const isAlone = (text: string, at: number): boolean =>
  isLineStart(text, at) && /^%%[ \t]*(?:\n|$)/u.test(text.slice(at, at + 12))
