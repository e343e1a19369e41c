import MarkdownIt from "markdown-it"
import { hideComments } from "./comments.js"
import { addFootnotes } from "./footnote-plugin.js"
import { parseFrontMatter } from "./front-matter.js"
import { folderOf } from "./path.js"

/** A link between documents as written, to be resolved before the text is rendered. */
export interface DocumentReference {
  readonly kind: "markdown" | "wiki"
  /** A path for a Markdown link, a name or path for a wiki link; without its fragment. */
  readonly target: string
}

/** Addresses of what a document refers to, for the page that shows it. */
export interface RenderAddresses {
  /** Returns the address of a document; null where there is none, and the label is shown as text. */
  readonly document: (reference: DocumentReference) => string | null
  /** Returns the address of a file of the vault. */
  readonly file: (path: string) => string
}

/** A document as HTML whose links and images have no addresses yet: plain data, so that a thread can make it. */
export interface HtmlDraft {
  /** HTML with holes. A hole is a letter and a number between two NUL, which no rendered text holds. */
  readonly html: string
  /** The documents that the holes of links lead to. */
  readonly references: ReadonlyArray<DocumentReference>
  /** The paths of the files that the holes of images show. */
  readonly files: ReadonlyArray<string>
  /** The title that the text gives itself, in its front matter or first heading. */
  readonly title: string | null
}

/** Beyond so many characters a text is shown without its format. */
const formattedMax = 1_000_000
/** References beyond this number are shown as text. */
const referencesMax = 500
/** Tags of HTML that are kept where they stand without attributes, in pairs. */
const pairedTags = "b|i|em|strong|u|s|del|ins|sub|sup|kbd|mark|small|code|q"
const safeTag = new RegExp(`^<(/?)(${pairedTags})>|^<br\\s*/?>`, "i")

type Token = ReturnType<MarkdownIt["parse"]>[number]

/** What is known while a document is parsed. The parser keeps link definitions in it as `references`. */
interface Environment {
  readonly folder: string
  /** Documents and files that are referred to, with their places, by their keys. */
  readonly documents: Map<string, DocumentReference & { readonly at: number }>
  readonly files: Map<string, number>
}

/**
 * Renders a document as HTML that runs nothing, whatever the text holds. Each block has its place in the source as
 * `data-start` and `data-end`, in UTF-16 units. HTML in the source is shown as text but for a few tags without
 * attributes; links lead to http, https and mailto addresses or to documents; images are files of the vault.
 *
 * The time grows faster than the text for some texts (many opened brackets, for example): a caller with a long one
 * renders it in a thread with a limit, and shows `plainHtml` when that runs out.
 *
 * @param path Where the document lies, from which relative links and images start.
 */
export const draftHtml = (source: string, path: string): HtmlDraft => {
  const { bodyStart, frontMatter } = parseFrontMatter(source)
  const visible = hideComments(source, bodyStart)
  const env: Environment = { folder: folderOf(path), documents: new Map(), files: new Map() }
  const body = visible.slice(bodyStart, formattedMax)
  const tokens = parser.parse(body.replace(/\r\n?/g, "\n"), env)
  note(tokens, lineStartsOf(visible, bodyStart, bodyStart + body.length), visible)
  const html = [
    bodyStart === 0 ? "" : plainBlock(source.slice(0, bodyStart), 0, "front-matter"),
    parser.renderer.render(tokens, parser.options, env),
    ...plainBlocks(visible, Math.max(bodyStart, formattedMax))
  ].join("")
  const references = Array.from(env.documents.values(), ({ kind, target }) => ({ kind, target }))
  return { html, references, files: [...env.files.keys()], title: frontMatter.title ?? headingIn(tokens) }
}

