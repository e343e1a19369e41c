import type { ConvertibleFile } from "../../core/files/documents/index.js"
import { type Archive, openArchive } from "./archive.js"
import { broken, type Conversion, encrypted, isoDate } from "./converted.js"
import { formulaText } from "./formulas.js"
import { convertFragment } from "./html.js"
import { dataTable } from "./html-tables.js"
import { type Counting, countText, labelAttribute } from "./list-labels.js"
import { openDocumentText } from "./office-text.js"
import type { Script } from "./text-marks.js"
import {
  allOf,
  attributeOf,
  childOf,
  elementsOf,
  escapeHtml,
  parseXml,
  textOf,
  type XmlElement,
  xmlFormula
} from "./xml.js"

/** Converts an OpenDocument text: headings, lists, tables, links, notes; no comments, deleted or hidden text. */
export const convertOdt = ({ bytes }: ConvertibleFile): Conversion => {
  const archive = openArchive(bytes, (name) =>
    /^(?:content|styles|meta)\.xml$|^META-INF\/manifest\.xml$|^[^/]+\/content\.xml$/.test(name)
  )
  if (archive.text("META-INF/manifest.xml")?.includes("encryption-data") === true)
    throw encrypted("The file is protected by a password.")
  const content = archive.text("content.xml")
  if (content === undefined) throw broken("The file holds no OpenDocument text.")
  const root = parseXml(content)
  const body = allOf(root, "office:text")[0]
  if (body === undefined) throw broken("The file holds no OpenDocument text.")
  const styles = archive.text("styles.xml")
  const writer = new Writer([root, ...(styles === undefined ? [] : [parseXml(styles)])], archive)
  const html = writer.blocks(body)
  const meta = archive.text("meta.xml")
  return {
    markdown: convertFragment(html + writer.notes()),
    plain: openDocumentText(content, styles ?? ""),
    imagesSkipped: archive.images,
    ...(meta === undefined ? {} : metadataOf(parseXml(meta)))
  }
}

const metadataOf = (meta: XmlElement) => ({
  title: textOf(meta, "dc:title"),
  author: textOf(meta, "meta:initial-creator") ?? textOf(meta, "dc:creator"),
  createdAt: isoDate(textOf(meta, "meta:creation-date")),
  modifiedAt: isoDate(textOf(meta, "dc:date"))
})

/** Properties of a style that change the text. */
interface Style {
  readonly parent: string
  readonly bold: boolean
  readonly italic: boolean
  /** Undefined where the style leaves it to the one that it is derived from. */
  readonly struck: boolean | undefined
  readonly script: Script | undefined
  readonly hidden: boolean
}

/** `super 58%`, `sub 58%`, or how far text is raised: `33% 58%`; undefined where nothing is said. */
const scriptOf = (position: string): Script | undefined => {
  const [first = ""] = position.trim().split(/\s+/)
  if (first === "") return undefined
  const share = Number.parseFloat(first)
  if (first === "super" || share > 0) return "raised"
  return first === "sub" || share < 0 ? "lowered" : "plain"
}

/** How a level of a list style counts, from where, and what stands around the number. */
interface ListLevel {
  readonly counting: Counting | null
  readonly start: number
  readonly prefix: string
  readonly suffix: string
  /** Levels whose numbers are shown, this one included: 2 for `2.1`. */
  readonly shown: number
}

const levelsOf = (style: XmlElement): ReadonlyMap<number, ListLevel> =>
  new Map(
    elementsOf(style).map((level) => {
      const format = attributeOf(level, "style:num-format") ?? ""
      const isNumber = /^text:(?:list-level-style-number|outline-level-style)$/.test(level.nodeName)
      return [
        wholeNumber(attributeOf(level, "text:level")) ?? 1,
        {
          counting: !isNumber || format === "" ? null : isCounting(format) ? format : "1",
          start: wholeNumber(attributeOf(level, "text:start-value")) ?? 1,
          prefix: attributeOf(level, "style:num-prefix") ?? "",
          suffix: attributeOf(level, "style:num-suffix") ?? "",
          shown: wholeNumber(attributeOf(level, "text:display-levels")) ?? 1
        }
      ]
    })
  )

const isCounting = (format: string): format is Counting => /^[1aAiI]$/.test(format)

const wholeNumber = (text: string | null): number | undefined =>
  text !== null && /^\d{1,9}$/.test(text) ? Number(text) : undefined

