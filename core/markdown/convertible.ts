import { isMarkdown } from "./path-names.js"

/** File name extensions of the formats that are converted to Markdown, with their media types. */
const mediaTypes: Readonly<Record<string, string>> = {
  csv: "text/csv",
  docx: "application/vnd.openxmlformats-officedocument.wordprocessingml.document",
  eml: "message/rfc822",
  epub: "application/epub+zip",
  htm: "text/html",
  html: "text/html",
  odt: "application/vnd.oasis.opendocument.text",
  pdf: "application/pdf",
  pptx: "application/vnd.openxmlformats-officedocument.presentationml.presentation",
  tsv: "text/tab-separated-values",
  txt: "text/plain",
  xhtml: "application/xhtml+xml",
  xlsx: "application/vnd.openxmlformats-officedocument.spreadsheetml.sheet"
}

/** The media type of a file that is converted, by the extension of its name; null for any other file. */
export const convertibleMediaType = (path: string): string | null => {
  const extension = /\.([a-z]+)$/i.exec(path)?.[1]?.toLowerCase() ?? ""
  return Object.hasOwn(mediaTypes, extension) ? (mediaTypes[extension] ?? null) : null
}

/** Whether a file of that name is converted to Markdown. */
export const isConvertible = (path: string): boolean => convertibleMediaType(path) !== null

/** Whether the name is that of a file which a vault takes in: Markdown, or a format that is converted. */
export const isVaultFile = (path: string): boolean => isMarkdown(path) || isConvertible(path)

/** Text formats of documents that a vault does not take in. */
const otherTexts =
  /\.(?:adoc|asc|asciidoc|creole|dj|djot|fountain|mediawiki|opml|org|qmd|rmd|rst|rtf|tex|text|textile|typ|wiki)$/i

/** Whether the name is that of a text document which a vault does not take in. */
export const isOtherText = (path: string): boolean => otherTexts.test(path)
