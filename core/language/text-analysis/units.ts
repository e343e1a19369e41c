import { settingsIn } from "../../files/markdown/index.js"
import { fieldsIn, type Line, unquoted } from "./fields.js"
import { isShowable, plain } from "./fold-text.js"
import { withoutToolMarks } from "./markup.js"
import { withoutRetractions } from "./retractions.js"
import { sentences } from "./sentences.js"

/** A piece of a passage that can be quoted alone. */
export interface TextUnit {
  /**
   * `sentence` of a paragraph; `item` of a list (one sentence of it); `list`, a short list as a whole with its
   * introducing sentence; `row` of a table, as "header: cell; header: cell"; `code`, a whole block; `setting`, a key
   * with its value of a configuration block; `field`, a line of front matter.
   */
  readonly kind: "sentence" | "item" | "list" | "row" | "code" | "setting" | "field"
  /** Displayed text: no markup, single blanks (code keeps its lines). */
  readonly text: string
  /** Offset in the passage (UTF-16 units). A `list` covers its items. */
  readonly start: number
  readonly end: number
  /** Units of one paragraph, list, table or code block share this number. */
  readonly block: number
  /** The nearest heading above it inside the passage, for front matter its key; empty when there is none. */
  readonly heading: string
  /**
   * The sentence that introduces its list or table ("…:") and the enclosing items; for a paragraph or item its bold
   * label, for a definition its term, for a setting the enclosing keys. Empty when there is none.
   */
  readonly lead: string
  /** For a later sentence or paragraph of a list item or definition, its first sentence, which names what it is about; else empty. */
  readonly opening: string
}

/** Maximum number of enclosing items in the lead of an item. */
const leadItemsMax = 2
const leadItemChars = 200
/** A longer list is split into its items only. */
const listMaxChars = 700

/**
 * Splits a passage of Markdown into quotable units, in order of their start (a `list` precedes its items). Headings
 * are not units; the units below refer to them. Struck-out text and comments are left out. Linear.
 *
 * @param context What a block that begins before the passage is: see `passageContext`.
 */
export const textUnits = (markdown: string, context = ""): ReadonlyArray<TextUnit> => {
  const reader = new UnitReader(withoutToolMarks(withoutRetractions(markdown)), context)
  reader.read()
  return reader.units
}

