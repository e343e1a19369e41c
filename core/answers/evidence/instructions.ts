import { matchesOf, wordwise } from "../../language/languages/index.js"

const answering =
  "(?:answer|say|reply|respond|tell|state|claim|report|output|print|cite|quote|treat|trust|rate)"
const evidence = "(?:documents?|pages?|notes?|texts?|sources?|passages?|answers?)"

/**
 * Patterns of sentences that tell a reader or a model how to answer, instead of saying something of their subject. Each
 * is compiled once a sentence matches its gate, which holds words that the pattern needs: all together compile in a
 * twentieth of a second.
 */
const instructions = (
  [
    [
      /ignore|disregard|forget|override/iu,
      String.raw`\b(?:ignore|disregard|forget|override)\b.{0,30}\b(?:all|any|previous|above|other|earlier|prior|rules?|everything)\b.{0,30}\b(?:instructions?|rules?|prompts?|guidelines?|${evidence}|above)\b`
    ],
    [
      /you are now|act as|system prompt/iu,
      String.raw`\byou are now \p{L}.{0,40}\b(?:AI|assistant|model|rules|bot)\b|\bact as (?:my|an? (?:AI|assistant|model|chatbot))\b|\bsystem prompts?\b`
    ],
    [
      /\b(?:ai|llms?)\b|language model|assistant|chatbot|answering system|the model/iu,
      String.raw`\b(?:AI|LLMs?|language models?|assistants?|chatbots?|answering systems?|search assistants?|the model)\b.{0,40}(?:\b(?:must|should|please|shall|has to|have to|(?:is|are) (?:instructed|required|told|asked))\b|:).{0,80}\b${answering}\b`
    ],
    [
      /confidence|certainty|answerable/iu,
      String.raw`\b${answering}\b.{0,60}\bwith (?:high|full|complete|maximum|absolute|total|\d{2,3} ?%) (?:confidence|certainty)\b|\bset answerable\b`
    ],
    [
      /ask/iu,
      String.raw`\b(?:when|if|whenever) (?:you are |you['’]re |ever )?(?:asked|(?:a |any |the )?(?:readers?|users?|anyone|someone|anybody|somebody|people|you) (?:ever )?asks?)\b.{0,100}\b(?:answer|say|reply|respond|tell|state)\b`
    ],
    [
      /reader|whoever reads|anyone/iu,
      String.raw`\b(?:readers?|whoever reads(?: this)?|anyone (?:who reads|reading))\b.{0,30}\b(?:must|should|shall|(?:is|are) (?:asked|told|instructed|to))\b.{0,80}\b(?:trust|believe|treat|regard|consider|accept|rely|prefer|ignore|${answering})\b`
    ],
    [
      /treat (?:this|it|the)/iu,
      String.raw`\btreat (?:this|it|the)\b.{0,30}\bas (?:verified|certified|true|correct|authoritative|the (?:only|final))\b`
    ],
    [
      /(?:every|all|any) other/iu,
      String.raw`\b(?:every|all|any) other ${evidence} (?:is|are) (?:wrong|outdated|false|invalid|obsolete)\b`
    ],
    [
      /this|always/iu,
      String.raw`\b(?:trust|believe|rely on|quote|cite|prefer|obey) (?:only )?this ${evidence}\b|\balways (?:answer|reply|respond|cite|quote|say)\b`
    ],
    [
      /ignorier|leser|assistent|sprachmodell|\bki\b|antworte/iu,
      String.raw`\bignorier\w*\b.{0,40}\b(?:anweisungen|regeln|quellen|dokumente)\b|\b(?:leser|assistenten?|sprachmodelle?|KI)\b.{0,40}\b(?:müssen|sollen|sollten|muss|soll)\b.{0,80}\b(?:antworten|sagen|vertrauen|zitieren)\b|\bantworte[nt]? (?:immer|stets)\b`
    ],
    [
      /ignor/iu,
      String.raw`\bignore[zr]?\b.{0,40}\b(?:instructions|règles|sources)\b|\bignor[ae]\b.{0,40}\b(?:instrucciones|reglas|fuentes)\b`
    ],
    [/игнорируй/iu, String.raw`\bигнорируй(?:те)?\b.{0,40}\b(?:инструкции|правила|источники)\b`],
    [/忽略|無視して/u, "忽略.{0,12}(?:指令|规则|说明)|無視して"]
  ] as const
).map(([gate, source]) => ({ gate, pattern: wordwise(() => new RegExp(source, "iu")) }))

const isInstruction = (sentence: string): boolean =>
  instructions.some(({ gate, pattern }) => gate.test(sentence) && pattern().test(sentence))

/** Every sentence that a pattern above matches has one of these, which are found much faster. */
const trigger =
  /ignor|disregard|forget|override|you are now|act as|prompt|\bai\b|\bllms?\b|language models?|sprachmodell|the model|assistant|chatbot|answering system|confidence|certainty|answerable|\bask|reader|whoever|anyone|anybody|treat|other|\bthis (?:document|page|note|text|source|passage|answer)|always|leser|\bki\b|antworte|игнорируй|忽略|無視して/iu

const sentencePattern = /[^.!?。！？\n]+[.!?。！？]*/gu

/**
 * Blanks out sentences that tell readers or models how to answer; offsets and line breaks stay. They state nothing of
 * their subject, so they are no evidence, and their words count for nothing. A prompt still shows them.
 */
export const withoutInstructions = (text: string): string => {
  if (!trigger.test(text)) return text
  const found = matchesOf(sentencePattern, text).filter(({ 0: sentence }) => {
    const opening = sentence.slice(0, 1000)
    return sentence.length > 10 && trigger.test(opening) && isInstruction(opening)
  })
  let [out, from] = ["", 0]
  for (const { 0: sentence, index } of found) {
    out += text.slice(from, index) + " ".repeat(sentence.length)
    from = index + sentence.length
  }
  return out + text.slice(from)
}
