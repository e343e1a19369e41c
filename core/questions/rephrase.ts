import { memoize } from "../caching/index.js"
import type { Passage } from "../documents/index.js"
import { matchesOf, wordwise } from "../languages/index.js"
import type { Analyser, TermSet, TextCache } from "../text-analysis/index.js"
import { otherSigns } from "../tokenization/index.js"
import { type Question, readQuestion } from "./question.js"

/**
 * Alternative expressions and abbreviations of the same thing. One group per line; capitalised forms match
 * case-sensitively.
 */
const groups = `
CEO|chief executive officer|chief executive|managing director|Geschäftsführer|Geschäftsführerin|directeur général
CTO|chief technology officer|technical director
CFO|chief financial officer|finance director|Finanzvorstand
COO|chief operating officer
CIO|chief information officer
CISO|chief information security officer
CMO|chief marketing officer
DPO|data protection officer
HR|human resources|personnel department|Personalabteilung
VP|vice president
SLA|service level agreement
SLO|service level objective
RTO|recovery time objective
RPO|recovery point objective
MFA|multi-factor authentication|multifactor authentication
2FA|two-factor authentication
SSO|single sign-on
SMS|text message|text messages
PTO|paid time off
NDA|non-disclosure agreement
VAT|value added tax|value-added tax
AGM|annual general meeting
HQ|headquarters|head office
KPI|key performance indicator
AML|anti-money laundering|anti-money-laundering
KYC|know your customer
GDPR|general data protection regulation|DSGVO
QA|quality assurance
TTL|time to live
PR|pull request
WFH|work from home|working from home|home office
in force|effective
roll back|rollback
roll out|rollout
set up|setup
log in|login|sign in|signin
log out|logout
sign up|signup
back up|backup
shut down|shutdown
start up|startup
fail over|failover
hand over|handover
take over|takeover
check out|checkout
clean up|cleanup
work around|workaround
time out|timeout
kick off|kickoff|kick-off
`
  .trim()
  .split("\n")
  .map((line) => line.split("|").map(formOf))

interface Form {
  readonly text: string
  /** A substring of every text that contains the form, checked before its pattern is compiled. */
  readonly sign: string
  readonly isShort: boolean
  readonly pattern: () => RegExp
}

function formOf(text: string): Form {
  const isShort = /^[\p{Lu}\p{N}]+$/u.test(text)
  const [first = "", ...rest] = text.split(" ")
  // "Rolled back", "rollbacks".
  const source = rest.length > 0 ? [`${first}(?:s|ed|ing)?`, ...rest].join("[ \\u00a0]") : `${first}s?`
  const sign = isShort ? text : first.toLowerCase()
  return { text, sign, isShort, pattern: wordwise(new RegExp(`\\b${source}\\b`, isShort ? "u" : "iu")) }
}

/**
 * Returns other forms of expressions in the question, to be searched besides its own words; empty for most questions.
 */
export const otherForms = (question: Question): string =>
  groupsIn(question)
    .flatMap(({ found, group }) => group.filter((form) => form !== found))
    .map((form) => form.text)
    .join(" ")

const groupsIn = memoize(({ text }: Question) => {
  const lower = text.toLowerCase()
  return groups.flatMap((group) => {
    const found = group.find(
      ({ isShort, pattern, sign }) => (isShort ? text : lower).includes(sign) && pattern().test(text)
    )
    return found === undefined ? [] : [{ found, group }]
  })
})

/**
 * Rephrases the question in the words of the passages: an expression that no passage contains is replaced by the form
 * in the first passage with one ("the CEO", "the chief executive"), and misspellings are corrected ("reigon"). Returns
 * the same question when nothing changes. Pure.
 *
 * @param passages In order of retrieval, best first.
 */
