import { nameNorm, normalForm } from "../../platform/kernel/index.js"
import { folderOf, pathKey, withoutExtension } from "../markdown/index.js"
import type { DocumentLink } from "./links.js"

/** A document with its names. */
export interface LinkTarget<Id extends string> {
  readonly id: Id
  readonly path: string
  readonly title: string
  readonly aliases: ReadonlyArray<string>
}

/** Resolves links and references to documents. Among several matches the nearest folder wins, then path order. */
export interface LinkResolver<Id extends string> {
  /**
   * Returns the document that a link of the document at `fromPath` leads to, or null.
   * A Markdown link is a path relative to the folder of its source, or to the vault when it starts with a slash; with
   * or without `.md`; first as written, then case-insensitively; a folder stands for its `README` or `index`. If there
   * is no such file, it is a path in the vault, else the end of one, as Obsidian writes it, else the address of a page of
   * a website whose root is a folder above the source: `/manual/x.html` is `x.html.md` or `x.md`. A wiki link names a whole
   * path, else the end of a path (at least its stem), else a title, else an alias; `./` and `../` make it relative.
   */
  readonly resolve: (fromPath: string, link: Pick<DocumentLink, "kind" | "target">) => Id | null
  /**
   * Like `resolve`, but as the simplest programs do: a Markdown link is a path relative to its source, and a wiki link
   * names a file, not a title.
   */
  readonly resolveExactly: (fromPath: string, link: Pick<DocumentLink, "kind" | "target">) => Id | null
  /**
   * Returns the document that a front-matter value names: by path, stem, title or alias, as a wiki or Markdown link,
   * or by its number in the series of the source: `145` in `eip-1013.md` is `eip-145.md` of the same folder, `3` in
   * `adr-0007-x.md` is `adr-0003-….md`. Null when there is none, or two with that number.
   */
  readonly resolveReference: (fromPath: string, value: string | number) => Id | null
  /**
   * Returns the documents that a value of any shape names: lists, also comma-separated strings; each once, in order.
   */
  readonly resolveReferences: (fromPath: string, value: unknown) => ReadonlyArray<Id>
}

/**
 * Builds the resolver in one pass; 100,000 documents take well under a second. The result does not depend on their
 * order.
 */
export const linkResolver = <Id extends string>(documents: Iterable<LinkTarget<Id>>): LinkResolver<Id> => {
  const index = indexOf(documents)
  const resolve: LinkResolver<Id>["resolve"] = (fromPath, link) =>
    (link.kind === "markdown"
      ? (byPath(index, fromPath, link.target) ??
        bySomePath(index, fromPath, link.target) ??
        onSite(index, fromPath, link.target))
      : byName(index, fromPath, link.target)
    )?.id ?? null
  const resolveReference: LinkResolver<Id>["resolveReference"] = (fromPath, value) => {
    const text = String(value).trim().slice(0, maxNameChars)
    if (text === "") return null
    const link = linkIn(text)
    if (link !== null) return resolve(fromPath, link)
    const numbered = /^[0-9]{1,15}$/.test(text) ? byNumber(index, fromPath, Number(text)) : null
    return (numbered ?? byPath(index, fromPath, text) ?? byName(index, fromPath, text))?.id ?? null
  }
  const resolveReferences: LinkResolver<Id>["resolveReferences"] = (fromPath, value) => {
    const found = new Set<Id>()
    for (const text of textsIn(value)) {
      const one = resolveReference(fromPath, text)
      const ids =
        one !== null || typeof text === "number"
          ? [one]
          : text.split(",").map((part) => resolveReference(fromPath, part))
      for (const id of ids) if (id !== null) found.add(id)
    }
    return [...found]
  }
  const resolveExactly: LinkResolver<Id>["resolveExactly"] = (fromPath, { kind, target }) =>
    (kind === "markdown" ? byPath(index, fromPath, target) : byFileName(index, fromPath, target))?.id ?? null
  return { resolve, resolveExactly, resolveReference, resolveReferences }
}

/** Longer names match nothing, because no path or title is this long. */
const maxNameChars = 2048

interface Entry<Id> {
  readonly id: Id
  readonly path: string
  /** `pathKey` without `.md`. */
  readonly key: string
  /** Sorts the documents of a folder before those of its subfolders, otherwise in path order. */
  readonly order: string
}

/** The candidates of a name; sorted on first use. */
interface Candidates<Id> {
  readonly entries: Array<Entry<Id>>
  sorted: boolean
}
type Names<Id> = Map<string, Candidates<Id>>

