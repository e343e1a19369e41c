import { wordwise } from "../../language/languages/index.js"
import { once } from "../../platform/kernel/index.js"
import type { NameType } from "./model.js"
import { type RelationSought, soughtBy, split, wordPattern } from "./relation-roles.js"
import { type RelationRule, relationRules } from "./relation-rules.js"
import { asksForPast, isLasting } from "./relation-tense.js"

/** A question about a relation: what is sought of a name, or of what a question inside it asks for. */
export interface RelationQuestion {
  /** Any of these answers. */
  readonly sought: ReadonlyArray<RelationSought>
  /** Types that an answer may have; null where the question leaves it open. */
  readonly kinds: ReadonlyArray<NameType> | null
  /** The question word that asks for it in other words. */
  readonly asks: string
  /** Whether it asks for what holds now rather than for what happened. */
  readonly isPresent: boolean
  readonly of: { readonly name: string } | RelationQuestion
}

/** Words that restrict or deny what is asked for: an edge says nothing of them. */
const restricted = wordwise(
  () =>
    /(?<!\p{L})(?:not|no|never|none|neither|nor|\p{L}+n['’]t|without|except|besides|other|others|else|instead|only|most|least|more|less|\p{L}+est|first|last|second|next|previous|previously|former|formerly|original|originally|future|old|new|recent|recently|soon|ever|before|after|since|until|during|when|why|how|will|would|could|should|might|may|can|plan|plans|planned|going|trying|want|wants|if)(?!\p{L})|\d{4}/iu
)

const kindOfNoun: ReadonlyArray<readonly [RegExp, ReadonlyArray<NameType>]> = [
  [/^(?:person|people|man|woman|persons)$/u, ["person"]],
  [
    /^(?:company|companies|firms?|organi[sz]ations?|business|businesses|groups?|suppliers?|customers?|clients?)$/u,
    ["organization"]
  ],
  [/^(?:city|cities|towns?|villages?|country|countries|places?|region|state)$/u, ["place"]],
  [/^(?:tools?|systems?|software|products?|databases?|programs?|programmes?)$/u, ["product", "organization"]]
]

interface Form {
  readonly pattern: RegExp
  readonly rule: RelationRule
  readonly known: "from" | "to"
  /** One of these is in each question of this form. */
  readonly words: ReadonlyArray<string>
  /** Named by a noun, as "the owner of …": may stand inside another question, too. */
  readonly isRole: boolean
}

const either = (words: ReadonlyArray<string>) => `(?:${words.join("|")})`

/** Returns what a verb may be behind "did": "bought" beside "buys" is "buy". */
const bareForms = (verbs: ReadonlyArray<string>): ReadonlyArray<string> =>
  verbs.flatMap((verb) => {
    const [first = "", ...rest] = verb.split(" ")
    const stems = /s$/u.test(first)
      ? [first.slice(0, -1), ...(/(?:sh|ch|ss|x)es$/u.test(first) ? [first.slice(0, -2)] : [])]
      : /ed$/u.test(first)
        ? [first.slice(0, -2), first.slice(0, -1)]
        : []
    return [first, ...stems].map((stem) => [stem, ...rest].join(" "))
  })

const who = "(?<wh>who|whom|what|where|(?:which|what) (?<noun>\\p{L}+))"
const be = "(?:is|are|was|were)"
const name = "(?<name>.{2,160}?)"
const end = "\\s*\\?*$"

const formsOf = (rule: RelationRule): ReadonlyArray<Form> => {
  const [verbs, states, passive] = [split(rule.verbs), split(rule.states), split(rule.passive)]
  const made: Array<Form> = []
  const add = (source: string, known: "from" | "to", words: ReadonlyArray<string>, isRole = false) =>
    made.push({
      words,
      pattern: new RegExp(`^${source}${end}`, "iu"),
      rule,
      known,
      isRole
    })
  if (verbs.length > 0) {
    add(`${who} (?:has |have )?(?<verb>${verbs.join("|")}) ${name}`, "to", verbs)
    const bare = bareForms(verbs)
    add(`${who} (?<verb>did|does|do|has|have) ${name} ${either(bare)}`, "from", bare)
  }
  if (passive.length > 0) {
    add(`${who} (?<verb>${be}) ${name} ${either(passive)} by`, "to", passive)
    add(
      `by (?<wh>whom|(?:which|what) (?<noun>\\p{L}+)) (?<verb>${be}) ${name} ${either(passive)}`,
      "to",
      passive
    )
    add(`${who} (?<verb>${be}) ${either(passive)} by ${name}`, "from", passive)
  }
  if (states.length > 0) {
    add(`${who} (?<verb>${be}) ${either(states)} ${name}`, "to", states)
    // "Where is … based?", "What city is … based in?"
    const placed = states
      .filter((state) => / (?:in|near|at)$/u.test(state))
      .map((state) => state.replace(/ \S+$/u, ""))
    const all = [...states, ...placed]
    add(`${who} (?<verb>${be}) ${name} ${either(all)}`, "from", all)
    if (placed.length > 0)
      add(
        `in (?<wh>(?:which|what) (?<noun>\\p{L}+)) (?<verb>${be}) ${name} ${either(placed)}`,
        "from",
        placed
      )
  }
  const nouns = (words: string | undefined, known: "from" | "to") => {
    const roles = split(words)
    if (roles.length === 0) return
    const noun = either([...roles].sort((a, b) => b.length - a.length))
    const of = either(split(rule.of ?? "of").concat("of"))
    add(`${who} (?<verb>${be}) (?:the |an? )?(?<role>${noun}) ${of} ${name}`, known, roles, true)
    add(`${who} (?<verb>${be}) ${name}['’]s? (?<role>${noun})`, known, roles, true)
  }
  nouns(rule.roles, "to")
  nouns(rule.inverse, rule.type === "based_in" || rule.type === "reports_to" ? "from" : "to")
  return made
}

const forms = once(() => relationRules.flatMap(formsOf))
/** Most questions ask for no relation: they have none of the words. */
const trigger = once(
  () =>
    new RegExp(
      `(?<!\\p{L})(?:${[
        ...new Set(
          relationRules.flatMap((rule) => [
            ...bareForms(split(rule.verbs)),
            ...[rule.passive, rule.states, rule.roles, rule.inverse]
              .flatMap(split)
              .map((one) => one.replace(/ (?:in|near|at|by)$/u, ""))
          ])
        )
      ].join("|")})(?!\\p{L})`,
      "iu"
    )
)

/** Nouns that mean what stands behind them inside another question: "the parent of …". */
const innerNouns = once(() =>
  relationRules.flatMap((rule) => [
    ...split(rule.roles).map((noun) => ({ noun, rule, known: "to" as const })),
    ...split(rule.inverse).map((noun) => ({
      noun,
      rule,
      known: rule.type === "reports_to" ? ("from" as const) : ("to" as const)
    }))
  ])
)
const inner = once(() => {
  const noun = either(
    innerNouns()
      .map((one) => one.noun)
      .sort((a, b) => b.length - a.length)
  )
  return [
    new RegExp(`^(?:the )?(?<role>${noun}) (?:of|at|to) (?<name>.{2,160})$`, "iu"),
    new RegExp(`^(?<name>.{2,160}?)['’]s? (?<role>${noun})$`, "iu")
  ]
})

/**
 * Reads a question that asks for one end of a relation in English, such as "Who leads …?" or "Where is the parent of …
 * based?"; null for every other one, and for one that denies, counts, compares or gives a time.
 */
export const relationAsked = (text: string): RelationQuestion | null => {
  const plain = text.replace(/\s+/gu, " ").trim()
  if (
    plain.length > 240 ||
    !trigger().test(plain) ||
    restricted().test(plain.replace(/\p{Lu}[\p{L}\p{N}.&'’-]*/gu, (word, at) => (at === 0 ? word : "")))
  )
    return null
  // To compile all forms takes a tenth of a second.
  const lower = plain.toLowerCase()
  const found = forms().flatMap((form) =>
    form.words.some((word) => lower.includes(word)) ? (readAs(form, plain) ?? []) : []
  )
  const [first] = found
  // "Manager" is a role of two relations: the graph tells which of them is meant.
  return first === undefined
    ? null
    : {
        ...first,
        sought: found.flatMap((one) => (sameName(one.of, first.of) ? one.sought : [])),
        isPresent: found.some(({ isPresent }) => isPresent)
      }
}

const sameName = (a: RelationQuestion["of"], b: RelationQuestion["of"]): boolean =>
  "name" in a && "name" in b ? a.name === b.name : !("name" in a) && !("name" in b) && sameName(a.of, b.of)

const readAs = ({ isRole, known, pattern, rule }: Form, text: string): RelationQuestion | null => {
  const groups = pattern.exec(text)?.groups
  const of = groups?.["name"] === undefined ? null : argumentOf(groups["name"], 1)
  if (groups === undefined || of === null) return null
  const { noun, role = "", verb = "", wh = "" } = groups
  const kinds = kindsOf(wh, noun)
  if (kinds === undefined) return null
  return {
    sought: soughtBy(rule, known, isRole ? role : verb, isRole),
    kinds,
    asks: wh.toLowerCase(),
    isPresent: isLasting(rule.type) && !asksForPast(verb),
    of
  }
}

/** Questions inside each other at most: each is one more step in the graph. */
const depthMax = 2

/** Begins and ends with a capital letter, a digit or a sign. */
const isName = /^(?:the )?[\p{Lu}\p{N}](?:\S*|.* (?:[\p{Lu}\p{N}]|\p{L}+[\p{Lu}\p{N}])\S*)$/u

const argumentOf = (text: string, depth: number): RelationQuestion["of"] | null => {
  const plain = text.trim()
  const groups = inner()
    .map((pattern) => pattern.exec(plain)?.groups)
    .find((found) => found !== undefined)
  const role = groups?.["role"]?.toLowerCase()
  const known = role === undefined ? undefined : innerNouns().find(({ noun }) => noun === role)
  if (role === undefined || known === undefined || groups?.["name"] === undefined)
    return isName.test(plain) ? { name: plain.replace(/^the /iu, "") } : null
  const of = depth < depthMax ? argumentOf(groups["name"], depth + 1) : null
  if (of === null) return null
  return {
    sought: soughtBy(known.rule, known.known, role, true),
    kinds: null,
    asks: "who",
    isPresent: isLasting(known.rule.type),
    of
  }
}

const kindsOf = (asks: string, noun: string | undefined): ReadonlyArray<NameType> | null | undefined => {
  if (noun !== undefined) return kindOfNoun.find(([nouns]) => nouns.test(noun.toLowerCase()))?.[1]
  if (/^where$/iu.test(asks)) return ["place"]
  return /^whom?$/iu.test(asks) ? ["person", "organization"] : null
}

/** The words of each relation: a sentence that states it has one of them. */
const patternOf = once(
  () =>
    new Map(
      relationRules.map((rule) => [
        rule.type,
        wordPattern(
          [rule.verbs, rule.passive, rule.states, rule.roles, rule.inverse, rule.together]
            .flatMap(split)
            .sort((a, b) => b.length - a.length)
        )
      ])
    )
)

/** Returns the words with which a sentence states a relation of this type; null if it has none of them. */
export const relationWords = (type: string, sentence: string): string | null =>
  patternOf().get(type)?.exec(sentence)?.[0] ?? null

/** Groups of relations that a question may mean instead of each other. */
const nearTypes: ReadonlyArray<ReadonlySet<string>> = [
  new Set(["leads", "owns", "works_for", "reports_to"]),
  new Set(["owns", "acquired", "part_of", "member_of"]),
  new Set(["located_in", "based_in", "born_in"]),
  new Set(["located_in", "part_of"]),
  new Set(["uses", "depends_on", "supplies", "part_of"]),
  new Set(["supplies", "customer_of", "partner_of"]),
  new Set(["caused_by", "depends_on"]),
  new Set(["replaces", "acquired"])
]

/** Returns whether a sentence that states a relation of one type may answer a question for one of the others. */
export const mayMean = (stated: string, sought: ReadonlyArray<RelationSought>): boolean =>
  sought.some(({ type }) => type === stated || nearTypes.some((near) => near.has(type) && near.has(stated)))
