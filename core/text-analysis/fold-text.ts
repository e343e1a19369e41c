import { plainText } from "../markdown/index.js"

/**
 * A piece of Markdown as a reader sees it, on one line. What a document says stays a quotation: nothing in it
 * reads as a citation of ours, turns the direction of writing or acts on a terminal. Linear in the text.
 */
export const plain = (markdown: string): string =>
  withoutMarkers(plainText(markdown).replace(unseen, " ")).replace(/\s+/gu, " ").trim()

/** Control characters, those that turn the direction of writing, and tag characters. */
const unseen = /[\0-\x08\x0e-\x1f\x7f-\x9f\u061c\u200e\u200f\u202a-\u202e\u2066-\u2069\u{e0000}-\u{e007f}]/gu

/** The same without anything that reads like our markers: `[S1]` becomes `(S1)`. */
export const withoutMarkers = (text: string): string =>
  text.replace(/[[［【〔⟦]\s*([SDＳＤsd])\s*(\p{Nd}{1,6})\s*[\]］】〕⟧]/gu, "($1$2)")

/** True for a text that can be shown letter for letter: nothing in it is hidden or reads like our markers. */
export const isShowable = (text: string): boolean => text.search(unseen) < 0 && withoutMarkers(text) === text
