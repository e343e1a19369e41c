import { nameNorm } from "../../platform/kernel/index.js"
import type { FrontMatter } from "./front-matter.js"
import { scanInline } from "./inline.js"
import { linesOf } from "./line-shape.js"
import type { Block, ParsedMarkdown, Span } from "./parse-markdown.js"

/** Maximum number of tags of one document, and length of a tag. */
const [tagsMax, tagMaxChars] = [1_000, 200]

/**
 * Returns the fields of a document: those of the front matter, of Logseq's page properties (`alias:: …` at the start of
 * the body), and the tags in its text (`#tag`, `#area/part`).
 */
export const withBodyFields = (frontMatter: FrontMatter, parsed: ParsedMarkdown): FrontMatter => {
  const properties = pageProperties(parsed)
  const tags = [...listOf(properties, "tags", "tag"), ...textTags(parsed)]
  const aliases = listOf(properties, "alias", "aliases")
  const title = frontMatter.title ?? properties.get("title") ?? null
  const type = frontMatter.type ?? properties.get("type") ?? null
  if (tags.length + aliases.length === 0 && title === frontMatter.title && type === frontMatter.type)
    return frontMatter
  return {
    ...frontMatter,
    title,
    type,
    aliases: distinct([...frontMatter.aliases, ...aliases]),
    tags: distinct([...frontMatter.tags, ...tags]).slice(0, tagsMax)
  }
}

/** Returns the properties in the first lines of the body, by lower-case name. */
const pageProperties = ({ bodyStart, source }: ParsedMarkdown): ReadonlyMap<string, string> => {
  const properties = new Map<string, string>()
  // Nothing else is looked for far below the start.
  const head = source.slice(bodyStart, bodyStart + 16_384)
  for (const { end, start } of linesOf(head)) {
    const line = head.slice(start, end)
    if (line.trim() === "" && properties.size === 0) continue
    const [, name, value = ""] = /^(?:- )?([A-Za-z][\w-]{0,63})::(?: +(.*?))?\s*$/u.exec(line) ?? []
    if (name === undefined) break
    const text = plainValue(value).slice(0, 500)
    if (text !== "") properties.set(name.toLowerCase(), text)
  }
  return properties
}

const listOf = (properties: ReadonlyMap<string, string>, ...names: ReadonlyArray<string>) =>
  names.flatMap((name) =>
    (properties.get(name) ?? "")
      .split(",")
      .map((one) => one.trim().replace(/^#/u, "").slice(0, tagMaxChars))
      .filter((one) => one !== "")
  )

/** A value without the brackets of its links. */
const plainValue = (value: string): string => value.replace(/\[\[([^[\]]*)\]\]/gu, "$1").trim()

/** A tag starts after a blank or at the start of a line and has a character that is no digit, as in Obsidian. */
const tagPattern = /(?<=^|\s)#((?:[\p{L}\p{N}\p{M}_-]+\/)*[\p{L}\p{N}\p{M}_-]+)/gmu
/** Numbers of issues and colours of style sheets. */
const noTag = /^(?:[\d/_-]+|(?=.*\d)(?:[0-9a-f]{3}|[0-9a-f]{6}|[0-9a-f]{8}))$/iu
const wordless: ReadonlySet<Block["kind"]> = new Set<Block["kind"]>(["code", "html", "definition", "rule"])

const textTags = ({ blocks, bodyStart, source }: ParsedMarkdown): ReadonlyArray<string> => {
  const tags: Array<string> = []
  let sign = source.indexOf("#", bodyStart)
  for (const block of blocks) {
    // Blocks ascend. Most have no sign of a tag, and the pattern is slow.
    if (sign < block.start && sign >= 0) sign = source.indexOf("#", block.start)
    if (sign < 0) break
    if (sign >= block.end || wordless.has(block.kind) || tags.length >= tagsMax) continue
    const found = [...source.slice(block.start, block.end).matchAll(tagPattern)].filter(
      ([, tag = ""]) => tag.length <= tagMaxChars && !noTag.test(tag)
    )
    if (found.length === 0) continue
    const hidden = markupIn(source, block)
    let [next, hiddenUntil] = [0, 0]
    for (const { 1: tag = "", index } of found) {
      const at = block.start + index
      for (; next < hidden.length && (hidden[next]?.start ?? 0) <= at; next++)
        hiddenUntil = Math.max(hiddenUntil, hidden[next]?.end ?? 0)
      if (at >= hiddenUntil && tags.length < tagsMax && !isChannel(source, at, at + tag.length + 1))
        tags.push(tag)
    }
  }
  return tags
}

/** Returns whether the words around a tag make it the channel of a chat: "the #ops channel", "ask in Slack: #ops". */
const isChannel = (source: string, start: number, end: number): boolean =>
  channelBefore.test(source.slice(Math.max(0, start - 60), start)) ||
  /^[ \t]+(?:\p{L}+[ \t]+)?channels?(?![\p{L}\p{N}])/iu.test(source.slice(end, end + 40))

const channelBefore =
  /(?<![\p{L}\p{N}])(?:channels?|slack|mattermost|discord|irc)[\s:(,]+(?:(?:is|are|called|named|and|or|channels?|#[\p{L}\p{N}_-]+)[\s:(,]+){0,6}$/iu

/** Returns code, links and HTML of a block, in order. */
const markupIn = (source: string, { atoms, end, kind, start }: Block): ReadonlyArray<Span> => {
  const spans: Array<Span> = kind === "table" ? [] : [...atoms]
  const add = (from: number, to: number): void => {
    spans.push({ start: from, end: to })
  }
  scanInline(source, start, end, {
    code: (from, to) => add(from, to),
    html: (from, to) => add(from, to),
    autolink: (from, to) => add(from, to),
    wikiLink: (link) => add(link.start, link.end),
    link: (link) => add(link.start, link.end)
  })
  return spans.sort((a, b) => a.start - b.start)
}

const distinct = (texts: ReadonlyArray<string>): ReadonlyArray<string> => {
  const byNorm = new Map<string, string>()
  for (const text of texts) {
    const norm = nameNorm(text)
    if (norm !== "" && !byNorm.has(norm)) byNorm.set(norm, text)
  }
  return [...byNorm.values()]
}
