import { memoize } from "../caching/index.js"
import type { Surroundings } from "../evidence/index.js"
import { nameNorm } from "../kernel/index.js"
import { opensWithPronoun, wordwise } from "../languages/index.js"
import type { Question } from "../questions/index.js"
import type { Anchor, ReadText, ReadUnit } from "../text-analysis/index.js"

/** Returns the preceding sentence that names the antecedent of "he" or "she", when the question asks for a person. */
export const namedBefore = (
  { answerType }: Question,
  before: ReadUnit,
  unit: ReadUnit
): ReadUnit | undefined => {
  if (answerType !== "person" || !ofSomebody().test(unit.text)) return
  const isNear = before.kind === "sentence" && before.block === unit.block
  return isNear && !opensWithPronoun(before.text) ? before : undefined
}
const ofSomebody = wordwise(/^(?:he|she|his|her|er|sie|seine?|ihre?|il|elle|él|ella)\b/iu)

/**
 * Whether the pronoun refers to something other than the subject: "It is waterproof" after a sentence about the Falcon
 * says nothing about the Kestrel, whatever the title.
 */
export const isOfAnother = (
  { anchors, language }: Question,
  around: Surroundings,
  antecedent: ReadUnit,
  unit: ReadUnit
): boolean => {
  const things = anchors.filter(({ kind }) => kind === "name" || kind === "code")
  const subject = language === "de" ? null : openingName(antecedent)
  return (
    things.length > 0 &&
    subject !== null &&
    !around.isOf(subject) &&
    things.every((thing) => antecedent.field.share(thing) === 0 && unit.field.share(thing) === 0)
  )
}

/**
 * Whether the sentence starts with another name: "The steam ferry Ludmilla was …" in a passage that also covers the
 * Konrad.
 */
export const opensWithAnother = (
  question: Question,
  around: Surroundings,
  passage: ReadText,
  unit: ReadUnit
): boolean =>
  unit.kind === "sentence" &&
  // A sentence about another person may tell who it was.
  question.answerType !== "person" &&
  subjectBefore.test(unit.text) &&
  question.anchors.every(({ kind }) => kind === "name") &&
  question.anchors.every((name) => passage.field.share(name) === 1) &&
  isOfAnother(question, around, unit, unit)
const subjectBefore =
  /^(?:(?:The|An?) (?:\p{Ll}+ ){0,2})?\p{Lu}[\p{L}-]*(?: \p{Lu}[\p{L}-]*){0,3} (?:is|was|are|were|has|had|will|can) /u

/** Returns the subject of a sentence that clearly starts with a name: "The Falcon …", "Maria Huber …", "PB-7 …". */
const openingName = memoize((unit: ReadUnit): Anchor | null => {
  const name = surelyName.exec(unit.text)?.[1]
  return name === undefined ? null : { kind: "name", text: name, norm: nameNorm(name) }
})
const surelyName =
  /^(?:(?:The|An?|Le|La|Les|El|Los|Las) (?:\p{Ll}+ ){0,2}(?=\p{Lu}\p{Ll})|(?=\p{Lu}[^\s:]+ \p{Lu}\p{Ll})|(?=\p{Lu}[\p{L}-]*\d))(\p{Lu}[\p{L}\p{N}-]*(?: \p{Lu}[\p{L}\p{N}-]*)*)/u
