import TurndownService from "turndown"
import { elementOf, type HtmlElement, type HtmlNode, selectAll } from "./dom.js"
import { addTables } from "./html-tables.js"
import { type Counting, countText, labelAttribute } from "./list-labels.js"
import { noteMark, type Script, scriptText, struckText } from "./text-marks.js"

/** Attributes that say of elements what their styles do: the text is raised, lowered or struck. */
export const [scriptAttribute, struckAttribute, countedAttribute] = [
  "data-script",
  "data-struck",
  "data-counted"
]

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
    filter: (node) => isStruck(elementOf(node)),
    replacement: struckText
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
  service.addRule("reading", {
    filter: ["rt"],
    replacement: (content, node) =>
      elementOf(node).parentNode?.querySelector("rp") == null ? ` (${content.trim()})` : content
  })
  // Turndown takes these for parts of a line.
  service.addRule("box", {
    filter: ["details", "summary", "legend", "dialog"],
    replacement: (content) => `\n\n${content.trim()}\n\n`
  })
  markDefinitions(root)
  service.addRule("term", {
    filter: ["dt"],
    replacement: (content, node) => {
      const term = content.trim()
      return elementOf(node).hasAttribute(definedAttribute)
        ? `\n\n${term}\n`
        : `\n\n**${term.replaceAll("**", "")}**\n\n`
    }
  })
  service.addRule("definition", {
    filter: (node) => isDefinition(elementOf(node)),
    replacement: (content) => `\n: ${content.trim().replace(/\n(?=.)/g, "\n    ")}\n`
  })
  service.addRule("emptyLink", {
    filter: (node) => isUselessLink(elementOf(node)),
    replacement: (content) => (/^(?:\s|\^|↑|↩|↵|⏎|\ufe0e|\ufe0f)+$/u.test(content) ? "" : content)
  })
  service.addRule("script", {
    filter: (node) => scriptOf(elementOf(node)) !== "plain",
    replacement: (content, node) => withScript(content, elementOf(node))
  })
  service.addRule("noteReference", {
    filter: (node) => isNoteReference(elementOf(node)),
    replacement: (content, node) => markOf(elementOf(node)) ?? content
  })
  joinNeighbours(root)
  return service
    .turndown(root as unknown as Parameters<TurndownService["turndown"]>[0])
    .replace(/[ \t]+$/gm, (blanks) => (blanks === "  " ? blanks : ""))
    .replace(/\n{3,}/g, "\n\n")
    .replaceAll("\0", "")
    .trim()
}

/** Set on a term and its definitions where both can be written as a definition of Markdown. */
const definedAttribute = "data-defined"

const isDefinition = (element: HtmlElement): boolean =>
  element.nodeName === "DD" && element.hasAttribute(definedAttribute)

/** Marks definitions that are text; lists, tables and code stay blocks of their own below a term in bold. */
const markDefinitions = (root: HtmlElement): void => {
  for (const definition of selectAll(root, "dd")) {
    const before = definition.previousElementSibling
    if (before === null || (before.nodeName !== "DT" && !isDefinition(before))) continue
    if ((definition.textContent ?? "").trim() === "") continue
    if (selectAll(definition, "ul,ol,dl,table,pre,blockquote,h1,h2,h3,h4,h5,h6").length > 0) continue
    before.setAttribute(definedAttribute, "")
    definition.setAttribute(definedAttribute, "")
  }
}

/** Joins elements that stand side by side with the same mark: programs cut `10⁻³` into a raised sign and a raised digit. */
const joinNeighbours = (root: HtmlElement): void => {
  for (const first of selectAll(root, `sup,sub,s,del,strike,[${scriptAttribute}],[${struckAttribute}]`)) {
    if (first.previousSibling !== null && isSameMark(first.previousSibling, first)) continue
    const others: Array<HtmlElement> = []
    for (let next = first.nextSibling; next !== null && isSameMark(first, next); next = next.nextSibling)
      others.push(elementOf(next))
    if (others.length === 0) continue
    first.innerHTML += others.map(({ innerHTML }) => innerHTML).join("")
    for (const other of others) other.remove()
  }
}

/** Whether two neighbours have the same mark; those that lead to notes stay apart. */
const isSameMark = (a: HtmlNode, b: HtmlNode): boolean => {
  const [first, second] = [elementOf(a), elementOf(b)]
  const isPlain = (one: HtmlElement) => scriptOf(one) === "plain" && !isStruck(one)
  return (
    first.nodeType === 1 &&
    second.nodeType === 1 &&
    !isPlain(first) &&
    scriptOf(first) === scriptOf(second) &&
    isStruck(first) === isStruck(second) &&
    [first, second].every((one) => !isNoteReference(one) && selectAll(one, "a").length === 0)
  )
}

/** How the text of an element stands beside the numbers before and after it; null where it belongs to them. */
export const standsApart = (node: HtmlNode): "raised" | "lowered" | "apart" | null => {
  const script = scriptOf(elementOf(node))
  if (script !== "plain") return script
  return node.nodeName === "A" || isNoteReference(elementOf(node)) ? "apart" : null
}

const isStruck = (node: HtmlElement): boolean =>
  /^(?:S|DEL|STRIKE)$/.test(node.nodeName) || (node.nodeType === 1 && node.hasAttribute(struckAttribute))

