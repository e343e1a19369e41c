import type { NamedInProse, NameType, StatedRelation } from "./model.js"
import { type RelationRule, relationRules } from "./relation-rules.js"

/** A sentence in small letters whose names are replaced by their numbers: "⟨0⟩ acquired ⟨1⟩ in 2019". */
export interface Skeleton {
  readonly text: string
  readonly start: number
  readonly end: number
}

const name = "⟨\\d+⟩"
const list = `${name}(?:(?: in \\d{4})?(?:\\s*,\\s*(?:and )?|\\s+(?:and|or|as well as|together with)\\s+)(?:the )?${name}(?!'s))*`
const adverb =
  "(?:also |now |already |still |later |currently |recently |formerly |jointly |mainly |since |together |then |first |\\p{Ll}+ly )?"
const be = `(?:is|are|was|were|has been|have been|had been|became|becomes|remains)`
/** Words between an article and a name or a noun, which no preposition and no conjunction interrupts. */
const modifiers = (most: number) =>
  `(?:(?!(?:of|in|at|for|from|to|with|by|on|and|or|that|which|who|not|no|former|ex|then|acting|deputy|vice|assistant|shares?|parts?|stakes?)\\b)[\\p{Ll}\\d'-]+ ){0,${most}}`
const article = "(?:the |a |an |its |his |her |their |our |one of the |one of our )?"
/** A noun behind a name that makes it an attribute: "the Dolerite landscape of …". */
const noun =
  " (?!(?:as|at|in|on|by|for|from|with|and|or|to|since|until|during|because|where|which|who|that|but|is|was|while|when|after|before)\\b)[\\p{Ll}-]+"
// A lookahead, so that the name behind the verb can be the subject of the next clause.
const object = `${article}${modifiers(2)}(?=(?<object>${list})(?!'s|${noun} (?:of|in|for) ))`
/** Matches brackets, relative pronouns and appositions between a subject and its verb. */
const bridge = `(?:\\s*\\([^()]{0,60}\\))?(?:\\s*,?\\s+(?:which|who|that)\\s+|\\s*,\\s+(?!and |but |or |while |when |where )[^;:?]{1,90}?\\s*,\\s+|(?<!\\b(?:of|in|for|with|at|from|by|to|on) (?:the )?${list})\\s+)`
const subject = `(?<subject>${list})${bridge}`
/** The subject of the clause before: "… and acquired ⟨2⟩". */
const elided = "(?:,|\\band|\\bbut)\\s+(?:who |which )?"
const time = `(?:\\s+(?:in|on|at|since|from) (?:\\d{4}|${name}|\\p{Ll}+))?`

interface Pattern {
  readonly type: string
  readonly rule: RelationRule
  readonly form: string
  readonly pattern: RegExp
  /** Whether the grammatical subject is the end of the relation. */
  readonly isReversed: boolean
  /** Whether the words presuppose the relation, so that a report around them does not matter. */
  readonly isAside: boolean
}

const either = (words: string) => `(?:${words})`