/** Label before the text of an item or a heading: `(iii)`, `2.1`. */
const listLabel = (
  levels: ReadonlyMap<number, ListLevel>,
  level: number,
  numbers: ReadonlyArray<number | undefined>
): string => {
  const { prefix = "", shown = 1, suffix = "" } = levels.get(level) ?? {}
  const first = Math.max(1, level - shown + 1)
  const texts = Array.from({ length: level - first + 1 }, (_, at) => {
    const other = levels.get(first + at)
    return other?.counting === null
      ? []
      : [countText(numbers[first + at] ?? other?.start ?? 1, other?.counting ?? "1")]
  })
  return `${prefix}${texts.flat().join(".")}${suffix}`.trim()
}

/** The number of an item as HTML has it, or its label where that is more than a number. */
const itemAttribute = (
  levels: ReadonlyMap<number, ListLevel>,
  level: number,
  numbers: ReadonlyArray<number | undefined>
): string => {
  const style = levels.get(level)
  if (style === undefined || style.counting === null) return ""
  const isPlain =
    style.counting === "1" && (style.shown === 1 || level === 1) && /^[.)]?$/.test(style.suffix.trim())
  return isPlain && style.prefix.trim() === ""
    ? ` value="${numbers[level] ?? 1}"`
    : ` ${labelAttribute}="${escapeHtml(listLabel(levels, level, numbers))}"`
}

/** Writes elements of an OpenDocument text as HTML. */
class Writer {
  private readonly styles = new Map<string, Style>()
  private readonly listStyles = new Map<string, ReadonlyMap<number, ListLevel>>()
  private outline: ReadonlyMap<number, ListLevel> = new Map()
  /** The numbers of the last headings, and of the items of lists by style and by id, each by level. */
  private readonly headingNumbers: Array<number> = []
  private readonly lastNumbers = new Map<string, Array<number>>()
  private readonly noteTexts: Array<string> = []

  constructor(
    roots: ReadonlyArray<XmlElement>,
    private readonly archive: Archive
  ) {
    for (const root of roots) {
      for (const style of allOf(root, "style:style")) {
        const text = childOf(style, "style:text-properties")
        // Programs write the style of the line, its type, or both.
        const lines = ["style", "type"].flatMap((name) => {
          const line = attributeOf(text, `style:text-line-through-${name}`) ?? ""
          return line === "" ? [] : [line]
        })
        this.styles.set(attributeOf(style, "style:name") ?? "", {
          parent: attributeOf(style, "style:parent-style-name") ?? "",
          bold: /^(?:bold|[6-9]00)$/.test(attributeOf(text, "fo:font-weight") ?? ""),
          italic: /italic|oblique/.test(attributeOf(text, "fo:font-style") ?? ""),
          struck: lines.length === 0 ? undefined : !lines.includes("none"),
          script: scriptOf(attributeOf(text, "style:text-position") ?? ""),
          hidden: /^(?:none|true)$/.test(attributeOf(text, "text:display") ?? "")
        })
      }
      for (const list of allOf(root, "text:list-style"))
        this.listStyles.set(attributeOf(list, "style:name") ?? "", levelsOf(list))
      const [outline] = allOf(root, "text:outline-style")
      if (outline !== undefined) this.outline = levelsOf(outline)
    }
  }

  blocks(parent: XmlElement): string {
    return elementsOf(parent)
      .map((element) => this.block(element))
      .join("")
      .replaceAll("</pre><pre>", "\n")
  }

  /** The notes in the order of their marks. */
  notes(): string {
    return this.noteTexts.map((text, at) => `<p>[${at + 1}] ${text}</p>`).join("")
  }

  private block(element: XmlElement): string {
    switch (element.nodeName) {
      case "text:h": {
        const level = Math.min(
          6,
          Math.max(1, Number.parseInt(attributeOf(element, "text:outline-level") ?? "1", 10) || 1)
        )
        if (this.isHidden(element)) return ""
        return `<h${level}>${escapeHtml(this.headingLabel(element, level))}${this.inline(element)}</h${level}>`
      }
      case "text:p":
        return this.isHidden(element) ? "" : this.paragraph(element)
      case "text:list":
        return this.list(element, 1, this.firstNumbers(element))
      case "table:table":
        return this.table(element)
      case "text:section":
        return attributeOf(element, "text:display") === "none" ? "" : this.blocks(element)
      case "text:tracked-changes":
      case "office:annotation":
      case "text:sequence-decls":
      case "office:forms":
      case "text:table-of-content":
        return ""
      default:
        return this.blocks(element)
    }
  }

