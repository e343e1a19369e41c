import type { ConvertedFile, ConvertibleFile } from "../../core/files/documents/index.js"
import type { Archive } from "./archive.js"
import { ConversionError } from "./converted.js"
import { allOf, attributeOf, parseXml } from "./xml.js"

/** Documents that a Word document embeds in its text (`altChunk`), by the id of their relationship. */
export const embeddedDocuments = async (
  archive: Archive,
  convert: (file: ConvertibleFile) => Promise<ConvertedFile>
): Promise<ReadonlyMap<string, string | null>> => {
  const found = new Map<string, string | null>()
  const relations = archive.text("word/_rels/document.xml.rels")
  for (const relation of relations === undefined ? [] : allOf(parseXml(relations), "Relationship")) {
    if (!/\/aFChunk$/i.test(attributeOf(relation, "Type") ?? "")) continue
    const target = attributeOf(relation, "Target") ?? ""
    const path = target.startsWith("/") ? target.slice(1) : `word/${target}`
    const bytes = Object.hasOwn(archive.files, path) ? archive.files[path] : undefined
    found.set(
      attributeOf(relation, "Id") ?? "",
      bytes === undefined ? null : await textOf(path, bytes, archive, convert)
    )
  }
  return found
}

const textOf = async (
  path: string,
  bytes: Uint8Array,
  archive: Archive,
  convert: (file: ConvertibleFile) => Promise<ConvertedFile>
): Promise<string | null> => {
  const declared = mediaTypeOf(path, archive)
  // The part of a Word document has the media type of its main part.
  const mediaType = declared.includes("wordprocessingml")
    ? "application/vnd.openxmlformats-officedocument.wordprocessingml.document"
    : declared
  try {
    return (await convert({ name: path.split("/").at(-1) ?? path, bytes, mediaType })).markdown
  } catch (error) {
    if (error instanceof ConversionError) return null
    throw error
  }
}

const mediaTypeOf = (path: string, archive: Archive): string => {
  const types = parseXml(archive.text("[Content_Types].xml") ?? "<Types/>")
  const own = allOf(types, "Override").find((one) => attributeOf(one, "PartName") === `/${path}`)
  const ending = path.split(".").at(-1)?.toLowerCase()
  const ofEnding = allOf(types, "Default").find(
    (one) => attributeOf(one, "Extension")?.toLowerCase() === ending
  )
  return attributeOf(own ?? ofEnding, "ContentType") ?? ""
}
