import { readXml } from "../../formats/xml-events.js"
import { globFilter, isLibraryFile, isoMoment, libraryPath } from "../item-path.js"

/** Elements and depth of one listing; an entry has about ten. */
const bounds = { elements: 500_000, depth: 50 }

/** The answer of a WebDAV server to PROPFIND. */
export interface DavInput {
  readonly bytes: Uint8Array
  /** The address of the folder that is crawled, with a slash at its end. */
  readonly root: string
  /** Patterns of the files that are taken; all without any. */
  readonly paths?: ReadonlyArray<string> | undefined
}

/** A file or folder that a WebDAV server lists. */
export interface DavEntry {
  /** Relative to the root of the crawl, without a slash at its end; empty for the root itself. */
  readonly path: string
  /** The path of the document that a file becomes. */
  readonly documentPath: string
  readonly isFolder: boolean
  readonly etag: string | null
  readonly modifiedAt: string | null
  readonly sizeBytes: number | null
}

/**
 * Reads the folders of a listing, and its documents that are taken. What lies outside the root is left out. Patterns
 * are applied here, in the process that reads listings: a hundred of them against a long listing take seconds.
 */
export const readMultistatus = ({ bytes, paths, root }: DavInput): ReadonlyArray<DavEntry> => {
  const entries: Array<DavEntry> = []
  const base = decodeURIComponent(new URL(root).pathname)
  const isTaken = globFilter(paths)
  let [isMultistatus, isFolder] = [false, false]
  let propertyValues = new Map<string, string>()
  readXml(
    new TextDecoder().decode(bytes),
    {
      open: (name) => {
        if (name === "multistatus") isMultistatus = true
        if (name === "response") [propertyValues, isFolder] = [new Map(), false]
        if (name === "collection") isFolder = true
      },
      close: (name, text) => {
        if (name === "response") {
          const entry = entryOf(propertyValues, isFolder, root, base)
          if (entry !== null && (entry.isFolder || (isLibraryFile(entry.path) && isTaken(entry.path))))
            entries.push(entry)
        } else if (properties.has(name) && !propertyValues.has(name) && text.trim() !== "")
          propertyValues.set(name, text.trim())
      }
    },
    bounds
  )
  if (!isMultistatus) throw new Error("no listing")
  return entries
}

const properties = new Set(["href", "getetag", "getlastmodified", "getcontentlength"])

const entryOf = (
  values: ReadonlyMap<string, string>,
  isFolder: boolean,
  root: string,
  base: string
): DavEntry | null => {
  const address = URL.parse(values.get("href") ?? "", root)
  if (address === null) return null
  let place: string
  try {
    place = decodeURIComponent(address.pathname)
  } catch {
    return null
  }
  if (!`${place}/`.startsWith(base)) return null
  const size = Number(values.get("getcontentlength"))
  const path = place.slice(base.length).replace(/\/$/, "")
  return {
    path,
    documentPath: isFolder ? path : libraryPath(path),
    isFolder,
    etag: values.get("getetag") ?? null,
    modifiedAt: isoMoment(values.get("getlastmodified")),
    sizeBytes: Number.isFinite(size) ? size : null
  }
}

/** The answer of a bucket that lists its objects. */
export interface BucketInput {
  readonly bytes: Uint8Array
  /** Prefix of the listed keys. */
  readonly prefix: string
  /** Patterns of the objects that are taken; all without any. */
  readonly paths?: ReadonlyArray<string> | undefined
}

/** A page of the listing of a bucket. */
export interface BucketListing {
  /** The objects that are taken. */
  readonly objects: ReadonlyArray<{
    readonly key: string
    readonly etag: string | null
    /** The path of the document that the object becomes. */
    readonly documentPath: string
  }>
  /** The last key of the page, taken or not; null where there is none. */
  readonly last: string | null
  readonly isTruncated: boolean
}

/** Reads a page of the listing of a bucket. */
export const readBucket = ({ bytes, paths, prefix }: BucketInput): BucketListing => {
  const objects: Array<BucketListing["objects"][number]> = []
  const isTaken = globFilter(paths)
  let last: string | null = null
  let [isBucket, isTruncated] = [false, false]
  let [key, etag]: [string | null, string | null] = [null, null]
  readXml(
    new TextDecoder().decode(bytes),
    {
      open: (name) => {
        if (name === "ListBucketResult") isBucket = true
        if (name === "Contents") [key, etag] = [null, null]
      },
      close: (name, text) => {
        if (name === "IsTruncated") isTruncated = text === "true"
        if (name === "Key") key = text
        if (name === "ETag") etag = unquoted(text)
        if (name !== "Contents" || key === null) return
        last = key
        const path = key.slice(prefix.length).replace(/^\//, "")
        if (isLibraryFile(path) && isTaken(path) && !key.endsWith("/"))
          objects.push({ key, etag, documentPath: libraryPath(path) })
      }
    },
    bounds
  )
  if (!isBucket) throw new Error("no listing")
  return { objects, last, isTruncated }
}

/** An ETag without quotes. */
export const unquoted = (etag: string | null): string | null => etag?.replace(/^(?:W\/)?"|"$/g, "") ?? null
