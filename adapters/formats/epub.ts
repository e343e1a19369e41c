import type { ConvertibleFile } from "../../core/files/documents/index.js"
import { openArchive } from "./archive.js"
import { broken, type Conversion, encrypted, isoDate } from "./converted.js"
import { readFragment } from "./html.js"
import { escapeMarkdown } from "./table.js"
import { allOf, attributeOf, childOf, parseXml, textOf } from "./xml.js"

/** Converts a book: its chapters in reading order, without the table of contents. */
export const convertEpub = ({ bytes }: ConvertibleFile): Conversion => {
  const archive = openArchive(bytes, (name) => /\.(?:x?html?|xml|opf|ncx|css)$/i.test(name))
  refuseProtected(archive.text("META-INF/encryption.xml"))
  const container = archive.text("META-INF/container.xml")
  const packagePath =
    container === undefined
      ? Object.keys(archive.files).find((name) => name.endsWith(".opf"))
      : (attributeOf(allOf(parseXml(container), "rootfile")[0], "full-path") ?? undefined)
  const packageText = packagePath === undefined ? undefined : archive.text(packagePath)
  if (packagePath === undefined || packageText === undefined) throw broken("The file holds no book.")
  const root = parseXml(packageText)
  const folder = packagePath.includes("/") ? packagePath.slice(0, packagePath.lastIndexOf("/") + 1) : ""
  const items = new Map(
    [...allOf(root, "item"), ...allOf(root, "opf:item")].map((item) => [attributeOf(item, "id") ?? "", item])
  )
  const styles = Object.keys(archive.files)
    .filter((name) => /\.css$/i.test(name))
    .map((name) => archive.text(name) ?? "")
    .join("\n")
  const chapters: Array<string> = []
  const plain: Array<string> = []
  for (const reference of [...allOf(root, "itemref"), ...allOf(root, "opf:itemref")]) {
    const item = items.get(attributeOf(reference, "idref") ?? "")
    if (item === undefined || /(?:^|\s)nav(?:\s|$)/.test(attributeOf(item, "properties") ?? "")) continue
    if (!/html/.test(attributeOf(item, "media-type") ?? "html")) continue
    const href = attributeOf(item, "href") ?? ""
    const text = archive.text(folder + href) ?? archive.text(folder + decoded(href))
    if (text === undefined) throw broken(`The chapter ${href} is missing.`)
    const chapter = readFragment(bodyOf(text), styles)
    if (chapter.markdown !== "") chapters.push(chapter.markdown)
    plain.push(chapter.plain)
  }
  const metadata = childOf(root, "metadata") ?? childOf(root, "opf:metadata")
  const title = (textOf(metadata, "dc:title") ?? "").replace(/\s+/gu, " ").trim()
  const text = chapters.join("\n\n")
  const [, first = ""] = /^# (.*)$/m.exec(text) ?? []
  // The first heading names the document: that of a book is its title, not that of its first chapter.
  const isNamed = title === "" || text === "" || first.replace(/[\\*_]/g, "").trim() === title
  return {
    markdown: isNamed ? text : `# ${escapeMarkdown(title)}\n\n${text}`,
    plain: plain.join("\n"),
    imagesSkipped: archive.images,
    title,
    author:
      metadata === undefined
        ? null
        : allOf(metadata, "dc:creator")
            .map(({ textContent }) => textContent ?? "")
            .join(", "),
    createdAt: isoDate(textOf(metadata, "dc:date")),
    modifiedAt: isoDate(
      metadata === undefined
        ? null
        : allOf(metadata, "meta").find((meta) => attributeOf(meta, "property") === "dcterms:modified")
            ?.textContent
    )
  }
}

/** Fonts may be obfuscated; anything else that is encrypted is under copy protection. */
const refuseProtected = (encryption: string | undefined): void => {
  if (encryption === undefined) return
  const algorithms = Array.from(
    encryption.matchAll(/EncryptionMethod[^>]*Algorithm="([^"]*)"/g),
    ([, name = ""]) => name
  )
  const isFont = (name: string) =>
    /^http:\/\/(?:www\.idpf\.org\/2008\/embedding|ns\.adobe\.com\/pdf\/enc#RC)/.test(name)
  if (algorithms.some((name) => !isFont(name))) throw encrypted("The book is under copy protection.")
}

const decoded = (href: string): string => {
  try {
    return decodeURIComponent(href)
  } catch {
    return href
  }
}

const voidElements = /^(?:area|base|br|col|embed|hr|img|input|link|meta|source|track|wbr)$/i

/** The content of the body; elements that XHTML closes at once get an end that HTML understands. */
const bodyOf = (xhtml: string): string => {
  const body = /<body[^>]*>([\s\S]*)<\/body\s*>/i.exec(xhtml)?.[1] ?? xhtml
  return body.replace(/<([a-zA-Z][\w:-]*)((?:\s[^<>]*?)?)\/>/g, (found, name: string, attributes: string) =>
    voidElements.test(name) ? found : `<${name}${attributes}></${name}>`
  )
}
