import type { ConvertedFile, ConvertibleFile } from "../../core/files/documents/index.js"
import { convertibleMediaType } from "../../core/files/markdown/index.js"
import { type Conversion, ConversionError, completed, tooLarge } from "./converted.js"

/** A message within a message and so on is followed this deep. */
const depthMax = 4

type Convert = (file: ConvertibleFile) => Conversion | Promise<Conversion>

/** Converts a file in this process, without limits on time or memory. Libraries are loaded when they are needed. */
export const convertHere = async (file: ConvertibleFile, depth = 0): Promise<ConvertedFile> => {
  const mediaType = mediaTypeOf(file)
  // Pictures within messages are mostly logos and signatures.
  const isLeftOut = depth > 0 && mediaType?.startsWith("image/") === true
  const convert = mediaType === null || isLeftOut ? undefined : converters[mediaType]
  if (mediaType === null || convert === undefined)
    throw new ConversionError(
      "format_unknown",
      "The format of the file is not one of those that are converted."
    )
  if (depth > depthMax) throw tooLarge(`Attachments are nested more than ${depthMax} deep.`)
  const conversion = await convert((inner) => convertHere(inner, depth + 1)).catch(missingLibrary)
  return completed(mediaType, await conversion(file))
}

/** The media type that the caller gives where it is one of ours, else that of the file name. */
const mediaTypeOf = ({ mediaType, name }: ConvertibleFile): string | null => {
  const given = mediaType?.split(";", 1)[0]?.trim().toLowerCase() ?? ""
  const named = convertibleMediaType(name)
  // Many servers and mail programs call any text plain, and any file a stream of octets.
  return Object.hasOwn(converters, given) && !(given === "text/plain" && named !== null) ? given : named
}

type Inner = (file: ConvertibleFile) => Promise<ConvertedFile>

const office = "application/vnd.openxmlformats-officedocument"
const html = async (): Promise<Convert> => (await import("./html.js")).convertHtml
const image = async (): Promise<Convert> => (await import("./image.js")).convertImage
const csv = async (): Promise<Convert> => (await import("./csv.js")).convertCsv

const converters: Readonly<Record<string, (inner: Inner) => Promise<Convert>>> = {
  "text/html": html,
  "application/xhtml+xml": html,
  "text/plain": async () => (await import("./text.js")).convertText,
  "text/csv": csv,
  "text/tab-separated-values": csv,
  "application/pdf": async () => (await import("./pdf.js")).convertPdf,
  "application/epub+zip": async () => (await import("./epub.js")).convertEpub,
  "application/vnd.oasis.opendocument.text": async () => (await import("./odt.js")).convertOdt,
  [`${office}.wordprocessingml.document`]: async (inner) => {
    const { convertDocx } = await import("./docx.js")
    return (file) => convertDocx(file, inner)
  },
  [`${office}.presentationml.presentation`]: async () => (await import("./pptx.js")).convertPptx,
  [`${office}.spreadsheetml.sheet`]: async () => (await import("./xlsx.js")).convertXlsx,
  "image/jpeg": image,
  "image/png": image,
  "image/tiff": image,
  "image/webp": image,
  "message/rfc822": async (inner) => {
    const { convertEml } = await import("./eml.js")
    return (file) => convertEml(file, inner)
  }
}

const missingLibrary = (error: unknown): never => {
  const code = (error as { readonly code?: unknown }).code
  const name = /(?:package|module) '([^']+)'/.exec(error instanceof Error ? error.message : "")?.[1]
  if (code === "ERR_MODULE_NOT_FOUND" || code === "MODULE_NOT_FOUND")
    throw new ConversionError(
      "converter_missing",
      name === undefined
        ? "The package that reads this format is not installed."
        : `The package that reads this format is not installed: npm install ${name}`
    )
  throw error
}
