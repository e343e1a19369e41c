import { wordwise } from "../../language/languages/index.js"
import { asksNewest } from "../../language/questions/index.js"
import { isPastOnly, type ReadUnit, saysNow, saysPast } from "../../language/text-analysis/index.js"
import { type Evidence, headingOf, isQuestion } from "../evidence/index.js"
import { headTextOf, type ScoredStatement, sentenceBehind } from "../selection/index.js"
import { extremeSign } from "./data-claims.js"

/** An item says so little of the question, and what stands above it so much more. */
const listed = { ownMax: 0.4, aboveMin: 0.35 }

/**
 * Returns the list of an item when heading and lead-in say what the item lacks, so that each item is a part of the
 * answer: "Who is in the crew of the Asper?" below "Crew of the Asper". Undefined for other statements and long lists.
 */
export const wholeListOf = (best: ScoredStatement): ScoredStatement | undefined => {
  const { head, own, source, unit } = best
  // "Defaults to 45 s." says something of its item.
  if (
    unit.kind !== "item" ||
    (unit.opening !== "" && stated.test(unit.text)) ||
    own > listed.ownMax ||
    head - own < listed.aboveMin
  )
    return undefined
  const list = source.units.find(
    (one) => one.kind === "list" && one.start <= unit.start && one.end >= unit.end
  )
  // An item below another one says something of that one.
  return list === undefined || list.lead !== unit.lead ? undefined : { ...best, unit: list }
}

/** "Yes, …" or "No, …" at the top of the answer to a yes-or-no question of the page. */
export const verdictAbove = (
  { question: { answerType } }: Evidence,
  { source, unit }: ScoredStatement
): ReadUnit | undefined => {
  const first = source.units.find(({ heading }) => heading === unit.heading)
  return answerType === "yes-no" &&
    isQuestion(headingOf(source, unit)) &&
    first !== unit &&
    first?.kind === "sentence" &&
    saysWhether.test(first.text)
    ? first
    : undefined
}
const saysWhether = /^(?:yes|no|ja|nein|oui|non|sí)(?!\p{L})/iu

/**
 * "This will allow you to …", behind a sentence that is asked about: why, how, or what for; and what follows on "Lock
 * your computer." for how to lock it.
 */
export const continuationBehind = (
  { question: { answerType, text } }: Evidence,
  { hasType, source, unit }: ScoredStatement
): ReadUnit | undefined => {
  const [, verb] = asksToDo.exec(text) ?? []
  if (verb !== undefined && unit.text.toLowerCase().startsWith(`${verb.toLowerCase()} `)) {
    const next = source.units[source.units.indexOf(unit) + 1]
    return next?.block === unit.block && next.kind === unit.kind ? next : undefined
  }
  if ((answerType !== "reason" && answerType !== "other") || hasType || unit.kind === "list") return undefined
  const next = sentenceBehind(source, unit)
  return answerType === "reason" || forThis.test(next?.text ?? "") ? next : undefined
}
const asksToDo = /^how (?:do|can|should|must) (?:I|we|you) (\p{L}+)/iu
const forThis = /^(?:To|For|Dazu|Hierzu|Dafür)(?!\p{L})/u

/**
 * Returns the sentence with the value where the item that describes the thing has it apart: "timeout: The time to wait.
 * Defaults to 15 s."
 */
export const valueOfItem = (
  { question: { answerType } }: Evidence,
  { hasType, source, unit }: ScoredStatement,
  statements: ReadonlyArray<ScoredStatement>
): ScoredStatement | undefined => {
  if (hasType || unit.kind !== "item" || (answerType !== "number" && answerType !== "date")) return undefined
  const values = statements.filter(
    (one) =>
      one.source === source &&
      one.hasType &&
      !one.isRuledOut &&
      one.unit.opening !== "" &&
      isOfItem(unit, one.unit)
  )
  return values.find((one) => stated.test(one.unit.text)) ?? values[0]
}
const isOfItem = (first: ReadUnit, other: ReadUnit): boolean =>
  first.block === other.block &&
  (first.opening === "" ? first.text.startsWith(other.opening) : first.opening === other.opening)
const stated = /\bdefault|\bstandard/iu

/** Returns the step behind or before the one that a question names: "What do I do after cleaning the housing?" */
export const neighbouringStepOf = (
  { question }: Evidence,
  best: ScoredStatement
): ScoredStatement | undefined => {
  const [, side] = neighbouringStep().exec(question.text) ?? []
  if (side === undefined || best.unit.kind !== "item") return undefined
  const items = best.source.units.filter(
    ({ heading, kind, lead }) => kind === "item" && heading === best.unit.heading && lead === best.unit.lead
  )
  const unit = items[items.indexOf(best.unit) + (side.toLowerCase() === "after" ? 1 : -1)]
  return unit === undefined ? undefined : { ...best, unit }
}
const neighbouringStep = wordwise(
  () =>
    /^(?:what (?:do|should|must|shall|can) (?:I|we|you) do|what (?:comes|happens|is done|follows)|(?:what|which) (?:is the )?(?:next )?step (?:comes )?) ?(?:directly |right )?(after|before)(?!\p{L})/iu
)

