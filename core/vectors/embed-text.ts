import type { Chunk } from "../documents/index.js"

/** Returns the text that is embedded: title, headings and text of a chunk, one per line. */
export const embedText = (
  title: string,
  { headingPath, text }: Pick<Chunk, "headingPath" | "text">
): string => [title, ...headingPath, text].join("\n")

/**
 * Returns a 64-bit hash that shows whether a vector was made from the chunk's present text. It is compared with that
 * of one other text only.
 */
export const textHashOf = (sha256: (text: string) => string, text: string): string =>
  sha256(text).slice(0, 16)
