import type { Chunk } from "../documents/index.js"

/** What a vector is made from: title, headings and text of a chunk, a line each. */
export const embedText = (
  title: string,
  { headingPath, text }: Pick<Chunk, "headingPath" | "text">
): string => [title, ...headingPath, text].join("\n")

/** Tells whether a chunk's vector is of its text as it is now: 64 bits, compared with that of one other text alone. */
export const textHashOf = (sha256: (text: string) => string, text: string): string =>
  sha256(text).slice(0, 16)
