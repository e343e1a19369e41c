import type { Archive } from "./archive.js"
import { type Counting, countText, labelAttribute } from "./list-labels.js"
import { allOf, attributeOf, childOf, escapeHtml, parseXml, type XmlElement } from "./xml.js"

interface Level {
  readonly start: number
  /** Null where items have bullets, or nothing. */
  readonly counting: Counting | null
  /** Pattern of the item labels: `%1.%2` stands for the numbers of the first two levels. */
  readonly text: string
  /** Whether the numbers of other levels are shown in digits, too. */
  readonly isLegal: boolean
}

interface List {
  readonly abstractId: string
  readonly levels: ReadonlyMap<number, Level>
  /** Levels that begin anew where this list begins. */
  readonly restarts: ReadonlyMap<number, number>
}

interface Numbering {
  readonly lists: ReadonlyMap<string, List>
  readonly styles: ReadonlyMap<string, { readonly listId: string; readonly level: number }>
}

/**
 * The text of the document with the number of each item of a numbered list at its beginning, between two signs of no
 * script: mammoth begins every run of items with 1, also where Word goes on counting.
 */
export const withListNumbers = (xml: string, archive: Archive): string => {
  const { lists, styles } = numberingOf(archive)
  if (lists.size === 0) return xml
  const counters = new Map<string, Array<number>>()
  const startedLists = new Set<string>()
  return xml.replace(/<w:pPr>(?:(?!<\/w:pPr>)[\s\S])*<\/w:pPr>/g, (properties) => {
    const style = styles.get(/<w:pStyle w:val="([^"]*)"/.exec(properties)?.[1] ?? "")
    const own = /<w:numId w:val="(\d+)"/.exec(properties)?.[1]
    const listId = own ?? style?.listId
    const list = listId === undefined ? undefined : lists.get(listId)
    if (listId === undefined || list === undefined) return properties
    const level = Number(/<w:ilvl w:val="(\d+)"/.exec(properties)?.[1] ?? style?.level ?? 0)
    const start = list.levels.get(level)?.start ?? 1
    const counted = counters.get(list.abstractId) ?? []
    if (!startedLists.has(listId)) for (const [at, first] of list.restarts) counted[at] = first - 1
    startedLists.add(listId)
    counted[level] = (counted[level] ?? start - 1) + 1
    counters.set(list.abstractId, counted.slice(0, level + 1))
    const label = labelOf(list.levels, level, counted)
    return label === null ? properties : `${properties}<w:r><w:t>\ue000${escapeHtml(label)}\ue001</w:t></w:r>`
  })
}

/** Returns the label before an item's text: a number, or text such as `2.1` or `(iii)`; null for bullets. */
const labelOf = (
  levels: ReadonlyMap<number, Level>,
  at: number,
  counted: ReadonlyArray<number | undefined>
): string | null => {
  const level = levels.get(at)
  if (level === undefined || level.counting === null) return null
  if (level.counting === "1" && (level.text === "" || /^%\d[.)]?$/.test(level.text)))
    return String(counted[at])
  const label = level.text
    .replace(/%(\d)/g, (_, digit: string) => {
      const other = levels.get(Number(digit) - 1)
      const number = counted[Number(digit) - 1] ?? other?.start ?? 1
      return countText(number, level.isLegal ? "1" : (other?.counting ?? "1"), true)
    })
    .trim()
  return label === "" ? null : label
}

/** Gives the items of lists, and headings, the numbers and labels that stand at their beginnings. */
export const withItemValues = (html: string): string =>
  html
    .replace(/<li>((?:<[^>]+>)*)\ue000(\d+)\ue001/g, '<li value="$2">$1')
    .replace(/<li>((?:<[^>]+>)*)\ue000([^\ue001]*)\ue001/g, `<li ${labelAttribute}="$2">$1`)
    .replace(/(<h[1-6]>(?:<[^>]+>)*)\ue000([^\ue001]*)\ue001/g, "$1$2 ")
    .replace(/\ue000[^\ue001]*\ue001/g, "")

const numberOf = (element: XmlElement | undefined, name = "w:val"): number => {
  const number = Number(attributeOf(element, name) ?? Number.NaN)
  return Number.isSafeInteger(number) ? number : 0
}

const countings: Readonly<Record<string, Counting>> = {
  lowerLetter: "a",
  upperLetter: "A",
  lowerRoman: "i",
  upperRoman: "I"
}

/** The levels that an element defines: all of a numbering, or those that a list has of its own. */
const levelsOf = (element: XmlElement): ReadonlyMap<number, Level> =>
  new Map(
    allOf(element, "w:lvl").map((level) => {
      const format = attributeOf(childOf(level, "w:numFmt"), "w:val") ?? "decimal"
      const start = childOf(level, "w:start")
      return [
        numberOf(level, "w:ilvl"),
        {
          start: start === undefined ? 1 : numberOf(start),
          counting: countings[format] ?? (/^(?:bullet|none)$/.test(format) ? null : "1"),
          text: attributeOf(childOf(level, "w:lvlText"), "w:val") ?? "",
          isLegal: childOf(level, "w:isLgl") !== undefined
        }
      ]
    })
  )

const numberingOf = (archive: Archive): Numbering => {
  const text = archive.text("word/numbering.xml")
  if (text === undefined) return { lists: new Map(), styles: new Map() }
  const root = parseXml(text)
  const levels = new Map<string, ReadonlyMap<number, Level>>()
  const levelOfStyle = new Map<string, number>()
  for (const definition of allOf(root, "w:abstractNum")) {
    const found = levelsOf(definition)
    for (const level of allOf(definition, "w:lvl")) {
      const style = attributeOf(childOf(level, "w:pStyle"), "w:val")
      if (style !== undefined && style !== null) levelOfStyle.set(style, numberOf(level, "w:ilvl"))
    }
    levels.set(attributeOf(definition, "w:abstractNumId") ?? "", found)
  }
  const lists = new Map<string, List>()
  for (const list of allOf(root, "w:num")) {
    const abstractId = attributeOf(childOf(list, "w:abstractNumId"), "w:val") ?? ""
    const restarts = allOf(list, "w:lvlOverride").flatMap((override): ReadonlyArray<[number, number]> => {
      const start = childOf(override, "w:startOverride")
      return start === undefined ? [] : [[numberOf(override, "w:ilvl"), numberOf(start)]]
    })
    lists.set(attributeOf(list, "w:numId") ?? "", {
      abstractId,
      levels: new Map([...(levels.get(abstractId) ?? []), ...levelsOf(list)]),
      restarts: new Map(restarts)
    })
  }
  return { lists, styles: listStyles(archive, levelOfStyle) }
}

/** Styles whose paragraphs are items, with those that they are based on. */
const listStyles = (archive: Archive, levels: ReadonlyMap<string, number>): Numbering["styles"] => {
  const text = archive.text("word/styles.xml")
  const found = new Map<string, { readonly listId: string; readonly level: number }>()
  for (const style of text === undefined ? [] : allOf(parseXml(text), "w:style")) {
    const id = attributeOf(style, "w:styleId") ?? ""
    const numbers = childOf(childOf(style, "w:pPr"), "w:numPr")
    const listId = attributeOf(childOf(numbers, "w:numId"), "w:val")
    const based = found.get(attributeOf(childOf(style, "w:basedOn"), "w:val") ?? "")
    const level = levels.get(id) ?? numberOf(childOf(numbers, "w:ilvl"))
    if (listId !== undefined && listId !== null) found.set(id, { listId, level })
    else if (based !== undefined) found.set(id, based)
  }
  return found
}
