import { type HtmlDocument, type HtmlElement, parseHtml, selectAll } from "../../formats/dom.js"
import { convertFragment } from "../../formats/html.js"

/** A page that a link names; the space is that of the linking page where none is given. */
export interface NamedPage {
  readonly title: string
  readonly space: string | null
}

/** References of a page in storage format. */
export interface StorageReferences {
  readonly pages: ReadonlyArray<NamedPage>
  /** Account ids or user keys. */
  readonly users: ReadonlyArray<string>
  /** Macros whose content only Confluence can make, by name. */
  readonly leftOut: ReadonlyArray<string>
}

/** A page in storage format with what it refers to, resolved. */
export interface StorageInput {
  readonly storage: string
  /** Addresses of pages by `pageKey`. */
  readonly pageLinks: ReadonlyMap<string, string>
  readonly userNames: ReadonlyMap<string, string>
}

/** Identifies a named page. */
export const pageKey = ({ space, title }: NamedPage): string => `${space ?? ""}\0${title}`

/** References of one page that are resolved. */
const referencesMax = 1000

/** Reads what a page refers to. */
export const storageReferences = (storage: string): StorageReferences => {
  const { leftOut, links } = parseStorage(storage)
  const pages = new Map(
    links.flatMap((link) => {
      const page = pageOf(link)
      return page === null ? [] : [[pageKey(page), page]]
    })
  )
  return {
    leftOut: [...leftOut],
    pages: [...pages.values()].slice(0, referencesMax),
    users: [...new Set(links.flatMap((link) => userOf(link) ?? []))].slice(0, referencesMax)
  }
}

/** A page as Markdown. */
export const storageMarkdown = ({ pageLinks, storage, userNames }: StorageInput): string => {
  const { document, links } = parseStorage(storage)
  for (const link of links) {
    const [page, user] = [pageOf(link), userOf(link)]
    const body =
      childOf(link, "ac:link-body")?.innerHTML ?? childOf(link, "ac:plain-text-link-body")?.innerHTML
    const file = childOf(link, "ri:attachment")?.getAttribute("ri:filename")
    const text =
      body ??
      escaped(
        page?.title ??
          (user === null ? file : `@${userNames.get(user) ?? "someone"}`) ??
          link.getAttribute("ac:anchor") ??
          ""
      )
    const href = page === null ? undefined : pageLinks.get(pageKey(page))
    replaceByHtml(document, link, href === undefined ? text : `<a href="${escaped(href)}">${text}</a>`)
  }
  return convertFragment(document)
}

const pageOf = (link: HtmlElement): NamedPage | null => {
  const page = childOf(link, "ri:page") ?? childOf(link, "ri:blog-post")
  const title = page?.getAttribute("ri:content-title")
  return title === undefined || title === null
    ? null
    : { title, space: page?.getAttribute("ri:space-key") ?? null }
}

const userOf = (link: HtmlElement): string | null => {
  const user = childOf(link, "ri:user")
  return user?.getAttribute("ri:account-id") ?? user?.getAttribute("ri:userkey") ?? null
}

const voidElements = new Set(["area", "br", "col", "hr", "img", "input", "wbr"])

/** Parses the storage format: XHTML with elements and macros of Confluence. */
const parseStorage = (storage: string) => {
  const document = parseHtml(`<body>${asHtml(storage)}</body>`)
  const named = (name: string) =>
    selectAll(document.body, "*").filter(({ nodeName }) => nodeName.toLowerCase() === name)
  const leftOut = new Set<string>()
  for (const removed of ["ac:image", "ac:placeholder", "ac:adf-node", "ac:adf-attribute"])
    for (const element of named(removed)) element.remove()
  for (const list of named("ac:task-list")) replaceByHtml(document, list, `<ul>${list.innerHTML}</ul>`)
  for (const task of named("ac:task")) {
    const isDone = childOf(task, "ac:task-status")?.textContent?.trim() === "complete"
    const body = childOf(task, "ac:task-body")?.innerHTML ?? ""
    replaceByHtml(document, task, `<li><input type="checkbox"${isDone ? " checked" : ""}> ${body}</li>`)
  }
  for (const time of named("time"))
    time.innerHTML = escaped(time.getAttribute("datetime") ?? time.textContent ?? "")
  for (const emoticon of named("ac:emoticon"))
    emoticon.replaceWith(emoticon.getAttribute("ac:emoji-fallback") ?? "")
  // Innermost first, so that the content of a macro is ready when the macro is replaced.
  for (const macro of named("ac:structured-macro").reverse()) {
    const html = macroHtml(macro)
    if (html === null) leftOut.add(macro.getAttribute("ac:name") ?? "")
    replaceByHtml(document, macro, html ?? "")
  }
  return { document, links: named("ac:link"), leftOut }
}

/** XML as a parser of HTML reads it: without CDATA, and with an end for each element. */
const asHtml = (storage: string): string =>
  storage
    .replace(/<!\[CDATA\[([\s\S]*?)\]\]>/g, (_, text: string) => escaped(text))
    .replace(/<([\w:-]+)((?:\s[^<>]*?)?)\s*\/>/g, (whole, name: string, attributes: string) =>
      voidElements.has(name) ? whole : `<${name}${attributes}></${name}>`
    )

const boxes: Readonly<Record<string, string>> = {
  info: "Info",
  note: "Note",
  warning: "Warning",
  tip: "Tip",
  panel: ""
}
const wrappers = new Set(["excerpt", "details", "section", "column", "div", "span", "align", "center"])

/** The content of a macro; null for one that only Confluence can show. */
const macroHtml = (macro: HtmlElement): string | null => {
  const name = macro.getAttribute("ac:name") ?? ""
  const parameter = (key: string): string =>
    Array.from(macro.children)
      .find((child) => isNamed(child, "ac:parameter") && child.getAttribute("ac:name") === key)
      ?.textContent?.trim() ?? ""
  const body = childOf(macro, "ac:rich-text-body")?.innerHTML ?? ""
  const plain = childOf(macro, "ac:plain-text-body")?.textContent ?? ""
  const title = parameter("title")
  if (name === "code" || name === "noformat") {
    const language = parameter("language").replace(/[^\w+#-]/g, "")
    return `<pre><code class="language-${language}">${escaped(plain)}</code></pre>`
  }
  if (Object.hasOwn(boxes, name)) {
    const label = [boxes[name], title].filter((part) => part !== "").join(": ")
    return `<blockquote>${label === "" ? "" : `<p><strong>${escaped(label)}</strong></p>`}${body}</blockquote>`
  }
  if (name === "expand") return `${title === "" ? "" : `<p><strong>${escaped(title)}</strong></p>`}${body}`
  if (name === "status") return `<strong>${escaped(title)}</strong>`
  if (name === "jira") return escaped(parameter("key"))
  if (name === "anchor") return ""
  if (wrappers.has(name)) return body
  // A macro of an app: what people wrote in it is kept.
  return body === "" ? null : body
}

const isNamed = ({ nodeName }: HtmlElement, name: string): boolean => nodeName.toLowerCase() === name

const childOf = (element: HtmlElement, name: string): HtmlElement | undefined =>
  Array.from(element.children).find((child) => isNamed(child, name))

const replaceByHtml = (document: HtmlDocument, element: HtmlElement, html: string): void => {
  const holder = document.createElement("div")
  holder.innerHTML = html
  element.replaceWith(...Array.from(holder.childNodes))
}

const escaped = (text: string): string => text.replace(/[&<>"]/g, (sign) => `&#${sign.charCodeAt(0)};`)
