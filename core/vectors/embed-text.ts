import type { Chunk } from "../documents/index.js"

/** What a vector is made from: title, headings and text of a chunk, a line each. */
export const embedText = (
  title: string,
  { headingPath, text }: Pick<Chunk, "headingPath" | "text">
): string => [title, ...headingPath, text].join("\n")
