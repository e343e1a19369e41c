import { matchesOf } from "./matches.js"
import { holdsUnspaced } from "./unspaced.js"
import { wordwise } from "./word-boundaries.js"

/** Languages with known question words and function words. `other` uses the common rules only. */
export type Language = "en" | "de" | "fr" | "es" | "ru" | "cjk" | "other"

const wordsOf = (text: string): ReadonlySet<string> =>
  new Set(text.split(/\s+/u).filter((word) => word !== ""))

/** Words without content in a question: articles, pronouns, prepositions, auxiliaries, question words. */
const functionWords: Readonly<Record<Exclude<Language, "cjk" | "other">, ReadonlySet<string>>> = {
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
    gibt geben gilt und oder aber doch wenn dann als ob dass daß weil für von vom mit ohne zu zum zur auf aus ab an am bei
    beim in im ins nach über unter vor hinter zwischen durch gegen um bis seit während wegen nicht nur auch noch schon
    sehr mehr hier dort da so etwa bitte mal denn eigentlich werde wirst brauche brauchst braucht brauchen bekomme
    bekommst bekommt bekommen`),
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
    sus nuestro nuestra nuestros nuestras este esta estos estas ese esa esos esas eso esto muy más también ya`),
  ru: wordsOf(`а без бы был была были было быть в вам вами вас ваш ваша ваше ваши вашего вашей вашу вашем весь вся все всё всего
    всей всех всем во вот вы где да даже для до его её ей ему если есть ещё ею же за зачем и из изо или им ими их к какая какие
    какими каких каким какова каково каков каковы какого какой каком какому какую как когда кого кому кем ком кто куда которая
    которое которые который которого которой которых котором которую ко ли либо между меня мне мной может могут можем можете
    могу можно мой моя моё мои моего моей моему мою моих мы на над надо нам нами нас наш наша наше наши нашего нашей нашем нашу
    наших нашим не него неё ней нём ни них но нужен нужна нужно нужны о об обо он она они оно от отчего очень по под после
    почему при про с сам сама само сами свой своя своё свои своего своей свою своих сколько скольких со так такая такие такое
    такой также там те тем то тоже только тот та ту тут ты у уже хотя чего чей чем чём чему что чтобы чья чьё чьи эта эти это
    этого этой этом этому этот эту этих является являются через перед должен должна должно должны будет будут надлежит
    следует пожалуйста скажите подскажите расскажите`)
}

/**
 * Detects the language of a short text by its function words; English when none indicates another and the script is
 * Latin. Ties go to the language listed first in the type.
 */
export const languageOf = (text: string): Language => {
  if (holdsUnspaced(text)) return "cjk"
  const words = text.toLowerCase().match(/[\p{L}\p{M}]+/gu) ?? []
  let best: Language = "en"
  let bestCount = 0
  for (const language of spaced) {
    const count = words.filter((word) => functionWords[language].has(word)).length
    if (count > bestCount) {
      best = language
      bestCount = count
    }
  }
  if (bestCount > 0 || words.length === 0) return best
  if (/\p{Script=Latin}/u.test(text)) return "en"
  return russianLetters.test(text) ? "ru" : "other"
}

const spaced = ["en", "de", "fr", "es", "ru"] as const
/** Cyrillic text without letters that other languages have and Russian lacks. */
const russianLetters =
  /^(?!.*[\u0456\u0457\u0454\u0491\u045e\u0458\u0459\u045a\u045b\u0452\u045f])(?=.*\p{Script=Cyrillic})/isu

/** Languages of fixed replies; Korean and unknown languages get English. */
export type SpokenLanguage = Exclude<Language, "cjk" | "other"> | "ja" | "zh"

export const spokenLanguageOf = (text: string, language: Language): SpokenLanguage => {
  if (language === "other") return "en"
  if (language !== "cjk") return language
  if (/[\u3041-\u30ff\uff66-\uff9f]/u.test(text)) return "ja"
  return /\p{Script=Hangul}/u.test(text) ? "en" : "zh"
}

/** Counts the function words of each known language in a text. */
export const functionWordCounts = (text: string): ReadonlyMap<string, number> => {
  const words = text.toLowerCase().match(/[\p{L}\p{M}]+/gu) ?? []
  return new Map(
    Object.entries(functionWords).map(([language, known]) => [
      language,
      words.filter((word) => known.has(word)).length
    ])
  )
}

/** Whether a word says nothing about the subject. `word` in any case. */
export const isFunctionWord = (word: string, language: Language): boolean => {
  const lower = word.toLowerCase()
  if (language === "cjk" || language === "other") return functionWords.en.has(lower)
  return functionWords[language].has(lower)
}

const pronouns =
  wordsOf(`he she it they his her its their him them this that these those such there er sie es dieser diese dieses
  dies ihr sein seine ihre il elle ils elles ce cela celui celle ceux él ella ellos ellas esto eso este esta он она оно
  они его её их это этот эта эти тот та те`)

/** Whether a sentence starts with a word that refers back ("It", "Diese", "Elle"). */
export const opensWithPronoun = (sentence: string): boolean => {
  const [, first, second] = /^[^\p{L}\p{N}]*(\p{L}+)(?:,? (\p{L}+))?/u.exec(sentence) ?? []
  if (first === undefined) return false
  // "Today it is …"
  const subject = timeAdverb.test(first) && second !== undefined ? second : first
  return pronouns.has(subject.toLowerCase())
}
const timeAdverb =
  /^(?:now|today|currently|then|later|nowadays|jetzt|heute|nun|derzeit|aujourd|maintenant|ahora|hoy|сейчас|теперь|сегодня)$/iu

/** An open check box denies what it stands before. */
const negations = wordwise(
  /^\[ \]|\b(?:not|no|never|none|neither|nor|cannot|without|nicht|kein|keine|keinen|keinem|keiner|keines|nie|niemals|ohne|jamais|aucun|aucune|sans|nunca|ningún|ninguna|sin|nichts|niemand|rien|nada|nadie|nobody|nothing|не|нет|ни|нельзя|без|никогда|никто|ничего|никак\p{L}*)\b|n['’]t\b|\bn['’e] ?\S+ (?:pas|plus)\b|不|没|無い|ない|ません|않/giu
)

/** Phrases with a negation word that negate nothing: bounds ("no more than") and additions ("not only"). */
const noDenial = wordwise(
  /\b(?:no (?:more|less|fewer|later|earlier|longer|greater|higher|lower) than|not (?:more|less|fewer|later|earlier) than|not (?:only|just|merely)|nothing but|no matter|nicht (?:nur|mehr als|weniger als|später als|länger als)|no (?:más|menos) de|no s[oó]lo|non seulement|pas seulement|pas plus de|не (?:только|более|менее|позднее|позже|раньше))\b/giu
)

/** Returns the spans of negations in a text. */
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

/** Counts the negations of a text ("not … without" has two). The parity gives the polarity of a statement. */
export const negationCount = (text: string): number => negationSpans(text).length