const patternsOf = (rule: RelationRule): ReadonlyArray<Pattern> => {
  const { inverse, of = "of", passive, roles, states, together, type, verbs } = rule
  const made: Array<Pattern> = []
  const add = (form: string, source: string, how: { isReversed?: boolean; isAside?: boolean } = {}) =>
    made.push({
      type,
      rule,
      form,
      pattern: new RegExp(source, "gu"),
      isReversed: how.isReversed ?? false,
      isAside: how.isAside ?? false
    })
  const had = `${adverb}(?:(?:has|have|had) ${adverb})?`
  if (verbs !== undefined)
    for (const lead of [subject, elided]) add("verb", `${lead}${had}${either(verbs)} ${object}`)
  if (passive !== undefined) {
    for (const lead of [subject, elided])
      add("passive", `${lead}${be} ${adverb}${either(passive)}${time} by ${object}`, { isReversed: true })
    add("passive", `(?<subject>${list})\\s*,? ${adverb}${either(passive)}${time} by ${object}`, {
      isReversed: true
    })
  }
  if (states !== undefined) {
    for (const lead of [subject, elided])
      add(
        "state",
        `${lead}${be} (?:(?:a|an|the) (?:[\\p{Ll}'-]+ ){1,5})?${adverb}${either(states)} ${object}`
      )
    add(
      "state",
      `(?<subject>${list})\\s*,? (?:(?:a|an|the) (?:[\\p{Ll}'-]+ ){1,5})?${either(states)} ${object}`,
      {
        isAside: true
      }
    )
  }
  if (roles !== undefined) {
    const noun = `${modifiers(3)}(?:[\\p{Ll} ]{3,30} and )?${either(roles)}(?: and [\\p{Ll} ]{3,30}?)?`
    const role = `${article}${noun} ${either(of)} ${object}`
    for (const lead of [subject, elided])
      add("role", `${lead}${be} ${adverb}(?:named |appointed |elected |made |made up )?(?:as )?${role}`)
    add("role", `${subject}${adverb}(?:serves|served|works|worked|acts) as ${role}`)
    add("role", `(?<subject>${list})\\s*(?:,|\\()\\s*(?:who is |the |currently )?${role}`, { isAside: true })
    add("role", `${either(roles)} ${either(of)} ${object}\\s*,?\\s+(?<subject>${name})(?!')`, {
      isAside: true
    })
    add(
      "role",
      `(?<object>${name})'s? ${modifiers(2)}${either(roles)}\\s*,?\\s+(?:is )?(?<subject>${name})(?!')`,
      {
        isAside: true
      }
    )
    add("role", `(?<object>${name})\\s*, whose ${modifiers(2)}${either(roles)} is (?<subject>${name})`, {
      isAside: true
    })
    add(
      "role",
      `(?<object>${name}) (?:has )?(?:named|appointed|hired|elected) (?<subject>${name}) (?:as )?${article}${modifiers(2)}${either(roles)}`
    )
  }
  if (inverse !== undefined) {
    add(
      "inverse",
      `(?<subject>${name})'s? ${modifiers(2)}${either(inverse)} (?:is|are|include|includes|lies) (?:in )?${object}`,
      {
        isReversed: type !== "based_in" && type !== "reports_to"
      }
    )
    add("inverse", `${subject}${adverb}counts ${object} among its ${either(inverse)}`, { isReversed: true })
  }
  if (together !== undefined)
    add("together", `(?<subject>${name}) and (?<object>${name}) ${either(together)}`)
  return made
}

const workplaces: ReadonlyArray<Pattern> = relationRules
  .filter(({ type }) => type === "works_for")
  .map((rule) => ({
    type: rule.type,
    rule,
    form: "of",
    pattern: new RegExp(`(?<subject>${name}) (?:of|from|at) (?:the )?(?<object>${name})(?!')`, "gu"),
    isReversed: false,
    isAside: true
  }))

/** The patterns of each rule, and the words of which a sentence must have one. */
const rules = relationRules.map((rule) => {
  const { inverse, passive, roles, states, together, verbs } = rule
  const words = [inverse, passive, roles, states, together, verbs].filter((some) => some !== undefined)
  return {
    trigger: new RegExp(`(?<!\\p{L})(?:${words.join("|")})(?!\\p{L})`, "u"),
    patterns: patternsOf(rule)
  }
})
/** Returns whether a text in small letters has words that state a relation. */
export const hasRelationWords = (text: string): boolean => rules.some(({ trigger }) => trigger.test(text))

/** Words of reports, doubts and conditions: what they govern is not stated as a fact. */
const hedge =
  /(?<!\p{L})(?:if|whether|unless|den(?:y|ies|ied)|not true|nobody|no one|neither|asks?|asked|thinks?|thought|believes?|believed|heard|rumou?rs?|rumou?red|claims?|claimed|alleg\p{L}+|reportedly|says?|said|wrote|told|according to|expects?|expected|suggests?|suggested|proposed|pretends?|imagine|suppose)(?!\p{L})/u
