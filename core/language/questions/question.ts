import { normalForm } from "../../platform/kernel/index.js"
import {
  isAcronymIn,
  isFunctionWord,
  type Language,
  languageOf,
  matchesOf,
  wordwise
} from "../languages/index.js"
import {
  type Analyser,
  type Anchor,
  contentTerms,
  findVersions,
  ReadAtOnce,
  type ReadText,
  type Term
} from "../text-analysis/index.js"
import { withoutFiller } from "./filler.js"
import { comparedIn, partsOf } from "./question-parts.js"

/** The kind of thing that answers a question. */
export type AnswerType =
  | "number"
  | "date"
  | "person"
  | "place"
  | "yes-no"
  | "definition"
  | "reason"
  | "procedure"
  | "list"
  | "other"

/** An analysed question; all further steps use this and not the text. */
export interface Question {
  /** NFKC, white space collapsed, case kept; misspellings corrected by the documents. */
  readonly text: string
  /** The question as it was asked. */
  readonly original: string
  /** The analysed text. */
  readonly read: ReadText
  readonly language: Language
  /** Content words. Excludes the parts of a code, which is an anchor and looked up as a whole. */
  readonly terms: ReadonlyArray<Term>
  readonly anchors: ReadonlyArray<Anchor>
  /** Whether it contains more than question words, pronouns and words for the kind of answer. */
  readonly hasSubject: boolean
  readonly answerType: AnswerType
  /** Subject of a definition question ("What is X?"); null for other questions. */
  readonly subject: string | null
  /** Parts of a compound question, one for each named thing; empty for a simple question. */
  readonly parts: ReadonlyArray<Question>
  /** For a comparison, one question for each of the two things. */
  readonly compared: ReadonlyArray<Question>
}

/** Normalizes: NFKC, white space collapsed, trimmed; case is kept. */
const normaliseQuestion = (text: string): string => normalForm(text, "NFKC").replace(/\s+/gu, " ").trim()

/** Analyses a question. Pure; works for any language, best for English, German, French, Spanish, Russian and CJK. */
export const readQuestion = (raw: string, analyse: Analyser): Question => {
  const text = normaliseQuestion(raw)
  const whole = readOne(withoutFiller(text), analyse)
  return {
    ...whole,
    original: text,
    parts: partsOf(whole.text, whole.anchors).map((part) => readOne(part, analyse)),
    compared: comparedIn(whole.text).map((part) => readOne(part, analyse))
  }
}

const readOne = (text: string, analyse: Analyser): Question => {
  const language = languageOf(text)
  const typeWords = answerTypeWords(text)
  const subject = definitionSubject(text, language)
  const read = new ReadAtOnce(text, analyse)
  const versions = findVersions(text, read.values)
  const anchors = [...read.anchorsIn(language), ...versions]
  const isCodePart = ({ surface }: Term) =>
    anchors.some((anchor) => anchor.kind === "code" && anchor.text.includes(surface)) ||
    versions.some(
      ({ text: version }) => /^[\d.]+$/u.test(version) && [version, ...version.split(".")].includes(surface)
    )
  const subjectTerms = subject === null ? [] : contentTerms(analyse, subject, language)
  const all = read.termsIn(language)
  const terms =
    subjectTerms.length > 0
      ? subjectTerms
      : all.filter((term) => !typeWords.some((span) => inside(term, span)))
  return {
    text,
    original: text,
    read,
    language,
    terms: (terms.length > 0 ? terms : all).filter((term) => !isCodePart(term)),
    anchors,
    hasSubject: anchors.length > 0 || terms.length > (isOfPronoun().test(text) ? 1 : 0),
    answerType: subject !== null ? "definition" : answerTypeOf(text, language),
    subject,
    parts: [],
    compared: []
  }
}

