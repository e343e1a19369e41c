/** Offsets of one sentence, without surrounding white space. */
export interface Span {
  readonly start: number
  readonly end: number
}

/**
 * Returns the sentences of running text, in order; together they cover everything but white space. A full stop does
 * not end a sentence inside a number, after an initial or a known abbreviation (English, German, French, Spanish), in
 * a code span, or before a lower-case word; CJK stops end one without a blank after them. Linear.
 */
export const sentences = (text: string): ReadonlyArray<Span> => {
  const found: Array<Span> = []
  let start = skipSpace(text, 0)
  let at = start
  let ticks = 0
  while (at < text.length) {
    const char = text.charAt(at)
    if (char === "`") {
      let end = at
      while (text[end] === "`") end++
      // The length of the open run of backticks; only an equal run closes the span.
      ticks = ticks === 0 ? end - at : ticks === end - at ? 0 : ticks
      at = end
      continue
    }
    if (!stops.has(char)) {
      at += 1
      continue
    }
    let end = at + 1
    while (end < text.length && stops.has(text.charAt(end))) end++
    while (end < text.length && closers.has(text.charAt(end))) end++
    if (ticks !== 0 && !wideStops.has(char)) {
      at = end
      continue
    }
    if (endsSentence(text, start, at, end)) {
      found.push({ start, end })
      start = skipSpace(text, end)
      at = start
      // An unclosed backtick must not swallow the rest of a paragraph.
      ticks = 0
    } else at = end
  }
  const last = text.trimEnd().length
  if (start < last) found.push({ start, end: last })
  return found
}

const stops = new Set(".!?…。！？｡।؟۔")
const wideStops = new Set("。！？｡।۔")
const closers = new Set("\"')]}*_~»”’」』）】")

const endsSentence = (text: string, start: number, stop: number, end: number): boolean => {
  const char = text.charAt(stop)
  if (wideStops.has(char)) return true
  if (end >= text.length) return true
  if (!/\s/u.test(text.charAt(end))) return false
  const next = text.charAt(skipOpening(text, skipSpace(text, end)))
  if (/\p{Ll}/u.test(next)) return false
  if (char !== ".") return true
  // "z. B.", "J. R.": the next letter is part of the abbreviation.
  const word = wordBefore(text, start, stop)
  if (/^\d{1,2}$/u.test(word)) return !ordinalFollows(text, end) && !isListNumber(text, start, stop)
  if (/^\p{L}$/u.test(word) && /^\s\p{L}\./u.test(text.slice(end, end + 3))) return false
  // "840 °C. A visit": a unit is no initial.
  if (text.charAt(stop - word.length - 1) === "°") return true
  // "In bay C. It is checked", "the U.S. The": a word that begins sentences is no surname.
  if (/^\p{Lu}$/u.test(word)) return !/\p{Lu}/u.test(next) || opening.test(text.slice(end, end + 12))
  if (/^(?:\p{L}\.)+\p{L}$/u.test(word)) return opening.test(text.slice(end, end + 12))
  if (beforeNumber.has(word.toLowerCase())) return !/\p{N}/u.test(next)
  // "HR", "ED" in capitals are words, not abbreviations.
  return /^\p{Lu}{2,}$/u.test(word) || !abbreviations.has(word.toLowerCase())
}

const opening =
  /^\s*(?:the|this|that|these|those|it|its|in|on|at|after|before|during|if|when|he|she|they|we|you|there|however|der|die|das|es|sie|wir|während|nach|wenn|le|la|les|il|elle|ils|el|los|las)\b/iu

/** "3. März", "2. Auflage": the month or noun after it marks a German ordinal. */
const ordinalFollows = (text: string, end: number): boolean =>
  /^\s+(?:Jan|Feb|Mär|Apr|Mai|Jun|Jul|Aug|Sep|Okt|Nov|Dez|Auflage|Quartal|Stock|Etage|Halbjahr|Platz|Absatz|Kapitel)/u.test(
    text.slice(end, end + 14)
  )

const isListNumber = (text: string, start: number, stop: number): boolean =>
  text.slice(start, stop).length <= 2

const wordBefore = (text: string, start: number, stop: number): string => {
  let from = stop
  // Longer words are not abbreviations, which bounds the scan.
  while (from > start && stop - from < 24 && /[\p{L}\p{N}.]/u.test(text.charAt(from - 1))) from--
  return text.slice(from, stop)
}

const skipSpace = (text: string, from: number): number => {
  let at = from
  while (at < text.length && /\s/u.test(text.charAt(at))) at++
  return at
}

const skipOpening = (text: string, from: number): number => {
  let at = from
  while (at < text.length && at - from < 8 && /["'“„«([*_`]/u.test(text.charAt(at))) at++
  return at
}

const wordsOf = (text: string): ReadonlySet<string> => new Set(text.split(/\s+/u))

const abbreviations =
  wordsOf(`mr mrs ms dr prof st sr jr vs etc e.g i.e eg ie cf al ed eds approx dept est inc ltd corp gen sgt rev hon resp
  bzw z.b d.h u.a evtl ggf inkl exkl zzgl str tel vgl sog bspw mio mrd hr fr u.u z.t i.d.r mme mlle p.ex env sra sres ud uds p.ej`)

/** Words and months that are abbreviations only before a number ("No. 5", "Sec. 2", "Dec. 24"). */
const beforeNumber =
  wordsOf(`no nos nr ext fig figs eq eqs sec vol pp p art abs ch ca min max n° núm pág av bd
  jan feb mar apr jun jul aug sep sept oct okt nov dec dez`)
