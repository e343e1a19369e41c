import { Readability } from "@mozilla/readability"
import type { ConvertibleFile } from "../../core/files/documents/index.js"
import { type Conversion, isoDate } from "./converted.js"
import { decodeText } from "./decode-text.js"
import { type HtmlDocument, type HtmlElement, type HtmlNode, parseHtml, selectAll } from "./dom.js"
import { type FormulaNode, formulaText } from "./formulas.js"
import {
  countedAttribute,
  htmlToMarkdown,
  scriptAttribute,
  standsApart,
  struckAttribute
} from "./html-to-markdown.js"
import { plainHtml } from "./plain-text.js"

/** Converts an HTML file: the main content of a page, or all of a fragment. */
export const convertHtml = ({ bytes, ...options }: ConvertibleFile): Conversion =>
  convertDocument(readHtml(bytes), options)

/**
 * Parses the bytes of an HTML file.
 *
 * @param charset The encoding that the server tells, where it does.
 */
export const readHtml = (bytes: Uint8Array, charset: string | null = null): HtmlDocument =>
  parseHtml(decodeText(bytes, charset ?? charsetOf(bytes)))

/** Converts a parsed HTML file, and changes it. */
export const convertDocument = (
  document: HtmlDocument,
  { baseUrl, html = "page" }: Pick<ConvertibleFile, "baseUrl" | "html">
): Conversion => {
  const meta = metadataOf(document)
  markStyled(document)
  const imagesSkipped = removeUnseen(document)
  if (baseUrl !== undefined) resolveLinks(document, baseUrl)
  const root = html === "page" ? mainContent(document) : document.body
  const { markdown, plain } = bothWays(root)
  const heading =
    html === "page" && meta.title !== null && !/^# /m.test(markdown) ? `# ${meta.title}\n\n` : ""
  return { ...meta, markdown: markdown === "" ? "" : heading + markdown, plain, imagesSkipped }
}

/** HTML that another converter made, as Markdown. */
export const convertFragment = (html: string | HtmlDocument): string => readFragment(html).markdown

/** Reads HTML of which everything is content, in both ways. `styles` is a style sheet that marks its text. */
export const readFragment = (html: string | HtmlDocument, styles = "") => {
  const document = typeof html === "string" ? parseHtml(`<body>${html}</body>`) : html
  markStyled(document, styles)
  removeUnseen(document, styles)
  return bothWays(document.body)
}

/** The plain text comes first, since the way to Markdown changes the document. */
const bothWays = (root: HtmlElement) => {
  const plain = plainHtml(root, standsApart)
  return { plain, markdown: htmlToMarkdown(root) }
}