/** Words that deny even an aside. */
const doubt =
  /(?<!\p{L})(?:if|whether|unless|den(?:y|ies|ied)|not true|asked whether|former|formerly|used to)(?!\p{L})/u
const opensQuestion =
  /^(?:did|does|do|is|are|was|were|will|would|can|could|should|may|might|has|have)\s+(?:the )?⟨/u

interface Found {
  readonly at: number
  readonly subject: string | undefined
  readonly object: string
  readonly text: string
  readonly by: Pattern
}

/** Returns the relations that a sentence states between its names. */
export const relationsIn = (
  skeleton: Skeleton,
  things: ReadonlyArray<NamedInProse>
): ReadonlyArray<StatedRelation> => {
  const { text } = skeleton
  if (text.indexOf("⟨") === text.lastIndexOf("⟨")) return []
  if (/\?\s*["”']?$/u.test(text) || opensQuestion.test(text)) return []
  const found = [
    ...rules.flatMap(({ patterns, trigger }) => (trigger.test(text) ? patterns : [])),
    ...workplaces
  ]
    .flatMap((by) =>
      [...text.matchAll(by.pattern)].map(
        (match): Found => ({
          at: match.index,
          subject: match.groups?.["subject"],
          object: match.groups?.["object"] ?? "",
          text: match[0],
          by
        })
      )
    )
    .filter((one) => isStated(text, one))
    .sort((a, b) => a.at - b.at)
  const relations = new Map<string, StatedRelation>()
  const opening = new RegExp(`^(?:[\\p{Ll}\\d ]{1,30}, )?(${list})\\s`, "u").exec(text)?.[1]
  let last: string | undefined
  for (const { by, object: objects, subject: own } of found) {
    const subjects = own ?? last ?? opening
    if (subjects === undefined) continue
    if (by.form !== "of") last = subjects
    for (const a of numbersIn(subjects))
      for (const b of numbersIn(objects)) {
        const made = relationOf(by, by.isReversed ? [b, a] : [a, b], things, skeleton)
        if (made !== null && !relations.has(`${made.type} ${made.from} ${made.to}`))
          relations.set(`${made.type} ${made.from} ${made.to}`, made)
      }
  }
  // Who leads something also works there.
  return [...relations.values()].filter(
    ({ from, to, type }) => type !== "works_for" || !relations.has(`leads ${from} ${to}`)
  )
}

const isPersonLike = ({ name: full, type }: NamedInProse): boolean =>
  type === "person" || (type === null && /^\p{Lu}[\p{L}-]+ (?:\p{Lu}\.? )?\p{Lu}[\p{L}'’-]+$/u.test(full))

const numbersIn = (names: string): ReadonlyArray<number> =>
  [...names.matchAll(/\d+/gu)].map(([text]) => Number(text))

const isStated = (text: string, { at, by, text: match }: Found): boolean => {
  const from = text.lastIndexOf(";", at) + 1
  const end = text.indexOf(";", at + match.length)
  const clause = text.slice(from, end < 0 ? text.length : end)
  return by.isAside ? !doubt.test(text.slice(from, at + match.length)) : !hedge.test(clause)
}

const relationOf = (
  { form, rule, type }: Pattern,
  [a, b]: readonly [number, number],
  things: ReadonlyArray<NamedInProse>,
  { end, start }: Skeleton
): StatedRelation | null => {
  const [from, to] = [things[a], things[b]]
  if (from === undefined || to === undefined || a === b) return null
  const fits = (given: NameType | null, wanted: ReadonlyArray<NameType>) =>
    given === null || wanted.includes(given)
  if (!fits(from.type, rule.from) || !fits(to.type, rule.to)) return null
  // "Anna Berg of Norrland AB": only of a person and an organization does this say where somebody works.
  if (form === "of" && (to.type !== "organization" || !isPersonLike(from))) return null
  return {
    type,
    from: from.name,
    to: to.name,
    fromType: from.type ?? rule.fromDefault ?? null,
    toType: to.type ?? rule.toDefault ?? null,
    rule: `${type}.${form}`,
    start,
    end
  }
}
