/** Statements that say what a thing is: "What is a cycle?", "What does --force do?", "What does code 12 mean?" */
import type { Language } from "../../language/languages/index.js"
import { type ReadText, type ReadUnit, saysPast } from "../../language/text-analysis/index.js"
import { nameNorm } from "../../platform/kernel/index.js"
import type { Evidence, EvidencePassage } from "../evidence/index.js"
import { headTextOf } from "./head-text.js"

/** Nouns that only say of what sort a thing is. */
const sorts =
  "component|command|option|method|feature|tool|module|plugin|library|service|function|api|setting|parameter|mode|flag|team|system|value|key|role|modus|befehl|schalter|wert|rolle|taste"
const sort = new RegExp(`^(?:${sorts})$`, "iu")

/**
 * Returns how certainly a unit says what the subject of a definition question is: 3 for a row, a sentence that calls
 * something so, one that begins with the subject and a copula, or with what it does below a title or heading that is the
 * subject, and the first one below such a heading; 2 for an item; 1 for a sentence with what it does below a heading that
 * holds the subject; 0 for others.
 */
export const definesSubject = (
  { question, texts }: Pick<Evidence, "question" | "texts">,
  source: EvidencePassage,
  unit: ReadUnit
): 0 | 1 | 2 | 3 => {
  const { language, subject } = question
  // "The rent was 900 euros in 2021." does not say what it is.
  if (subject === null || (wasSo.test(unit.text) && !saysPast(question))) return 0
  const all = subject.replace(article, "").split(" ")
  const telling = all.filter((word) => !sort.test(word))
  const words = telling.length > 0 ? telling : all
  const isFirst =
    unit.kind === "sentence" && source.units.find(({ heading }) => heading === unit.heading) === unit
  if (isFirst && nameNorm(unit.heading) === nameNorm(all.join(" "))) return 3
  const above = texts.read(`${headTextOf(source)} | ${unit.heading}`)
  if (unit.kind === "row" || unit.kind === "item") {
    if (isEntryOf(words, unit, above, language)) return unit.kind === "row" ? 3 : 2
    if (unit.kind === "row") return 0
  }
  if (unit.kind !== "sentence" && unit.kind !== "item") return 0
  const name = words.join(" ")
  const called = naming.exec(unit.text)?.[1]
  if (called !== undefined && nameNorm(called) === nameNorm(name)) return 3
  const rest = behindSubject(words, unit, language)
  if (rest === undefined) return 0
  if (copula.test(rest)) return 3
  if (!does.test(rest)) return 0
  const isHeading = above.text
    .split(" | ")
    .some((one) => nameNorm(one.replace(ofSort, "")) === nameNorm(name))
  return isHeading ? 3 : words.every((word) => holds(above, word, language)) ? 1 : 0
}

/** "Deep Sleep Component" is the page of deep sleep. */
const ofSort = new RegExp(` (?:${sorts})$`, "iu")
const article = /^(?:an?|the|der|die|das|eine?|une?|le|la|el|los|las) /iu
const wasSo = /(?<!\p{L})(?:was|were|war|waren)(?!\p{L})/iu
const holds = (text: ReadText, word: string, language: Language): boolean =>
  text.part(word).words.every(({ term }) => text.set.match(term, language) > 0)