interface Index<Id> {
  readonly exact: ReadonlyMap<string, Entry<Id>>
  readonly byKey: ReadonlyMap<string, Entry<Id>>
  readonly titles: Names<Id>
  readonly aliases: Names<Id>
  readonly series: Names<Id>
  /** Candidates by the last n segments of the key, built for each n on first use. */
  readonly suffixes: Array<Names<Id> | undefined>
}

const indexOf = <Id extends string>(documents: Iterable<LinkTarget<Id>>): Index<Id> => {
  const exact = new Map<string, Entry<Id>>()
  const byKey = new Map<string, Entry<Id>>()
  const [titles, aliases, series]: [Names<Id>, Names<Id>, Names<Id>] = [new Map(), new Map(), new Map()]
  for (const { aliases: names, id, path, title } of documents) {
    const key = withoutExtension(pathKey(path))
    const cut = key.lastIndexOf("/") + 1
    const entry = { id, path, key, order: `${key.slice(0, cut)}\u0001${key.slice(cut)}` }
    exact.set(path, entry)
    // `.md` goes before the rarer extensions.
    if (!byKey.has(key) || /\.md$/i.test(path)) byKey.set(key, entry)
    add(titles, nameNorm(title), entry)
    for (const name of names) add(aliases, nameNorm(name), entry)
    const numbered = seriesOf(key)
    if (numbered !== null) add(series, `${numbered.prefix}\u0000${numbered.number}`, entry)
  }
  return { exact, byKey, titles, aliases, series, suffixes: [] }
}

const add = <Id>(names: Names<Id>, name: string, entry: Entry<Id>): void => {
  if (name === "") return
  const candidates = names.get(name)
  if (candidates === undefined) names.set(name, { entries: [entry], sorted: true })
  else {
    candidates.entries.push(entry)
    candidates.sorted = false
  }
}

const byPath = <Id>(index: Index<Id>, fromPath: string, target: string): Entry<Id> | null => {
  const path = joinPath(folderOf(fromPath), target)
  if (path === null) return null
  return (
    index.exact.get(path) ??
    index.exact.get(`${path}.md`) ??
    withKey(index, path) ??
    withKey(index, path === "" ? "readme" : `${path}/readme`) ??
    withKey(index, path === "" ? "index" : `${path}/index`) ??
    null
  )
}

/** `v1.md` also matches the document `v1.md.md`. */
const withKey = <Id>(index: Index<Id>, path: string): Entry<Id> | undefined => {
  const key = pathKey(path)
  return index.byKey.get(withoutExtension(key)) ?? index.byKey.get(key)
}

/** A path in the vault or the end of one; a bare `README` or `index` is one of its own folder alone. */
const bySomePath = <Id>(index: Index<Id>, fromPath: string, target: string): Entry<Id> | null =>
  /^(?:\.{0,2}\/|\.\.?$|$)/.test(target) || /^(?:readme|index)$/.test(withoutExtension(pathKey(target)))
    ? null
    : byFileName(index, fromPath, target)

/** A page of a website that is kept in a folder of the vault: the outermost folder in which the path leads somewhere. */
const onSite = <Id>(index: Index<Id>, fromPath: string, target: string): Entry<Id> | null => {
  const page = /\.html?$/i.exec(target)
  if (target.length > maxNameChars || (page === null && !target.startsWith("/"))) return null
  const paths = page === null ? [target] : [target, target.slice(0, page.index)]
  const folders = target.startsWith("/") ? foldersAbove(fromPath) : [folderOf(fromPath)]
  for (const folder of folders)
    for (const path of paths) {
      const found = byPath(index, `${folder === "" ? "" : `${folder}/`}x`, path.replace(/^\/+/, ""))
      // A bare slash is no page of the site.
      if (found !== null && path !== "/") return found
    }
  return null
}

/** The folders that hold a path, from the root of the vault on. */
const foldersAbove = (path: string): ReadonlyArray<string> => {
  const parts = path.split("/").slice(0, -1)
  return ["", ...parts.map((_, at) => parts.slice(0, at + 1).join("/"))]
}

const byName = <Id>(index: Index<Id>, fromPath: string, target: string): Entry<Id> | null => {
  if (target.length > maxNameChars) return null
  const named = byFileName(index, fromPath, target)
  if (named !== null || relativeTarget.test(target)) return named
  const [folder, norm] = [folderOf(fromPath), nameNorm(target)]
  return nearest(index.titles.get(norm), folder) ?? nearest(index.aliases.get(norm), folder)
}

