/** Headings and descriptions of pictures by the tags of a page, where they cover its text. */
import type { ParsedPage } from "@llamaindex/liteparse"
import { escapeMarkdown } from "./table.js"

type Page = Pick<ParsedPage, "structureTree" | "textItems">
type Element = NonNullable<ParsedPage["structureTree"]>["roots"][number]

/** Elements and headings of a page that are looked at. */
const [elementsMax, headingsMax] = [20_000, 500]
/** The share of a page's letters that its tags have to cover. */
const coveredShare = 0.95

const lettersOf = (text: string): string => text.replace(/[^\p{L}\p{N}]+/gu, "")
const headingLine = /^#{1,6} (?=\S)/

/** The elements of a page in their order. */
const elementsOf = ({ structureTree }: Pick<Page, "structureTree">): ReadonlyArray<Element> => {
  const found: Array<Element> = []
  const waiting = [...(structureTree?.roots ?? [])].reverse()
  for (let element = waiting.pop(); element !== undefined; element = waiting.pop()) {
    if (found.length === elementsMax) return []
    found.push(element)
    waiting.push(...[...element.children].reverse())
  }
  return found
}

/** The numbers of the marked text of an element and of those within it. */
const marksOf = (element: Element): ReadonlyArray<number> =>
  elementsOf({ structureTree: { roots: [element] } }).flatMap(({ markedContentIds }) => markedContentIds)

/** Whether any page of a file has headings among its tags. */
export const hasTaggedHeadings = (pages: ReadonlyArray<Page>): boolean =>
  pages.some((page) => elementsOf(page).some(({ type }) => /^H[1-6]?$/.test(type)))

/** A heading of the tags: its letters, its text with the beginning of what follows it, and its level. */
interface Heading {
  readonly letters: string
  readonly text: string
  readonly next: string
  readonly level: number
}

/** Letters of the text behind a heading by which its place in a paragraph is known. */
const nextLength = 12

/** The headings of a page; null where its tags leave out text. */
const headingsOf = (page: Page): ReadonlyArray<Heading> | null => {
  const elements = elementsOf(page)
  const texts = new Map<number, string>()
  for (const { mcid, text } of page.textItems)
    if (mcid !== undefined) texts.set(mcid, `${texts.get(mcid) ?? ""} ${text}`.trim())
  const order = elements.flatMap(({ markedContentIds }) => markedContentIds)
  const tagged = new Set(order)
  const all = lettersOf(page.textItems.map(({ text }) => text).join("")).length
  const covered = [...texts].reduce(
    (sum, [mark, text]) => sum + (tagged.has(mark) ? lettersOf(text).length : 0),
    0
  )
  if (all === 0 || covered < coveredShare * all) return null
  const found = elements.flatMap((element): ReadonlyArray<Heading> => {
    const level = /^H([1-6])?$/.exec(element.type)
    if (level === null) return []
    const marks = marksOf(element)
    const text = marks
      .map((mark) => texts.get(mark) ?? "")
      .join(" ")
      .replace(/\s+/g, " ")
      .trim()
    const next = texts.get(order[order.indexOf(marks.at(-1) ?? -1) + 1] ?? -1) ?? ""
    return lettersOf(text) === ""
      ? []
      : [{ letters: lettersOf(text), text, next: next.slice(0, nextLength), level: Number(level[1] ?? 2) }]
  })
  return found.slice(0, headingsMax)
}

/** The Markdown of a page with the headings of its tags, and no others; as it is where they leave out text of the page. */
export const withTaggedHeadings = (markdown: string, page: Page): string => {
  const found = headingsOf(page)
  if (found === null) return markdown
  const headings = new Map(found.map(({ letters, level }) => [letters, level]))
  let isCode = false
  return withParted(markdown, found)
    .split("\n")
    .map((line) => {
      if (line.startsWith("```")) isCode = !isCode
      if (isCode) return line
      const own = lettersOf(line)
      const level = headings.get(own)
      if (level === undefined) {
        // A heading may be cut into lines, or be joined with another.
        const isPart = [...headings.keys()].some((text) => text.includes(own) || own.includes(text))
        return isPart ? line : line.replace(headingLine, "")
      }
      return /^(?:[|>]|\s*(?:[-*+]|\d+[.)])\s)/.test(line)
        ? line
        : `${"#".repeat(level)} ${line.replace(headingLine, "").replace(/^\*\*(.*)\*\*$/, "$1")}`
    })
    .join("\n")
}

/** Headings in the type of the text, which the library takes for the beginning of a sentence, on lines of their own. */
const withParted = (markdown: string, headings: ReadonlyArray<Heading>): string =>
  headings.reduce((text, heading) => {
    const at = heading.next === "" ? -1 : text.indexOf(`${heading.text} ${heading.next}`)
    const lineStart = text.lastIndexOf("\n", at) + 1
    if (at < 0 || /^[|#>]/.test(text.slice(lineStart, at))) return text
    const [before, after] = [text.slice(0, at).trimEnd(), text.slice(at + heading.text.length).trimStart()]
    return `${before}${before === "" ? "" : "\n\n"}${heading.text}\n\n${after}`
  }, markdown)

/** Lines of what the tags of a page say that its pictures show. */
export const picturesOf = (page: Page): ReadonlyArray<string> => [
  ...new Set(
    elementsOf(page).flatMap(({ altText = "", type }) => {
      const text = altText.replace(/\s+/g, " ").trim()
      return type === "Figure" && text !== "" ? [`Picture: ${escapeMarkdown(text.slice(0, 2000))}`] : []
    })
  )
]
