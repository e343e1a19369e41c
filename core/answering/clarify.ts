import type { Evidence } from "../evidence/index.js"
import type { Ambiguity, EvidenceFacts, GateDecision } from "../policy/index.js"
import type { Language } from "../reading/index.js"
import { abstention, label } from "./abstain.js"

/** What is said in place of an answer when a rule fired before one was written: one or two sentences. */
export const saidInstead = (evidence: Evidence, facts: EvidenceFacts, { rule }: GateDecision): string => {
  const { language } = evidence.question
  const words = texts[language === "cjk" || language === "other" ? "en" : language]
  const [ambiguity] = facts.ambiguous
  const [unknown] = facts.unknownTerms
  if (rule === "missing_subject") return words.subject
  if (rule === "ambiguous_entity" && ambiguity !== undefined)
    return words.which(...readingsOf(ambiguity, words.or))
  if (rule === "unknown_term" && unknown !== undefined)
    return `${words.unknown(`“${label(unknown)}”`)} ${abstention(evidence)}`
  return abstention(evidence)
}

/** Readings that prose names; all stand in the reasons. */
const readingsMax = 4

const readingsOf = ({ candidates, surface }: Ambiguity, or: string): readonly [string, string] => {
  const readings = candidates.slice(0, readingsMax).map(({ name, type }) => `${label(name)} (${label(type)})`)
  const last = readings.at(-1) ?? ""
  return [`“${label(surface)}”`, `${readings.slice(0, -1).join(", ")}${or}${last}`]
}

interface Words {
  readonly subject: string
  readonly or: string
  readonly which: (name: string, readings: string) => string
  readonly unknown: (term: string) => string
}

const texts: Readonly<Record<Exclude<Language, "cjk" | "other">, Words>> = {
  en: {
    subject: "The question does not say what it is about. What is meant?",
    or: " or ",
    which: (name, readings) => `${name} can mean ${readings}. Which one is meant?`,
    unknown: (term) => `${term} stands nowhere in the documents.`
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
  }
}