/** The encoding that a page declares in its first kilobyte. */
const charsetOf = (bytes: Uint8Array): string | null => {
  const start = Buffer.from(bytes.buffer, bytes.byteOffset, Math.min(1024, bytes.byteLength)).toString(
    "latin1"
  )
  return (
    /<meta[^>]+charset\s*=\s*["']?\s*([\w-]+)/i.exec(start)?.[1] ??
    /^<\?xml[^>]+encoding=["']([\w-]+)/i.exec(start)?.[1] ??
    null
  )
}

const metadataOf = (document: HtmlDocument) => {
  const meta = (...names: ReadonlyArray<string>): string | null => {
    for (const name of names) {
      const found = document
        .querySelector(`meta[name="${name}"],meta[property="${name}"]`)
        ?.getAttribute("content")
      if (found !== undefined && found !== null && found.trim() !== "") return found.trim()
    }
    return null
  }
  const title = (document.querySelector("title")?.textContent ?? "").replace(/\s+/g, " ").trim()
  return {
    title: meta("og:title") ?? (title === "" ? null : title),
    author: meta("author", "article:author", "dc.creator"),
    createdAt: isoDate(meta("article:published_time", "date", "dc.date", "dcterms.created")),
    modifiedAt: isoDate(meta("article:modified_time", "last-modified", "dcterms.modified"))
  }
}

const neverText =
  "script,style,template,noscript,iframe,object,embed,svg,canvas,video,audio,select,button,datalist,input:not([type=checkbox]),textarea,head,title,link,meta"

/** Removes what a reader of the page does not see; gives how many images there were. */
const removeUnseen = (document: HtmlDocument, styles = ""): number => {
  for (const selector of selectorsOf(`${sheetsOf(document)}\n${styles}`, isHiddenStyle))
    for (const element of selectAll(document, selector))
      if (!isAnswer(element) && !isNote(element)) remove(element, document)
  const hidden = "[hidden],[aria-hidden=true],dialog:not([open]),[style]"
  for (const element of selectAll(document.body, hidden))
    if (
      !element.hasAttribute("style") ||
      element.hasAttribute("hidden") ||
      isHiddenStyle(element.getAttribute("style") ?? "") ||
      element.getAttribute("aria-hidden") === "true"
    )
      remove(element, document)
  // Numbers of the pages of a printed edition, which stand within words.
  for (const element of selectAll(document.body, "span,a,div,hr,[role]"))
    if (isPageBreak(element)) remove(element, document)
  const images = selectAll(document.body, "img,svg,picture > source").filter(
    ({ nodeName }) => nodeName !== "SOURCE"
  ).length
  writeFormulas(document)
  keepQuestions(document)
  for (const element of selectAll(document, neverText)) remove(element, document)
  return images
}

/** Whether an element is a note of a book, which opens at its mark. */
const isNote = (element: HtmlElement): boolean =>
  /note/.test(element.getAttribute("epub:type") ?? "") || /note$/.test(element.getAttribute("role") ?? "")

const isPageBreak = (element: HtmlElement): boolean =>
  /(?:^|\s)pagebreak(?:\s|$)/.test(element.getAttribute("epub:type") ?? "") ||
  element.getAttribute("role") === "doc-pagebreak"

/** Whether an element that a style sheet hides opens below a question: its heading, button or term stands before it. */
const isAnswer = (element: HtmlElement): boolean => {
  const siblings = Array.from(element.parentNode?.children ?? [])
  const before = siblings[siblings.indexOf(element) - 1]
  if (before === undefined || (element.textContent ?? "").trim() === "") return false
  const opener = /^(?:H[1-6]|BUTTON|SUMMARY|DT|LABEL)$/
  return (
    opener.test(before.nodeName) || selectAll(before, "button,[aria-expanded],h1,h2,h3,h4,h5,h6").length > 0
  )
}

/** Puts formulas on one line of text; TeX where the page holds it. */
const writeFormulas = (document: HtmlDocument): void => {
  for (const math of selectAll(document.body, "math")) {
    const tex = selectAll(math, "annotation").find((one) => /tex/i.test(one.getAttribute("encoding") ?? ""))
    math.replaceWith((tex?.textContent ?? formulaText(formulaOf(math))).trim())
  }
}

const formulaOf = (element: HtmlElement): FormulaNode => ({
  name: element.nodeName.toLowerCase(),
  text: element.textContent ?? "",
  children: Array.from(element.children, formulaOf),
  attribute: (name) => element.getAttribute(name)
})

/** Keeps the text of buttons that are questions, whose answers open below them. */
const keepQuestions = (document: HtmlDocument): void => {
  for (const button of selectAll(
    document.body,
    "button[aria-expanded],button[aria-controls],h1 button,h2 button,h3 button,h4 button,dt button"
  ))
    button.replaceWith(...Array.from(button.childNodes))
}

const remove = (element: HtmlElement, document: HtmlDocument): void => {
  if (element !== document.body && element !== document.documentElement) element.remove()
}

const isHiddenStyle = (style: string): boolean =>
  /(?:^|[;{\s])(?:display\s*:\s*none|visibility\s*:\s*(?:hidden|collapse)|mso-hide\s*:\s*all)/i.test(style)

const selectorsMax = 500

const sheetsOf = (document: HtmlDocument): string =>
  selectAll(document, "style")
    .filter((sheet) => !/\bprint\b/i.test(sheet.getAttribute("media") ?? ""))
    .map((sheet) => sheet.textContent ?? "")
    .join("\n")

/** Selectors of style sheets whose style is of a kind. */
const selectorsOf = (sheets: string, isOfKind: (style: string) => boolean): ReadonlyArray<string> =>
  rulesOf(sheets)
    .flatMap(([selector, style]) => (isOfKind(style) ? [selector] : []))
    .slice(0, selectorsMax)

/** Selectors of style sheets with their styles, without those of states and of places among others. */
const rulesOf = (sheets: string): ReadonlyArray<readonly [selector: string, style: string]> => {
  // Styles within a condition are ignored, since they may not apply.
  const plain = sheets
    .slice(0, 1_000_000)
    .replace(/\/\*[\s\S]*?\*\//g, "")
    .replace(/@[^{};]*\{(?:[^{}]*\{[^{}]*\})*[^{}]*\}/g, "")
  return Array.from(plain.matchAll(/([^{};]{1,500})\{([^{}]*)\}/g)).flatMap(
    ([, selector = "", style = ""]) => (/[:>~+]/.test(selector) ? [] : [[selector.trim(), style] as const])
  )
}

/** Smaller text that is moved up or down, as Writer raises and lowers it in books. */
const moved = (where: string): RegExp =>
  new RegExp(
    `^(?=[\\s\\S]*position\\s*:\\s*relative)(?=[\\s\\S]*font-size\\s*:\\s*(?:0?\\.\\d|[1-9]\\d?(?:\\.\\d+)?%))[\\s\\S]*(?:^|[;{\\s])${where}`,
    "i"
  )

/** Styles that change what text says, with the attribute that keeps each. */
const markingStyles = [
  [moved("(?:top\\s*:\\s*-[\\d.]|bottom\\s*:\\s*[\\d.])"), scriptAttribute, "raised"],
  [moved("(?:top\\s*:\\s*(?:[1-9]|0?\\.\\d)|bottom\\s*:\\s*-)"), scriptAttribute, "lowered"],
  [/vertical-align\s*:\s*super\b/i, scriptAttribute, "raised"],
  [/vertical-align\s*:\s*sub\b/i, scriptAttribute, "lowered"],
  [/text-decoration(?:-line)?\s*:[^;]*\bline-through\b/i, struckAttribute, ""]
] as const

const countingStyle = /list-style(?:-type)?\s*:[^;}]*?\b((?:lower|upper)-(?:alpha|latin|roman)|decimal)\b/i

const inlineNames =
  /^(?:A|ABBR|B|BIG|CITE|CODE|DEL|EM|FONT|I|INS|KBD|LABEL|MARK|Q|SAMP|SMALL|SPAN|STRONG|SUB|SUP|TIME|TT|U|VAR)$/

/** Marks elements that styles raise, lower or strike, while the style sheets are still there. */
const markStyled = (document: HtmlDocument, styles = ""): void => {
  const sheets = `${sheetsOf(document)}\n${styles}`
  const inline = selectAll(document.body, "[style]")
  for (const [pattern, attribute, value] of markingStyles) {
    const byClass = pattern.test(sheets) ? selectorsOf(sheets, (style) => pattern.test(style)) : []
    const styled = inline.filter((element) => pattern.test(element.getAttribute("style") ?? ""))
    for (const element of [...byClass.flatMap((one) => selectAll(document.body, one)), ...styled])
      if (inlineNames.test(element.nodeName)) element.setAttribute(attribute, value)
      else if (attribute === struckAttribute && !selectAll(element, "*").some(isBlock))
        element.innerHTML = `<s>${element.innerHTML}</s>`
  }
  partBoxes(document, sheets)
  if (!countingStyle.test(sheets)) return
  for (const [selector, style] of rulesOf(sheets)) {
    const counting = countingStyle.exec(style)?.[1]
    if (counting === undefined) continue
    for (const list of selectAll(document.body, selector))
      if (list.nodeName === "OL") list.setAttribute(countedAttribute, counting.toLowerCase())
  }
}

/** Styles whose elements stand apart from their neighbours, and styles whose children do. */
const [boxStyle, rowStyle] = [
  /display\s*:\s*(?:block|flex|grid|table(?:-row|-cell)?|list-item)\b/i,
  /display\s*:\s*(?:inline-)?(?:flex|grid)\b/i
]

/** Puts a blank between numbers that only styles keep apart: `<span>12</span><span>50</span>` in a row of boxes. */
const partBoxes = (document: HtmlDocument, sheets: string): void => {
  const touching = selectAll(document.body, "span,b,strong,em,i,label,small,time,a,u,data").filter(
    ({ previousSibling, textContent }) =>
      previousSibling?.nodeType === 1 &&
      /^\d/.test(textContent ?? "") &&
      /\d$/.test(previousSibling.textContent ?? "")
  )
  if (touching.length === 0) return
  const styledAs = (pattern: RegExp): ReadonlySet<HtmlNode> =>
    new Set([
      ...selectAll(document.body, "[style]").filter((one) => pattern.test(one.getAttribute("style") ?? "")),
      ...selectorsOf(sheets, (style) => pattern.test(style)).flatMap((one) => selectAll(document.body, one))
    ])
  const [boxes, rows] = [styledAs(boxStyle), styledAs(rowStyle)]
  for (const element of touching) {
    const { parentNode, previousSibling } = element
    const isApart =
      boxes.has(element) ||
      (previousSibling !== null && boxes.has(previousSibling)) ||
      (parentNode !== null && rows.has(parentNode))
    if (isApart) element.innerHTML = ` ${element.innerHTML}`
  }
}

const isBlock = ({ nodeName }: HtmlElement): boolean => !inlineNames.test(nodeName) && nodeName !== "BR"

const resolveLinks = (document: HtmlDocument, baseUrl: string): void => {
  for (const link of selectAll(document.body, "a[href]")) {
    const resolved = URL.parse(link.getAttribute("href") ?? "", baseUrl)
    if (resolved !== null) link.setAttribute("href", resolved.href)
  }
}

const boilerplate =
  "nav,[role=navigation],[role=banner],[role=contentinfo],[role=search],[role=complementary],[role=alert],[role=dialog],body > header,body > footer,body > aside,body > div > header,body > div > footer,form[role=search]"

/** Share of a page's text that an extraction must keep to be trusted, and characters from which on it is tried. */
const trustedShare = 0.5
const readableFrom = 1500

/** The main content: what the page marks as such, else what Readability finds, else all but the navigation. */
const mainContent = (document: HtmlDocument): HtmlElement => {
  for (const element of selectAll(document.body, boilerplate)) element.remove()
  const marked = selectAll(document.body, "main,[role=main]")
  if (marked.length === 1 && lengthOf(marked[0]) > 0) return marked[0] ?? document.body
  const articles = selectAll(document.body, "article").filter((one) => one.parentNode?.nodeName !== "ARTICLE")
  const all = lengthOf(document.body)
  if (articles.length === 1 && lengthOf(articles[0]) > all * trustedShare) return articles[0] ?? document.body
  if (all < readableFrom) return document.body
  const readable = readableContent(document)
  return readable !== null && lengthOf(readable) > all * trustedShare ? readable : document.body
}

const elementsMax = 50_000

const readableContent = (document: HtmlDocument): HtmlElement | null => {
  try {
    // Readability changes the document that it reads.
    const copy = parseHtml(document.documentElement.innerHTML)
    const article = new Readability(copy as unknown as ConstructorParameters<typeof Readability>[0], {
      maxElemsToParse: elementsMax,
      keepClasses: true
    }).parse()
    return article?.content === undefined || article.content === null ? null : parseHtml(article.content).body
  } catch {
    return null
  }
}

const lengthOf = (element: HtmlElement | undefined): number =>
  (element?.textContent ?? "").replace(/\s+/g, " ").length