const heading = /^ {0,3}#{1,6}(?:[ \t]|$)/u
const fence = /^ {0,3}(```+|~~~+|\$\$)/u
const item = /^(\s*)(?:[-*+]|\d{1,9}[.)])\s+/u
const contentsEntry = /^\s*\[(?:[^\][]|\[[^\][]*\]){1,300}\]\(#[^()\s]{0,300}\)\s*$/u
/** The sign of a link to a heading, which some generators put behind it. */
const permalink = /\s*[¶§🔗]$/u
const checkBox = /^\[([ xX])\]\s+/u

/** "**Opening hours:** …", "**Kirkwall** - …": a label for the rest of its paragraph. */
const boldLabel =
  /^\s*(\*\*|__)(?=\S)([^\n]{2,120}?(?:[:.?!](?=\1))?)\1(?:(?<=[:.?!](?:\*\*|__))[^\S\n]+\S|[:.?!]\s|\s*[–—]\s|\s-\s|[^\S\n]*\n)/u
/** "price: 12 euros" or "**E-12** – no paper" on its own line is a separate statement. */
const lineLabel =
  /^\s*(?:>\s*)?(?:\*\*|__)[^*_\n]{1,60}(?::(?:\*\*|__)|(?:\*\*|__)(?::| [–—-])) +\S|^\s*(?:>\s*)?(?:\p{L}[\p{L}\p{N}'’/&-]*)(?: [\p{L}\p{N}'’/&-]+){0,3}: +\S/u
const definition = /^ {0,3}:[ \t]+\S/u
/** The column of the text of a definition, whose further paragraphs are indented. */
const definitionColumn = 4

/** The line between the header of a table and its rows. */
const isTableRule = (line: string): boolean =>
  /-/u.test(line) && /\||:?-{3,}/u.test(line) && !/[^\s|:-]/u.test(line)

/** A thematic break, or the underline of a heading. */
const isRule = (line: string): boolean => {
  const marks = line.replace(/\s/gu, "")
  return marks.length >= 3 && /^[-*_=]/u.test(marks) && marks === marks.charAt(0).repeat(marks.length)
}

class UnitReader {
  readonly units: Array<TextUnit> = []
  private readonly lines: ReadonlyArray<Line>
  private at = 0
  private block = 0
  private heading = ""
  private lead = ""
  private opening = ""
  /** The column at which the text of the last list item begins; null outside of lists. */
  private itemColumn: number | null = null
  /** The term that the further paragraphs of a definition are about. */
  private term = ""

  constructor(
    private readonly source: string,
    private readonly context: string
  ) {
    const lines: Array<Line> = []
    let start = 0
    for (const text of source.split("\n")) {
      lines.push({ text: text.endsWith("\r") ? text.slice(0, -1) : text, start, end: start + text.length })
      start += text.length + 1
    }
    this.lines = lines
  }

  read(): void {
    this.continued()
    this.frontMatter()
    for (let line = this.lines[this.at]; line !== undefined; line = this.lines[this.at]) {
      this.block += 1
      if (line.text.trim() === "") this.at += 1
      else if (fence.test(line.text)) this.code()
      else if (heading.test(line.text))
        this.title(
          line.text
            .replace(/^ {0,3}#+/u, "")
            .trim()
            .replace(/(?<=\s)#{1,6}$|^#+$/u, "")
        )
      else if (this.isTable()) this.table()
      else if (/^ {0,3}<table[\s>]/iu.test(line.text)) this.htmlTable()
      else if (isRule(line.text)) this.at += 1
      else if (item.test(line.text)) this.list()
      else if (this.isOfItem(line.text)) this.paragraph()
      else if (/^(?: {4}|\t)/u.test(line.text)) this.indented()
      else {
        if (!definition.test(line.text)) this.leaveItem()
        this.paragraph()
      }
    }
  }

  private leaveItem(): void {
    this.itemColumn = null
    this.term = ""
  }

  /** Whether an indented paragraph goes on with the list item above it; four columns further it would be code. */
  private isOfItem(text: string): boolean {
    if (/^\s*(?:```|~~~)/u.test(text)) return false
    const indent = text.replaceAll("\t", "    ").search(/\S/u)
    return this.itemColumn !== null && indent >= 2 && indent < this.itemColumn + 4
  }

  private title(text: string): void {
    this.leaveItem()
    this.heading = plain(text.replace(/\s*\{#[^{}\s]{1,80}\}\s*$/u, "")).replace(permalink, "")
    this.lead = ""
    this.at += 1
  }

  /** Reads the rest of a block that begins before the passage. */
  private continued(): void {
    this.block += 1
    const { context } = this
    if (context.startsWith("|")) this.rows(cells(context))
    else if (context.startsWith("```")) {
      const [tag = "", path = ""] = context.slice(3).split(" ", 2)
      const close = this.lines.findIndex(({ text }) => fence.test(text))
      const body = this.lines.slice(0, close < 0 ? this.lines.length : close)
      this.codeBlock(tag, body, body[0]?.start ?? 0, body.at(-1)?.end ?? 0, path)
      this.at = body.length + (close < 0 ? 0 : 1)
    } else this.lead = context
  }

  private frontMatter(): void {
    if (this.lines[0]?.text.trim() !== "---") return
    const close = this.lines.findIndex((line, index) => index > 0 && line.text.trim() === "---")
    if (close < 0 || close > 200) return
    for (const { end, key, start, value } of fieldsIn(this.lines.slice(1, close))) {
      // A description in front matter is a sentence about the document, not a field.
      this.heading = key.toLowerCase()
      if (/^(?:description|summary|abstract)$/iu.test(key))
        this.add("sentence", plain(unquoted(value)), start, end)
      else this.add("field", plain(`${key}: ${unquoted(value)}`), start, end)
    }
    this.heading = ""
    this.at = close + 1
  }

  private code(): void {
    const open = this.lines[this.at]
    const mark = fence.exec(open?.text ?? "")?.[1]
    if (open === undefined || mark === undefined) return
    let close = this.at + 1
    while (close < this.lines.length && !this.lines[close]?.text.trimStart().startsWith(mark)) close++
    const body = this.lines.slice(this.at + 1, close)
    const end = this.lines[Math.min(close, this.lines.length - 1)]?.end ?? open.end
    this.codeBlock(open.text.replace(/^[\s`~]+/u, "").trim(), body, open.start, end)
    this.at = close + 1
  }

  private codeBlock(tag: string, body: ReadonlyArray<Line>, start: number, end: number, above = ""): void {
    const lines = body.map((line) => line.text)
    this.add("code", (commandsIn(lines) ?? lines).join("\n").trim(), start, end)
    this.settings(tag, body, above)
  }

  private settings(tag: string, body: ReadonlyArray<Line>, above: string): void {
    const [first, last] = [body[0], body.at(-1)]
    if (first === undefined || last === undefined) return
    const block = this.source.slice(first.start, last.end)
    for (const { end, path, start, text } of settingsIn(tag, block, above)) {
      this.lead = path
      // Literal, like all code: apparent markup is not markup.
      this.add("setting", isShowable(text) ? text : plain(text), first.start + start, first.start + end)
    }
    this.lead = ""
  }

  private indented(): void {
    const from = this.at
    while (/^(?: {4}|\t)/u.test(this.lines[this.at]?.text ?? "")) this.at += 1
    const body = this.lines.slice(from, this.at)
    const text = body
      .map((line) => line.text.replace(/^(?: {4}|\t)/u, ""))
      // A fence within a list item.
      .filter((line, place) => !(fence.test(line) && (place === 0 || place === body.length - 1)))
      .join("\n")
      .trim()
    this.add(
      "code",
      commandsIn(text.split("\n"))?.join("\n") ?? text,
      body[0]?.start ?? 0,
      body.at(-1)?.end ?? 0
    )
  }

  private isTable(): boolean {
    const line = this.lines[this.at]?.text ?? ""
    if (!line.includes("|")) return false
    return line.trimStart().startsWith("|") || isTableRule(this.lines[this.at + 1]?.text ?? "")
  }

  private table(): void {
    const hasHeader = isTableRule(this.lines[this.at + 1]?.text ?? "")
    const header = hasHeader ? cells(this.lines[this.at]?.text ?? "") : []
    if (hasHeader) this.at += 2
    this.rows(header)
  }

  private rows(header: ReadonlyArray<string>): void {
    for (let line = this.lines[this.at]; line?.text.includes("|") === true; line = this.lines[this.at]) {
      if (!isTableRule(line.text)) {
        this.add("row", rowText(header, cells(line.text)), line.start, line.end)
      }
      this.at += 1
    }
    this.lead = ""
  }

  /** An HTML table has the same rows as one in Markdown; the cells of its first row with `<th>` are the header. */
  private htmlTable(): void {
    const from = this.lines[this.at]?.start ?? 0
    const close = this.source.toLowerCase().indexOf("</table", from)
    const end = close < 0 ? this.source.length : close
    while ((this.lines[this.at]?.start ?? end) < end) this.at += 1
    if (close >= 0 && (this.lines[this.at - 1]?.end ?? 0) < close) this.at += 1
    let header: ReadonlyArray<string> = []
    for (const row of this.source
      .slice(from, end)
      .split(/(?=<tr[\s>])/iu)
      .slice(1)) {
      const texts = row
        .split(/<t[dh][^<>]{0,500}>/iu)
        .slice(1)
        .map((cell) => plain(cell))
      if (/<th[\s>]/iu.test(row) && !/<td[\s>]/iu.test(row) && header.length === 0) header = texts
      else this.add("row", rowText(header, texts), from, end)
    }
    this.lead = ""
  }

  private list(): void {
    const lead = this.lead
    const whole = this.units.length
    const texts: Array<string> = []
    const above: Array<{ readonly indent: number; readonly text: string }> = []
    const from = this.lines[this.at]?.start ?? 0
    let end = from
    while (this.at < this.lines.length) {
      const first = this.lines[this.at]
      const mark = item.exec(first?.text ?? "")
      if (first === undefined || mark === null || isRule(first.text)) break
      const opened = this.at
      this.at += 1
      while (this.continuesItem()) this.at += 1
      end = this.lines[this.at - 1]?.end ?? end
      const from = first.start + mark[0].length
      const box = checkBox.exec(this.source.slice(from, end))
      const start = from + (box?.[0].length ?? 0)
      const done = box === null ? "" : box[1] === " " ? "[ ] " : "[x] "
      const words = plain(this.source.slice(start, end))
      const text = words === "" ? "" : done + words
      const indent = mark[1]?.length ?? 0
      this.itemColumn = mark[0].length
      this.opening = ""
      if (indent === 0) this.term = ""
      while ((above.at(-1)?.indent ?? -1) >= indent) above.pop()
      this.lead = [lead, ...above.slice(-leadItemsMax).map((parent) => parent.text)].join(" ").trim()
      above.push({ indent, text: text.slice(0, leadItemChars) })
      texts.push(text)
      // An entry of a table of contents names a section; what answers stands there.
      if (contentsEntry.test(this.source.slice(start, end))) texts.pop()
      else this.sentencesOf("item", start, end, done)
      this.skipBlankBeforeItem()
      if (this.at === opened) break
    }
    this.lead = lead
    const text = [lead, joinedItems(texts)].filter((one) => one !== "").join(" ")
    if (texts.length > 1 && text.length <= listMaxChars) {
      const unit = this.unit("list", text, from, end)
      this.units.splice(whole, 0, unit)
    }
    this.lead = ""
  }

  private continuesItem(): boolean {
    const text = this.lines[this.at]?.text
    if (text === undefined || text.trim() === "") return false
    return !item.test(text) && !heading.test(text) && !fence.test(text) && !isRule(text)
  }

  private skipBlankBeforeItem(): void {
    let next = this.at
    while (this.lines[next]?.text.trim() === "") next++
    if (item.test(this.lines[next]?.text ?? "")) this.at = next
  }

  private paragraph(): void {
    const from = this.at
    do this.at += 1
    while (this.continuesItem() && !this.isTable())
    const next = this.lines[this.at]?.text ?? ""
    const start = this.lines[from]?.start ?? 0
    const end = this.lines[this.at - 1]?.end ?? start
    if (/^ {0,3}(?:=+|-+)\s*$/u.test(next) && this.at === from + 1) {
      this.title(this.source.slice(start, end))
      return
    }
    if (this.definitions(from)) return
    const isDefinition = definition.test(this.lines[from]?.text ?? "")
    if (isDefinition) this.opening = ""
    const before = this.units.length
    const [first = start, ...others] = this.statements(from)
    const starts = [isDefinition ? this.source.indexOf(":", first) + 1 : first, ...others]
    if (isDefinition) this.itemColumn = definitionColumn
    this.lead = this.term
    for (const [at, opened] of starts.entries()) this.sentencesOf("sentence", opened, starts[at + 1] ?? end)
    const last = this.units.length > before ? this.units.at(-1) : undefined
    this.lead = last?.text.endsWith(":") === true || last?.text.endsWith("：") === true ? last.text : ""
  }

  /** Returns where the statements of a paragraph start: at its start, or at each line when its lines have labels. */
  private statements(from: number): ReadonlyArray<number> {
    const lines = this.lines.slice(from, this.at)
    const labelled = lines.filter(({ text }) => lineLabel.test(text))
    const starts = labelled.length < 2 ? [] : labelled.map(({ start }) => start)
    return [...new Set([lines[0]?.start ?? 0, ...starts])]
  }

  /** Handles a definition: a term with ": …" below it. */
  private definitions(from: number): boolean {
    const lines = this.lines.slice(from, this.at)
    const [term] = lines
    if (term === undefined || !definition.test(lines[1]?.text ?? "")) return false
    this.term = plain(term.text)
    this.lead = this.term
    this.itemColumn = definitionColumn
    this.opening = ""
    for (const [at, { start, text }] of lines.entries()) {
      if (!definition.test(text)) continue
      const next = lines.findIndex((line, index) => index > at && definition.test(line.text))
      const last = lines[next < 0 ? lines.length - 1 : next - 1]
      this.sentencesOf("sentence", start + text.indexOf(":") + 1, last?.end ?? start)
    }
    this.lead = ""
    return true
  }

  /** @param mark Put before the first sentence. */
  private sentencesOf(kind: "sentence" | "item", start: number, end: number, mark = ""): void {
    // The marks of a block quote and of a line break are markup; replacing them by blanks keeps the offsets.
    const text = this.source
      .slice(start, end)
      .replace(/^[ \t]*>+ ?|(?<=\n)[ \t]*>+ ?|^\[\^[^\]\n]{1,80}\]:|\\(?=\n|$)/gu, (mark) =>
        " ".repeat(mark.length)
      )
    const above = this.lead
    const label = boldLabel.exec(text)?.[2]
    if (label !== undefined) this.lead = [this.lead, plain(label)].join(" ").trim()
    let before = mark
    for (const span of sentences(text)) {
      const plainText = plain(text.slice(span.start, span.end))
      this.add(kind, plainText === "" ? "" : before + plainText, start + span.start, start + span.end)
      if ((kind === "item" || this.term !== "") && this.opening === "")
        this.opening = plainText.slice(0, leadItemChars)
      before = ""
    }
    this.lead = above
  }

  private unit(kind: TextUnit["kind"], text: string, start: number, end: number): TextUnit {
    const lead = kind === "code" || kind === "field" ? "" : this.lead
    const isOfItem = kind === "item" || (kind === "sentence" && this.itemColumn !== null)
    const opening = isOfItem ? this.opening : ""
    return { kind, text, start, end, block: this.block, heading: this.heading, lead, opening }
  }

  private add(kind: TextUnit["kind"], text: string, start: number, end: number): void {
    if (/[\p{L}\p{N}]/u.test(text)) this.units.push(this.unit(kind, text, start, end))
  }
}

/** The commands of a terminal session without what they print; undefined for other blocks. */
const commandsIn = (lines: ReadonlyArray<string>): ReadonlyArray<string> | undefined => {
  const isCommand = lines.map(
    (line, at) => /^\s*\$ \S/u.test(line) || (/\\$/u.test(lines[at - 1] ?? "") && at > 0)
  )
  return isCommand[0] === true ? lines.filter((_, at) => isCommand[at]) : undefined
}

const joinedItems = (items: ReadonlyArray<string>): string =>
  items
    .filter((one) => one !== "")
    .map((one, at, all) =>
      at === all.length - 1 ? one : /[.!?;:。！？]$/u.test(one) ? `${one} ` : `${one}; `
    )
    .join("")

/** The cells of a row with the headings of their columns. Two cells without headings are a label and its value. */
const rowText = (header: ReadonlyArray<string>, row: ReadonlyArray<string>): string => {
  const [label = "", value = ""] = row
  if (row.length === 2 && label !== "" && value !== "" && header.every((name) => name === ""))
    return `${label.replace(/\s*[:：]$/u, "")}: ${value}`
  return row
    .flatMap((cell, column) => (cell === "" ? [] : [header[column] ? `${header[column]}: ${cell}` : cell]))
    .join("; ")
}

/** Returns the cells of a table row; an escaped bar belongs to its cell. */
const cells = (row: string): ReadonlyArray<string> => {
  const inner = row
    .trim()
    .replace(/^\|/u, "")
    .replace(/(?<!\\)\|$/u, "")
  return inner.split(/(?<!\\)\|/u).map((cell) => plain(cell.replaceAll("\\|", "|")))
}