/** "What does it change?", "Why is it so slow?": the question does not name its subject. */
const isOfPronoun = wordwise(
  () =>
    /^(?:(?:and|so|but) )?(?:\p{L}+ )?(?:(?:do|does|did)(?:n['’]t)? (?:it|they|he|she)|(?:is|are|was|were|can|could|will|would|should|has|have|had) (?:it|they|he|she))\b|^(?:was|wie|warum|wann|wo|wer) \p{L}+ (?:es|er|das(?=\s*\?*$))\b/iu
)

const inside = (term: Term, span: { readonly start: number; readonly end: number }): boolean =>
  term.start >= span.start && term.end <= span.end

/** Words that name the kind of answer and not the subject ("what *year*", "how *many*"). */
const typeWord = wordwise(
  () =>
    /\b(?:how (?:many|much|long|often|far|old|big|large|high|tall|wide|deep|thick|heavy|hot|cold|warm|fast|quickly|soon)(?: (?:does|do|did|will|would|can) it (?:usually |normally |typically )?take)?|(?:what|which) (?:is the (?:date|name|number|meaning) of|year|date|day|month|time|number|kind of|type of|sort of|name|percentage|percent|share|proportion|fraction)|what(?: is|['’]s| are) the (?:(?:\d+|two|three|four|five|six|seven|eight|nine|ten) )?(?:steps?|procedure|process|way)|(?<=\b(?:what|which)(?: is|['’]s| was)? (?:the|our|your|its|his|her|their) \p{L}+ )number|(?:at|to) (?:what|which) (?:temperature|pressure|speed|depth|height|price|age|rate|level)|bei welche[mr] (?:temperatur|druck|geschwindigkeit|tiefe|höhe|preis|alter)|in (?:the )?(?:case|event) of|(?<=\bhow much (?:is|are|was|were) .{1,80}) worth(?=\s*\?*$)|wie ?viel geld|(?:um|zu) (?:wie ?viel uhr|welcher (?:uhr)?zeit)|wie (?:viele?|lange?|oft|häufig|hoch|groß|weit|alt|schnell|tief|breit|dick|schwer|heiß|kalt|warm)|welche[mnrs]? (?:jahr|datum|uhrzeit|zeitraum)|dans quel délai|à quelle (?:fréquence|heure|date)|combien (?:de temps|d['’]argent)|combien de|quelle (?:date|année|heure)|cuánto (?:tiempo )?(?:se )?tard\p{L}+(?= )|cuánt[oa]s?|(?:a )?qué (?:año|día|fecha|hora)|как (?:часто|долго|давно|быстро|далеко|регулярно)|с какой (?:частотой|периодичностью)|сколько (?:времени|денег)|сколько|в (?:какое время|котором часу|какой срок|каком году)|како(?:го|му) числ[ау]|какая дата)\b/giu
)

const answerTypeWords = (text: string) =>
  matchesOf(typeWord(), text).map((match) => ({ start: match.index, end: match.index + match[0].length }))

const typePatterns: ReadonlyArray<readonly [AnswerType, RegExp]> = [
  [
    "date",
    /^(?:and |so )?(?:(?:since|until|by|from) )?when\b|\bwhen (?:is|was|were|did|does|do|will|can|should|must|are|has|have)\b|\b(?:what|which) (?:year|date|day|month|time|century|decade)\b|\bhow soon\b/iu
  ],
  [
    "date",
    /\b(?:wann|seit wann|bis wann|ab wann|welche[mnrs]? (?:jahr|datum|tag|monat|uhrzeit)|um wie ?viel uhr|quand|quelle (?:date|année|heure)|(?:quel|dans quel) (?:jour|mois|délai)|cuándo|(?:qué|cuál) (?:año|fecha|día|hora))\b/iu
  ],
  [
    "date",
    /\b(?:когда|во сколько|в (?:какое время|какой (?:день|срок|месяц)|котором часу|како[мй] (?:году|месяце))|како(?:го|му) (?:числ[ау]|сроку)|какая дата|с какого времени)\b/iu
  ],
  [
    "date",
    /いつ|何年(?!間)|何月|何時(?!間)|何曜日|什么时候|何时|几点|幾點|几号|几月|哪年|哪天|哪个月|哪一[年天]|什麼時候|언제|몇 년/u
  ],
  [
    "number",
    /\bhow (?:many|much|long|often|far|old|big|large|high|tall|deep|wide|thick|heavy|hot|cold|warm|fast|quickly|frequently|late|early)\b/iu
  ],
  [
    "number",
    /\b(?:what|which)(?:'s| is| are| was| were| do| does| did| will| would| can| should)? (?:the |our |my |an? )?(?:(?!(?:the|an?|our|my|your)\b)\p{L}+ ){0,3}(?:number|amount|percentage|percent|price|cost|costs|fee|rate|limit|size|population|salary|budget|maximum|minimum|length|height|weight|port)\b/iu
  ],
  ["number", /\b(?:what|which) (?:share|proportion|fraction) of\b/iu],
  [
    "number",
    /\b(?:cuál (?:es|era|fue) (?:el|la) (?:precio|coste|costo|tarifa|límite|tamaño|población|salario|presupuesto|máximo|mínimo|longitud|altura|profundidad|peso|puerto|temperatura|velocidad|porcentaje)|quel(?:le)? (?:est|était|fut) (?:(?:le|la) |l['’])(?:prix|coût|tarif|limite|taille|population|salaire|budget|maximum|minimum|longueur|hauteur|profondeur|poids|port|température|vitesse|pourcentage))\b/iu
  ],
  [
    "number",
    /\b(?:at|to|up to|in|by|for|of|from|under|above|below|within|ab|auf|in|über|bei|mit|unter|bis zu|à|sous|a|при|под) (?:what|which|welche[mrn]?|quelle?|qué|как(?:ом|ой|ую)) (?:\p{L}+ )??(?:pressure|temperature|speed|depth|height|width|length|weight|voltage|frequency|rate|price|cost|fee|age|distance|power|interval|percentage|level|concentration|dose|angle|humidity|druck|temperatur|geschwindigkeit|tiefe|höhe|spannung|frequenz|preis|alter|abstand|pression|température|vitesse|profondeur|hauteur|tension|fréquence|prix|âge|presión|temperatura|velocidad|profundidad|altura|давлени\p{L}+|температур\p{L}+|скорост\p{L}+|глубин\p{L}+|высот\p{L}+)\b/iu
  ],
  [
    "number",
    /\b(?:wie ?viele?|wie (?:lange?|oft|häufig|hoch|groß|weit|alt|teuer|tief|breit|dick|schwer|schnell|heiß|kalt|warm)|was kosten?t?|combien|à quelle fréquence|tous les combien|cuánt[oa]s?|con qué frecuencia)\b|多少|多久|多长时间|多長時間|多[高大重远遠宽寬深快]|几[^乎点點号月]|幾[^乎點号月]|百分之几|いくつ|いくら|どの(?:くらい|ぐらい)|どれ(?:くらい|ぐらい)|頻度|何(?!年(?!間)|月|時(?!間)|曜|で|が|を|か|も|の|に|と|故|处|處|人か|物|事)[^\s、。？?]|몇|얼마/iu
  ],
  [
    "number",
    /\b(?:сколько|насколько|как (?:часто|долго|давно|далеко|быстро|регулярно)|с какой (?:частотой|периодичностью)|како(?:в|ва|во|вы|й|е|му)? (?:\p{L}+ )?(?:размер|сумма|цена|стоимость|вес|масса|длина|ширина|высота|глубина|скорость|температура|давление|количество|число|срок|лимит|процент|доля|ставка|мощность|объём|максимум|минимум))\b/iu
  ],
  [
    "person",
    /\b(?:who|whom|whose|wer|wen|wem|wessen|quién|quiénes)\b|^(?:à |de |avec )?qui\b|\b(?:кто|кого|кому|кем)\b|誰|谁|だれ|どなた|누구|누가/iu
  ],
  [
    "place",
    /\b(?:where|(?:what|which) (?:country|city|place|town|region|state|continent|room|building|location|address)|wohin|woher|où|dónde|adónde|где|куда|откуда)\b|^wo\b|どこ|どちら|哪里|哪裡|哪儿|何处|어디/iu
  ],
  [
    "reason",
    /\b(?:why|how come|warum|weshalb|wieso|pourquoi|por qué|почему|зачем|отчего|по какой причине)\b|なぜ|どうして|为什么|為什麼|왜/iu
  ],
  [
    "procedure",
    /^(?:how (?:do|does|can|should|to|is|are|did|would)|wie (?:kann|können|soll|muss|wird|werden|funktioniert|\p{L}+ (?:ich|man|wir|du))|comment|cómo|как(?! (?:зовут|называ\p{L}+)\b)|каким образом)\b|どうやって|どうすれば|如何|怎么|怎麼|어떻게/iu
  ],
  [
    "procedure",
    /^(?:what(?: is|['’]s| are) the (?:(?:\d+|two|three|four|five|six|seven|eight|nine|ten) )?(?:steps?|procedure|process|way)|was (?:sind|ist) (?:die schritte|der ablauf|das vorgehen)|quelles sont les étapes|cuáles son los pasos|какой порядок|каков порядок)\b/iu
  ],
  ["yes-no", /^(?:is|are|was|were|do|does|did|can|could|may|must|should|shall|will|would|has|have|had)\b/iu],
  [
    "yes-no",
    /^(?:ist|sind|war|waren|hat|haben|kann|können|darf|dürfen|muss|müssen|soll|sollen|wird|werden|gibt|gilt|brauche|braucht|lohnt|funktioniert|unterstützt|reicht|bietet|verfügt|benötigt|besteht|existiert|läuft|est-ce|\p{L}+(?:-t)?-(?:je|tu|il|elle|on|nous|vous|ils|elles)|hay|puede|pueden|puedo|podemos|se puede|se pueden|es|está|están|existe|existen|tiene|tienen|debe|deben|debo|debemos|necesita|necesito|hace falta|можно|нужно|надо|есть|должен|должна|должны|может|могу|разрешено)\b|\bли\b|是否|(?:ますか|ですか|吗|嗎|까)[?？]?$/iu
  ],
  [
    "list",
    /^(?:(?:what|which) (?!(?:is|was|does|has)\b)(?:are|were|\p{L}+s(?! (?:the|an?|when|if|during|after|before|it|you|us)\b))\b|list\b|name (?:the|all)\b|welche\b|quels\b|quelles\b|какие\b|перечисли\p{L}*\b|назови\p{L}*\b)|哪些/iu
  ]
]

const wordwiseTypes = typePatterns.map(([type, pattern]) => [type, wordwise(() => pattern)] as const)

/** Returns the kind of thing that a question asks for, by its words alone. */
export const answerTypeOf = (text: string, language: Language): AnswerType => {
  // "Was passiert danach?" asks what, not whether; the English "was" would make it a yes-no question.
  const bareText = asksFirst.test(text)
    ? text.replace(askedWithin, "")
    : language === "de"
      ? text.replace(/^was\b(?! kost)/iu, "")
      : text
  return wordwiseTypes.find(([, pattern]) => pattern().test(bareText))?.[0] ?? "other"
}

/** "Which flag limits how many cores are used?" asks for a flag; in "What happens when it fails?" the "when" joins. */
const asksFirst = /^(?:which|what|welche[mnrs]?) \p{L}/iu
const askedWithin =
  /(?<=^(?:which|welche[mnrs]?) .{3,80}) (?:how|when|where|who|whom|why|wie|wann|wo|wer|warum) .*$|(?<=^what .{3,80}) how .*$/iu

/** "What is X?", "What does X do?", "Was ist X?", "Qu'est-ce que X ?", "¿Qué es X?", "Что такое X?", "Xとは", "什么是X". */
const definitionPatterns = [
  /^what(?:'s| is| was) the (?:main )?(?:purpose|goal|aim|point|idea|motivation|meaning|definition|role)(?: of| behind) (?:an? |the )?(.{1,80}?)\s?\?*$/iu,
  /^(?:was ist (?:der|das) (?:zweck|ziel|sinn)|quel est (?:le but|l['’]objectif)|cuál es el (?:objetivo|propósito)) (?:von|der|des|de|du|del) ?(?:la |l['’])?(.{1,80}?)\s?\?*$/iu,
  /^(?:so )?what(?:'s| is| are| was| were)(?: meant by)?(?: an?| the)? (.{1,80}?)(?: (?:used|good|meant|there)(?: for)?| about| for| mean)?\s?\?*$/iu,
  /^what (?:can|may|must) (.{1,80}?) (?:do|see|change|manage)\s?\?*$/iu,
  /^what (?:does|do|did) (.{1,80}?) (?:do|mean|stand for|define|propose|specify|introduce|describe|say|cover|change|add|provide|standardi[sz]e)\s?\?*$/iu,
  /^(?:please )?(?:define|explain|describe|summari[sz]e|tell me about) (?:an? |the )?(.{1,80}?)\s?[.?]*$/iu,
  /^who (?:is|was|are) (.{1,80}?)\s?\?*$/iu,
  /^was (?:ist|sind|bedeutet|macht|regelt|beschreibt)(?: ein| eine| der| die| das)? (.{1,80}?)\s?\?*$/iu,
  /^(?:wer ist|wofür steht) (.{1,80}?)\s?\?*$/iu,
  /^(?:qu['’]est[- ]ce (?:que|qu['’])(?: c['’]est que)?|que signifie|c['’]est quoi) ?(?:une? |le |la |les |l['’])?(.{1,80}?)\s?\?*$/iu,
  /^qu[ée] (?:es|son|significa)(?: un| una| el| la| los| las)? (.{1,80}?)\s?\?*$/iu,
  /^(?:что (?:такое|значит|означает)|кто так(?:ой|ая|ие)) (.{1,80}?)\s?\?*$/iu,
  /^(.{1,40}?)(?:とは何ですか|とは何|とは|是什么|是什麼|란 무엇인가요|이란)\s?[?？]*$/u,
  /^(?:什么是|什麼是)(.{1,40}?)\s?[?？]*$/u
].map((pattern) => wordwise(() => pattern))

const definitionSubject = (text: string, language: Language): string | null => {
  for (const pattern of definitionPatterns) {
    const subject = pattern()
      .exec(text)?.[1]
      // The patterns match one closing mark; without this, "Who is ?!" would keep a mark as its subject.
      ?.replace(/[\s?!…]+$/u, "")
      .replace(/^["'“„«]|["'”“»]$/gu, "")
      .trim()
    if (subject === undefined || subject === "") continue
    // "What is the price of a licence?" asks for a value, not for a definition of price.
    if (relational().test(subject)) return null
    const words = subject
      .split(" ")
      .filter((word) => !isFunctionWord(word, language) || isAcronymIn(text, word))
    return words.length >= 1 && words.length <= 5 ? subject : null
  }
  return null
}

const relational = wordwise(
  () =>
    /\b(?:of|for|in|on|at|by|from|to|between|during|before|after|under|since|with|per|when|if|that|which|who|der|des|von|für|im|in|bei|pro|wenn|du|de|des|d['’]|pour|dans|del|para|en|для|в|во|на|при|из|от|до|с|за|по|между|если|когда)\b|^(?:our|my|your|unser|mein|notre|nuestro|name|maximum|minimum|current|total)\b/iu
)
