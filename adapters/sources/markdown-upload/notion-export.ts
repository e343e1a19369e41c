import { posix } from "node:path"
import { documentLinks } from "../../../core/files/links/index.js"
import { isMarkdown, parseFrontMatter, parseMarkdown } from "../../../core/files/markdown/index.js"
import { markdownTable, plainCell } from "../../formats/table.js"
import type { ExportFile } from "../archive.js"
import { linkBetween, pathSegment } from "../item-path.js"
import type { CleanFile } from "./clean-file.js"

/** The id that Notion appends to names: ` 0123456789abcdef0123456789abcdef`. */
const idPattern = / ([0-9a-f]{32})(?=(?:_all)?(?:\.[a-z]+)?$)/i

/** Whether most pages and tables have names as Notion gives them. */
export const isNotionExport = (files: ReadonlyArray<ExportFile>): boolean => {
  const pages = files.filter(({ path }) => /\.(?:md|csv|html)$/i.test(path))
  const named = pages.filter(({ path }) => idPattern.test(posix.basename(path)))
  return named.length > 0 && named.length * 2 >= pages.length
}

/** Cleans a Markdown and CSV export of Notion. */
export const cleanNotion = async (files: ReadonlyArray<ExportFile>): Promise<ReadonlyArray<CleanFile>> => {
  const all = new Set(files.map(({ path }) => path))
  const kept = files.filter(({ path }) => !isView(path, all))
  const paths = cleanPaths(kept)
  const target = (from: string, link: string): string | null => {
    const linked = posix.join(posix.dirname(from), link)
    return paths.get(linked) ?? paths.get(linked.replace(/\.csv$/i, "_all.csv")) ?? null
  }
  return Promise.all(
    kept.map(async ({ bytes, path }): Promise<CleanFile> => {
      const to = paths.get(path) ?? path
      const id = idPattern.exec(posix.basename(path))?.[1]?.toLowerCase()
      const url = id === undefined ? null : `https://www.notion.so/${id}`
      if (/\.csv$/i.test(path) && isMarkdown(to)) {
        const title = posix.basename(to, ".md")
        return { path: to, url, title, bytes: await databaseTable(title, bytes, rowLinks(path, to, paths)) }
      }
      if (!isMarkdown(path)) return { path: to, url, bytes }
      const text = rewriteLinks(new TextDecoder().decode(bytes), (link) => {
        const found = target(path, link)
        return found === null ? null : linkBetween(to, found)
      })
      return { path: to, url, bytes: new TextEncoder().encode(text) }
    })
  )
}

/** A table of which there is also one with all columns and rows. */
const isView = (path: string, all: ReadonlySet<string>): boolean =>
  /\.csv$/i.test(path) && !/_all\.csv$/i.test(path) && all.has(path.replace(/\.csv$/i, "_all.csv"))

/** The clean path of each file. A name that two pages of a folder share keeps the first digits of its id. */
const cleanPaths = (files: ReadonlyArray<ExportFile>): ReadonlyMap<string, string> => {
  const names = new Map<string, Set<string>>()
  const key = (path: string) => cleanPath(path, false).toLowerCase()
  for (const { path } of files) names.set(key(path), (names.get(key(path)) ?? new Set()).add(path))
  return new Map(files.map(({ path }) => [path, cleanPath(path, (names.get(key(path))?.size ?? 0) > 1)]))
}

const cleanPath = (path: string, keepsDigits: boolean): string => {
  const segments = path.replace(/^Export-[0-9a-f-]+\//i, "").split("/")
  return segments
    .map((segment, at) => {
      const isLast = at === segments.length - 1
      const id = idPattern.exec(segment)?.[1]
      if (id === undefined) return pathSegment(segment)
      const name = segment.replace(idPattern, keepsDigits && isLast ? ` ${id.slice(0, 8)}` : "")
      // A database with its id becomes a page.
      return pathSegment(isLast ? name.replace(/(?:_all)?\.csv$/i, ".md") : name)
    })
    .join("/")
}

/** The link from a table to the page of a row, by its title. Pages of rows lie in the folder beside the table. */
const rowLinks = (csv: string, to: string, paths: ReadonlyMap<string, string>) => {
  const folder = csv.replace(/(?:_all)?\.csv$/i, "")
  const folders = new Set([folder, folder.replace(idPattern, "")])
  const pages = new Map<string, string>()
  for (const [from, page] of paths)
    if (isMarkdown(from) && folders.has(posix.dirname(from)))
      pages.set(posix.basename(from, ".md").replace(idPattern, "").toLowerCase(), page)
  return (title: string): string | null => {
    const page =
      pages.get(pathSegment(title).toLowerCase()) ?? pages.get(title.slice(0, 50).trim().toLowerCase())
    return page === undefined ? null : linkBetween(to, page)
  }
}

/** Rewrites the destinations of inline links to other files; null leaves a link as it is. */
const rewriteLinks = (source: string, rewrite: (target: string) => string | null): string => {
  let [text, from] = ["", 0]
  for (const { end, fragment, kind, start, target } of documentLinks(
    parseMarkdown(source, parseFrontMatter(source).bodyStart)
  )) {
    const open = source.lastIndexOf("](", end)
    const fresh = kind === "markdown" && open > start && start >= from ? rewrite(target) : null
    if (fresh === null) continue
    text += `${source.slice(from, open + 2)}${fresh}${fragment === null ? "" : `#${encodeURIComponent(fragment)}`})`
    from = end
  }
  return text + source.slice(from)
}

/** A database with more rows or columns is cut. */
const rowsMax = 5000
const columnsMax = 100

/** A database of Notion as a page with a table; the first column links to the pages of the rows. */
const databaseTable = async (
  title: string,
  csv: Uint8Array,
  linkOf: (title: string) => string | null
): Promise<Uint8Array> => {
  const { default: Papa } = await import("papaparse")
  const { data } = Papa.parse<ReadonlyArray<string>>(new TextDecoder().decode(csv), {
    skipEmptyLines: "greedy"
  })
  const rows = data.slice(0, rowsMax + 1).map((row, at) =>
    row.slice(0, columnsMax).map((cell, column) => {
      const link = at > 0 && column === 0 ? linkOf(cell) : null
      return link === null ? plainCell(cell) : `[${plainCell(cell)}](${link})`
    })
  )
  const left = data.length > rowsMax + 1 ? `\n\n${data.length - 1 - rowsMax} more rows were left out.` : ""
  return new TextEncoder().encode(`# ${title}\n\n${markdownTable(rows)}${left}\n`)
}
