import type { Archive } from "./archive.js"
import { isoDate } from "./converted.js"
import { parseXml, textOf } from "./xml.js"

/** Returns the metadata of an Office file in `docProps/core.xml`. */
export const officeProperties = (archive: Archive) => {
  const text = archive.text("docProps/core.xml")
  if (text === undefined) return {}
  try {
    const root = parseXml(text)
    return {
      title: textOf(root, "dc:title"),
      author: textOf(root, "dc:creator"),
      createdAt: isoDate(textOf(root, "dcterms:created")),
      modifiedAt: isoDate(textOf(root, "dcterms:modified"))
    }
  } catch {
    // The text of the document matters more than what stands about it.
    return {}
  }
}
