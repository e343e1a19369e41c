import { lettersIn, lettersOf } from "./letters.js"
import { memoize } from "./memoize.js"
import type { ReadText } from "./read-text.js"
import { wordwise } from "./word-boundaries.js"

/** Increase and decrease. */
const upDown: readonly [RegExp, RegExp] = [
  /\b(?:increas\w*|ris(?:e|es|en|ing)|rose|grow\w*|grew|rais(?:e|es|ed|ing)|gain\w*|climb\w*|steig\w*|stieg\w*|gestiegen|erhöh\w*|augment\w*|hausse|aument\w*|sub(?:e|ió)|увелич\w*|повы[сш]\w*|рост|раст[её]т|выросл?\w*)\b/iu,
  /\b(?:decreas\w*|fall|falls|fell|fallen|falling|drop\w*|declin\w*|reduc\w*|lower(?:s|ed|ing)?|shr[aiu]nk\w*|sink\w*|sank|gesunken|fiel\w*|gesenkt|verringer\w*|baiss\w*|diminu\w*|disminu\w*|baj(?:a|ó)|уменьш\w*|сниж\w*|сниз\w*|сокра[тщ]\w*|упал\w*)\b/iu
]

/** Pairs of opposite directions: a claim with one side contradicts evidence with only the other. */
const pairs: ReadonlyArray<readonly [RegExp, RegExp]> = [
  upDown,
  [
    /\b(?:before|prior to|vor|bevor|avant|antes|перед)\b/iu,
    /\b(?:after|nach|nachdem|après|después|following|после)\b/iu
  ],
  [
    /\b(?:at least|minimum|minimal|min\.|no (?:fewer|less) than|more than|mindestens|wenigstens|mehr als|au moins|plus de|al menos|como mínimo|más de|не менее|не меньше|минимум|как минимум|более чем|больше чем)\b|[≥>]/iu,
    /\b(?:at most|maximum|maximal|max\.|no more than|up to|less than|fewer than|höchstens|maximal|bis zu|weniger als|au plus|jusqu['’]à|moins de|como máximo|hasta|menos de|не более|не больше|максимум|менее чем|меньше чем)\b|[≤<]/iu
  ],
  [
    /\b(?:above|over|exceed\w*|oberhalb|über|au-dessus|encima)\b/iu,
    /\b(?:below|under|unterhalb|unter|au-dessous|debajo)\b/iu
  ],
  [
    /\b(?:allow\w*|permit\w*|authori[sz]\w*|erlaubt?|gestattet|zulässig|autoris\w*|permis\w*|permitid\w*|разреш\w*|допуска\w*)\b/iu,
    /\b(?:forbid\w*|forbidden|prohibit\w*|disallow\w*|banned|denied|verboten|untersagt|unzulässig|interdit\w*|défendu\w*|prohibid\w*|запрещ\w*|запрет\w*|воспрещ\w*)\b/iu
  ],
  [
    /\b(?:enabl\w*|activat\w*|aktiviert?|activé\w*|activad\w*)\b/iu,
    /\b(?:disabl\w*|deactivat\w*|deaktiviert?|désactivé\w*|desactivad\w*)\b/iu
  ],
  [
    /\b(?:open(?:s|ed)?|geöffnet|offen|ouvert\w*|abiert\w*|открыт\w*)\b/iu,
    /\b(?:closed?|closes|shut|geschlossen|fermé\w*|cerrad\w*|закрыт\w*)\b/iu
  ],
  [/\b(?:always|immer|toujours|siempre|всегда)\b/iu, /\b(?:never|nie|niemals|jamais|nunca|никогда)\b/iu],
  [
    /\b(?:includ\w*|inklusive|einschließlich|inclu\w*)\b/iu,
    /\b(?:exclud\w*|exklusive|ausschließlich|ausgenommen|exclu\w*)\b/iu
  ],
  [
    /\b(?:accept\w*|approv\w*|angenommen|genehmigt|approuv\w*|aprob\w*)\b/iu,
    /\b(?:reject\w*|refus\w*|abgelehnt|rejet\w*|rechaz\w*)\b/iu
  ],
  [
    /\b(?:mandatory|required|obligatory|verpflichtend|pflicht|obligatoire\w*|obligatori\w*|обязательн\w*)\b/iu,
    /\b(?:optional|voluntary|freiwillig|facultati\w*|opcional\w*|необязательн\w*|добровольн\w*)\b/iu
  ],
  [
    /\b(?:success\w*|succeed\w*|erfolgreich)\b/iu,
    /\b(?:fail(?:s|ed|ure|ing)?|fehlgeschlagen|gescheitert)\b/iu
  ]
]

function ofAWord({ flags, source }: RegExp): RegExp {
  return new RegExp(`^(?:${source.replaceAll("\\b", "").replaceAll("\\w", ".")})$`, flags)
}

const wordwisePairs = pairs.map(([left, right]) => [wordwise(left), wordwise(right)] as const)
/** Index of the first pair of states; the pairs before it are directions, order and bounds. */
const firstState = 4
const statePairs = wordwisePairs.slice(firstState)

/**
 * Returns the words by which two texts put a thing into opposite states ("allowed", "forbidden"); undefined when they
 * do not.
 */
export const oppositeStates = (one: string, other: string): readonly [string, string] | undefined => {
  const [ofOne, ofOther] = [directionsOf(one), directionsOf(other)]
  const pair = statePairs.find((_, at) => areTurned(ofOne, ofOther, bitsOf(firstState + at)))
  if (pair === undefined) return undefined
  const [left, right] = pair
  const [oneLeft, otherRight] = [left().exec(one)?.[0], right().exec(other)?.[0]]
  if (oneLeft !== undefined && otherRight !== undefined) return [oneLeft, otherRight]
  return [right().exec(one)?.[0] ?? "", left().exec(other)?.[0] ?? ""]
}

/** Whether a word names a state or a direction of such a pair, and not the subject of a sentence. */
export const isStateWord = (word: string): boolean =>
  (directionsOf(word) & (stateBits | upDownBits)) !== 0 || isComparison.test(word)

/** Antonyms, in both directions: a contradiction when one side has the word and the other its antonym. */
const antonyms: ReadonlyArray<readonly [string, string]> = `
first last|largest smallest|biggest smallest|longest shortest|highest lowest|higher lower|greater smaller|larger smaller
longer shorter|older younger|newer older|newest oldest|north south|northern southern|east west|eastern western
left right|internal external|inner outer|inside outside|public private|valid invalid|early late|earlier later|won lost
with without|true false|strong weak|fast slow|faster slower|rich poor|same different|possible impossible|legal illegal
upper lower|majority minority|best worst|better worse|positive negative|import export|imports exports|input output
buy sell|bought sold|upload download|encrypt decrypt|encrypted unencrypted|signed unsigned|odd even|least most|fewest most
manual automatic|manually automatically|temporary permanent|temporarily permanently|local remote|hot cold|full empty
read write|easy difficult|cheap expensive|cheaper dearer|common rare|present absent|direct indirect|synchronous asynchronous
mutable immutable|active inactive|online offline|secure insecure|visible invisible|visible hidden|compatible incompatible|complete incomplete
connected disconnected|attached detached|armed disarmed|engaged disengaged|operational inoperative|reversible irreversible
accessible inaccessible|eligible ineligible|correct incorrect|running stopped|started stopped|occupied vacant|public confidential
domestic foreign|domestic abroad|domestic international|national international|inbound outbound|incoming outgoing
weekdays weekends|summer winter|morning evening|daily weekly|weekly monthly|monthly yearly|more fewer|more less
erste letzte|größte kleinste|höchste niedrigste|höher niedriger|größer kleiner|länger kürzer|nord süd|nördlich südlich|öffentlich privat
aktiv inaktiv|eingeschaltet ausgeschaltet
intern extern|gültig ungültig|früh spät|früher später|mit ohne|wahr falsch|schnell langsam|gleich verschieden|möglich unmöglich
premier dernier|première dernière|nord sud|public privé|interne externe|valide invalide|vrai faux|avec sans|supérieur inférieur
actif inactif|active inactive|disponible indisponible|complet incomplet|activo inactivo|activa inactiva|disponible indisponible
supérieure inférieure|possible impossible|primero último|norte sur|público privado|interno externo|válido inválido|con sin
`
  .split(/[|\n]/u)
  .flatMap((line) => {
    const [one, other] = line.split(" ")
    return one === undefined || other === undefined ? [] : [[one, other] as const]
  })
const rivalsByWord: ReadonlyMap<string, ReadonlySet<string>> = (() => {
  const map = new Map<string, Set<string>>()
  for (const [one, other] of antonyms) {
    map.set(one, (map.get(one) ?? new Set()).add(other))
    map.set(other, (map.get(other) ?? new Set()).add(one))
  }
  return map
})()

/** Returns the listed antonyms of a lower-case word. */
export const antonymsOf = (word: string): ReadonlyArray<string> => [...(rivalsByWord.get(word) ?? [])]

/** Whether two lower-case words are listed antonyms, or differ by the prefix "un" or "non". */
export const areOpposites = (one: string, other: string): boolean =>
  rivalsByWord.get(one)?.has(other) === true || isDeniedBy(one, other) || isDeniedBy(other, one)

/** "Unpaid", "non-refundable"; "unless" does not negate "less". */
const isDeniedBy = (word: string, denied: string): boolean =>
  word.length >= 4 && word !== "less" && ["un", "non", "non-"].some((no) => denied === no + word)

/** Returns the state pairs that contain a word, and its side in each. */
export const sidesOf = (word: string): ReadonlyArray<readonly [pair: number, side: number]> =>
  statePairs.flatMap((pair, at) =>
    pair.flatMap((state, side) => (state().test(word) ? [[at, side] as const] : []))
  )

/** Whether one text contains a word, and the other contains its antonym but not the word. */
export const holdsAntonym = (one: string, other: string): boolean =>
  haveAntonyms(wordsIn(one), wordsIn(other))

const haveAntonyms = (left: ReadonlySet<string>, right: ReadonlySet<string>): boolean => {
  for (const word of left) {
    if (right.has(word)) continue
    const rivals = rivalsByWord.get(word)
    if (rivals !== undefined)
      for (const rival of rivals) if (right.has(rival) && !left.has(rival)) return true
  }
  return deniesWordOf(left, right) || deniesWordOf(right, left)
}

/** Whether one text has a word with the prefix "un" and the other has it without, and neither has both. */
const deniesWordOf = (denying: ReadonlySet<string>, other: ReadonlySet<string>): boolean => {
  for (const word of denying) {
    if (!word.startsWith("un") || other.has(word)) continue
    const denied = word.slice(2)
    if (other.has(denied) && !denying.has(denied) && isDeniedBy(denied, word)) return true
  }
  return false
}

const wordsIn = (text: string): ReadonlySet<string> => new Set(lettersIn(text))

/** Whether one text has a direction and the other only the opposite one ("at least", "at most"). */
export const opposes = (one: string, other: string): boolean => {
  const ofOne = directionsOf(one)
  return ofOne !== 0 && areTurned(ofOne, directionsOf(other), allBits)
}

/** Whether two analysed texts have antonyms or opposite directions. */
export const isOpposed = (one: ReadText, other: ReadText): boolean => {
  const ofOne = directionsRead(one)
  return (
    (ofOne !== 0 && areTurned(ofOne, directionsRead(other), allBits)) ||
    haveAntonyms(wordsRead(one), wordsRead(other))
  )
}
const directionsRead = memoize(({ text }: ReadText) => directionsOf(text))
const wordsRead = memoize((read: ReadText): ReadonlySet<string> => new Set(lettersOf(read)))

/** Whether a text states an increase or a decrease. */
export const hasDirection = (text: string): boolean => (directionsOf(text) & upDownBits) !== 0

/**
 * Whether a word expresses direction or comparison: these do not name the subject, and a claim may use different ones
 * than its evidence.
 */
export const isDirectionWord = (word: string): boolean => hasDirection(word) || isComparison.test(word)

const isComparison = /^(?:least|most|fewer|less|more)$/iu

/** Returns the two bits of a pair, one per side. */
const bitsOf = (pair: number): number => 0b11 << (2 * pair)
const allBits = pairs.reduce((bits, _, at) => bits | bitsOf(at), 0)
const upDownBits = bitsOf(0)
const stateBits = allBits & -(1 << (2 * firstState))
const firsts = pairs.reduce((bits, _, at) => bits | (1 << (2 * at)), 0)

/** Whether, in one of these pairs, each text has only the side that the other lacks. */
const areTurned = (one: number, other: number, bits: number): boolean => {
  // The first bit of each pair in which the texts differ on both sides and neither has both.
  const differ = one ^ other
  return (differ & (differ >> 1) & (one ^ (one >> 1)) & firsts & bits) !== 0
}

/**
 * Returns the sides of all pairs in a text, two bits per pair. Looks up single words in a cache, because one of two
 * dozen patterns takes as long over a sentence as looking up all its words.
 */
export const directionsOf = (text: string): number => {
  let sides = signs.test(text) ? opensPhrase : 0
  for (const word of text.match(words) ?? []) sides |= directionsOfWord(word)
  // Phrases of several words are matched by the patterns.
  if ((sides & opensPhrase) !== 0 && phrases().test(text)) sides |= directionsByPatterns(text)
  return sides & allBits
}

const directionsOfWord = (word: string): number => {
  const cached = knownDirections.get(word)
  if (cached !== undefined) return cached
  // Bounds the cache.
  if (knownDirections.size >= knownDirectionsMax) knownDirections.clear()
  const sides = sidesByPatterns(word, ofOneWord) | (phraseWord.test(word) ? opensPhrase : 0)
  if (word.length <= wordUnitsMax) knownDirections.set(word, sides)
  return sides
}

/** Returns the same by matching every pattern against the whole text. */
export const directionsByPatterns = (text: string): number =>
  sidesByPatterns(
    text,
    wordwisePairs.map(([left, right]) => [left(), right()])
  )

const sidesByPatterns = (text: string, asked: typeof pairs): number =>
  asked.reduce(
    (sides, [left, right], at) =>
      sides | (left.test(text) ? 1 << (2 * at) : 0) | (right.test(text) ? 2 << (2 * at) : 0),
    0
  )

/** Patterns for a text of a single word, which compile and match fast. */
const ofOneWord = pairs.map(([left, right]) => [ofAWord(left), ofAWord(right)] as const)

const knownDirections = new Map<string, number>()
const knownDirectionsMax = 20_000
/** Longer ones are data. */
const wordUnitsMax = 40
/** Word characters as in `wordwise`. */
const words = /[\p{L}\p{M}\p{N}_]+/gu
/** Flag beside the bits of the pairs: the word may begin a phrase. */
const opensPhrase = 1 << 30
const signs = /[≥>≤<]/u
const phraseWord =
  /^(?:prior|at|min|max|no|more|less|fewer|up|mehr|weniger|bis|au|plus|moins|jusqu|al|como|menos|más)$/iu
/** The parts of the patterns above with more than one word. */
const phrases = wordwise(
  /[≥>≤<]|\b(?:prior to|at (?:least|most)|m(?:in|ax)\.|no (?:fewer|less|more) than|(?:more|less|fewer) than|up to|mehr als|weniger als|bis zu|au (?:moins|plus)|au-dess(?:us|ous)|(?:plus|moins) de|jusqu['’]à|al menos|como m[íá][nx]imo|m(?:enos|ás) de)/iu
)
