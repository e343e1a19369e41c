/** Reads sitemaps and feeds. Runs in the child process. */
import { gunzipSync } from "node:zlib"
import { broken, isoDate, tooLarge } from "../../formats/converted.js"
import { decodeText } from "../../formats/decode-text.js"
import { convertHtml } from "../../formats/html.js"
import { attributeOf, childOf, elementsOf, parseXml, type XmlElement } from "../../formats/xml.js"
import { readXml } from "../../formats/xml-events.js"
import { versionOf } from "../item-path.js"

export interface Sitemap {
  readonly isIndex: boolean
  readonly addresses: ReadonlyArray<string>
}

/** The sitemap protocol ends at 50 MiB and 50,000 addresses. */
const [sitemapMaxBytes, addressesMax] = [50 * 1024 * 1024, 50_000]

/** Reads a sitemap or an index of sitemaps, as XML or lines of text, packed or not. */
export const readSitemap = (bytes: Uint8Array): Sitemap => {
  const text = decodeText(unpacked(bytes)).trimStart()
  if (!text.startsWith("<")) {
    const lines = text.split(/\s+/).filter((line) => /^https?:\/\//i.test(line))
    if (lines.length === 0) throw broken("The sitemap names no address.")
    return { isIndex: false, addresses: lines.slice(0, addressesMax) }
  }
  const addresses: Array<string> = []
  const parents: Array<string> = []
  let root: string | null = null
  readXml(
    text,
    {
      open: (name) => {
        root ??= name
        parents.push(name)
      },
      close: (name, content) => {
        parents.pop()
        // Images and videos within an entry have addresses of their own.
        const isEntry = name === "loc" && /^(?:url|sitemap)$/.test(parents.at(-1) ?? "")
        if (isEntry && addresses.length < addressesMax) addresses.push(content.trim())
      }
    },
    { elements: 2_000_000, depth: 20 }
  )
  if (root !== "urlset" && root !== "sitemapindex") throw broken("The file is no sitemap.")
  return { isIndex: root === "sitemapindex", addresses }
}

const unpacked = (bytes: Uint8Array): Uint8Array => {
  if (bytes[0] !== 0x1f || bytes[1] !== 0x8b) return bytes
  try {
    return gunzipSync(bytes, { maxOutputLength: sitemapMaxBytes })
  } catch {
    throw tooLarge("The sitemap cannot be unpacked, or holds more than 50 MiB.")
  }
}

export interface FeedInput {
  readonly bytes: Uint8Array
  /** The address of the feed. */
  readonly url: string
}

/** An entry of a feed. */
export interface FeedEntry {
  /** The id that the feed gives, else the address. */
  readonly id: string
  readonly title: string | null
  readonly url: string | null
  readonly author: string | null
  readonly createdAt: string | null
  readonly modifiedAt: string | null
  readonly labels: ReadonlyArray<string>
  readonly markdown: string
}

const [feedElementsMax, entriesMax] = [200_000, 2000]

/** Reads a feed of RSS 0.9 to 2.0, or Atom. */
export const readFeed = ({ bytes, url }: FeedInput): ReadonlyArray<FeedEntry> => {
  const text = decodeText(bytes)
  readXml(text, {}, { elements: feedElementsMax, depth: 200 })
  const root = parseXml(text)
  if (root.localName === "feed")
    return named(root, "entry")
      .slice(0, entriesMax)
      .map((entry) => atomEntry(entry, root, attributeOf(root, "xml:base") ?? url))
  if (root.localName !== "rss" && root.localName !== "RDF") throw broken("The file is neither RSS nor Atom.")
  const channel = childOf(root, "channel")
  const items =
    root.localName === "RDF" ? named(root, "item") : channel === undefined ? [] : named(channel, "item")
  return items.slice(0, entriesMax).map((item) => rssEntry(item, url))
}

const named = (element: XmlElement, name: string): ReadonlyArray<XmlElement> =>
  elementsOf(element).filter(({ localName }) => localName === name)

const text = (element: XmlElement | undefined): string | null => {
  const found = element?.textContent?.replace(/\s+/g, " ").trim() ?? ""
  return found === "" ? null : found
}

const rssEntry = (item: XmlElement, base: string): FeedEntry => {
  const guid = childOf(item, "guid")
  const isAddress = attributeOf(guid, "isPermaLink") !== "false" && /^https?:/.test(text(guid) ?? "")
  const link = webAddress(text(childOf(item, "link")) ?? (isAddress ? text(guid) : null), base)
  const date = isoDate(text(childOf(item, "pubDate")) ?? text(childOf(item, "dc:date")))
  const author = text(childOf(item, "dc:creator")) ?? text(childOf(item, "author"))
  const content = childOf(item, "content:encoded") ?? childOf(item, "description")
  return completedEntry(
    {
      id: text(guid) ?? link,
      title: plain(text(childOf(item, "title"))),
      url: link,
      // RSS 2.0 gives an address for mail, with the name in brackets.
      author: author?.replace(/^\S+@\S+\s+\((.+)\)$/, "$1") ?? null,
      createdAt: date,
      modifiedAt: isoDate(text(childOf(item, "atom:updated"))) ?? date,
      labels: named(item, "category").flatMap((one) => text(one) ?? [])
    },
    content?.textContent ?? "",
    link ?? base
  )
}

const atomEntry = (entry: XmlElement, feed: XmlElement, base: string): FeedEntry => {
  const links = named(entry, "link")
  const link = links.find((one) => (attributeOf(one, "rel") ?? "alternate") === "alternate") ?? links[0]
  const url = webAddress(attributeOf(link, "href"), base)
  const [content = named(entry, "summary")[0]] = named(entry, "content")
  const [published, updated] = ["published", "updated"].map((name) => isoDate(text(named(entry, name)[0])))
  const author = named(entry, "author")[0] ?? named(feed, "author")[0]
  const title = named(entry, "title")[0]
  return completedEntry(
    {
      id: text(named(entry, "id")[0]) ?? url,
      title: /html/.test(attributeOf(title, "type") ?? "") ? plain(text(title)) : text(title),
      url,
      author: author === undefined ? null : text(named(author, "name")[0]),
      createdAt: published ?? updated ?? null,
      modifiedAt: updated ?? published ?? null,
      labels: named(entry, "category").flatMap(
        (one) => attributeOf(one, "label") ?? attributeOf(one, "term") ?? []
      )
    },
    contentOf(content),
    url ?? base
  )
}

/** The HTML of an Atom text: escaped, plain, or elements of XHTML. */
const contentOf = (content: XmlElement | undefined): string => {
  const type = attributeOf(content, "type") ?? "text"
  if (content === undefined) return ""
  if (type === "xhtml") return elementsOf(content).map(String).join("")
  const raw = content.textContent ?? ""
  return type === "html" || type === "text/html"
    ? raw
    : raw.replace(/[&<>]/g, (sign) => `&#${sign.charCodeAt(0)};`)
}

const completedEntry = (
  { id, ...entry }: Omit<FeedEntry, "id" | "markdown"> & { readonly id: string | null },
  html: string,
  baseUrl: string
): FeedEntry => {
  const { markdown } = convertHtml({
    name: "entry.html",
    html: "fragment",
    baseUrl,
    bytes: new TextEncoder().encode(`<meta charset="utf-8"><body>${html}</body>`)
  })
  return { ...entry, id: (id ?? versionOf(entry.title ?? "", markdown)).slice(0, 1000), markdown }
}

/** A title without the tags and entities that feeds escape twice. */
const plain = (title: string | null): string | null =>
  title === null || !/[<&]/.test(title)
    ? title
    : convertHtml({
        name: "title.html",
        html: "fragment",
        bytes: new TextEncoder().encode(`<meta charset="utf-8"><p>${title}</p>`)
      })
        .plain?.replace(/\s+/g, " ")
        .trim() || title

const webAddress = (href: string | null, base: string): string | null => {
  const url = href === null ? null : URL.parse(href, base)
  return url !== null && /^https?:$/.test(url.protocol) ? url.href : null
}