/** Returns the row of the same table with the greatest or least value where the question asks for one. */
export const extremeRowOf = ({ question }: Evidence, best: ScoredStatement): ScoredStatement | undefined => {
  const sign = best.unit.kind === "row" ? extremeSign(question.original) : null
  if (sign === null) return undefined
  const rows = best.source.units.filter(({ block, kind }) => kind === "row" && block === best.unit.block)
  const tables = rows.map(cellsOf)
  const columns = [...(tables[0]?.keys() ?? [])].filter((column) =>
    tables.every((cells) => cells.get(column) !== undefined)
  )
  const [column] = columns
    .map((name) => ({ name, shared: sharedWords(question.original, name) }))
    .sort((a, b) => b.shared - a.shared)
  if (column === undefined) return undefined
  const worth = (at: number) => sign * (tables[at]?.get(column.name) ?? 0)
  const top = rows.reduce((most, _, at) => (worth(at) > worth(most) ? at : most), 0)
  const unit = rows[top]
  // "What is the maximum weight for a bus?" asks for the row of the bus, whatever other rows hold.
  return unit === undefined || namedIn(question.original, best.unit) > namedIn(question.original, unit)
    ? undefined
    : { ...best, unit }
}

/** How many words of a question the cells of a row hold. */
const namedIn = (question: string, { text }: ReadUnit): number =>
  sharedWords(question, text.replace(/(?<=^|; )[^:;]{1,80}: /gu, ""))

/** The numbers of a row by column. */
const cellsOf = (row: ReadUnit): ReadonlyMap<string, number> => {
  const cells = new Map<string, number>()
  let from = 0
  for (const cell of row.text.split("; ")) {
    const [, column] = /^([^:]{1,80}): /u.exec(cell) ?? []
    const value = row.values.find(({ end, start }) => start >= from && end <= from + cell.length)
    if (column !== undefined && value?.kind === "quantity") cells.set(column, value.low)
    from += cell.length + 2
  }
  return cells
}

const sharedWords = (question: string, column: string): number => {
  const lowerQuestion = question.toLowerCase()
  return (column.toLowerCase().match(/\p{L}{3,}/gu) ?? []).filter((word) =>
    lowerQuestion.includes(word.slice(0, 5))
  ).length
}

/**
 * Returns the sentence behind a statement about the past that says what holds now: "The hall used to hold 200 people.
 * It now holds 350." Undefined for other statements, and where the question asks for the past.
 */
export const presentStatementOf = (
  { question }: Evidence,
  best: ScoredStatement,
  statements: ReadonlyArray<ScoredStatement>
): ScoredStatement | undefined =>
  saysPast(question) || !isPastOnly(best.unit)
    ? undefined
    : statements.find(
        ({ before, hasType, unit }) =>
          before?.start === best.unit.start &&
          before.text === best.unit.text &&
          saysNow(unit) &&
          (hasType || !best.hasType)
      )

/**
 * Returns the statement of what is so beside a best one that only proposes it or sets a condition: "Bo suggested that
 * the fee be raised to 60 euros. The fee stays at 45 euros." Undefined for other statements, and where the question
 * asks about proposals.
 */
export const factBesideProposal = (
  { question }: Evidence,
  best: ScoredStatement,
  statements: ReadonlyArray<ScoredStatement>
): ScoredStatement | undefined =>
  !isProposal(best.unit.text) || isProposal(question.text)
    ? undefined
    : statements.find(
        ({ hasType, head, score, unit }) =>
          !isProposal(unit.text) &&
          (hasType || !best.hasType) &&
          head >= best.head - proposalTolerance &&
          best.score - score < proposalMargin
      )
/** The fact may hold this much less of the question, and score this much less. */
const [proposalTolerance, proposalMargin] = [0.25, 4]

/** Whether a sentence proposes, plans or imagines. English and German. */
export const isProposal = (text: string): boolean => proposal().test(text)
const proposal = wordwise(
  () =>
    /(?<!\p{L})(?:suggest(?:s|ed|ion)?|propos(?:es?|ed|als?)|consider(?:s|ed|ing) (?:to|raising|moving|making)|hopes? to|(?<!you )wants? to|may become|until (?:it is )?approved|schlug|vorgeschlagen|würden?|falls)(?!\p{L})|^if\s[^,]{3,120},\s.*\b(?:will|would)\b|^wenn\s[^,]{3,120},\s.*\bwird\b/iu
)

/** Statements up to this distance may be the newer ones. */
const newestMargin = 2.5

/**
 * Returns the statement with the latest date, in it or above it, for questions such as "When is the next meeting?" and
 * "What did the board approve most recently?"; undefined for others.
 */
export const newestOf = (
  { question, texts }: Evidence,
  statements: ReadonlyArray<ScoredStatement>
): ScoredStatement | undefined => {
  const [best] = statements
  if (best === undefined || !asksNewest(question)) return undefined
  if (question.answerType !== "date" && !surelyNewest().test(question.text)) return undefined
  let newest: { readonly one: ScoredStatement; readonly day: number } | undefined
  for (const one of statements) {
    if (best.score - one.score >= newestMargin) break
    const day = dayIn(one.unit.values) ?? dayIn(texts.read(headTextOf(one.source)).values)
    if (day !== null && (newest === undefined || day > newest.day)) newest = { one, day }
  }
  return newest?.one
}

/** "Last" alone may be a verb: "How long did the outage last?" */
const surelyNewest = wordwise(
  () =>
    /(?<!\p{L})(?:most recent(?:ly)?|latest|newest|(?:our|the|my|your|their|its) last|zuletzt|neueste\p{L}*|letzte\p{L}* (?!\p{L}+ ?\?$)|dernière?|dernièrement|últim[oa]s?|últimamente)(?!\p{L})/iu
)

/** Returns the number of the latest day of a text, approximately and for ordering only. */
const dayIn = (values: ReadUnit["values"]): number | null => {
  const days = values.flatMap((value) => {
    const date = value.kind === "date" ? value.readings[0] : undefined
    return date?.year === undefined || date.year === null
      ? []
      : [date.year * 372 + (date.month ?? 1) * 31 + (date.day ?? 1)]
  })
  return days.length === 0 ? null : Math.max(...days)
}
