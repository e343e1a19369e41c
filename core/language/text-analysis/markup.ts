/** Marks of documentation tools that readers of a page do not see. */
import { matchesOf } from "../languages/index.js"

/**
 * Blanks out marks of tools that build pages: callouts (`[!NOTE]`), containers (`:::tip`), admonitions (`!!! note`),
 * template tags (`{{< note >}}`, `{% … %}`), comments, imports and exports of MDX, and properties of outliners
 * (`id:: …` of Logseq), "Q:" and "A:". Blocks of HTML stand apart, except in rows of tables. The title of a callout
 * becomes a bold label, the text that a template tag is given stays. Offsets stay; fenced code keeps its characters.
 * Linear.
 */
export const withoutToolMarks = (markdown: string): string => {
  if (!mark.test(markdown)) return markdown
  const fenced = matchesOf(fence, markdown).map(
    ({ 0: { length }, index }) => [index, index + length] as const
  )
  const isCode = (at: number): boolean => fenced.some(([start, end]) => at >= start && at < end)
  return rules.reduce(
    (text, [pattern, shown]) =>
      text.replace(pattern, (found: string, ...rest: ReadonlyArray<unknown>) => {
        const at = rest.findLast((one) => typeof one === "number") ?? 0
        if (isCode(at)) return found
        const kept = shown(rest.map((one) => (typeof one === "string" ? one : "")))
        if (kept.startsWith("\n")) return isInRow(text, at) ? found : endingWith(found, kept)
        const from = Math.max(0, found.indexOf(kept))
        const opens = /(?:^|\n)[ \t]*$/u.test(text.slice(Math.max(0, at - 8), at))
        return kept === ""
          ? opened(found, opens)
          : opened(found.slice(0, from), opens && from > 0) + kept + blank(found.slice(from + kept.length))
      }),
    // The text of an admonition stands at the margin: the line break moves behind the indent, so that offsets stay.
    markdown.replace(admonition, (found) => found.replace(/\n( {4}|\t)/gu, "$1\n"))
  )
}

const isInRow = (text: string, at: number): boolean => {
  const start = text.lastIndexOf("\n", at - 1) + 1
  return /^\s*\|/u.test(text.slice(start, Math.min(at, start + 8)))
}

/** An admonition or tab of MkDocs, whose text is indented. */
const admonition =
  /^(?:!!!|\?\?\?\+?|===)[ \t][^\n]{0,200}(?:\n(?:(?: {4}|\t)[^\n]*|[ \t]*(?=\n(?: {4}|\t))))+/gmu

const mark =
  /^[*_]{0,2}(?:Q|A|Question|Answer)\d{0,3}[.:]|\[!|:::|^(?:!!!|\?\?\?|===)|<\/?(?:p|div|d[ldt]|li|[uo]l|h[1-6]|br|details|summary|section)\b|\{\{|\{%|\{\/\*|^(?:import|export) |::[ \t]/mu
const fence = /^ {0,3}(?<mark>```+|~~~+)[^\n]*(?:\n(?! {0,3}\k<mark>)[^\n]*){0,2000}/gmu

const blank = (text: string): string => text.replace(/[^\r\n]/gu, (sign) => " ".repeat(sign.length))

/** Blanks; at the start of a line they end with a line break, because four of them would open a block of code. */
const opened = (text: string, opens: boolean): string =>
  opens && text.length > 1 && !text.endsWith("\n") ? `${blank(text.slice(0, -1))}\n` : blank(text)

/** Blanks in one line behind the line breaks that a text begins with, and what is kept of it at its end. */
const endingWith = (text: string, kept: string): string => {
  const breaks = text.slice(0, Math.min(text.length - text.trimStart().length, text.length - kept.length))
  return breaks + " ".repeat(text.length - breaks.length - kept.length) + kept
}

/** A title as a bold label, which is never longer than its mark. */
const labelled = (before: string, title: string): string =>
  title === "" || /[*_`]/u.test(title) ? before : `${before}**${title}:**`

type Shown = (groups: ReadonlyArray<string>) => string
const rules: ReadonlyArray<readonly [RegExp, Shown]> = [
  // "Q: …?" opens a block; "A: …" is told from an initial by the question above it.
  [
    /^(?:Q(?:uestion)?\d{0,3}[.:][ \t]+|[*_]{2}Q(?:uestion)?\d{0,3}[.:][*_]{2}[ \t]+)(?=[^\n]{1,300}[?？])/gmu,
    () => ""
  ],
  [/^[*_]{2}Q(?:uestion)?\d{0,3}[.:][ \t]+([^\n]{1,300}?[?？])[*_]{2}/gmu, ([asked = ""]) => asked],
  [
    /(?<=[?？][*_]{0,2}[ \t]*\n(?:[ \t]*\n)?)(?:[*_]{2}A(?:nswer)?\d{0,3}[.:][*_]{2}|A(?:nswer)?\d{0,3}[.:])(?=[ \t])/gu,
    () => ""
  ],
  // A term and its definition, and other blocks of HTML, outside of tables.
  [/<\/dt>\s{0,80}<dd\b[^<>\n]{0,300}>(?:\s{0,80}<p\b[^<>\n]{0,300}>)?\s{0,80}/gimu, () => "\n: "],
  [/\s{0,80}<h[1-6]\b[^<>\n]{0,300}>/gimu, () => "\n## "],
  // Further paragraphs of a definition go on with it.
  [/<\/p>\s{0,80}<p\b[^<>\n]{0,300}>\s{0,80}(?=(?:(?!<\/?dd\b)[\s\S]){0,800}<\/dd)/gimu, () => "\n\n    "],
  [
    /(?:\s{0,80}<\/?(?:p|div|d[ldt]|li|[uo]l|h[1-6]|br|details|summary|section)\b[^<>\n]{0,300}>){1,40}/gimu,
    () => "\n\n"
  ],
  // "> [!warning] Wind", with the title of Obsidian.
  [
    /^((?:[ \t]*>)+[ \t]*)\[![\p{L}-]{2,20}\][+-]?[ \t]*([^\n]{0,120}?)[ \t]*$/gmu,
    ([before = "", title = ""]) => labelled(before, title)
  ],
  [
    /^[ \t]*:{3,}[ \t]*(?:\[?[\p{L}-]{2,20}\]?)?[ \t]*([^\n]{0,120}?)[ \t]*$/gmu,
    ([title = ""]) => labelled("", title)
  ],
  [
    /^(?:!!!|\?\?\?\+?|===)[ \t]+(?:[\p{L}-]{2,20}[ \t]*)?(?:"([^"\n]{0,120})")?[ \t]*$/gmu,
    ([title = ""]) => labelled("", title)
  ],
  // The text that a tag is given is shown by most templates.
  [/\{%-?[^%\n]{0,200}?\b(?:content|text)="([^"\n]{1,400})"[^%\n]{0,200}%\}/gu, ([content = ""]) => content],
  [/\{%[^\n]{0,400}?%\}|\{\{[<%][^\n]{0,400}?[%>]\}\}|\{\/\*(?:(?!\*\/)[\s\S]){0,1500}\*\/\}/gu, () => ""],
  [
    /^(?:import [^\n]{1,200} from ["'][^"'\n]{1,200}["'];?|export (?:const|default|let|function) [^\n]{1,400})[ \t]*$/gmu,
    () => ""
  ],
  [
    /^[ \t]*(?:[-*][ \t]+)?(?:id|collapsed|query-table|created-at|updated-at)::[ \t][^\n]{0,200}$/gmu,
    () => ""
  ]
]
