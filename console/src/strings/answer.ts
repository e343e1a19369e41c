import { englishAnswer } from "../../../react/words.js"
import { inLanguage } from "../language.js"

/** Texts of the components that show an answer. */
export const answerText = inLanguage("answer", englishAnswer)
