import type { SpokenLanguage } from "../../language/languages/index.js"
import { isSmallTalk } from "../../language/questions/index.js"
import { type Evidence, fixedTextLanguage } from "../evidence/index.js"
import { abstentionText, titleLabel } from "../generation/index.js"
import type { Ambiguity, EvidenceFacts, GateDecision } from "../policy/index.js"

/** Returns the one or two sentences that replace an answer when a rule fired before generation. */
export const preGateReply = (evidence: Evidence, facts: EvidenceFacts, { rule }: GateDecision): string => {
  const { original } = evidence.question
  const words = texts[fixedTextLanguage(evidence)]
  const [ambiguity] = facts.ambiguous
  const [unknown] = facts.unknownTerms
  if (isSmallTalk(original)) return abstentionText(evidence)
  if (rule === "missing_subject") return words.subject
  if (rule === "ambiguous_entity" && ambiguity !== undefined)
    return words.which(...readingsOf(ambiguity, words.or))
  if (rule === "unknown_term" && unknown !== undefined)
    return `${words.unknown(`“${titleLabel(unknown)}”`)}${words.gap ?? " "}${abstentionText(evidence)}`
  return abstentionText(evidence)
}

/** Readings that prose names; all stand in the reasons. */
const readingsMax = 4

const readingsOf = ({ candidates, surface }: Ambiguity, or: string): readonly [string, string] => {
  const readings = candidates
    .slice(0, readingsMax)
    .map(({ name, type }) => `${titleLabel(name)} (${titleLabel(type)})`)
  const last = readings.at(-1) ?? ""
  return [`“${titleLabel(surface)}”`, `${readings.slice(0, -1).join(", ")}${or}${last}`]
}

interface Words {
  readonly subject: string
  readonly or: string
  readonly which: (name: string, readings: string) => string
  readonly unknown: (term: string) => string
  /** Between sentences, where that is no blank. */
  readonly gap?: string
}

const texts: Readonly<Record<SpokenLanguage, Words>> = {
  en: {
    subject: "The question does not say what it is about. What is meant?",
    or: " or ",
    which: (name, readings) => `${name} can mean ${readings}. Which one is meant?`,
    unknown: (term) => `${term} is in none of the documents.`
  },
  de: {
    subject: "Die Frage sagt nicht, worum es geht. Was ist gemeint?",
    or: " oder ",
    which: (name, readings) => `${name} kann ${readings} bedeuten. Was davon ist gemeint?`,
    unknown: (term) => `${term} kommt in den Dokumenten nirgends vor.`
  },
  fr: {
    subject: "La question ne dit pas de quoi il s’agit. De quoi est-il question ?",
    or: " ou ",
    which: (name, readings) => `${name} peut désigner ${readings}. Lequel est visé ?`,
    unknown: (term) => `${term} n’apparaît nulle part dans les documents.`
  },
  es: {
    subject: "La pregunta no dice de qué se trata. ¿A qué se refiere?",
    or: " o ",
    which: (name, readings) => `${name} puede ser ${readings}. ¿A cuál se refiere?`,
    unknown: (term) => `${term} no aparece en ningún documento.`
  },
  ru: {
    subject: "Из вопроса не ясно, о чём он. Что имеется в виду?",
    or: " или ",
    which: (name, readings) => `${name} может означать ${readings}. Что имеется в виду?`,
    unknown: (term) => `${term} не встречается в документах.`
  },
  ja: {
    subject: "何についての質問か分かりません。何のことですか。",
    or: "、または",
    which: (name, readings) => `${name}は${readings}を指すことがあります。どれのことですか。`,
    unknown: (term) => `${term}は文書のどこにも出てきません。`,
    gap: ""
  },
  zh: {
    subject: "问题没有说明指的是什么。您指的是什么？",
    or: "或",
    which: (name, readings) => `${name}可以指${readings}。您指的是哪一个？`,
    unknown: (term) => `文档中没有出现${term}。`,
    gap: ""
  }
}
