import * as Effect from "effect/Effect"
import type { Question } from "../../language/questions/index.js"
import { type Anchor, AnswerTexts, isWeekday } from "../../language/text-analysis/index.js"
import { analyseForIndex } from "../../language/tokenization/index.js"
import type { WorkspaceScope } from "../../platform/kernel/index.js"
import { phraseLabels } from "../../search/lexical/index.js"
import type { ScoredPassage } from "../evidence/index.js"
import type { ReadState } from "./gathered-evidence.js"
import { headOf } from "./question-coverage.js"

/** No honest question names more. */
const soughtMax = 8

/**
 * Returns the terms of the question that the workspace does not contain: quoted phrases and codes that occur in no
 * passage, heading or title, and names with a word that no passage has, not even misspelt by one letter in the passages
 * found. Values are not searched for, because a question may give any number.
 */
export const unknownTerms = (
  workspace: WorkspaceScope,
  { anchors }: Question,
  found: ReadonlyArray<ScoredPassage>,
  seen: ReadState
) =>
  Effect.gen(function* () {
    const searchedAnchors = anchors
      .filter(({ kind, text }) => kind !== "value" && !isWeekday(text))
      .slice(0, soughtMax)
    if (searchedAnchors.length === 0) return []
    const memory = yield* AnswerTexts
    const read = found.map(({ passage }) => memory.passage(passage.text).under(headOf(passage)))
    const texts = read.map(({ text }) => text)
    const fields = read.map(({ field }) => field)
    const missing = searchedAnchors.filter((anchor) => !fields.some((field) => field.has(anchor)))
    const unknown: Array<string> = []
    for (const anchor of missing)
      if (!(yield* isKnown(workspace, anchor, texts, seen))) unknown.push(anchor.text)
    return unknown
  })

const isKnown = (
  workspace: WorkspaceScope,
  anchor: Anchor,
  texts: ReadonlyArray<string>,
  { detector, stamp }: ReadState
) =>
  Effect.gen(function* () {
    // Entities that people made stand in no text.
    if (detector.detect(anchor.text, { anyCase: true }).length > 0) return true
    if (anchor.kind !== "name") return yield* occurs(workspace, anchor.text, stamp)
    for (const word of anchor.text.split(/\s+/u)) {
      if (!(yield* occurs(workspace, word, stamp)) && !hasNear(texts, word.toLowerCase())) return false
    }
    return true
  })

/** Whether these words stand one after the other in any passage, heading or title. */
const occurs = (workspace: WorkspaceScope, text: string, stamp: string | null) => {
  const tokens = analyseForIndex(text)
  const words = tokens.filter(({ kind }) => kind === "word")
  const phrase = words.length > 0 ? words : tokens
  // A text without any word that is indexed cannot be missed.
  if (phrase.length === 0) return Effect.succeed(true)
  return Effect.map(phraseLabels(workspace, phrase, stamp), (labels) => labels.length > 0)
}

/** Shorter words have too many neighbours. */
const nearLengthMin = 4

const hasNear = (texts: ReadonlyArray<string>, word: string): boolean =>
  word.length >= nearLengthMin &&
  texts.some((text) =>
    (text.toLowerCase().match(/[\p{L}\p{N}]+/gu) ?? []).some((other) => withinOneEdit(word, other))
  )

/** One letter put in, taken out or replaced turns one into the other. */
const withinOneEdit = (a: string, b: string): boolean => {
  const [short, long] = a.length < b.length ? [a, b] : [b, a]
  if (long.length - short.length > 1) return false
  let at = 0
  while (at < short.length && short[at] === long[at]) at += 1
  return short.slice(short.length === long.length ? at + 1 : at) === long.slice(at + 1)
}
