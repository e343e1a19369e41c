import { matchesOf } from "./matches.js"
import { wordwise } from "./wordwise.js"

/** Languages whose question words and function words are known. `other` is treated by the common rules alone. */
export type Language = "en" | "de" | "fr" | "es" | "cjk" | "other"

const wordsOf = (text: string): ReadonlySet<string> =>
  new Set(text.split(/\s+/u).filter((word) => word !== ""))

/** Words that carry no content of a question: articles, pronouns, prepositions, auxiliaries, question words. */
const functionWords: Readonly<Record<"en" | "de" | "fr" | "es", ReadonlySet<string>>> = {
  en: wordsOf(`a an the this that these those some any each every all both such same other another there here
    i me my mine we us our ours you your yours he him his she her hers it its they them their theirs one ones oneself
    who whom whose what which when where why how whether
    is are was were be been being am do does did doing done have has had having can could will would shall should may might must
    ought need let lets get gets got and or but nor so if then than as at by for from in into of on onto off out over
    to up with within without about against between through during before after above below under again further
    not no nor only own too very just also please tell me give show explain describe s t d ll re ve don
    doesn didn isn aren wasn weren hasn haven hadn won wouldn couldn shouldn something anything someone anyone somebody
    anybody everyone everybody everything since until till`),
  de: wordsOf(`der die das den dem des ein eine einen einem einer eines kein keine keinen keinem keiner dieser diese dieses
    diesem diesen jener jede jeder jedes alle allem allen aller ich du er sie es wir ihr mich dich uns euch mir dir ihm ihn
    ihnen mein meine meinen meinem meiner dein deine sein seine seinen seinem seiner ihre ihren ihrem ihrer unser unsere
    unseren unserem unserer euer man sich selbst wer wen wem wessen was welche welcher welches welchem welchen wann wo wohin
    woher warum weshalb wieso wie wieviel wieviele viel viele ist sind war waren bin bist sei seid gewesen wird werden wurde wurden worden hat haben
    hatte hatten habe hast kann können könnte darf dürfen muss müssen musst soll sollen sollte will wollen möchte mag
    gibt geben gilt und oder aber doch wenn dann als ob dass daß weil für von vom mit ohne zu zum zur auf aus an am bei
    beim in im ins nach über unter vor hinter zwischen durch gegen um bis seit während wegen nicht nur auch noch schon
    sehr mehr hier dort da so etwa bitte mal denn eigentlich werde wirst`),
  fr: wordsOf(`le la les l un une des du de d ce cet cette ces c ça cela il elle on nous vous ils elles je j tu me m te t
    se s lui leur leurs mon ma mes ton ta tes son sa ses notre nos votre vos qui que qu quoi quel quelle quels quelles
    quand où pourquoi comment combien dont est es sont était étaient être été sera seront suis sommes ai as a ont avons
    avez avait avoir peut peuvent peux pouvoir doit doivent dois devoir faut fait font faire y en et ou mais si donc car
    ne pas plus non aussi très avec sans pour par sur sous dans entre vers chez à au aux après avant depuis pendant
    lors lorsque comme cette est-ce quelqu`),
  es: wordsOf(`el la los las un una unos unas de del al a ante con sin para por en entre sobre bajo desde hasta hacia
    y o u pero si no ni que qué quién quiénes quien cuál cuáles cual cuando cuándo dónde donde cómo como cuánto cuánta
    cuántos cuántas porqué es son era eran ser sido fue fueron está están estar hay ha han haber tiene tienen tener
    puede pueden poder debe deben deber yo tú él ella nosotros ustedes ellos ellas me te se le les lo mi mis tu tus su
    sus nuestro nuestra nuestros nuestras este esta estos estas ese esa esos esas eso esto muy más también ya`)
}

/**
 * The language of a short text by its function words; English when nothing speaks for another one and the script
 * is Latin. Ties go to the language named first in the type.
 */
export const languageOf = (text: string): Language => {
  if (/[\p{Script=Han}\p{Script=Hiragana}\p{Script=Katakana}\p{Script=Hangul}]/u.test(text)) return "cjk"
  const words = text.toLowerCase().match(/[\p{L}\p{M}]+/gu) ?? []
  let best: Language = "en"
  let bestCount = 0
  for (const language of ["en", "de", "fr", "es"] as const) {
    const count = words.filter((word) => functionWords[language].has(word)).length
    if (count > bestCount) {
      best = language
      bestCount = count
    }
  }
  if (bestCount > 0 || words.length === 0) return best
  return /\p{Script=Latin}/u.test(text) ? "en" : "other"
}

/** How many words of a text are function words of each language that is known. */
export const functionWordCounts = (text: string): ReadonlyMap<string, number> => {
  const words = text.toLowerCase().match(/[\p{L}\p{M}]+/gu) ?? []
  return new Map(
    Object.entries(functionWords).map(([language, known]) => [
      language,
      words.filter((word) => known.has(word)).length
    ])
  )
}

/** True for words that say nothing about the subject. `word` in any case. */
export const isFunctionWord = (word: string, language: Language): boolean => {
  const lower = word.toLowerCase()
  if (language === "cjk" || language === "other") return functionWords.en.has(lower)
  return functionWords[language].has(lower)
}

const pronouns =
  wordsOf(`he she it they his her its their him them this that these those such there er sie es dieser diese dieses
  dies ihr sein seine ihre il elle ils elles ce cela celui celle ceux él ella ellos ellas esto eso este esta`)

/** True when a sentence opens with a word that points back ("It", "Diese", "Elle"). */
export const opensWithPronoun = (sentence: string): boolean => {
  const first = /^[^\p{L}\p{N}]*([\p{L}]+)/u.exec(sentence)?.[1]
  return first !== undefined && pronouns.has(first.toLowerCase())
}

const negations = wordwise(
  /\b(?:not|no|never|none|neither|nor|cannot|without|nicht|kein|keine|keinen|keinem|keiner|keines|nie|niemals|ohne|jamais|aucun|aucune|sans|nunca|ningún|ninguna|sin|nichts|niemand|rien|nada|nadie|nobody|nothing)\b|n['’]t\b|\bn['’e] ?\S+ (?:pas|plus)\b|不|没|無い|ない|ません|않/giu
)

/** Negations that deny nothing: bounds ("no more than") and additions ("not only"). */
const noDenial = wordwise(
  /\b(?:no (?:more|less|fewer|later|earlier|longer|greater|higher|lower) than|not (?:more|less|fewer|later|earlier) than|not (?:only|just|merely)|nothing but|no matter|nicht (?:nur|mehr als|weniger als|später als|länger als)|no (?:más|menos) de|no s[oó]lo|non seulement|pas seulement|pas plus de)\b/giu
)

/** Where a text denies something. */
export const negationSpans = (
  text: string
): ReadonlyArray<{ readonly start: number; readonly end: number }> => {
  const found = matchesOf(negations(), text)
  if (found.length === 0) return []
  const bounds = matchesOf(noDenial(), text).map(({ 0: { length }, index }) => ({
    start: index,
    end: index + length
  }))
  return found.flatMap(({ 0: { length }, index }) =>
    bounds.some(({ end, start }) => index < end && index + length > start)
      ? []
      : [{ start: index, end: index + length }]
  )
}

/** How many negations a text holds ("not … without" is two). Parity tells which way a statement points. */
export const negationCount = (text: string): number => negationSpans(text).length
