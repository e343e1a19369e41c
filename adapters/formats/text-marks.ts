/** Raised, lowered and struck text and the marks of notes, written so that no number changes on one line of text. */

/** Vertical position of text: raised, lowered, or on the line. */
export type Script = "raised" | "lowered" | "plain"

/** Endings of ordinal numbers, abbreviations and marks that many languages raise: `1st`, `2e`, `Mme`, `TM`. */
const raisedEndings =
  /^(?:st|nd|rd|th|ers?|res?|ères?|ère|es?|[eè]mes?|mes?|lles?|gr|[oa]s?|de|te|ste|tm|sm|m[cd]|r[sa]?|ras|ta|st[ea]?)\.?$/iu
/** A number or a word, signed, which reads as one without parentheses. */
const isSimple = /^(?:[+\-−–]?[\p{L}\p{N}]+(?:[.,]\p{N}+)*[+\-−–*]?|[+\-−–]+)$/u
/** Longer raised text is a remark and no exponent. */
const exponentMaxLength = 24

/**
 * Raised or lowered text as `10^6`, `x^(n+1)`, `log_2`, `CO2`. `plain` is the text of `content` without Markdown;
 * `before` and `after` are the text on both sides, which decide where two numbers would run together.
 */
export const scriptText = (
  script: Script,
  content: string,
  { after = "", before = "", plain = content }: { before?: string; after?: string; plain?: string } = {}
): string => {
  const text = plain.trim()
  if (script === "plain" || !/[\p{L}\p{N}+\-−–]/u.test(text)) return content
  if (text.length > exponentMaxLength)
    return `${/\S$/.test(before) ? " " : ""}${content}${/^\S/.test(after) ? " " : ""}`
  if (/^\[.*\]$/.test(text)) return noteMark(text, before, after) ?? content
  const rest = /\s*$/.exec(plain)?.[0] ?? ""
  const isBesideDigit = /\p{Nd}$/u.test(text) && /^[.,]?\p{Nd}/u.test(after + rest)
  if (script === "lowered") {
    // The formula of a substance, or a name with a number.
    if (/^\d+$/.test(text) && /\p{L}[)\]]*$/u.test(before) && !isBesideDigit) return text + rest
  } else if (/[\p{L}\p{N}]$/u.test(before) && raisedEndings.test(text) && !isVariable(before, text))
    return content
  const sign = script === "raised" ? "^" : "_"
  const isWhole = isSimple.test(text) || /^\([^()]*\)$/.test(text)
  return (
    sign + (isWhole ? (isBesideDigit ? `(${text})` : text) : `(${(content.trim() || text).trim()})`) + rest
  )
}

/** Whether a raised letter is an exponent: behind a letter that stands alone, but for the `o` of `No`. */
const isVariable = (before: string, text: string): boolean =>
  text.length === 1 && /(?:^|[^\p{L}\p{N}])\p{L}$/u.test(before) && !/[NDMS]$/iu.test(before)

/** Text of a link to a note: a number, a letter or a sign, with or without brackets. */
const noteMarkPattern =
  /^[[(]?\s*(\p{L}{1,2}|\p{Nd}{1,4}(?:\s?[,;–-]\s?\p{Nd}{1,4}){0,9}|[ivxlc]{1,7}|[*†‡§¶#]{1,4}|(?:note|nb|n)\s?\p{Nd}{1,4})\s*[\])]?$/iu

/** The mark of a note in brackets, apart from what it stands behind: ` [1]`; null for other text. */
export const noteMark = (text: string, before: string, after: string): string | null => {
  const mark = noteMarkPattern.exec(text.trim())?.[1]
  if (mark === undefined) return null
  // A parenthesis right behind brackets would be the address of a link.
  return `${/(?:^|\s)$/.test(before) ? "" : " "}[${mark}]${/^[([:]/.test(after) ? " " : ""}`
}

/** Struck text between two tildes each, which hold no blanks at their inner sides. */
export const struckText = (content: string): string => {
  const [, lead = "", text = "", rest = ""] = /^(\s*)([\s\S]*?)(\s*)$/.exec(content) ?? []
  if (text === "" || text.startsWith("~~")) return content
  return `${lead}~~${text.replaceAll("~~", "")}~~${rest}`
}

/** A piece of a line with its marks, as runs of Office files have them. */
export interface MarkedRun {
  readonly text: string
  readonly script: Script
  readonly struck: boolean
}

/** The runs of a line as Markdown; `written` gives each run its own, with escapes and links. */
export const markedLine = <Run extends MarkedRun>(
  runs: ReadonlyArray<Run>,
  written: (run: Run) => string
): string => {
  const merged = runs.reduce<Array<{ plain: string; content: string; script: Script; struck: boolean }>>(
    (found, run) => {
      const last = found.at(-1)
      if (last !== undefined && last.script === run.script && last.struck === run.struck) {
        last.plain += run.text
        last.content += written(run)
      } else found.push({ plain: run.text, content: written(run), script: run.script, struck: run.struck })
      return found
    },
    []
  )
  return merged
    .map(({ content, plain, script, struck }, at) => {
      const [before, after] = [merged[at - 1]?.plain ?? "", merged[at + 1]?.plain ?? ""]
      const shown = scriptText(script, content, { before, after, plain })
      return struck ? struckText(shown) : shown
    })
    .join("")
}
