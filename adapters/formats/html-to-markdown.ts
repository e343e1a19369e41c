import TurndownService from "turndown"
import { elementOf, type HtmlElement, type HtmlNode, selectAll } from "./dom.js"
import { addTables } from "./html-tables.js"

/** Turns the content of an element into Markdown. Images are left out. */
export const htmlToMarkdown = (root: HtmlElement): string => {
  const service = new TurndownService({
    headingStyle: "atx",
    bulletListMarker: "-",
    codeBlockStyle: "fenced",
    emDelimiter: "*",
    hr: "***"
  })
  const escape = service.escape.bind(service)
  // Brackets that begin no link and underscores within words need no backslash, and are searched without one. What
  // the page shows as `<guide>` is text; without a backslash a reader of Markdown takes it for HTML and drops it.
  service.escape = (text) =>
    escape(text)
      .replace(/<(?=[!/?a-z])/gi, "\\<")
      .replace(/\\\[([^[\]\\]*)\\\](?![([:])/g, "[$1]")
      .replace(/(?<=\w)\\_(?=\w)/g, "_")
  addTables(service)
  addLists(service)
  service.addRule("image", { filter: ["img"], replacement: () => "" })
  service.addRule("strikethrough", {
    filter: ["s", "del"],
    replacement: (content) => (content.trim() === "" ? "" : `~~${content}~~`)
  })
  service.addRule("checkbox", {
    filter: (node) => isCheckbox(elementOf(node)),
    replacement: (_content, node) => {
      const box = elementOf(node)
      const siblings = Array.from(box.parentNode?.childNodes ?? [])
      const after = siblings[siblings.indexOf(box) + 1]?.textContent ?? ""
      return `[${box.hasAttribute("checked") ? "x" : " "}]${/^\s/.test(after) ? "" : " "}`
    }
  })
  service.addRule("preformatted", {
    filter: ["pre"],
    replacement: (_content, node) => fenced(elementOf(node))
  })
  service.addRule("superscript", {
    filter: ["sup"],
    replacement: (content, node) => superscript(content, elementOf(node))
  })
  service.addRule("definitionTerm", {
    filter: ["dt"],
    replacement: (content) => `\n\n**${content.trim()}**\n\n`
  })
  service.addRule("emptyLink", {
    filter: (node) => isUselessLink(elementOf(node)),
    replacement: (content) => (/^(?:\s|\^|↑|↩|↵|⏎|\ufe0e|\ufe0f)+$/u.test(content) ? "" : content)
  })
  return service
    .turndown(root as unknown as Parameters<TurndownService["turndown"]>[0])
    .replace(/[ \t]+$/gm, (blanks) => (blanks === "  " ? blanks : ""))
    .replace(/\n{3,}/g, "\n\n")
    .replaceAll("\0", "")
    .trim()
}

/** The mark of a note in brackets; other numbers as exponents. */
const superscript = (content: string, node: HtmlElement): string => {
  const text = content.trim()
  const isNote = node.parentNode?.nodeName === "A" || selectAll(node, "a").length > 0
  if (isNote) return /^\[.*\]$/.test(text) ? ` ${text}` : ` [${text}]`
  return /^[\d+-]+$/.test(text) ? `^${text}` : content
}

const addLists = (service: TurndownService): void => {
  service.addRule("listItem", {
    filter: ["li"],
    replacement: (content, node) => {
      const item = elementOf(node)
      const list = item.parentNode
      const prefix = list?.nodeName === "OL" ? `${numberOf(item, list)}. ` : "- "
      const lines = content.trim().split("\n")
      const indent = " ".repeat(prefix.length)
      return `${prefix}${lines.map((line, at) => (at === 0 || line === "" ? line : indent + line)).join("\n")}\n`
    }
  })
}

const numberOf = (item: HtmlElement, list: HtmlElement): number => {
  const numberIn = (element: HtmlElement, attribute: string): number | null => {
    const number = Number.parseInt(element.getAttribute(attribute) ?? "", 10)
    return Number.isNaN(number) || number < 0 ? null : number
  }
  const items = Array.from(list.children).filter(({ nodeName }) => nodeName === "LI")
  return items
    .slice(0, items.indexOf(item) + 1)
    .reduce((before, one) => numberIn(one, "value") ?? before + 1, (numberIn(list, "start") ?? 1) - 1)
}

const isCheckbox = (node: HtmlElement): boolean =>
  node.nodeName === "INPUT" && node.getAttribute("type")?.toLowerCase() === "checkbox"

/** A link without text, to a script, or to a place in the same page leads nowhere in a Markdown file. */
const isUselessLink = (link: HtmlElement): boolean => {
  if (link.nodeName !== "A") return false
  const address = (link.getAttribute("href") ?? "").trim()
  return (link.textContent ?? "").trim() === "" || /^(?:$|#|javascript:|data:|vbscript:)/i.test(address)
}

const fenced = (pre: HtmlElement): string => {
  const text = codeText(pre).replace(/^\n|\s+$/g, "")
  if (text.trim() === "") return ""
  const longest = Math.max(2, ...Array.from(text.matchAll(/`+/g), ([ticks]) => ticks.length))
  const fence = "`".repeat(longest + 1)
  return `\n\n${fence}${languageOf(pre)}\n${text}\n${fence}\n\n`
}

/** Lines that are elements of their own, as highlighters make them, end with a line break. */
const codeText = (node: HtmlNode): string =>
  node.nodeType === 3
    ? (node.textContent ?? "")
    : node.nodeName === "BR"
      ? "\n"
      : Array.from(node.childNodes, codeText).join("")

const languageOf = (pre: HtmlElement): string => {
  const classes = [pre.querySelector("code"), pre, pre.parentNode]
    .map((node) => node?.className ?? "")
    .join(" ")
  const named =
    /(?:^|\s)(?:language|lang|brush|highlight(?:-source|-text)?|sourceCode)[-:\s]+([\w+#-]+)/i.exec(classes)
  return named?.[1]?.toLowerCase() ?? ""
}
