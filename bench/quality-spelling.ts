import { analyseQuery } from "../core/language/tokenization/index.js"
import { lexicalSearch } from "../core/search/lexical/search.js"
import { tolerantPeers } from "./peers/packages.js"
import { depth, onEveryCorpus, reportQuality, type System } from "./quality.js"
import { loaded } from "./quality-lexical.js"
import { lexicalSystem, systemBy } from "./quality-systems.js"
import { randomFrom } from "./random.js"
import type { RunBench } from "./result.js"

const alphabet = "abcdefghijklmnopqrstuvwxyz"

/** One letter put in, left out, replaced or exchanged with the next, anywhere in the word. */
const slipIn = (word: string, random: () => number): string => {
  const below = (count: number): number => Math.floor(random() * count)
  const [at, letter] = [below(word.length), alphabet.charAt(below(alphabet.length))]
  const [head, here, tail] = [word.slice(0, at), word.charAt(at), word.slice(at + 1)]
  const ways = [head + letter + here + tail, head + tail, head + letter + tail]
  return [...ways, head + tail.charAt(0) + here + tail.slice(1)][below(4)] ?? word
}

/** The longest word of the query with one slip: as a rule the one that it is about. Short ones stay as they are. */
const misspeller = (seed: number) => {
  const made = new Map<string, string>()
  return (query: string): string => {
    const known = made.get(query)
    if (known !== undefined) return known
    const words = analyseQuery(query).words.filter(({ surface }) => /^[a-z]{5,}$/i.test(surface))
    const longest = words.reduce((a, { surface }) => (surface.length > a.length ? surface : a), "")
    const random = randomFrom(seed + [...query].reduce((sum, sign) => sum * 31 + sign.charCodeAt(0), 0))
    const misspelt = longest === "" ? query : query.replaceAll(longest, () => slipIn(longest, random))
    made.set(query, misspelt)
    return misspelt
  }
}

/** Our words without anything in the place of those that stand nowhere. */
const unmended = systemBy("Kanon, words as they are", async ({ run, scope }, query) => {
  const words = { ...analyseQuery(query), words: [] }
  return (await run(lexicalSearch(scope, words, { limit: depth }))).hits
})

/** How much of what words find is found when one of them is misspelt, beside packages that allow for it. */
export const qualitySpelling: RunBench = async (context) => {
  const misspell = misspeller(context.seed)
  const asked = ({ name, rank }: System): System => ({
    name,
    rank: (subject, queries) => rank(subject, queries.map(misspell))
  })
  const peers = (await loaded(context, tolerantPeers)).map(asked)
  const systems = [asked(lexicalSystem), { ...lexicalSystem, name: "Kanon, spelt right" }, asked(unmended)]
  const judged = await onEveryCorpus(context, "passages", [...systems, ...peers])
  reportQuality(context, "passages", judged, {
    ours: lexicalSystem.name,
    peers: [...systems.slice(1), ...peers].map(({ name }) => name),
    target: (metric, peer, where) =>
      where === "mean" && metric === "nDCG@10" && peer !== "Kanon, spelt right" ? ">= 1" : undefined
  })
}
