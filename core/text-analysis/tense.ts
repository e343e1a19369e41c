import { memoize } from "./memoize.js"
import type { ReadText } from "./read-text.js"
import { wordwise } from "./word-boundaries.js"

/** Words that put a statement into the past. */
const past = wordwise(
  /\b(?:was|were|had|used to|formerly|previously|originally|no longer|war|waren|hatten?|wurden?|galt(?:en)?|betrug(?:en)?|kostete[nt]?|früher|ehemals|zuvor|était|étaient|avait|avaient|fut|autrefois|auparavant|coûtait|era|eran|fue|fueron|había|antes|costaba|был[аои]?|раньше|прежде|ранее|составлял[аои]?)\b|以前|曾经|曾經|原来|原來|当時|でした|だった|ていた|ました/iu
)
/** Words that put it into the present. */
const present = wordwise(
  /\b(?:is|are|am|has|have|now|currently|today|since|costs|as of|ist|sind|hat|haben|beträgt|betragen|kostet|gilt|gelten|jetzt|nun|derzeit|aktuell|heute|seit|est|sont|coûte|maintenant|actuellement|désormais|aujourd['’]hui|depuis|es|son|está|están|cuesta|ahora|actualmente|hoy|desde|сейчас|теперь|сегодня|ныне|является|составляет|стоит)\b|现在|現在|目前|今は|です|である|ています/iu
)
const now = wordwise(
  /\b(?:now|currently|today|nowadays|at present|presently|jetzt|nun|derzeit|aktuell|heute|inzwischen|maintenant|actuellement|désormais|ahora|actualmente|hoy|сейчас|теперь|ныне)\b|现在|現在|目前|今は/iu
)

/** Whether a statement is in the past only. */
export const isPastOnly = memoize(({ text }: ReadText): boolean => past().test(text) && !present().test(text))

const ended = wordwise(
  /\b(?:until|till|formerly|previously|used to|no longer|before (?:that|then|this)|bis|früher|ehemals|zuvor|davor|jusqu['’](?:en|à|au)|autrefois|auparavant|avant cela|hasta|anteriormente|antes de eso|до|раньше|прежде|до этого)\b|以前|曾经|曾經/iu
)

/** Whether a statement is about something that has ended: "was Agda Rehn until 2021", "before that it was led by …". */
export const isOver = memoize((read: ReadText): boolean => isPastOnly(read) && ended().test(read.text))

/** Whether a statement says what holds at present. */
export const isPresent = memoize(({ text }: ReadText): boolean => present().test(text) && !past().test(text))

/** Whether a text says "now" in a word. */
export const saysNow = memoize(({ text }: ReadText): boolean => now().test(text))

/** Whether a statement replaces words of another text by others: `the words "180 days" are replaced by "270 days"`. */
export interface Amendment {
  readonly old: string
  readonly new: string
}

const quoted = '["“„«»「『]\\s?([^"“”„«»「」『』]{1,120}?)\\s?["”“»«」』]'
const amending = [
  `${quoted}[^.;"“„«]{0,40}?\\b(?:replaced by|replaced with|substitute|inserting|insert|reads|substituted by|changed to|amended to|read as|now read|ersetzt durch|durch|remplacée?s? par|sustitu\\p{L}+ por|reempla\\p{L}+ por|заменить(?: словами)?|заменя\\p{L}+ (?:словами|на))\\b[^.;"“„«]{0,40}?${quoted}`,
  `${quoted}[^。"「『“]{0,12}?(?:修改为|改为|替换为|修改為|改為|を)[^。"「『“]{0,6}?${quoted}`
].map((source) => wordwise(new RegExp(source, "iu")))

export const amendmentIn = memoize(({ text }: ReadText): Amendment | null => {
  if (!/["“„«‚「『]/u.test(text)) return null
  for (const pattern of amending) {
    const [, old, made] = pattern().exec(text) ?? []
    if (old !== undefined && made !== undefined) return { old: old.trim(), new: made.trim() }
  }
  return null
})
