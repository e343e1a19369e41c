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

/** A parsed document that can be rendered once its links are resolved. */
export interface RenderableDocument {
  readonly references: ReadonlyArray<DocumentReference>
  readonly render: (addresses: RenderAddresses) => string
}

/** Beyond so many characters a text is shown without its format. */
const formattedMax = 1_000_000
/** References beyond this number are shown as text. */
const referencesMax = 500
/** Tags of HTML that are kept where they stand without attributes, in pairs. */
const pairedTags = "b|i|em|strong|u|s|del|ins|sub|sup|kbd|mark|small|code|q"
const safeTag = new RegExp(`^<(/?)(${pairedTags})>|^<br\\s*/?>`, "i")

type Token = ReturnType<MarkdownIt["parse"]>[number]

interface Environment {
  readonly folder: string
  readonly references: Array<DocumentReference>
  addresses?: RenderAddresses
}

/**
 * Prepares a document for display as HTML that runs nothing, whatever the text holds. Each block has its place in the
 * source as `data-start` and `data-end`, in UTF-16 units. HTML in the source is shown as text but for a few tags without
 * attributes; links lead to http, https and mailto addresses or to documents; images are files of the vault.
 *
 * @param path Where the document lies, from which relative links and images start.
 */
export const prepareHtml = (source: string, path: string): RenderableDocument => {
  const { bodyStart } = parseFrontMatter(source)
  const visible = hideComments(source, bodyStart)
  const env: Environment = { folder: folderOf(path), references: [] }
  const body = visible.slice(bodyStart, formattedMax)
  const rest = visible.slice(Math.max(bodyStart, formattedMax))
  const tokens = parser.parse(body.replace(/\r\n?/g, "\n"), env)
  note(tokens, lineStartsOf(visible, bodyStart, bodyStart + body.length), visible)
  return {
    references: env.references,
    render: (addresses) => {
      env.addresses = addresses
      return [
        bodyStart === 0 ? "" : plainBlock(source.slice(0, bodyStart), 0, "front-matter"),
        parser.renderer.render(tokens, parser.options, env),
        rest === "" ? "" : plainBlock(rest, source.length - rest.length, "unformatted")
      ].join("")
    }
  }
}

const plainBlock = (text: string, start: number, name: string): string =>
  `<pre class="${name}" data-start="${start}" data-end="${start + text.trimEnd().length}"><code>${escape(text.trim())}</code></pre>\n`

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
    return linked(env.addresses?.document({ kind: "wiki", target }) ?? null, escape(content))
  }
  // An opening that is no link leaves its label as text; its end does so, too.
  const ends: Array<string> = []
  rules["link_open"] = (tokens, at, _options, env: Environment) => {
    const address = tokens[at]?.attrGet("href") ?? ""
    const target = isDocument(address)
      ? (env.addresses?.document({ kind: "markdown", target: pathOf(address) }) ?? null)
      : null
    const opening = isWeb(address) ? webLink(address) : target === null ? "" : documentLink(target)
    ends.push(opening === "" ? "" : "</a>")
    return opening
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

const refer = (env: Environment, kind: DocumentReference["kind"], target: string): void => {
  if (
    target !== "" &&
    env.references.length < referencesMax &&
    !env.references.some((one) => one.kind === kind && one.target === target)
  )
    env.references.push({ kind, target })
}

const isPicture = (target: string): boolean => /\.(?:png|jpe?g|gif|webp|avif|svg)\s*(?:[#|]|$)/i.test(target)

const webLink = (address: string): string =>
  `<a href="${escape(address)}" target="_blank" rel="noopener noreferrer">`
const documentLink = (address: string): string => `<a href="${escape(address)}" data-document>`
const linked = (address: string | null, label: string): string =>
  address === null ? `<span data-unresolved>${label}</span>` : `${documentLink(address)}${label}</a>`

/** Returns an image of the vault, or its label when its path leaves the vault. */
const picture = ({ addresses, folder }: Environment, target: string, label: string): string => {
  const path = pathIn(folder, target)
  if (path === null || addresses === undefined || !isPicture(path)) return escape(label)
  return `<img src="${escape(addresses.file(path))}" data-path="${escape(path)}" alt="${escape(label)}" loading="lazy">`
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
  "&": "&amp;",
  "<": "&lt;",
  ">": "&gt;",
  '"': "&quot;",
  "'": "&#39;"
}
const escape = (text: string): string => text.replace(/[&<>"']/g, (mark) => escapes[mark] ?? mark)

const parser = makeParser()