/** Returns the text of the first heading that has one. */
const headingIn = (tokens: ReadonlyArray<Token>): string | null => {
  for (const [at, { type }] of tokens.entries()) {
    if (type !== "heading_open") continue
    const text = (tokens[at + 1]?.children ?? [])
      .map((token) => (/^(?:soft|hard)break$/.test(token.type) ? " " : token.content))
      .join("")
      .trim()
    if (text !== "") return text
  }
  return null
}

/** Returns a draft with the addresses of what it refers to. */
export const fillHtml = ({ files, html, references }: HtmlDraft, addresses: RenderAddresses): string => {
  const links = references.map((reference) => {
    const address = addresses.document(reference)
    if (address !== null) return { open: documentLink(address), close: "</a>" }
    return reference.kind === "wiki"
      ? { open: "<span data-unresolved>", close: "</span>" }
      : { open: "", close: "" }
  })
  return html.replace(/\0([ocf])(\d+)\0/g, (_, kind: string, place: string) => {
    const at = Number(place)
    if (kind === "f") return escape(addresses.file(files[at] ?? ""))
    return (kind === "o" ? links[at]?.open : links[at]?.close) ?? ""
  })
}

/** Characters of a block of text without format: at least, where a blank line ends it, and at most. */
const [plainMin, plainMax] = [2_000, 20_000]

/**
 * Yields a text from an offset on as blocks that show it as it is written, each with its place in the source. Takes time
 * that grows with the text, and each block little of it.
 */
export function* plainBlocks(source: string, from = 0): Generator<string> {
  for (let start = from; start < source.length; ) {
    const blank = source.indexOf("\n\n", start + plainMin)
    const line = source.lastIndexOf("\n", start + plainMax)
    const far = line > start ? line + 1 : start + plainMax
    const end = Math.min(source.length, blank >= 0 && blank < start + plainMax ? blank + 2 : far)
    if (source.slice(start, end).trim() !== "")
      yield plainBlock(source.slice(start, end), start, "unformatted")
    start = end
  }
}

const plainBlock = (text: string, start: number, name: string): string => {
  const shown = text.trim()
  const shownAt = start + text.length - text.trimStart().length
  return `<pre class="${name}" data-start="${shownAt}" data-end="${shownAt + shown.length}"><code>${escape(shown)}</code></pre>\n`
}

/** Returns the start of each line, and the end of the text. */
const lineStartsOf = (text: string, from: number, end: number): ReadonlyArray<number> => {
  const starts = [from]
  for (const { 0: breaks, index } of text.slice(from, end).matchAll(/\r\n|\n|\r/g))
    starts.push(from + index + breaks.length)
  starts.push(end)
  return starts
}

/** Notes the places of blocks; replaces what the policy of pages does not allow. */
const note = (tokens: ReadonlyArray<Token>, lineStarts: ReadonlyArray<number>, source: string): void => {
  const end = lineStarts.at(-1) ?? 0
  for (const token of tokens) {
    const align = /text-align:(\w+)/.exec(token.attrGet("style") ?? "")?.[1]
    if (token.attrs !== null) token.attrs = token.attrs.filter(([name]) => name !== "style")
    if (align !== undefined) token.attrSet("data-align", align)
    if (token.children !== null) token.children = balanced(token.children)
    if (token.map === null || token.nesting < 0 || token.type === "inline") continue
    const start = lineStarts[token.map[0]] ?? end
    const lines = source.slice(start, lineStarts[token.map[1]] ?? end)
    token.attrSet("data-start", String(start))
    token.attrSet("data-end", String(start + lines.trimEnd().length))
  }
}

/** Turns tags that have no partner into text, so that what is shown is well-formed. */
const balanced = (tokens: Array<Token>): Array<Token> => {
  const open: Array<{ readonly token: Token; readonly depth: number }> = []
  let depth = 0
  for (const token of tokens) {
    depth += token.nesting
    if (token.type !== "safe_tag" || token.tag === "br") continue
    const last = open.at(-1)
    if (token.markup === "/" && last?.token.tag === token.tag && last.depth === depth) open.pop()
    else if (token.markup === "") open.push({ token, depth })
    else token.type = "text"
  }
  for (const { token } of open) token.type = "text"
  return tokens
}

