import { plainText } from "../../files/markdown/index.js"

/**
 * Returns a piece of Markdown as displayed, on one line. Quoted content stays a quotation: the result contains no
 * citation markers of ours, no direction overrides and no terminal controls. Linear.
 */
export const plain = (markdown: string): string =>
  withoutMarkers(plainText(markdown).replace(unseen, " ")).replace(/\s+/gu, " ").trim()

/** Control characters, direction overrides and tag characters. */
const unseen = /[\0-\x08\x0e-\x1f\x7f-\x9f\u061c\u200e\u200f\u202a-\u202e\u2066-\u2069\u{e0000}-\u{e007f}]/gu

/** Replaces our citation markers: `[S1]` becomes `(S1)`, `[S1, D2]` becomes `(S1, D2)`. */
export const withoutMarkers = (text: string): string =>
  text.replace(markers, (_, listed: string) => `(${listed.replace(/(?<=[SDＳＤsd])\s+|\s+$/gu, "")})`)
const marker = "[SDＳＤsd]\\s{0,9}\\p{Nd}{1,6}"
const markers = new RegExp(
  `[[［【〔⟦]\\s*(${marker}\\s*(?:[,;、，；&+]?\\s*${marker}\\s*){0,40})[\\]］】〕⟧]`,
  "gu"
)

/** Whether a text can be shown literally: no hidden characters, no citation markers. */
export const isShowable = (text: string): boolean => text.search(unseen) < 0 && withoutMarkers(text) === text
