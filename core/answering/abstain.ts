import type { Evidence } from "../evidence/index.js"
import type { Language } from "../reading/index.js"
import { clean } from "./prompt.js"

/** What is said when the evidence carries no answer: one or two sentences, and where one might look. */
export const abstention = ({ question, sources }: Evidence): string => {
  const titles = [...new Set(sources.map(({ passage }) => label(passage.docTitle)))]
    .filter((title) => title !== "")
    .slice(0, 2)
  const words = texts[question.language === "cjk" || question.language === "other" ? "en" : question.language]
  return titles.length === 0
    ? words.nothing
    : `${words.nothing} ${words.look(titles.map((title) => `“${title}”`).join(words.and))}`
}

/** A title without what could pass for a marker or a link. */
export const label = (title: string): string =>
  clean(title, "\u0000")
    .replace(/[[\]()<>*_`“”]/gu, "")
    .trim()
    .slice(0, 80)

const texts: Readonly<
  Record<
    Exclude<Language, "cjk" | "other">,
    { readonly nothing: string; readonly and: string; readonly look: (titles: string) => string }
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
  }
}