const scriptOf = (node: HtmlElement): Script => {
  if (node.nodeName === "SUP") return "raised"
  if (node.nodeName === "SUB") return "lowered"
  const script = node.nodeType === 1 ? node.getAttribute(scriptAttribute) : null
  return script === "raised" || script === "lowered" ? script : "plain"
}

const withScript = (content: string, node: HtmlElement): string => {
  // An element in another one is raised once.
  if (scriptsAbove(node)) return content
  const isNote =
    node.nodeName === "A" ||
    node.parentNode?.nodeName === "A" ||
    selectAll(node, "a").length > 0 ||
    isNoteReference(node)
  if (isNote && scriptOf(node) === "raised") {
    // The link around it, or within it, writes the same mark.
    const mark = markOf(node)
    if (mark !== null) return mark
    return /^\[.*\]$/.test(content.trim()) ? ` ${content.trim()}` : ` [${content.trim()}]`
  }
  return scriptText(scriptOf(node), content, { ...around(node), plain: node.textContent ?? "" })
}

const scriptsAbove = (node: HtmlElement): boolean =>
  [node.parentNode, node.parentNode?.parentNode].some(
    (above) => above !== null && above !== undefined && scriptOf(above) !== "plain"
  )

const markOf = (node: HtmlElement): string | null => {
  const { after, before } = around(node)
  return noteMark(node.textContent ?? "", before, after)
}

/** Whether an element leads to a note by its role, its type in books, or a class that common programs give. */
const isNoteReference = (node: HtmlElement): boolean => {
  if (!/^(?:A|SUP|SPAN)$/.test(node.nodeName)) return false
  const words = (name: string) => (node.getAttribute(name) ?? "").toLowerCase().split(/\s+/)
  const isOne =
    words("epub:type").includes("noteref") ||
    words("role").includes("doc-noteref") ||
    words("class").some((name) => noteClass.test(name))
  return isOne && (node.textContent ?? "").trim() !== ""
}

const noteClass =
  /^(?:(?:foot|end)?note-?_?(?:ref|reference|anchor|call|link|marker)|fn-?ref|sd(?:foot|end)noteanc|footnote-?ref(?:erence)?)$/

/** The text that stands before and after an element in its block. */
const around = (node: HtmlElement): { readonly before: string; readonly after: string } => ({
  before: textBeside(node, "previousSibling").slice(-20),
  after: textBeside(node, "nextSibling").slice(0, 20)
})

const textBeside = (node: HtmlNode, side: "previousSibling" | "nextSibling"): string => {
  for (let at: HtmlNode | null = node; at !== null && !blockNames.test(at.nodeName); at = at.parentNode)
    for (let beside = at[side]; beside !== null; beside = beside[side]) {
      if (beside.nodeName === "BR" || blockNames.test(beside.nodeName)) return ""
      const text = beside.textContent ?? ""
      if (text !== "") return text
    }
  return ""
}

const blockNames =
  /^(?:ADDRESS|ARTICLE|ASIDE|BLOCKQUOTE|BODY|CAPTION|DD|DIV|DL|DT|FIGCAPTION|FIGURE|H[1-6]|HEADER|HTML|LI|MAIN|OL|P|PRE|SECTION|TABLE|TBODY|TD|TH|THEAD|TR|UL)$/

const addLists = (service: TurndownService): void => {
  service.addRule("listItem", {
    filter: ["li"],
    replacement: (content, node) => {
      const item = elementOf(node)
      const list = item.parentNode
      const label = labelOf(item, list)
      const text = content.trim()
      // A heading in a list of chapters stays a heading, behind its number.
      if (label !== null && /^#{1,6} /.test(text)) return `\n\n${text.replace(/^#+ /, `$&${label} `)}\n\n`
      const prefix = label === null ? "- " : /^\d+\.$/.test(label) ? `${label} ` : `- ${label} `
      const lines = text.split("\n")
      const indent = " ".repeat(label === null || prefix.startsWith("-") ? 2 : prefix.length)
      return `${prefix}${lines.map((line, at) => (at === 0 || line === "" ? line : indent + line)).join("\n")}\n`
    }
  })
}

const countings: Readonly<Record<string, Counting>> = {
  a: "a",
  A: "A",
  i: "i",
  I: "I",
  "lower-alpha": "a",
  "lower-latin": "a",
  "upper-alpha": "A",
  "upper-latin": "A",
  "lower-roman": "i",
  "upper-roman": "I"
}

/** Returns the label before the text of a list item; null for a bullet. */
const labelOf = (item: HtmlElement, list: HtmlElement | null): string | null => {
  const given = item.getAttribute(labelAttribute)
  if (given !== null) return given
  if (list?.nodeName !== "OL") return null
  const style = /list-style(?:-type)?\s*:\s*([a-z-]+)/i
    .exec(list.getAttribute("style") ?? "")?.[1]
    ?.toLowerCase()
  const type =
    item.getAttribute("type") ??
    style ??
    list.getAttribute(countedAttribute) ??
    list.getAttribute("type") ??
    ""
  const counting = Object.hasOwn(countings, type) ? countings[type] : undefined
  return `${countText(numberOf(item, list), counting ?? "1")}.`
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
