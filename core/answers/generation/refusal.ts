import { wordwise } from "../../language/languages/index.js"
import type { ModelReply } from "./reply.js"

/** Evidence as a whole, as models name it. */
const evidenceWords = {
  en: "(?:documents?|evidence|context|sources?|passages?|information|texts?|excerpts?|materials?|knowledge base|snippets?|data)",
  de: "(?:dokumente?n?|unterlagen|quellen?|passagen?|informationen|texte?|kontext|auszüge?|angaben|belege)",
  fr: "(?:documents?|sources?|passages?|informations?|textes?|contexte|extraits?)",
  es: "(?:documentos?|fuentes?|pasajes?|información|textos?|contexto|extractos?)"
}

/**
 * Sentences in which a model says that it does not answer: that it cannot, will not or does not know, or that the
 * evidence as a whole says nothing about the question.
 */
const refusals = wordwise(
  () =>
    new RegExp(
      [
        String.raw`\b(?:i|we)(?:['’]m| am|['’]re| are)? (?:really |truly |very |afraid |sorry,? |but |i |also |currently )*(?:cannot|can['’]?t|can not|could not|couldn['’]t|do not|don['’]t|did not|didn['’]t|unable to|not able to|am unable to|am not able to|won['’]t|will not|must decline|have no) (?:\w+ ){0,3}?(?:answer|help|assist|find|found|determine|provide|say|know|idea|locate|tell|comply|fulfil|fulfill|confirm|see|have|discuss|share|information|identify|respond)\b`,
        String.raw`^\W*(?:no idea|unknown|i refuse|unable to (?:answer|determine|find|help)|not (?:stated|specified|mentioned|found|given|available|answerable)(?: in (?:the )?(?:\w+ )?${evidenceWords.en})?)\W*$`,
        String.raw`\b(?:there (?:is|are|was|were) (?:no|not enough|insufficient|nothing)|no|not enough|insufficient) (?:\w+ ){0,2}?(?:information|evidence|details?|context|data|mention|answer)\b.{0,80}\b(?:about|on|regarding|concerning|for|to|in|is|was|are|were|available|provided|given|found|of)\b`,
        String.raw`\b(?:the|these|those|this|provided|given|available|your|any) (?:\w+ ){0,2}?${evidenceWords.en} (?:\w+ ){0,4}?(?:do|does|did)(?: not|n['’]t) (?:\w+ ){0,2}?(?:contain|mention|include|provide|specify|state|say|answer|cover|carry|give|indicate|address|discuss|have|hold|tell|support|offer|describe|reveal)\b`,
        String.raw`\b(?:the|provided|given|available) (?:\w+ )?${evidenceWords.en} (?:\w+ )?(?:contains?|mentions?|includes?|provides?|says?|lacks?|gives?|has|have|holds?) (?:no|nothing|neither)\b`,
        String.raw`\b(?:cannot|can['’]?t|can not|could not) be (?:answered|determined|found|inferred|established|derived)\b`,
        String.raw`\b(?:it|this|that) is (?:not|un)[ -]?(?:known|clear|stated|specified|possible to (?:say|tell|answer|determine))\b.{0,60}\b(?:from|in|based on|with) (?:the |these )?(?:\w+ )?${evidenceWords.en}\b`,
        String.raw`\bich (?:kann|konnte|weiß|habe|darf)\b.{0,80}\b(?:nicht|nichts|kein|keine|keinen)\b`,
        String.raw`\b(?:kann|können|konnte|lässt sich) .{0,60}\b(?:nicht|leider nicht) (?:beantwort|sagen|ermittel|finden|bestimm|beantworten)\w*`,
        String.raw`\b${evidenceWords.de}\b.{0,40}\b(?:enth[aä]lt|enthalten|nennt|nennen|erwähnt|erwähnen|gibt|geben|sagt|sagen|liefert|liefern)\b.{0,40}\b(?:nicht|nichts|kein|keine|keinen)\b`,
        String.raw`\b(?:es (?:gibt|liegen|finden sich)|leider) .{0,30}\b(?:keine|keinerlei) (?:informationen|angaben|hinweise|antwort|daten)\b`,
        String.raw`\bje (?:ne |n['’])(?:peux|sais|trouve|dispose|suis|parviens|connais)\b.{0,60}\b(?:pas|aucune?|rien)\b`,
        String.raw`\b${evidenceWords.fr}\b.{0,40}\bne (?:contien(?:t|nent)|mentionnent?|précisent?|fournissent|fournit|indiquent?|disent|dit|donnent?|permet(?:tent)?)\b.{0,20}\b(?:pas|aucune?|rien)\b`,
        String.raw`\baucune (?:information|réponse|donnée|mention)\b`,
        String.raw`\bno (?:lo )?(?:sé|puedo|podemos|encuentro|encontré|tengo|dispongo)\b.{0,60}`,
        String.raw`\b${evidenceWords.es}\b.{0,40}\bno (?:contienen?|mencionan?|indican?|incluyen?|proporcionan?|dicen?|especifican?|ofrecen?|responden?)\b`,
        String.raw`\bno (?:hay|existe|se (?:encuentra|menciona|proporciona)) (?:ninguna? )?(?:información|respuesta|dato|mención)\b`,
        String.raw`\b(?:я )?не (?:могу|знаю|нашёл|нашла|удалось) (?:ответить|найти|сказать|помочь|определить)\b|\bя не знаю\b|\bв (?:документах|источниках|тексте) (?:нет|не (?:содержится|указано|упоминается))\b|\bнет (?:информации|данных|сведений|ответа)\b`,
        "(?:抱歉|对不起|很遗憾).{0,20}(?:无法|不能|没有)|无法(?:回答|确定|提供|找到|得知)|(?:文档|资料|文件|来源|证据|上下文|文本)(?:中)?(?:没有|并未|未)(?:提到|提供|包含|说明|提及|找到)|我不知道",
        "(?:お答え|回答)(?:することは)?できません|(?:わか|分か)りません|(?:記載|情報|言及|答え)(?:が|は)(?:あり|ござい|見つかり)ません|見つかりませんでした",
        "(?:답변|대답)할 수 없|알 수 없습니다|찾을 수 없|(?:정보|언급|내용)(?:이|가|은|는) (?:없|포함되어 있지 않)"
      ].join("|"),
      "iu"
    )
)

/** Whether a sentence says that there is no answer, instead of one. */
const isRefusal = (text: string): boolean => refusals().test(text)

/**
 * Whether a reply refuses to answer: it begins by saying that there is no answer, and what else it says cites nothing.
 */
export const isDeclined = (statements: ModelReply["sentences"]): boolean => {
  const [first] = statements
  return (
    first !== undefined &&
    isRefusal(first.text) &&
    statements.every(
      ({ citations, text }) => citations.length === 0 || (isRefusal(text) && !goesOn().test(text))
    )
  )
}

/** A sentence that refuses and goes on may answer in part. */
const goesOn = wordwise(
  () =>
    /\b(?:but|however|although|though|only that|aber|jedoch|allerdings|mais|cependant|pero|sin embargo|но|однако)\b|但|しかし|하지만/iu
)
