/**
 * Returns the stem of a folded Russian word with е for ё: Porter's Snowball algorithm
 * (snowballstem.org/algorithms/russian/stemmer.html). Total; a word without a vowel stays unchanged.
 */
export const stemRussian = (word: string): string => {
  const vowel = word.search(vowels)
  if (vowel < 0) return word
  const head = word.slice(0, vowel + 1)
  let rest = withoutEnding(word.slice(vowel + 1))
  if (rest.endsWith("и")) rest = rest.slice(0, -1)
  rest = withoutDerivation(head, rest)
  if (rest.endsWith("нн")) return head + rest.slice(0, -1)
  const plain = rest.replace(superlative, "")
  if (plain !== rest) return head + plain.replace(/нн$/u, "н")
  return head + rest.replace(/ь$/u, "")
}

const vowels = /[аеиоуыэюя]/u

const gerund = /(?:(?:ив|ыв)(?:шись|ши)?|(?<=[ая])в(?:шись|ши)?)$/u
const reflexive = /с[яь]$/u
const adjective = /(?:[иы]ми|[еиыо]е|[еиыо]й|[еиыо]м|[ео]го|[ео]му|[иы]х|[ую]ю|[ая]я|[ое]ю)$/u
const participle = /(?:ивш|ывш|ующ|(?<=[ая])(?:ем|нн|вш|ющ|щ))$/u
const verb =
  /(?:[иы]ла|ена|ейте|уйте|ите|[иы]ли|ей|уй|[иы]л|[иы]м|ен|[иы]ло|ено|ят|ует|уют|[иы]т|ены|[иы]ть|ишь|ую|ю|(?<=[ая])(?:ла|на|ете|йте|ли|й|л|ем|н|ло|но|ет|ют|ны|ть|ешь|нно))$/u
const noun =
  /(?:иями|ями|ами|ией|иям|ием|иях|ев|ов|ие|ье|еи|ии|ей|ой|ий|ям|ем|ам|ом|ах|ях|ию|ью|ия|ья|[аеийоуыьюя])$/u
const superlative = /ейше?$/u

/** Removes the first applicable ending: gerund, or after a reflexive adjective, verb, noun. */
const withoutEnding = (rest: string): string => {
  const ungerund = rest.replace(gerund, "")
  if (ungerund !== rest) return ungerund
  const active = rest.replace(reflexive, "")
  const bare = active.replace(adjective, "")
  if (bare !== active) return bare.replace(participle, "")
  const unverbed = active.replace(verb, "")
  return unverbed === active ? active.replace(noun, "") : unverbed
}

/** Removes `-ост`, `-ость` after two changes from vowel to consonant. */
const withoutDerivation = (head: string, rest: string): string => {
  const ending = /ость?$/u.exec(rest)
  if (ending === null) return rest
  const before = head + rest.slice(0, ending.index)
  return /[аеиоуыэюя][^аеиоуыэюя]+[аеиоуыэюя]+[^аеиоуыэюя]/u.test(before) ? rest.slice(0, ending.index) : rest
}
