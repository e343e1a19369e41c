import type { Passage } from "../../files/documents/index.js"
import { allAliases, type StoredEntity } from "../../knowledge/entities/index.js"
import { type Question, readQuestion } from "../../language/questions/index.js"
import { analyse } from "../../language/tokenization/index.js"
import { foldCase } from "../../platform/kernel/index.js"
import type { Named } from "./disambiguate.js"

/** Passages further down are less likely to answer. */
const passagesMax = 30

/**
 * Returns the question with names of entities as the found passages write them: a label in another language finds the
 * passages of its concept, and answers are chosen by the words of the question. A name that a passage writes stays.
 * Returns the same question when nothing changes. Pure.
 *
 * @param passages In order of retrieval, best first.
 */
export const withNamesOfPassages = (
  question: Question,
  names: ReadonlyArray<Named>,
  passages: ReadonlyArray<Passage>
): Question => {
  const found = passages.slice(0, passagesMax)
  if (names.length === 0 || found.length === 0) return question
  const texts = found.map(({ docTitle, headingPath, text }) => [docTitle, ...headingPath, text].join("\n"))
  const folded = texts.map(foldCase)
  const replacements = names.flatMap(({ detection, entities }) => {
    const [entity, ...others] = entities
    // Names that nobody gave can be wrong.
    if (entity?.touched !== true || others.length > 0) return []
    if (folded.some((text) => standsIn(text, foldCase(detection.surface)) !== null)) return []
    const written = nameWritten(entity, texts, folded)
    return written === null ? [] : [{ ...detection, written }]
  })
  if (replacements.length === 0) return question
  // From the end, so that earlier places stay valid.
  const text = replacements
    .toSorted((a, b) => b.start - a.start)
    .reduce(
      (said, { end, start, written }) => said.slice(0, start) + written + said.slice(end),
      question.text
    )
  return { ...readQuestion(text, analyse), original: question.original }
}

/** Returns the longest name of an entity in the first text that has one, as it is written there. */
const nameWritten = (
  entity: StoredEntity,
  texts: ReadonlyArray<string>,
  folded: ReadonlyArray<string>
): string | null => {
  const names = [entity.name, ...allAliases(entity)].map(foldCase).sort((a, b) => b.length - a.length)
  for (const [place, text] of folded.entries())
    for (const name of names) {
      const at = standsIn(text, name)
      if (at === null) continue
      const written = texts[place]?.slice(at, at + name.length) ?? name
      // Folding can change lengths.
      return foldCase(written) === name ? written : name
    }
  return null
}

/** Returns the place where a text has a name between other characters than letters and digits; null without one. */
const standsIn = (text: string, name: string): number | null => {
  if (name === "") return null
  for (let at = text.indexOf(name); at >= 0; at = text.indexOf(name, at + 1))
    if (!isWordPart(text[at - 1]) && !isWordPart(text[at + name.length])) return at
  return null
}

const isWordPart = (character: string | undefined): boolean =>
  character !== undefined && /[\p{L}\p{N}]/u.test(character)
