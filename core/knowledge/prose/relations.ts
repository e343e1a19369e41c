import { matchesOf } from "../../language/languages/index.js"
import { once } from "../../platform/kernel/index.js"
import type { NamedInProse, NameType, StatedRelation } from "./model.js"
import { bareVerbsOf, type RelationRule, relationRules } from "./relation-rules.js"

/** A sentence in small letters whose names are replaced by their numbers: "⟨0⟩ acquired ⟨1⟩ in 2019". */
export interface Skeleton {
  readonly text: string
  readonly start: number
  readonly end: number
}

/**
 * Small letters of English sentences, loan words included. With `\p{Ll}` the patterns would need the flag `u`, with
 * which a class such as `[^;]{1,90}` takes a hundred times as long to compile.
 */
const letter = "a-zß-öø-ſ"
const name = "⟨\\d+⟩"
const list = `${name}(?:(?: in \\d{4})?(?:\\s*,\\s*(?:and )?|\\s+(?:and|or|as well as|together with)\\s+)(?:the )?${name}(?!'s))*`
const adverb = `(?:also |now |already |still |later |currently |recently |formerly |jointly |mainly |since |together |then |first |[${letter}]+ly )?`
const be = `(?:is|are|was|were|has been|have been|had been|became|becomes|remains)`
/** Words between an article and a name or a noun, which no preposition and no conjunction interrupts. */
const modifiers = (most: number) =>
  `(?:(?!(?:of|in|at|for|from|to|with|by|on|and|or|that|which|who|not|no|former|ex|then|acting|deputy|vice|assistant|shares?|parts?|stakes?)\\b)[${letter}\\d'-]+ ){0,${most}}`
const article = "(?:the |a |an |its |his |her |their |our |one of the |one of our )?"
/** A noun behind a name that makes it an attribute: "the Dolerite landscape of …". */
const noun = ` (?!(?:as|at|in|on|by|for|from|with|and|or|to|since|until|during|because|where|which|who|that|but|is|was|while|when|after|before)\\b)[${letter}-]+`
// A lookahead, so that the name behind the verb can be the subject of the next clause.
const object = `${article}${modifiers(2)}(?=(?<object>${list})(?!'s|${noun} (?:of|in|for) ))`
/** Nouns that say what kind of thing the name before them is: "the Heron system". */
const kindNoun =
  "(?:option|event|opcode|function|method|field|system|tool|library|header|setting|flag|command|parameter|service|platform|standard|software|database|protocol|server|format|emulator)s?"
const notNoun = `(?:${kindNoun}|last|next|this|today|yesterday|again|soon|earlier|later|[${letter}]+ly)`
const wholeObject = `${object}(?!${list}(?! ${notNoun}\\b)${noun})`
/** Matches brackets, relative pronouns and appositions between a subject and its verb. */
const bridge = `(?:\\s*\\([^()]{0,60}\\))?(?:\\s*,?\\s+(?:which|who|that)\\s+|\\s*,\\s+(?!and |but |or |while |when |where )[^;:?]{1,90}?\\s*,\\s+|(?<!\\b(?:of|in|for|with|at|from|by|to|on) (?:the )?${list})\\s+)`
const subject = `(?<subject>${list})${bridge}`
/** The subject of the clause before: "… and acquired ⟨2⟩". */
const elided = "(?:,|\\band|\\bbut)\\s+(?:who |which )?"
const time = `(?:\\s+(?:in|on|at|since|from) (?:\\d{4}|${name}|[${letter}]+))?`

/** The kinds of words that state a relation, and a name "of" an organization. */
type Form = "verb" | "passive" | "state" | "role" | "inverse" | "together" | "of"

interface Pattern {
  readonly type: string
  readonly rule: RelationRule
  readonly form: Form
  readonly pattern: RegExp
  /** Matches each text in which the pattern does, and is compiled in no time. */
  readonly needs: RegExp
  /** Whether the grammatical subject is the end of the relation. */
  readonly isReversed: boolean
  /** Whether the words presuppose the relation, so that a report around them does not matter. */
  readonly isAside: boolean
}

const either = (words: string) => `(?:${words})`