  private paragraph(element: XmlElement): string {
    const chain = this.chainOf(attributeOf(element, "text:style-name") ?? "")
    const isStruck = this.styleOf(element).find(({ struck }) => struck !== undefined)?.struck === true
    const inline = this.inline(element)
    const content = isStruck ? `<s>${inline}</s>` : inline
    if (chain.includes("Title")) return `<h1>${content}</h1>`
    if (chain.some((name) => /^(?:Preformatted|Source_20_Code|Preformatted_20_Text)/.test(name)))
      return `<pre>${content}</pre>`
    if (chain.some((name) => /^(?:Quotations|Quote|Block_20_Text)/.test(name)))
      return `<blockquote><p>${content}</p></blockquote>`
    return `<p>${content}</p>`
  }

  /** The number of a heading by the outline of the document, with a blank behind it; "" where it has none. */
  private headingLabel(element: XmlElement, level: number): string {
    const style = this.outline.get(level)
    const isInList = element.parentNode?.nodeName === "text:list-item"
    if (isInList || attributeOf(element, "text:is-list-header") === "true") return ""
    const restarts = attributeOf(element, "text:restart-numbering") === "true"
    const start = wholeNumber(attributeOf(element, "text:start-value")) ?? style?.start ?? 1
    this.headingNumbers[level] = restarts
      ? start
      : (this.headingNumbers[level] ?? (style?.start ?? 1) - 1) + 1
    this.headingNumbers.length = level + 1
    if (style === undefined || style.counting === null) return ""
    return `${listLabel(this.outline, level, this.headingNumbers)} `
  }

  /** The numbers that a list goes on from: those of the list that it names, or of the last one of its style. */
  private firstNumbers(element: XmlElement): Array<number> {
    const named = attributeOf(element, "text:continue-list")
    const goesOn = attributeOf(element, "text:continue-numbering") === "true"
    const last =
      (named === null ? undefined : this.lastNumbers.get(`#${named}`)) ??
      (goesOn ? this.lastNumbers.get(this.listStyleOf(element)) : undefined)
    const numbers = [...(last ?? [])]
    const id = attributeOf(element, "xml:id")
    if (id !== null) this.lastNumbers.set(`#${id}`, numbers)
    this.lastNumbers.set(this.listStyleOf(element), numbers)
    return numbers
  }

  private list(element: XmlElement, level: number, numbers: Array<number>): string {
    const levels = this.listStyles.get(this.listStyleOf(element)) ?? new Map<number, ListLevel>()
    const style = levels.get(level)
    if (attributeOf(element, "text:continue-numbering") !== "true" && level > 1)
      numbers.length = Math.min(numbers.length, level)
    const items = elementsOf(element).map((item): string => {
      if (!/^text:list-(?:item|header)$/.test(item.nodeName)) return ""
      const parts = elementsOf(item)
      const content = () =>
        parts
          .map((part) =>
            part.nodeName === "text:list" ? this.list(part, level + 1, numbers) : this.block(part)
          )
          .join("")
          .replaceAll("</pre><pre>", "\n")
      // An item of nothing but an inner list only says how deep that is.
      if (item.nodeName === "text:list-header" || parts.every(({ nodeName }) => nodeName === "text:list"))
        return content()
      const start = wholeNumber(attributeOf(item, "text:start-value"))
      numbers[level] = start ?? (numbers[level] ?? (style?.start ?? 1) - 1) + 1
      numbers.length = level + 1
      const attribute = itemAttribute(levels, level, numbers)
      return `<li${attribute}>${content().replace(/^<p>([\s\S]*?)<\/p>/, "$1")}</li>`
    })
    const tag = style !== undefined && style.counting !== null ? "ol" : "ul"
    return `<${tag}>${items.join("")}</${tag}>`
  }

  /** A list within a list has the style of the outer one unless it names its own. */
  private listStyleOf(element: XmlElement): string {
    for (let at: XmlElement | null = element; at !== null; at = at.parentNode) {
      const name = at.nodeName === "text:list" ? attributeOf(at, "text:style-name") : null
      if (name !== null && name !== "") return name
    }
    return ""
  }

  private table(table: XmlElement): string {
    const rows = (parent: XmlElement, isHead: boolean): string =>
      elementsOf(parent)
        .map((element) => {
          if (element.nodeName === "table:table-row") return this.row(element, isHead)
          if (/^table:table-(?:rows|header-rows|row-group)$/.test(element.nodeName))
            return rows(element, isHead || element.nodeName === "table:table-header-rows")
          return ""
        })
        .join("")
    return `<table ${dataTable}="">${rows(table, false)}</table>`
  }

