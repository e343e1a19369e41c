import { wordwise } from "../languages/index.js"

/** Greetings before a question; removed, because they say nothing about its subject. */
const greeting = wordwise(
  () =>
    /^(?:(?:hey|hi|hello|hallo|moin|guten (?:tag|morgen|abend)|bonjour|bonsoir|salut|hola|buenos días|buenas tardes|good (?:morning|afternoon|evening)|привет|こんにちは|你好)(?![\p{L}\p{N}_])(?: (?:there|all|everyone|everybody|team|zusammen))?[\s,.!:–-]*)+/iu
)
const request = new RegExp(
  `^(?:${[
    "(?:can|could|would|will) (?:you|anyone|anybody|someone|somebody) (?:please |kindly )?(?:tell|show|remind) (?:me|us)(?! about\\b)",
    "(?:please |kindly )?(?:tell|remind) (?:me|us)(?! about\\b)",
    "(?:do|does|did) (?:you|anyone|anybody|someone|somebody) (?:happen to )?know(?! about\\b)",
    "(?:i['’]d like|i would like|i want|i need) to know",
    "(?:i was |i am |i['’]m |just )?wondering|i wonder",
    "(?:kannst du|können sie|könnten sie|könntest du) (?:mir|uns) (?:bitte )?sagen",
    "(?:weißt du|wissen sie|weiß jemand)",
    "ich (?:möchte|würde gerne?) wissen",
    "(?:pouvez-vous|peux-tu|pourriez-vous|pourrais-tu) (?:me|nous) dire",
    "(?:savez-vous|sais-tu)",
    "(?:puedes|puede|podrías|podría) (?:decirme|decirnos)",
    "(?:sabes|sabe usted|sabéis)"
  ].join("|")})(?=[\\s,:])[\\s,:]*(?:(?:if|whether|ob|si)\\s+)?`,
  "iu"
)
const known =
  /^(?:what (?:do you|do we|can you tell (?:me|us)) (?:know )?about|(?:can|could|would) you tell (?:me|us) about)\s+/iu
const thanks = wordwise(
  () =>
    /[\s,.!?;–-]*(?<![\p{L}])(?:please|pls|thanks(?: a lot| so much| in advance| again)?|thank you(?: (?:very|so) much| in advance)?|many thanks|thx|cheers|bitte|danke(?: schön| im voraus)?|vielen dank|merci(?: beaucoup| d['’]avance)?|s['’]il (?:vous|te) pla[iî]t|svp|gracias|por favor|спасибо|ありがとう|谢谢)[\s.!?]*$/iu
)
/** The workspace is where whoever asks is: "in our office" tells nothing apart. */
const here =
  /\s+(?:here )?(?:in|at|from) (?:our|my|the) (?:office|company|firm|organi[sz]ation|team|workspace|workplace)(?=[\s.!?]*$)|\s+(?:around )?here(?=[\s.!?]*$)|\s+(?:bei uns|in unserem büro|chez nous|dans nos bureaux|en nuestra oficina)(?=[\s.!?]*$)/iu
/** Question words that are written without their apostrophe. */
const joined = /^(what|where|who|when|how)s\s/iu

/**
 * Returns a question without greeting, polite request and thanks around it: "Hey, can you tell me where the printer
 * is? Thanks!" asks "where the printer is?". What is nothing else stays as it is. The mark that opens a Spanish question
 * goes too.
 */
export const withoutFiller = (asked: string): string => {
  // The words of a question are compared from its first one.
  const text = asked.replace(/^[¿¡\s]+(?=\S)/u, "")
  let bare = text
  for (let turn = 0; turn < turnsMax; turn += 1) {
    const before = bare
    bare = bare.replace(thanks(), "").replace(greeting(), "")
    bare = bare
      .replace(request, "")
      .replace(known, "tell me about ")
      .replace(joined, "$1 is ")
      .replace(here, "")
    if (bare === before) break
  }
  if (bare === text) return text
  const isAsking = /\?/u.test(text)
  const trimmed = bare.trim().replace(/[\s.!?,]+$/u, "")
  return trimmed.split(" ").length < 2 ? text : `${trimmed}${isAsking ? "?" : ""}`
}
/** A greeting may stand before a request. */
const turnsMax = 3

/** Whether a text is only a greeting or thanks, or asks what one can ask here. */
export const isSmallTalk = (text: string): boolean =>
  /\p{L}/u.test(text) && asksForHelp.test(text.trim().replace(thanks(), "").replace(greeting(), "").trim())
const asksForHelp =
  /^(?:|ok(?:ay)?|how are you|(?:good)?bye|help|hilfe|what can (?:you do|i ask)(?: here)?|what do you do|who are you|was kannst du|wer bist du|que peux-tu faire|qué puedes hacer|помощь)[\s.!?]*$/iu
