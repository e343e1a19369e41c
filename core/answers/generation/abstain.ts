import { type SpokenLanguage, spokenLanguageNamed } from "../../language/languages/index.js"
import { isSmallTalk } from "../../language/questions/index.js"
import { type Evidence, fixedTextLanguage } from "../evidence/index.js"
import { visibleText } from "./prompt.js"

/**
 * Why nothing is answered: nothing was written, or a reply that the sources do not support, or is too uncertain; or nothing
 * changed of which the changes were asked.
 */
export type Abstention = "nothing" | "unsupported" | "uncertain" | "unchanged"

/** Returns the one or two sentences that say that there is no answer, and which pages to look at. */
export const abstentionText = (evidence: Evidence, abstention: Abstention = "nothing"): string => {
  const { question, sources } = evidence
  const titles = [...new Set(sources.map(({ passage }) => titleLabel(passage.docTitle)))]
    .filter((title) => title !== "")
    .slice(0, 2)
  const words = texts[fixedTextLanguage(evidence)]
  if (isSmallTalk(question.original)) return words.greeting
  return titles.length === 0
    ? words[abstention]
    : `${words[abstention]}${words.gap ?? " "}${words.look(titles.map((title) => `“${title}”`).join(words.and))}`
}

/**
 * A text in the language that an answer is to be in, with which a reply can be compared: the question, or a sentence of
 * ours in the language that was asked for. Null where that language is not known.
 */
export const sampleOfLanguage = ({ question, style }: Evidence): string | null => {
  if (style.language === undefined) return question.text
  const language = spokenLanguageNamed(style.language)
  return language === undefined ? null : texts[language].greeting
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
    Readonly<Record<Abstention, string>> & {
      /** The reply to a greeting, to thanks, and to "What can you do?". */
      readonly greeting: string
      readonly and: string
      readonly look: (titles: string) => string
      /** Between sentences, where that is no blank. */
      readonly gap?: string
    }
  >
> = {
  en: {
    greeting:
      "Ask a question about the documents of this workspace. Each statement of an answer names the passage that carries it.",
    nothing: "The documents do not carry an answer to this question.",
    unchanged: "The versions that are kept show no such change.",
    unsupported: "A reply was written, but the sources do not support it, so it is not shown.",
    uncertain: "A reply was written, but it is too uncertain to be shown.",
    and: " and ",
    look: (titles) => `The nearest passages are in ${titles}.`
  },
  de: {
    greeting:
      "Stelle eine Frage zu den Dokumenten dieses Arbeitsbereichs. Jede Aussage einer Antwort nennt die Stelle, die sie belegt.",
    nothing: "Die Dokumente enthalten keine Antwort auf diese Frage.",
    unchanged: "Die aufbewahrten Fassungen zeigen keine solche Änderung.",
    unsupported:
      "Es wurde eine Antwort geschrieben, aber die Quellen belegen sie nicht; deshalb wird sie nicht gezeigt.",
    uncertain: "Es wurde eine Antwort geschrieben, aber sie ist zu unsicher, um gezeigt zu werden.",
    and: " und ",
    look: (titles) => `Am nächsten kommen Stellen in ${titles}.`
  },
  fr: {
    greeting:
      "Posez une question sur les documents de cet espace de travail. Chaque affirmation d’une réponse indique le passage qui la fonde.",
    nothing: "Les documents ne contiennent pas de réponse à cette question.",
    unchanged: "Les versions conservées ne montrent aucun changement de ce genre.",
    unsupported:
      "Une réponse a été rédigée, mais les sources ne l’étayent pas ; elle n’est donc pas affichée.",
    uncertain: "Une réponse a été rédigée, mais elle est trop incertaine pour être affichée.",
    and: " et ",
    look: (titles) => `Les passages les plus proches se trouvent dans ${titles}.`
  },
  es: {
    greeting:
      "Haga una pregunta sobre los documentos de este espacio de trabajo. Cada afirmación de una respuesta indica el pasaje que la respalda.",
    nothing: "Los documentos no contienen una respuesta a esta pregunta.",
    unchanged: "Las versiones guardadas no muestran ningún cambio de este tipo.",
    unsupported: "Se escribió una respuesta, pero las fuentes no la respaldan, así que no se muestra.",
    uncertain: "Se escribió una respuesta, pero es demasiado incierta para mostrarla.",
    and: " y ",
    look: (titles) => `Los pasajes más cercanos están en ${titles}.`
  },
  ru: {
    greeting:
      "Задайте вопрос о документах этого рабочего пространства. Каждое утверждение ответа называет место, которое его подтверждает.",
    nothing: "В документах нет ответа на этот вопрос.",
    unchanged: "Сохранённые версии не показывают такого изменения.",
    unsupported: "Ответ был написан, но источники его не подтверждают, поэтому он не показан.",
    uncertain: "Ответ был написан, но он слишком неуверенный, чтобы его показать.",
    and: " и ",
    look: (titles) => `Ближе всего по смыслу: ${titles}.`
  },
  ja: {
    greeting: "このワークスペースの文書について質問してください。回答の各文は、根拠となる箇所を示します。",
    nothing: "文書にはこの質問への答えがありません。",
    unchanged: "保存されている版に、そのような変更はありません。",
    unsupported: "回答は作成されましたが、出典の裏付けがないため表示しません。",
    uncertain: "回答は作成されましたが、確実性が低いため表示しません。",
    and: "と",
    look: (titles) => `最も近い記述は${titles}にあります。`,
    gap: ""
  },
  zh: {
    greeting: "请就此工作区的文档提问。回答的每一句都会注明其依据的段落。",
    nothing: "文档中没有这个问题的答案。",
    unchanged: "保存的版本中没有这样的更改。",
    unsupported: "已写出一个回答，但来源不支持它，因此不予显示。",
    uncertain: "已写出一个回答，但它的把握太低，因此不予显示。",
    and: "和",
    look: (titles) => `最接近的内容在${titles}中。`,
    gap: ""
  }
}
