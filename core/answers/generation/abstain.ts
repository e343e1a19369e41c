import { type SpokenLanguage, spokenLanguageOf } from "../../language/languages/index.js"
import type { Evidence } from "../evidence/index.js"
import { visibleText } from "./prompt.js"

/** Returns the one or two sentences that say that the evidence has no answer, and which pages to look at. */
export const abstentionText = ({ question, sources }: Evidence): string => {
  const titles = [...new Set(sources.map(({ passage }) => titleLabel(passage.docTitle)))]
    .filter((title) => title !== "")
    .slice(0, 2)
  const words = texts[spokenLanguageOf(question.original, question.language)]
  return titles.length === 0
    ? words.nothing
    : `${words.nothing}${words.gap ?? " "}${words.look(titles.map((title) => `“${title}”`).join(words.and))}`
}

/** A title without what could pass for a marker or a link. */
export const titleLabel = (title: string): string =>
  visibleText(title, "\u0000")
    .replace(/[[\]()<>*_`“”]/gu, "")
    .trim()
    .slice(0, 80)

const texts: Readonly<
  Record<
    SpokenLanguage,
    {
      readonly nothing: string
      readonly and: string
      readonly look: (titles: string) => string
      /** Between sentences, where that is no blank. */
      readonly gap?: string
    }
  >
> = {
  en: {
    nothing: "The documents do not carry an answer to this question.",
    and: " and ",
    look: (titles) => `The nearest passages are in ${titles}.`
  },
  de: {
    nothing: "Die Dokumente enthalten keine Antwort auf diese Frage.",
    and: " und ",
    look: (titles) => `Am nächsten kommen Stellen in ${titles}.`
  },
  fr: {
    nothing: "Les documents ne contiennent pas de réponse à cette question.",
    and: " et ",
    look: (titles) => `Les passages les plus proches se trouvent dans ${titles}.`
  },
  es: {
    nothing: "Los documentos no contienen una respuesta a esta pregunta.",
    and: " y ",
    look: (titles) => `Los pasajes más cercanos están en ${titles}.`
  },
  ru: {
    nothing: "В документах нет ответа на этот вопрос.",
    and: " и ",
    look: (titles) => `Ближе всего по смыслу: ${titles}.`
  },
  ja: {
    nothing: "文書にはこの質問への答えがありません。",
    and: "と",
    look: (titles) => `最も近い記述は${titles}にあります。`,
    gap: ""
  },
  zh: {
    nothing: "文档中没有这个问题的答案。",
    and: "和",
    look: (titles) => `最接近的内容在${titles}中。`,
    gap: ""
  }
}