interface How {
  readonly isReversed?: boolean
  readonly isAside?: boolean
  readonly needs?: RegExp
}

const anything = /^/
/** Beginnings of a pattern whose verb is a form of "be", with what they need. */
const beside = [
  { lead: `${subject}${be}`, needs: new RegExp(`⟩.*\\s${be} `) },
  { lead: `${elided}${be}`, needs: new RegExp(`(?:,|and|but)\\s+(?:who |which )?${be} `) }
]

/** The patterns of a rule by their form. */
const patternsOf = (rule: RelationRule): ReadonlyArray<Pattern> => {
  const what = rule.isWhole === true ? wholeObject : object
  const { inverse, of = "of", passive, roles, states, together, type, verbs } = rule
  const made: Array<Pattern> = []
  const add = (form: Form, source: string, how: How = {}) =>
    made.push({
      type,
      rule,
      form,
      pattern: new RegExp(source, "g"),
      needs: how.needs ?? anything,
      isReversed: how.isReversed ?? false,
      isAside: how.isAside ?? false
    })
  const had = `${adverb}(?:(?:has|have|had) ${adverb})?`
  if (verbs !== undefined) {
    add("verb", `${subject}${had}(?<verb>${verbs}) ${what}`, { needs: /⟩.*⟨/ })
    add("verb", `${elided}${had}(?<verb>${verbs}) ${what}`, { needs: /,|and|but/ })
  }
  if (passive !== undefined) {
    for (const { lead, needs } of beside)
      add("passive", `${lead} ${adverb}${either(passive)}${time} by ${object}`, { isReversed: true, needs })
    add("passive", `(?<subject>${list})\\s*,? ${adverb}${either(passive)}${time} by ${object}`, {
      isReversed: true
    })
  }
  if (states !== undefined) {
    for (const { lead, needs } of beside)
      add("state", `${lead} (?:(?:a|an|the) (?:[${letter}'-]+ ){1,5})?${adverb}${either(states)} ${object}`, {
        needs
      })
    add(
      "state",
      `(?<subject>${list})\\s*,? (?:(?:a|an|the) (?:[${letter}'-]+ ){1,5})?${either(states)} ${object}`,
      {
        isAside: true
      }
    )
  }
  if (roles !== undefined) {
    const noun = `${modifiers(3)}(?:[${letter} ]{3,30} and )?${either(roles)}(?: and [${letter} ]{3,30}?)?`
    const role = `${article}${noun} ${either(of)} ${object}`
    for (const { lead, needs } of beside)
      add("role", `${lead} ${adverb}(?:named |appointed |elected |made |made up )?(?:as )?${role}`, { needs })
    add("role", `${subject}${adverb}(?:serves|served|works|worked|acts) as ${role}`, {
      needs: /(?:serves|served|works|worked|acts) as /
    })
    add("role", `(?<subject>${list})\\s*(?:,|\\()\\s*(?:who is |the |currently )?${role}`, {
      isAside: true,
      needs: /⟩\s*[,(]/
    })
    add("role", `${either(roles)} ${either(of)} ${object}\\s*,?\\s+(?<subject>${name})(?!')`, {
      isAside: true
    })
    add(
      "role",
      `(?<object>${name})'s? ${modifiers(2)}${either(roles)}\\s*,?\\s+(?:is )?(?<subject>${name})(?!')`,
      { isAside: true, needs: /⟩'/ }
    )
    add("role", `(?<object>${name})\\s*, whose ${modifiers(2)}${either(roles)} is (?<subject>${name})`, {
      isAside: true,
      needs: /, whose /
    })
    add(
      "role",
      `(?<object>${name}) (?:has )?(?:named|appointed|hired|elected) (?<subject>${name}) (?:as )?${article}${modifiers(2)}${either(roles)}`,
      { needs: /⟩ (?:has )?(?:named|appointed|hired|elected) ⟨/ }
    )
  }
  if (inverse !== undefined) {
    add(
      "inverse",
      `(?<subject>${name})'s? ${modifiers(2)}${either(inverse)} (?:is|are|include|includes|lies) (?:in )?${object}`,
      { isReversed: type !== "based_in" && type !== "reports_to", needs: /⟩'/ }
    )
    add("inverse", `${subject}${adverb}counts ${object} among its ${either(inverse)}`, {
      isReversed: true,
      needs: /counts /
    })
  }
  if (together !== undefined)
    add("together", `(?<subject>${name}) and (?<object>${name}) ${either(together)}`, { needs: /⟩ and ⟨/ })
  return made
}

const workplaces: ReadonlyArray<Pattern> = relationRules
  .filter(({ type }) => type === "works_for")
  .map((rule) => ({
    type: rule.type,
    rule,
    form: "of",
    pattern: new RegExp(`(?<subject>${name}) (?:of|from|at) (?:the )?(?<object>${name})(?!')`, "g"),
    needs: /⟩ (?:of|from|at) /,
    isReversed: false,
    isAside: true
  }))

/** At most the words that `object` takes before its name: an article of up to three words and two others. */
const upToName = ` (?:[${letter}\\d'-]+ ){0,5}⟨`
/** What stands before a verb and its adverbs: the end of a subject or of a bridge, or an elided subject. */
const beforeVerb = `(?:[⟩),]|which|who|that|and|but)\\s+${adverb}(?:(?:has|have|had) ${adverb})?`

/** The words of each form, and a simple pattern that matches wherever a pattern of the form does. */
const formsOf = ({ inverse, of = "of", passive, roles, states, together, verbs }: RelationRule) =>
  [
    { form: "verb", words: verbs ?? "", trigger: `${beforeVerb}(?:${verbs})${upToName}` },
    { form: "passive", words: passive ?? "", trigger: `(?:${passive})${time} by${upToName}` },
    { form: "state", words: states ?? "", trigger: `(?:${states})${upToName}` },
    {
      form: "role",
      words: roles ?? "",
      trigger: `(?:${roles})(?:(?: and [${letter} ]{3,30})? (?:${of})${upToName}|\\s*,?\\s+(?:is )?⟨)|(?:named|appointed|hired|elected) .*(?:${roles})`
    },
    {
      form: "inverse",
      words: inverse ?? "",
      trigger: `(?:${inverse}) (?:is|are|include|includes|lies)(?: in)?${upToName}|counts .*(?:${inverse})`
    },
    { form: "together", words: together ?? "", trigger: `(?:${together})` }
  ].filter(({ words }) => words !== "")

/**
 * The patterns of each form of a rule with their trigger: to compile one of them takes milliseconds, so a process
 * compiles those alone that its documents need.
 */
const triggered = once(() =>
  relationRules.flatMap((rule) => {
    const patterns = patternsOf(rule)
    return formsOf(rule).map(({ form, trigger, words }) => ({
      words,
      trigger: new RegExp(trigger),
      patterns: patterns.filter((pattern) => pattern.form === form)
    }))
  })
)

const wordPattern = new RegExp(`[${letter}]+`, "g")

/** The forms by the first word of each of their alternatives. */
const formsByWord = once(() => {
  const byWord = new Map<string, Array<ReturnType<typeof triggered>[number]>>()
  for (const form of triggered())
    for (const [word = ""] of form.words.split("|").map((words) => words.match(wordPattern) ?? []))
      byWord.set(word, [...(byWord.get(word) ?? []), form])
  return byWord
})

/** Returns the patterns that may match a sentence, in the order of the rules. */
const patternsFor = (text: string): ReadonlyArray<Pattern> => {
  const byWord = formsByWord()
  const likely = new Set((text.match(wordPattern) ?? []).flatMap((word) => byWord.get(word) ?? []))
  return likely.size === 0
    ? []
    : triggered().flatMap((form) => (likely.has(form) && form.trigger.test(text) ? form.patterns : []))
}

/** Returns whether a text in small letters has words that state a relation. */
export const hasRelationWords = (text: string): boolean => relationWords().test(text)
const relationWords = once(
  () =>
    new RegExp(
      `(?<![${letter}])(?:${triggered()
        .map(({ words }) => words)
        .join("|")})(?![${letter}])`
    )
)

/** Words of reports, doubts and conditions: what they govern is not stated as a fact. */
const hedge =
  /(?<!\p{L})(?:if|whether|unless|den(?:y|ies|ied)|not true|nobody|no one|neither|asks?|asked|thinks?|thought|believes?|believed|heard|rumou?rs?|rumou?red|claims?|claimed|alleg\p{L}+|reportedly|says?|said|wrote|told|according to|expects?|expected|suggests?|suggested|proposed|pretends?|imagine|suppose)(?!\p{L})/u
/** Words that deny even an aside. */
const doubt =
  /(?<!\p{L})(?:if|whether|unless|den(?:y|ies|ied)|not true|asked whether|former|formerly|used to)(?!\p{L})/u
const opensQuestion =
  /^(?:did|does|do|is|are|was|were|will|would|can|could|should|may|might|has|have)\s+(?:the )?⟨/u

/** The names at the start of a sentence, behind at most a short opening. */
const opening = new RegExp(`^(?:[${letter}\\d ]{1,30}, )?(${list})\\s`)

interface Found {
  readonly at: number
  readonly verb: string | undefined
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
  const found = [...patternsFor(text), ...workplaces]
    .filter(({ needs }) => needs.test(text))
    .flatMap((by) =>
      matchesOf(by.pattern, text).map(
        (match): Found => ({
          at: match.index,
          subject: match.groups?.["subject"],
          verb: match.groups?.["verb"],
          object: match.groups?.["object"] ?? "",
          text: match[0],
          by
        })
      )
    )
    .filter((one) => isStated(text, one) && isOwnVerb(one, things) && !isOfKind(text, one))
    .sort((a, b) => a.at - b.at)
  const relations = new Map<string, StatedRelation>()
  const first = opening.exec(text)?.[1]
  let last: string | undefined
  for (const { by, object: objects, subject: own } of found) {
    const subjects = own ?? last ?? first
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

const bareVerbs = new Map(relationRules.map((rule) => [rule.type, bareVerbsOf(rule)]))

/**
 * Returns whether the verb is that of the subject. "Use" is it behind several names or a plural; else it is a command or
 * an infinitive: "`A` was removed, use `B`", "A allows you to get it and use B".
 */
const isOwnVerb = ({ by, subject: names, verb }: Found, things: ReadonlyArray<NamedInProse>): boolean => {
  if (verb === undefined || bareVerbs.get(by.type)?.has(verb) !== true) return true
  if (names === undefined) return false
  const subjects = numbersIn(names)
  return subjects.length > 1 || subjects.some((at) => /[^s]s$/u.test(things[at]?.name ?? ""))
}

/** Returns whether the subject is one of a kind and no name: "This EIP replaces …". */
const isOfKind = (text: string, { at, subject: names }: Found): boolean =>
  names !== undefined &&
  /(?:^|\s)(?:this|these|those|such|any|every|another|some|there)\s$/u.test(
    text.slice(Math.max(0, at - 10), at)
  )

const numbersIn = (names: string): ReadonlyArray<number> =>
  [...names.matchAll(/\d+/gu)].map(([text]) => Number(text))

const isStated = (text: string, { at, by, text: match }: Found): boolean => {
  const from = text.lastIndexOf(";", at) + 1
  const end = text.indexOf(";", at + match.length)
  const clause = text.slice(from, end < 0 ? text.length : end)
  return by.isAside ? !doubt.test(text.slice(from, at + match.length)) : !hedge.test(clause)
}

/** Relations between a person and a group, whose words also state what software does: "A runs B", "manager for B". */
const personal: ReadonlySet<string> = new Set(["leads", "works_for"])

/**
 * Returns whether one end is a person and the other may be a group: both by type, or one of them by type and the other
 * by the form of its name.
 */
const isWork = (from: NamedInProse, to: NamedInProse): boolean =>
  from.type === "person"
    ? to.type !== null || / /u.test(to.name)
    : to.type === "organization" && isPersonLike(from)

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
  if (personal.has(type) && !isWork(from, to)) return null
  // That two products "work with" each other makes them no partners.
  if (type === "partner_of" && from.type !== "organization" && to.type !== "organization") return null
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
