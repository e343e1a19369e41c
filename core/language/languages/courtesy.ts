import { isFunctionWord, languageOf, negationCount } from "./language.js"

const wordsOf = (text: string): ReadonlySet<string> =>
  new Set(text.split(/\s+/u).filter((word) => word !== ""))

/** Words of greetings, offers of help and announcements of an answer, of all languages together. */
const courtesies =
  wordsOf(`hello hi hey greetings dear sure certainly absolutely okay ok course thanks thank welcome sorry
  apologies hope hopes helps help helped helpful happy glad pleasure free feel contact assist assistance ask asking question
  questions answer answers good great morning afternoon evening day regards know further information details following
  based according documents document sources source provided context evidence summary summarize find found look luck
  hallo guten tag morgen abend gern gerne natürlich selbstverständlich danke dank freut hoffe hoffentlich hilft helfe helfen weiter
  weiterhelfen hilfe frage fragen antwort antworten folgende folgenden information informationen dokumente dokumenten
  quelle quellen zusammenfassung grundlage basierend laut viel erfolg grüße grüßen freundlichen
  bonjour bonsoir salut merci bien sûr volontiers espère aide aider utile question questions réponse réponses voici
  informations documents selon sources résumé cordialement n'hésitez hésitez
  hola buenos buenas días tardes gracias claro supuesto espero ayude ayuda ayudar pregunta preguntas respuesta respuestas
  aquí información documentos según fuentes resumen saludos
  здравствуйте привет добрый день вечер спасибо конечно надеюсь поможет помочь помощь рад рада вопрос вопросы вопросу ответ
  ответы документам документов источникам информация вот удачи`)

/** Courtesies in scripts without blanks between words. */
const unspaced =
  /^(?:(?:您好|你好|好的|当然|当然可以|谢谢|希望[^，。]{0,8}(?:帮助|有用|帮到您)|以下是[^，。]{0,8}|こんにちは|はい|承知しました|ありがとうございます|お役に立て[^。]{0,12}|ご質問[^。]{0,12}|以下[^。]{0,8}(?:です|の通りです))[，,。！!：:、\s]*)+$/u

/**
 * Whether a sentence states nothing: a question, or one that consists of function words and words of courtesy only,
 * with at least one of the latter, no number and no negation ("Sure, here is the answer:", "I hope this helps!").
 */
export const statesNothing = (text: string): boolean => {
  const trimmed = text.trim()
  if (/[?？]$/u.test(trimmed) || !/[\p{L}\p{N}]/u.test(trimmed)) return true
  if (/\p{N}/u.test(trimmed) || negationCount(trimmed) > 0) return false
  if (unspaced.test(trimmed)) return true
  const language = languageOf(trimmed)
  const words = trimmed.toLowerCase().match(/[\p{L}\p{M}'’]+/gu) ?? []
  const isCourtesy = (word: string) => courtesies.has(word.replace(/['’].*$/u, "")) || courtesies.has(word)
  return (
    words.some(isCourtesy) &&
    words.every(
      (word) => isCourtesy(word) || word.split(/['’]/u).every((part) => isFunctionWord(part, language))
    )
  )
}