const relativeTarget = /^\.\.?\//

const byFileName = <Id>(index: Index<Id>, fromPath: string, target: string): Entry<Id> | null => {
  if (target.length > maxNameChars) return null
  if (relativeTarget.test(target)) return byPath(index, fromPath, target)
  const path = joinPath("", target)
  if (path === null || path === "") return null
  const exact = index.exact.get(path) ?? index.exact.get(`${path}.md`) ?? withKey(index, path)
  if (exact !== undefined) return exact
  const key = withoutExtension(pathKey(path))
  return nearest(suffixesOf(index, key.split("/").length).get(key), folderOf(fromPath))
}

const byNumber = <Id>(index: Index<Id>, fromPath: string, number: number): Entry<Id> | null => {
  const own = seriesOf(withoutExtension(pathKey(fromPath)))
  if (own === null) return null
  const found = index.series.get(`${own.prefix}\u0000${number}`)?.entries ?? []
  return found.length === 1 ? (found[0] ?? null) : null
}

/** Returns folder and prefix before the first digits of the stem, and their number. */
const seriesOf = (key: string): { readonly prefix: string; readonly number: number } | null => {
  const stem = key.lastIndexOf("/") + 1
  const found = /[0-9]{1,15}/.exec(key.slice(stem))
  return found === null ? null : { prefix: key.slice(0, stem + found.index), number: Number(found[0]) }
}

const suffixesOf = <Id>(index: Index<Id>, segments: number): Names<Id> => {
  const made = index.suffixes[segments]
  if (made !== undefined) return made
  const names: Names<Id> = new Map()
  for (const entry of index.byKey.values()) {
    const parts = entry.key.split("/")
    if (parts.length >= segments) add(names, parts.slice(-segments).join("/"), entry)
  }
  index.suffixes[segments] = names
  return names
}

/** Walks from the folder to the root and returns the first candidate below, in order. */
const nearest = <Id>(candidates: Candidates<Id> | undefined, folder: string): Entry<Id> | null => {
  if (candidates === undefined) return null
  const { entries } = candidates
  if (entries.length === 1) return entries[0] ?? null
  if (!candidates.sorted) entries.sort((a, b) => (a.order < b.order ? -1 : a.order > b.order ? 1 : 0))
  candidates.sorted = true
  for (let here = pathKey(folder); here !== ""; here = folderOf(here)) {
    const below = entries[lowerBound(entries, `${here}/`)]
    if (below?.order.startsWith(`${here}/`) === true) return below
  }
  return entries[0] ?? null
}

const lowerBound = <Id>(entries: ReadonlyArray<Entry<Id>>, order: string): number => {
  let [low, high] = [0, entries.length]
  while (low < high) {
    const middle = (low + high) >> 1
    if ((entries[middle]?.order ?? "") < order) low = middle + 1
    else high = middle
  }
  return low
}

/** Resolves a relative path to a vault path in NFC; null when it leaves the vault or is far too long. */
const joinPath = (folder: string, target: string): string | null => {
  if (target.length > maxNameChars) return null
  const parts = target.startsWith("/") || folder === "" ? [] : folder.split("/")
  for (const part of target.split("/")) {
    if (part === "..") {
      if (parts.pop() === undefined) return null
    } else if (part !== "" && part !== ".") parts.push(part)
  }
  return normalForm(parts.join("/"), "NFC")
}

/** Parses a value that is exactly `[[target|label]]` or `[label](target)`. */
const linkIn = (text: string): Pick<DocumentLink, "kind" | "target"> | null => {
  const wiki = /^!?\[\[((?:[^[\]|#]|\[[^[\]]*\])+)[^[\]]*\]\]$/.exec(text)?.[1]
  if (wiki !== undefined) return { kind: "wiki", target: wiki.trim() }
  const inline = /^\[[^[\]]*\]\(([^()#\s]+)[^()]*\)$/.exec(text)?.[1]
  return inline === undefined ? null : { kind: "markdown", target: inline }
}

/**
 * Returns the strings and numbers of a plain value, lists flattened; deeper nesting than front matter allows is
 * skipped.
 */
const textsIn = (value: unknown, depth = 0): ReadonlyArray<string | number> => {
  if (typeof value === "string" || typeof value === "number") return [value]
  return Array.isArray(value) && depth < 20 ? value.flatMap((item: unknown) => textsIn(item, depth + 1)) : []
}
