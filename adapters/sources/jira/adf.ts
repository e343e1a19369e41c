/** Texts in the Atlassian Document Format, by way of HTML to Markdown. Runs in the child process. */
import { convertFragment } from "../../formats/html.js"
import { escapeHtml } from "../../formats/xml.js"

export interface AdfText {
  readonly markdown: string
  /** Images and files that were left out. */
  readonly mediaCount: number
  /** Whether the text is too long or too deep to be read whole. */
  readonly isCut: boolean
}

interface AdfNode {
  readonly type?: unknown
  readonly text?: unknown
  readonly content?: unknown
  readonly marks?: unknown
  readonly attrs?: unknown
}

const [nodesMax, depthMax] = [20_000, 60]

/** Reads documents of the format, each as a text of its own. What is none becomes the empty text. */
export const readAdf = (documents: ReadonlyArray<unknown>): ReadonlyArray<AdfText> =>
  documents.map((document) => {
    const state = { nodes: 0, mediaCount: 0, isCut: false }
    const html = htmlOf(document, state, 0)
    const { isCut, mediaCount } = state
    return { markdown: html === "" ? "" : convertFragment(html), mediaCount, isCut }
  })

interface State {
  nodes: number
  mediaCount: number
  isCut: boolean
}

const isNode = (value: unknown): value is AdfNode => typeof value === "object" && value !== null

const htmlOf = (value: unknown, state: State, depth: number): string => {
  state.nodes += 1
  state.isCut ||= state.nodes > nodesMax || depth > depthMax
  if (!isNode(value) || state.nodes > nodesMax || depth > depthMax) return ""
  const attributes = isNode(value.attrs) ? (value.attrs as Readonly<Record<string, unknown>>) : {}
  const attribute = (name: string): string => {
    const found = attributes[name]
    return typeof found === "string" || typeof found === "number" ? String(found) : ""
  }
  const inner = (): string =>
    Array.isArray(value.content) ? value.content.map((one) => htmlOf(one, state, depth + 1)).join("") : ""
  const within = (tag: string): string => `<${tag}>${inner()}</${tag}>`
  switch (value.type) {
    case "text":
      return marked(escapeHtml(String(value.text ?? "")), value.marks)
    case "hardBreak":
      return "<br>"
    case "paragraph":
      return within("p")
    case "heading": {
      const level = Number(attribute("level"))
      // Below the heading of the issue.
      return within(`h${Math.min(6, Math.max(1, Number.isInteger(level) ? level : 1) + 1)}`)
    }
    case "bulletList":
    case "taskList":
    case "decisionList":
      return within("ul")
    case "orderedList":
      return `<ol start="${Number(attribute("order")) || 1}">${inner()}</ol>`
    case "listItem":
    case "decisionItem":
      // The first paragraph stands on the line of the mark, as in lists without gaps.
      return within("li").replace(/^<li><p>(.*?)<\/p>/s, "<li>$1")
    case "taskItem":
      return `<li><input type="checkbox"${attribute("state") === "DONE" ? " checked" : ""}> ${inner()}</li>`
    case "codeBlock":
      return `<pre><code class="language-${escapeHtml(attribute("language"))}">${inner()}</code></pre>`
    case "blockquote":
    case "panel":
      return within("blockquote")
    case "expand":
    case "nestedExpand":
      return `<p><strong>${escapeHtml(attribute("title"))}</strong></p>${inner()}`
    case "rule":
      return "<hr>"
    case "table":
      return within("table")
    case "tableRow":
      return within("tr")
    case "tableHeader":
    case "tableCell": {
      const tag = value.type === "tableHeader" ? "th" : "td"
      const span = (name: string) =>
        Number(attribute(name)) > 1 ? ` ${name}="${Number(attribute(name))}"` : ""
      return `<${tag}${span("colspan")}${span("rowspan")}>${inner()}</${tag}>`
    }
    case "mention":
    case "status":
      return escapeHtml(attribute("text"))
    case "emoji":
      return escapeHtml(attribute("text") || attribute("shortName"))
    case "date": {
      const date = new Date(Number(attribute("timestamp")))
      return Number.isNaN(date.getTime()) ? "" : date.toISOString().slice(0, 10)
    }
    case "inlineCard":
    case "blockCard":
    case "embedCard": {
      const url = attribute("url")
      const link = linked(escapeHtml(url), url)
      return value.type === "inlineCard" ? link : `<p>${link}</p>`
    }
    case "media":
    case "mediaInline":
      state.mediaCount += 1
      return ""
    default:
      return inner()
  }
}

const tags: Readonly<Record<string, string>> = { strong: "strong", em: "em", code: "code", strike: "s" }

const marked = (html: string, marks: unknown): string => {
  if (!Array.isArray(marks)) return html
  let text = html
  // Code is the innermost, whatever the order of the marks.
  for (const mark of [...marks].sort((a, b) => Number(b?.type === "code") - Number(a?.type === "code"))) {
    if (!isNode(mark)) continue
    const attributes = isNode(mark.attrs) ? (mark.attrs as Readonly<Record<string, unknown>>) : {}
    const tag = tags[String(mark.type)]
    if (tag !== undefined) text = `<${tag}>${text}</${tag}>`
    else if (mark.type === "link") text = linked(text, String(attributes["href"] ?? ""))
    else if (mark.type === "subsup") {
      const place = attributes["type"] === "sub" ? "sub" : "sup"
      text = `<${place}>${text}</${place}>`
    }
  }
  return text
}

const linked = (html: string, href: string): string =>
  /^(?:https?:|mailto:)/i.test(href) ? `<a href="${escapeHtml(href)}">${html}</a>` : html
