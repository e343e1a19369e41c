import TurndownService from "turndown"
import { type HtmlElement, type HtmlNode, selectAll } from "./dom.js"
import { markdownCell, markdownTable } from "./table.js"

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
    filter: (node) => isCheckbox(node as unknown as HtmlElement),
    replacement: (_content, node) => {
      const box = node as unknown as HtmlElement
      const siblings = Array.from(box.parentNode?.childNodes ?? [])
      const after = siblings[siblings.indexOf(box) + 1]?.textContent ?? ""
      return `[${box.hasAttribute("checked") ? "x" : " "}]${/^\s/.test(after) ? "" : " "}`
    }
  })
  service.addRule("preformatted", {
    filter: ["pre"],
    replacement: (_content, node) => fenced(node as unknown as HtmlElement)
  })
  service.addRule("superscript", {
    filter: ["sup"],
    replacement: (content, node) => superscript(content, node as unknown as HtmlElement)
  })
  service.addRule("definitionTerm", {
    filter: ["dt"],
    replacement: (content) => `\n\n**${content.trim()}**\n\n`
  })
  service.addRule("emptyLink", {
    filter: (node) => isUselessLink(node as unknown as HtmlElement),
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
      const item = node as unknown as HtmlElement
      const list = item.parentNode
      const prefix = list?.nodeName === "OL" ? `${numberOf(item, list)}. ` : "- "
      const lines = content.trim().split("\n")
      const indent = " ".repeat(prefix.length)
      return `${prefix}${lines.map((line, at) => (at === 0 || line === "" ? line : indent + line)).join("\n")}\n`
    }
  })
}

const numberOf = (item: HtmlElement, list: HtmlElement): number => {
  const start = Number.parseInt(list.getAttribute("start") ?? "1", 10)
  const place = Array.from(list.children)
    .filter(({ nodeName }) => nodeName === "LI")
    .indexOf(item)
  return (Number.isNaN(start) || start < 0 ? 1 : start) + place
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

/** Tables become GitHub tables; those of one column, and those that hold tables, are layout and become text. */
const addTables = (service: TurndownService): void => {
  const contents = new Map<HtmlNode, string>()
  service.addRule("tableCell", {
    filter: ["td", "th"],
    replacement: (content, node) => {
      contents.set(node as unknown as HtmlNode, content.trim())
      return `\n\n${content}\n\n`
    }
  })
  service.addRule("tableCaption", {
    filter: ["caption"],
    replacement: (content) => `\n\n${content.trim()}\n\n`
  })
  service.addRule("table", {
    filter: ["table"],
    replacement: (content, node) => {
      const table = node as unknown as HtmlElement
      const isLayout =
        selectAll(table, "table").length > 0 || table.getAttribute("role")?.toLowerCase() === "presentation"
      const rows = isLayout ? [] : rowsOf(table, contents)
      if (Math.max(0, ...rows.map((row) => row.length)) < 2) return `\n\n${content}\n\n`
      const caption = (selectAll(table, "caption")[0]?.textContent ?? "").replace(/\s+/g, " ").trim()
      return `\n\n${caption === "" ? "" : `${caption}\n\n`}${markdownTable(rows)}\n\n`
    }
  })
}

const spanMax = 100

/** The cells of a table as a grid: a cell that spans rows or columns stands in its first place, the others are empty. */
const rowsOf = (table: HtmlElement, contents: ReadonlyMap<HtmlNode, string>): Array<Array<string>> => {
  const grid: Array<Array<string>> = []
  const head = selectAll(table, "thead tr")
  const rest = selectAll(table, "tr").filter((row) => !head.includes(row))
  const rows = [...head, ...rest]
  for (const [at, row] of rows.entries()) {
    const cells = Array.from(row.children).filter(({ nodeName }) => nodeName === "TD" || nodeName === "TH")
    let column = 0
    for (const cell of cells) {
      while (grid[at]?.[column] !== undefined) column += 1
      const [across, down] = [spanOf(cell, "colspan"), spanOf(cell, "rowspan")]
      for (let y = 0; y < down && at + y < rows.length; y++)
        for (let x = 0; x < across; x++) {
          const line = grid[at + y] ?? []
          grid[at + y] = line
          line[column + x] = x === 0 && y === 0 ? markdownCell(contents.get(cell) ?? "") : ""
        }
      column += across
    }
  }
  return grid
    .map((row) => Array.from(row ?? [], (cell) => cell ?? ""))
    .filter((row) => row.some((cell) => cell !== ""))
}

const spanOf = (cell: HtmlElement, name: string): number => {
  const span = Number.parseInt(cell.getAttribute(name) ?? "1", 10)
  return Number.isNaN(span) ? 1 : Math.min(spanMax, Math.max(1, span))
}
