import { memoize } from "../../platform/caching/index.js"
import { phrase, wordwise } from "../languages/index.js"
import type { ReadText } from "./read-text.js"

const [past, present, now, ended] = [phrase("past"), phrase("present"), phrase("now"), phrase("ended")]

/** Whether a text has a word of the past: a question so put is answered by outdated statements too. */
export const saysPast = ({ text }: { readonly text: string }): boolean => past().test(text)

/** Whether a text says that something holds now. */
export const saysNow = ({ text }: { readonly text: string }): boolean => now().test(text)

const saysPresent = (text: string): boolean => present().test(text) || now().test(text)

/** Whether a statement is in the past only. */
export const isPastOnly = memoize((read: ReadText): boolean => saysPast(read) && !saysPresent(read.text))

/** Whether a statement is about something that has ended: "was Agda Rehn until 2021", "before that it was led by …". */
export const isOver = memoize((read: ReadText): boolean => isPastOnly(read) && ended().test(read.text))

/** Whether a statement says what holds at present. */
export const isPresent = memoize((read: ReadText): boolean => saysPresent(read.text) && !saysPast(read))

/** Whether a statement replaces words of another text by others: `the words "180 days" are replaced by "270 days"`. */
export interface Amendment {
  readonly old: string
  readonly new: string
}

const quoted = '["“„«»「『]\\s?([^"“”„«»「」『』]{1,120}?)\\s?["”“»«」』]'
const amending = [
  `${quoted}[^.;"“„«]{0,40}?\\b(?:replaced by|replaced with|substitute|inserting|insert|reads|substituted by|changed to|amended to|read as|now read|ersetzt durch|durch|remplacée?s? par|sustitu\\p{L}+ por|reempla\\p{L}+ por|заменить(?: словами)?|заменя\\p{L}+ (?:словами|на))\\b[^.;"“„«]{0,40}?${quoted}`,
  `${quoted}[^。"「『“]{0,12}?(?:修改为|改为|替换为|修改為|改為|を)[^。"「『“]{0,6}?${quoted}`
].map((source) => wordwise(() => new RegExp(source, "iu")))

export const amendmentIn = memoize(({ text }: ReadText): Amendment | null => {
  if (!/["“„«‚「『]/u.test(text)) return null
  for (const pattern of amending) {
    const [, old, made] = pattern().exec(text) ?? []
    if (old !== undefined && made !== undefined) return { old: old.trim(), new: made.trim() }
  }
  return null
})