export const rephrased = (
  question: Question,
  passages: ReadonlyArray<Passage>,
  texts: TextCache,
  analyse: Analyser
): Question => {
  if (passages.length === 0) return question
  const found = passages.slice(0, passagesMax)
  const named = withPassageSigns(withPassageForms(question, found), found)
  const sets: Array<TermSet> = []
  const setAt = (one: Passage, at: number): TermSet => {
    const made = sets[at] ?? setOf(one, texts)
    sets[at] = made
    return made
  }
  const slips = question.terms.flatMap(({ surface, term }): ReadonlyArray<Slip> => {
    if (
      !isPlainWord.test(surface) ||
      found.some((one, at) => setAt(one, at).match(term, question.language) > 0)
    )
      return []
    const intended = questionWordMeant(surface) ?? wordMeant(surface, found)
    return intended === undefined ? [] : [{ surface, meant: intended }]
  })
  const text = slips.reduce(
    (said, { meant: intended, surface }) =>
      said.replace(new RegExp(`(?<!\\p{L})${surface}(?!\\p{L})`, "u"), intended),
    named
  )
  return text === question.text ? question : { ...readQuestion(text, analyse), original: question.original }
}

/** Passages further down are less likely to contain a relevant form. */
const passagesMax = 30

interface Slip {
  readonly surface: string
  readonly meant: string
}

/** Names are not corrected: each letter distinguishes them. */
const isPlainWord = /^\p{Ll}{3,}$/u

const setOf = ({ docPath, docTitle, headingPath, text }: Passage, texts: TextCache) =>
  texts.passage(text).under([docTitle, ...headingPath, docPath].join(" | ")).set

const headed = ({ docTitle, headingPath, text }: Passage): string =>
  [docTitle, ...headingPath, text].join("\n")

const withPassageForms = (question: Question, passages: ReadonlyArray<Passage>): string => {
  const { text } = question
  const asked = groupsIn(question)
  if (asked.length === 0) return text
  const held = passages.map(headed)
  return asked.reduce((said, { found, group }) => {
    if (held.some((one) => found.pattern().test(one))) return said
    const place = held.find((one) => group.some(({ pattern }) => pattern().test(one)))
    const form = place === undefined ? undefined : group.find(({ pattern }) => pattern().test(place))
    return form === undefined ? said : said.replace(found.pattern(), form.text)
  }, text)
}

/** Returns the question with Chinese characters in the variants of the passages: 貨 as 货. */
const withPassageSigns = (text: string, passages: ReadonlyArray<Passage>): string => {
  const signs = [...new Set(text)].filter((sign) => otherSigns(sign).length > 0)
  if (signs.length === 0) return text
  const held = new Set(passages.map(headed).join("\n"))
  return signs.reduce((said, sign) => {
    const other = held.has(sign) ? undefined : otherSigns(sign).find((one) => held.has(one))
    return other === undefined ? said : said.replaceAll(sign, other)
  }, text)
}

const questionWords = [
  "many",
  "much",
  "which",
  "what",
  "where",
  "when",
  "does",
  "often",
  "long",
  "have",
  "the"
]

const questionWordMeant = (surface: string): string | undefined =>
  questionWords.find((word) => isSlip(surface, word, 1))

const wordMeant = (surface: string, passages: ReadonlyArray<Passage>): string | undefined => {
  if (surface.length < slipLengthMin) return undefined
  const counts = new Map<string, number>()
  for (const passage of passages)
    for (const [word] of matchesOf(words, headed(passage))) {
      const lower = word.toLowerCase()
      if (isSlip(surface, lower, endingLength)) counts.set(lower, (counts.get(lower) ?? 0) + 1)
    }
  return [...counts].sort((a, b) => b[1] - a[1])[0]?.[0]
}

const words = /\p{L}{4,}/gu
/** Shorter words have too many neighbours. */
const slipLengthMin = 5
/** "Trainer" is not a misspelling of "trained". */
const endingLength = 2

/**
 * Whether two words differ by one transposition, insertion, deletion or replacement, neither in the first letter nor
 * in the ending.
 */
const isSlip = (written: string, intended: string, ending: number): boolean => {
  if (written === intended || written[0] !== intended[0] || Math.abs(written.length - intended.length) > 1)
    return false
  let at = 1
  while (at < written.length && written[at] === intended[at]) at += 1
  const [a, b] = [written.slice(at), intended.slice(at)]
  if (a.length === b.length && a[0] === b[1] && a[1] === b[0] && a.slice(2) === b.slice(2)) return true
  if (intended.length - at < ending + (written.length > intended.length ? 0 : 1)) return false
  return written.length === intended.length
    ? a.slice(1) === b.slice(1)
    : written.length < intended.length
      ? a === b.slice(1)
      : a.slice(1) === b
}
