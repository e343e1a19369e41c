import { isoMoment } from "../item-path.js"

/** A file or folder that a WebDAV server lists. */
export interface DavEntry {
  /** Relative to the root of the crawl, without a slash at its end; empty for the root itself. */
  readonly path: string
  readonly isFolder: boolean
  readonly etag: string | null
  readonly modifiedAt: string | null
  readonly sizeBytes: number | null
}

/** Reads the answer to PROPFIND. What lies outside the root is left out. */
export const readMultistatus = async (bytes: Uint8Array, root: URL): Promise<ReadonlyArray<DavEntry>> => {
  const { elementsOf, parseXml } = await import("../../formats/xml.js")
  const base = decodeURIComponent(root.pathname)
  type Element = ReturnType<typeof parseXml>
  const find = (element: Element, name: string): Element | undefined => {
    for (const child of elementsOf(element)) {
      const found = child.localName === name ? child : find(child, name)
      if (found !== undefined) return found
    }
    return undefined
  }
  return elementsOf(parseXml(new TextDecoder().decode(bytes))).flatMap((response) => {
    if (response.localName !== "response") return []
    const text = (name: string): string | null => find(response, name)?.textContent?.trim() || null
    const address = URL.parse(text("href") ?? "", root.href)
    if (address === null) return []
    let place: string
    try {
      place = decodeURIComponent(address.pathname)
    } catch {
      return []
    }
    if (!`${place}/`.startsWith(base)) return []
    const type = find(response, "resourcetype")
    return [
      {
        path: place.slice(base.length).replace(/\/$/, ""),
        isFolder: type !== undefined && find(type, "collection") !== undefined,
        etag: text("getetag"),
        modifiedAt: isoMoment(text("getlastmodified")),
        sizeBytes: text("getcontentlength") === null ? null : Number(text("getcontentlength"))
      }
    ]
  })
}