/** Whether a row or item begins with the last word of the subject, and what stands above it has the others. */
const isEntryOf = (
  words: ReadonlyArray<string>,
  unit: ReadUnit,
  above: ReadText,
  language: Language
): boolean => {
  const key = words.at(-1) ?? ""
  const whole = words.join(" ")
  const [, header = "", cell = ""] =
    unit.kind === "row"
      ? (/^(?:([^:;]{1,60}): )?([^;]{1,80})(?:;|$)/u.exec(unit.text) ?? [])
      : [unit.text, "", entryKey(unit, key)]
  const label = nameNorm(cell.replace(/^["'`“„«]+|["'`”»]+$/gu, ""))
  if (label === "") return false
  if (label === nameNorm(whole)) return true
  return (
    words.length > 1 &&
    label === nameNorm(key) &&
    words
      .slice(0, -1)
      .every((word) => holds(above, word, language) || holds(unit.part(header), word, language))
  )
}

/** "**Editor** may …", "pv: charge with …", "--force overwrites …"; a plain word needs a mark. */
const entryKey = ({ raw, text }: ReadUnit, key: string): string => {
  const bold = /^\s*(\*\*|__|`)(?=\S)([^*_`\n]{1,60})\1/u.exec(raw)?.[2]
  if (bold !== undefined) return bold.replace(/:$/u, "")
  const marked = /^([^:(–—]{1,60}?)(?: \([^()]{1,120}\))?(?::| [–—-]) /u.exec(text)?.[1]
  if (marked !== undefined) return marked
  return /[\p{N}_.-]/u.test(key) && text.startsWith(`${key} `) ? key : ""
}

/** The text behind the subject at the start of a sentence; undefined where it begins otherwise. */
const behindSubject = (
  words: ReadonlyArray<string>,
  unit: ReadUnit,
  language: Language
): string | undefined => {
  const opening =
    /^["'“„«(]*(?:(?:An?|The|Der|Die|Das|Eine?|Une?|Le|La|El|Los|Las|Our|Your|Each|Every|Unser) )?/u.exec(
      unit.text
    )?.[0] ?? ""
  const text = unit.text.slice(opening.length)
  const name = words.join(" ").toLowerCase()
  // "deep_sleep" is deep sleep.
  if (text.slice(0, name.length).replace(/[_-]/gu, " ").toLowerCase() === name) return text.slice(name.length)
  const found = unit.part(text.slice(0, subjectChars)).words
  const asked = words.flatMap((word) => unit.part(word).words.map(({ term }) => term))
  const last = found[asked.length - 1]
  // "This is where your comp time is recorded" begins with other words.
  if (asked.length === 0 || last === undefined || found[0]?.start !== 0) return undefined
  const isSame = asked.every((term, at) => {
    const one = found[at]
    return one !== undefined && unit.part(text.slice(one.start, one.end)).set.match(term, language) > 0
  })
  return isSame ? text.slice(last.end) : undefined
}
const subjectChars = 120

const kind = `(?:["'”»)]*)(?: \\([^()]{1,80}\\))?(?: (?:${sorts}))?(?: (?:of|in|for) (?:an?|the|each|every) \\p{L}+)?`
const copula = new RegExp(
  `^${kind} (?:(?:is|are|was|were) (?:[\\p{L}-]+ ){0,2}?(?:an?|the|our|one of|another|part of|how|what|where|when)|(?:means?|refers? to|stands? for|denotes?)|(?:ist|sind|war) (?:[\\p{L}-]+ ){0,3}?(?:eine?|der|die|das|unsere?)|bedeutet|bezeichnet|steht für|(?:est|sont) (?:une?|le|la|les)|désigne|(?:es|son) (?:una?|el|la|los|las)|significa)(?!\\p{L})`,
  "u"
)
const does = new RegExp(
  `^${kind} (?:can be used|(?:automatically |also )?(?:provides?|allows?|enables?|lets?|helps?|describes?|defines?|specifies|measures?|shows?|tracks?|supports?|sends?|runs?|is used)|ermöglicht|erlaubt|beschreibt|definiert|zeigt|dient|legt|gibt|hilft|permet|permite)(?!\\p{L})`,
  "u"
)
/** 'The place where nets dry is called a "loft".' */
const naming =
  /(?:is|are|was|were|call|calls) (?:called|named|known as|termed)? ?(?:an? |the )?["“„«]([^"“”„«»]{2,60})["”»]|(?:nennt man|heißt|bezeichnet man als|wird als) ["“„«]([^"“”„«»]{2,60})["”»]/iu
