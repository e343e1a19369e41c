/**
 * Escape character for U+0000, which Postgres cannot store in text but names, notes and filters may contain. U+0000
 * and the escape character U+10FFFF (a noncharacter) are written as U+10FFFF and a digit, so that any text is read
 * back unchanged.
 */
const mark = "\u{10ffff}"
const [nul, self] = [`${mark}0`, `${mark}1`]

/** Encodes a value for Postgres. */
export const encodeValue = (value: unknown): unknown =>
  typeof value === "string" && (value.includes("\0") || value.includes(mark))
    ? value.replaceAll(mark, self).replaceAll("\0", nul)
    : value

/** Decodes a text from Postgres. */
export const decodeText = (text: string): string =>
  text.includes(mark) ? text.replaceAll(nul, "\0").replaceAll(self, mark) : text

/** Decodes JSON that the database built from encoded texts, in which a U+0000 must become an escape. */
export const decodeJsonText = (text: string): string =>
  text.includes(mark) ? text.replaceAll(nul, "\\u0000").replaceAll(self, mark) : text
