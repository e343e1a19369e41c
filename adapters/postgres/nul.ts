/**
 * Text of Postgres holds no U+0000, and text of ours may: a name, a note, a filter that somebody types. It is written as
 * U+10FFFF (a code point that stands for no character) and a digit, and so is U+10FFFF itself; what is read is what was written.
 */
const mark = "\u{10ffff}"
const [nul, self] = [`${mark}0`, `${mark}1`]

/** A value as it may be sent. */
export const writable = (value: unknown): unknown =>
  typeof value === "string" && (value.includes("\0") || value.includes(mark))
    ? value.replaceAll(mark, self).replaceAll("\0", nul)
    : value

/** A text as it was before it was sent. */
export const asWritten = (text: string): string =>
  text.includes(mark) ? text.replaceAll(nul, "\0").replaceAll(self, mark) : text

/** The same of JSON that the database made of texts, where a U+0000 does not stand as it is. */
export const jsonAsWritten = (text: string): string =>
  text.includes(mark) ? text.replaceAll(nul, "\\u0000").replaceAll(self, mark) : text