const isDocument = (address: string): boolean => !/^(?:[a-z][a-z0-9+.-]*:|\/\/|#)/i.test(address)
const isWeb = (address: string): boolean => /^(?:https?:\/\/|mailto:)[^\s]/i.test(address)

const makeParser = (): MarkdownIt => {
  const markdown = new MarkdownIt("default", { html: false, linkify: false })
  addFootnotes(markdown)
  // Every address is parsed: those that may not be links are replaced by their label below.
  markdown.validateLink = () => true
  markdown.normalizeLink = (address) => address
  markdown.inline.ruler.before("link", "wiki_link", (state, silent) => {
    const embed = state.src.startsWith("![[", state.pos)
    if (!embed && !state.src.startsWith("[[", state.pos)) return false
    const from = state.pos + (embed ? 3 : 2)
    const close = state.src.indexOf("]]", from)
    if (close < 0 || close - from > 1000) return false
    const inner = state.src.slice(from, close)
    if (inner.includes("\n") || inner.includes("[")) return false
    if (!silent) {
      const [target = "", label] = inner.split("|", 2)
      const token = state.push("wiki_link", "", 0)
      token.content = (label ?? target).trim()
      token.meta = { target: (target.split("#", 1)[0] ?? "").trim(), embed }
      if (!embed || !isPicture(target)) refer(state.env, "wiki", token.meta.target)
    }
    state.pos = close + 2
    return true
  })
  markdown.inline.ruler.before("html_inline", "safe_tag", (state, silent) => {
    const found = safeTag.exec(state.src.slice(state.pos, state.pos + 12))
    if (found === null) return false
    if (!silent) {
      const [text, closing = "", tag = "br"] = found
      const token = state.push("safe_tag", tag.toLowerCase(), 0)
      token.content = text
      token.markup = closing
    }
    state.pos += found[0].length
    return true
  })
  markdown.core.ruler.push("references", ({ env, tokens }) => {
    for (const { children } of tokens)
      for (const token of children ?? [])
        if (token.type === "link_open") {
          const address = token.attrGet("href") ?? ""
          if (isDocument(address)) refer(env, "markdown", pathOf(address))
        }
  })
  const { rules } = markdown.renderer
  rules["safe_tag"] = (tokens, at) => {
    const { markup = "", tag = "br" } = tokens[at] ?? {}
    return `<${markup}${tag}>`
  }
  rules["wiki_link"] = (tokens, at, _options, env: Environment) => {
    const { content = "", meta } = tokens[at] ?? {}
    const { embed, target }: { readonly embed: boolean; readonly target: string } = meta
    if (embed && isPicture(target)) return picture(env, target, content)
    const { close, open } = holesOf(env, "wiki", target)
    return `${open}${escape(content)}${close}`
  }
  // An opening that is no link leaves its label as text; its end does so, too.
  const ends: Array<string> = []
  rules["link_open"] = (tokens, at, _options, env: Environment) => {
    const address = tokens[at]?.attrGet("href") ?? ""
    const { close, open } = isWeb(address)
      ? { open: webLink(address), close: "</a>" }
      : isDocument(address)
        ? holesOf(env, "markdown", pathOf(address))
        : { open: "", close: "" }
    ends.push(close)
    return open
  }
  rules["link_close"] = () => ends.pop() ?? ""
  rules["image"] = (tokens, at, options, env: Environment, renderer) => {
    const token = tokens[at]
    const address = token?.attrGet("src") ?? ""
    const label = renderer.renderInlineAsText(token?.children ?? [], options, env)
    if (isDocument(address)) return picture(env, pathOf(address), label)
    return /^https?:/i.test(address) ? `${webLink(address)}${escape(label || address)}</a>` : escape(label)
  }
  rules["footnote_ref"] = (tokens, at) => `<sup>[${Number(tokens[at]?.meta?.id ?? 0) + 1}]</sup>`
  rules["footnote_anchor"] = () => ""
  rules["footnote_open"] = () => "<li>"
  rules["fence"] = (tokens, at) => {
    const token = tokens[at]
    if (token === undefined) return ""
    const language = /^[\w+#.-]{1,40}/.exec(token.info.trim())?.[0]
    const name = language === undefined ? "" : ` class="language-${escape(language)}"`
    return `<pre${attributes(token)}><code${name}>${escape(token.content)}</code></pre>\n`
  }
  rules["code_block"] = (tokens, at) => {
    const token = tokens[at]
    return token === undefined ? "" : `<pre${attributes(token)}><code>${escape(token.content)}</code></pre>\n`
  }
  return markdown
}

const attributes = ({ attrs }: Token): string =>
  (attrs ?? []).map(([name, value]) => ` ${name}="${escape(value)}"`).join("")

const keyOf = (kind: DocumentReference["kind"], target: string): string => `${kind} ${target}`

const refer = ({ documents }: Environment, kind: DocumentReference["kind"], target: string): void => {
  // An encoded NUL in an address names no document, and cannot be looked for in every database.
  if (target === "" || target.includes("\0") || documents.size >= referencesMax) return
  if (!documents.has(keyOf(kind, target)))
    documents.set(keyOf(kind, target), { kind, target, at: documents.size })
}

/** Returns what stands before and behind the label of a link to a document, until its address is known. */
const holesOf = ({ documents }: Environment, kind: DocumentReference["kind"], target: string) => {
  const at = documents.get(keyOf(kind, target))?.at
  if (at !== undefined) return { open: `\0o${at}\0`, close: `\0c${at}\0` }
  return kind === "wiki" ? { open: "<span data-unresolved>", close: "</span>" } : { open: "", close: "" }
}

const isPicture = (target: string): boolean => /\.(?:png|jpe?g|gif|webp|avif|svg)\s*(?:[#|]|$)/i.test(target)

const webLink = (address: string): string =>
  `<a href="${escape(address)}" target="_blank" rel="noopener noreferrer">`
const documentLink = (address: string): string => `<a href="${escape(address)}" data-document>`

/** Returns an image of the vault, or its label when its path leaves the vault. */
const picture = ({ files, folder }: Environment, target: string, label: string): string => {
  const path = pathIn(folder, target)
  if (path === null || !isPicture(path)) return escape(label)
  const at = files.get(path) ?? files.size
  files.set(path, at)
  return `<img src="\0f${at}\0" data-path="${escape(path)}" alt="${escape(label)}" loading="lazy">`
}

/** Returns the path of an address without query and fragment, decoded where that is possible. */
const pathOf = (address: string): string => {
  const [path = ""] = address.split(/[?#]/, 1)
  try {
    return decodeURIComponent(path)
  } catch {
    return path
  }
}

/** Resolves a path against a folder of the vault; null when it leads out of it. */
export const pathIn = (folder: string, target: string): string | null => {
  const segments =
    target.startsWith("/") || folder === "" ? [] : folder.split("/").filter((one) => one !== "")
  for (const segment of target.split("/")) {
    if (segment === "" || segment === ".") continue
    if (segment !== "..") segments.push(segment)
    else if (segments.pop() === undefined) return null
  }
  return segments.length === 0 ? null : segments.join("/")
}

const escapes: Readonly<Record<string, string>> = {
  "\0": "\ufffd",
  "&": "&amp;",
  "<": "&lt;",
  ">": "&gt;",
  '"': "&quot;",
  "'": "&#39;"
}
const escape = (text: string): string => text.replace(/[\0&<>"']/g, (mark) => escapes[mark] ?? mark)

const parser = makeParser()