  private row(row: XmlElement, isHead: boolean): string {
    const tag = isHead ? "th" : "td"
    const cells = elementsOf(row).map((cell) => {
      if (cell.nodeName === "table:covered-table-cell") return ""
      const span = (name: string) =>
        Number.parseInt(attributeOf(cell, `table:number-${name}-spanned`) ?? "1", 10) || 1
      return `<${tag} colspan="${span("columns")}" rowspan="${span("rows")}">${this.blocks(cell)}</${tag}>`
    })
    return `<tr>${cells.join("")}</tr>`
  }

  private inline(parent: XmlElement): string {
    return Array.from(parent.childNodes, (node) => this.piece(node)).join("")
  }

  private piece(node: XmlElement): string {
    if (node.nodeType === 3) return escapeHtml((node.textContent ?? "").replace(/[ \t\n]+/g, " "))
    // Fields may keep their value to themselves.
    if (node.nodeType !== 1 || attributeOf(node, "text:display") === "none") return ""
    switch (node.nodeName) {
      case "text:s":
        return " ".repeat(Math.min(100, Number.parseInt(attributeOf(node, "text:c") ?? "1", 10) || 1))
      case "text:tab":
        return " "
      case "text:line-break":
        return "<br>"
      case "text:p":
      case "text:h":
        return `${this.inline(node)} `
      case "text:a":
        return `<a href="${escapeHtml(attributeOf(node, "xlink:href") ?? "")}">${this.inline(node)}</a>`
      case "text:span":
        return this.span(node)
      case "text:note": {
        const body = childOf(node, "text:note-body")
        this.noteTexts.push(
          body === undefined
            ? ""
            : elementsOf(body)
                .map((part) => this.inline(part))
                .join(" ")
        )
        return ` [${this.noteTexts.length}]`
      }
      case "office:annotation":
      case "office:annotation-end":
      case "text:number":
      case "text:bookmark-start":
      case "text:hidden-text":
      case "text:hidden-paragraph":
      case "svg:title":
      case "svg:desc":
        return ""
      case "text:ruby-text": {
        const reading = this.inline(node)
        return reading === "" ? "" : ` (${reading})`
      }
      case "draw:object":
        return this.formula(node)
      case "draw:text-box":
        return `<br>${elementsOf(node)
          .map((part) => this.inline(part))
          .join("<br>")}<br>`
      default:
        return this.inline(node)
    }
  }

  /** A formula, which stands in a file of its own or in the object; other objects are drawings. */
  private formula(node: XmlElement): string {
    const path = (attributeOf(node, "xlink:href") ?? "").replace(/^\.\//, "")
    const text = path === "" ? undefined : this.archive.text(`${path}/content.xml`)
    const root = text === undefined ? elementsOf(node)[0] : parseXml(text)
    return root?.localName === "math" ? escapeHtml(formulaText(xmlFormula(root))) : ""
  }

  private span(node: XmlElement): string {
    const style = this.styleOf(node)
    if (style.some(({ hidden }) => hidden)) return ""
    const name = attributeOf(node, "text:style-name") ?? ""
    let html = this.inline(node)
    if (/^(?:Source_20_Text|Verbatim)/.test(name)) return `<code>${html}</code>`
    if (style.some(({ bold }) => bold) || name === "Strong_20_Emphasis") html = `<strong>${html}</strong>`
    if (style.some(({ italic }) => italic) || name === "Emphasis") html = `<em>${html}</em>`
    const script = style.find((one) => one.script !== undefined)?.script
    if (script === "raised") html = `<sup>${html}</sup>`
    if (script === "lowered") html = `<sub>${html}</sub>`
    return style.find(({ struck }) => struck !== undefined)?.struck === true ? `<s>${html}</s>` : html
  }

  private isHidden(element: XmlElement): boolean {
    return this.styleOf(element).some(({ hidden }) => hidden)
  }

  private styleOf(element: XmlElement): ReadonlyArray<Style> {
    return this.chainOf(attributeOf(element, "text:style-name") ?? "").flatMap(
      (name) => this.styles.get(name) ?? []
    )
  }

  /** A style and those that it is derived from. */
  private chainOf(name: string): ReadonlyArray<string> {
    const chain: Array<string> = []
    for (let at = name; at !== "" && !chain.includes(at); at = this.styles.get(at)?.parent ?? "")
      chain.push(at)
    return chain
  }
}
