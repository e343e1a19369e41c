import type { Language } from "../../language/languages/index.js"

/** A word of a text with its place; the words of a value count as one, which the rules for values compare. */
export interface Word {
  readonly term: string
  readonly surface: string
  readonly start: number
  readonly end: number
  /** A word about the subject, neither a function word nor a value. */
  readonly isContent: boolean
}

/** Forms of the verb that makes a passive, and the preposition before who acts; German has its own order of words. */
const passives: Partial<Record<Language, { readonly being: ReadonlySet<string>; readonly by: string }>> = {
  en: { being: new Set(["is", "are", "was", "were", "be", "been", "being"]), by: "by" },
  es: { being: new Set(["es", "son", "fue", "fueron", "ser", "sido", "será", "serán"]), by: "por" },
  fr: { being: new Set(["est", "sont", "fut", "furent", "été", "être", "sera", "seront"]), by: "par" }
}

/** A passive: its verb, the words for whom it is done to and for who does it, and its words in the order of the active. */
interface Passive {
  readonly verb: string
  readonly patient: ReadonlyArray<Word>
  readonly agent: ReadonlyArray<Word>
  readonly active: ReadonlyArray<Word>
}

/** Returns both texts in the active voice where one of them is a passive of the other's verb; undefined elsewhere. */
export const inActiveVoice = (
  language: Language,
  own: ReadonlyArray<Word>,
  words: ReadonlyArray<Word>
): readonly [own: ReadonlyArray<Word>, words: ReadonlyArray<Word>] | undefined => {
  const [ours, theirs] = [passiveIn(own, language), passiveIn(words, language)]
  if (ours !== undefined && verbOf(ours, words, language) >= 0) return [ours.active, words]
  return theirs !== undefined && verbOf(theirs, own, language) >= 0 ? [own, theirs.active] : undefined
}

/** The place of the verb of a passive in a text that has it in the active voice; -1 elsewhere. */
const verbOf = ({ verb }: Passive, active: ReadonlyArray<Word>, language: Language): number => {
  const forms = passives[language]
  const at = active.findIndex(({ term }) => term === verb)
  const isPassive = active.some(({ surface }, place) => {
    const word = surface.toLowerCase()
    return word === forms?.by || (place < at && forms?.being.has(word) === true)
  })
  return isPassive ? -1 : at
}

/**
 * Returns the words of a claim that changed places although they stand in the order of its source, because one of both
 * is a passive: "the council is elected by the mayor" of "the council elects the mayor".
 */
export const swappedBesideVoice = (
  language: Language,
  own: ReadonlyArray<Word>,
  words: ReadonlyArray<Word>
): ReadonlyArray<Word> => {
  const [ours, theirs] = [passiveIn(own, language), passiveIn(words, language)]
  if (ours !== undefined) return isInOrder(ours, words, language) ? [...ours.patient, ...ours.agent] : []
  if (theirs === undefined || !isInOrder(theirs, own, language)) return []
  const sides = new Set([...theirs.patient, ...theirs.agent].map(({ term }) => term))
  return own.filter(({ isContent, term }) => isContent && sides.has(term))
}

const passiveIn = (words: ReadonlyArray<Word>, language: Language): Passive | undefined => {
  const forms = passives[language]
  if (forms === undefined) return undefined
  const being = words.findIndex(({ surface }) => forms.being.has(surface.toLowerCase()))
  const verb = words[being + 1]
  const by = words.findIndex(({ surface }, at) => at > being + 1 && surface.toLowerCase() === forms.by)
  if (being < 1 || verb?.isContent !== true || by < 0) return undefined
  const first = words.findIndex(({ isContent }, at) => at > by && isContent)
  const behind = words.findIndex(({ isContent }, at) => at > first && !isContent)
  if (first < 0) return undefined
  const end = behind < 0 ? words.length : behind
  return {
    verb: verb.term,
    patient: words.slice(0, being).filter(({ isContent }) => isContent),
    agent: words.slice(first, end),
    active: [
      ...words.slice(by + 1, end),
      verb,
      ...words.slice(0, being),
      ...words.slice(being + 2, by),
      ...words.slice(end)
    ]
  }
}

/** Whether the active has whom it is done to before its verb, and who does it behind it. */
const isInOrder = (passive: Passive, active: ReadonlyArray<Word>, language: Language): boolean => {
  const at = verbOf(passive, active, language)
  if (at < 0) return false
  const { agent, patient } = passive
  const areAll = (side: ReadonlyArray<Word>, among: ReadonlyArray<Word>, others: ReadonlyArray<Word>) =>
    side.some(({ term }) => among.some((word) => word.term === term)) &&
    !side.some(({ term }) => others.some((word) => word.term === term))
  const [before, behind] = [active.slice(0, at), active.slice(at + 1)]
  return areAll(patient, before, behind) && areAll(agent, behind, before)
}
