import { posix } from "node:path"
import type { ExportFile } from "../archive.js"
import { linkBetween, markdownPath, pathSegment } from "../item-path.js"
import type { CleanFile } from "./clean-file.js"

const isPage = ({ bytes, path }: ExportFile): boolean =>
  /\.html$/i.test(path) &&
  new TextDecoder("latin1")
    .decode(bytes.subarray(0, 20_000))
    .includes('<body class="theme-default aui-theme-default')

/** Whether the files are a space that Confluence exported as HTML. */
export const isConfluenceExport = (files: ReadonlyArray<ExportFile>): boolean => files.some(isPage)

/** Whether a file of an export is there for the look of its pages: style sheets and icons. */
export const isConfluenceDecoration = (path: string): boolean => /(?:^|\/)(?:styles|images)\//.test(path)

interface Page {
  readonly path: string
  readonly title: string
  readonly html: string
  readonly ancestors: ReadonlyArray<string>
  readonly author: string | null
  readonly modifiedAt: string | null
  readonly labels: ReadonlyArray<string>
}

/** Cleans an export: the content of each page in the folder of its ancestors, with links between the pages. */
export const cleanConfluence = async (
  files: ReadonlyArray<ExportFile>
): Promise<ReadonlyArray<CleanFile>> => {
  const dom = await import("../../formats/dom.js")
  const readable = files.filter(isPage).filter(({ path }) => posix.basename(path) !== "index.html")
  const pages = new Map(readable.map((file) => [file.path, readPage(file, dom)]))
  const targets = new Map(
    [...pages].map(([path, page]) => [path, markdownPath([...page.ancestors, page.title])])
  )
  const others = files.filter(
    (file) => !isPage(file) && !isConfluenceDecoration(file.path) && !/\.html$/i.test(file.path)
  )
  return [
    ...[...pages].map(([path, page]): CleanFile => {
      const to = targets.get(path) ?? path
      const document = dom.parseHtml(page.html)
      for (const link of dom.selectAll(document.body, "a[href]")) {
        const [address = "", fragment] = (link.getAttribute("href") ?? "").split("#", 2)
        const target = targets.get(posix.join(posix.dirname(path), decoded(address)))
        if (target !== undefined)
          link.setAttribute("href", linkBetween(to, target) + (fragment === undefined ? "" : `#${fragment}`))
      }
      return {
        path: to,
        bytes: new TextEncoder().encode(document.body.innerHTML),
        mediaType: "text/html",
        title: page.title,
        author: page.author,
        modifiedAt: page.modifiedAt,
        labels: page.labels
      }
    }),
    ...others.map((file) => ({ ...file, path: file.path.split("/").map(pathSegment).join("/") }))
  ]
}

const readPage = (
  { bytes, path }: ExportFile,
  { parseHtml, selectAll }: typeof import("../../formats/dom.js")
): Page => {
  const document = parseHtml(new TextDecoder().decode(bytes))
  const text = (selector: string): string | null =>
    document.querySelector(selector)?.textContent?.replace(/\s+/g, " ").trim() || null
  // The title of the page is `Space : Page`.
  const title = (text("#title-text") ?? text("title") ?? posix.basename(path, ".html")).replace(/^.*? : /, "")
  const metadata = text(".page-metadata") ?? ""
  const changed = Date.parse(/\bon (\w{3} \d{1,2}, \d{4})\s*$/.exec(metadata)?.[1] ?? "")
  const content = document.querySelector("#main-content")
  return {
    path,
    title,
    html: content?.innerHTML ?? "",
    // The first one is the space, the second its home page.
    ancestors: selectAll(document, "#breadcrumbs li")
      .map((crumb) => (crumb.textContent ?? "").trim())
      .slice(1),
    author: text(".page-metadata .editor") ?? text(".page-metadata .author"),
    modifiedAt: Number.isNaN(changed) ? null : new Date(changed).toISOString(),
    labels: selectAll(document, "#labels-section li a").map((label) => (label.textContent ?? "").trim())
  }
}

const decoded = (address: string): string => {
  try {
    return decodeURIComponent(address)
  } catch {
    return address
  }
}
