import { type SpokenLanguage, spokenLanguageNamed, spokenLanguageOf } from "../../language/languages/index.js"
import type { Question } from "../../language/questions/index.js"

/** Forms that the text of an answer can take. */
export const answerFormats = ["prose", "bullets", "steps"] as const
export type AnswerFormat = (typeof answerFormats)[number]

/** How an answer is to be worded. None of it changes what counts as evidence, or what an answer is checked for. */
export interface AnswerStyle {
  /** Of the workspace, then of the caller. */
  readonly instructions: ReadonlyArray<string>
  readonly tone?: string
  /** A language tag (BCP 47); that of the question by default. */
  readonly language?: string
  readonly format: AnswerFormat
}

/** The style of an answer when nobody asks for another. */
export const plainStyle: AnswerStyle = { instructions: [], format: "prose" }

/** The language of the sentences that Kanon itself writes into an answer. */
export const fixedTextLanguage = ({
  question: { language, original },
  style
}: {
  readonly question: Question
  readonly style: AnswerStyle
}): SpokenLanguage => spokenLanguageNamed(style.language) ?? spokenLanguageOf(original, language)
