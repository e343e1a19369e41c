import type { Surroundings } from "../evidence/index.js"
import { nameNorm } from "../kernel/index.js"
import {
  type Anchor,
  factOf,
  opensWithPronoun,
  type Question,
  type ReadUnit,
  wordwise
} from "../reading/index.js"

/** Who asks for a person is not served by "He is responsible for it": the sentence before that tells who he is. */
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

/** "It is waterproof", after a sentence on the Falcon, says nothing of the Kestrel, whatever the title is. */
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

/** "The Falcon …", "Maria Huber …", "PB-7 …": what a sentence is about, where its first words are surely a name. */
const openingName = factOf((unit: ReadUnit): Anchor | null => {
  const name = surelyName.exec(unit.text)?.[1]
  return name === undefined ? null : { kind: "name", text: name, norm: nameNorm(name) }
})
const surelyName =
  /^(?:(?:The|An?|Le|La|Les|El|Los|Las) (?=\p{Lu}\p{Ll})|(?=\p{Lu}\S+ \p{Lu}\p{Ll})|(?=\p{Lu}[\p{L}-]*\d))(\p{Lu}[\p{L}\p{N}-]*(?: \p{Lu}[\p{L}\p{N}-]*)*)/u
