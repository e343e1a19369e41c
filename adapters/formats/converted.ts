import type { ConversionFailure, ConvertedFile } from "../../core/files/documents/index.js"

/** A file that cannot be converted, thrown within the child process and sent to its parent. */
export class ConversionError extends Error {
  constructor(
    readonly code: ConversionFailure,
    message: string
  ) {
    super(message)
  }
}

export const broken = (message: string): ConversionError => new ConversionError("file_broken", message)
export const encrypted = (message = "The file is encrypted."): ConversionError =>
  new ConversionError("file_encrypted", message)
export const tooLarge = (message: string): ConversionError => new ConversionError("file_too_large", message)

/** Result of a converter of one format; fields that it leaves out are empty. */
export type Conversion = Pick<ConvertedFile, "markdown"> &
  Partial<Omit<ConvertedFile, "mediaType">> & {
    /** The text of the file by a second way, with which the Markdown is compared; see `plain-text.ts`. */
    readonly plain?: string
  }

/** The whole result of a conversion. */
export const completed = async (mediaType: string, conversion: Conversion): Promise<ConvertedFile> => {
  const { imagesSkipped = 0, pageStarts = [], plain = "", warnings = [] } = conversion
  // Marks where words may be parted are not shown. Pages begin at places that they are counted in.
  const markdown =
    pageStarts.length === 0 ? conversion.markdown.replaceAll("\u00ad", "") : conversion.markdown
  // Loaded when it is needed: a process that waits for files stays small.
  const lost = plain === "" ? [] : (await import("./conserved-values.js")).lostTextWarnings(plain, markdown)
  return {
    mediaType,
    markdown,
    title: nonBlank(conversion.title),
    author: nonBlank(conversion.author),
    createdAt: conversion.createdAt ?? null,
    modifiedAt: conversion.modifiedAt ?? null,
    pageStarts,
    imagesSkipped,
    warnings: [
      ...warnings,
      ...lost,
      ...imageWarning(imagesSkipped),
      ...(markdown.trim() === "" ? [noText] : [])
    ],
    attachments: conversion.attachments ?? []
  }
}

const noText = {
  code: "no_text",
  message: "The file holds no text: a scan, or images alone, are not read."
}

const imageWarning = (count: number) =>
  count === 0
    ? []
    : [
        {
          code: "images_skipped",
          message: count === 1 ? "1 image was left out." : `${count} images were left out.`
        }
      ]

const nonBlank = (text: string | null | undefined): string | null => {
  const trimmed = (text ?? "").replace(/[\s\0]+/gu, " ").trim()
  // Placeholders that programs write for a missing value.
  return /^(?:|untitled|anonymous|unspecified|unknown)$/i.test(trimmed) ? null : trimmed.slice(0, 500)
}

/** A date of a file's metadata in ISO 8601 and UTC; null when it is none. */
export const isoDate = (text: string | null | undefined): string | null => {
  const time = Date.parse(text ?? "")
  return Number.isNaN(time) ? null : new Date(time).toISOString()
}
