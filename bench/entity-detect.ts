import { makeDetector, surfaceKey, type Tokens, tokenize } from "../core/knowledge/entities/index.js"
import { EntityId } from "../core/platform/kernel/index.js"
import { dataFolder, readCorpus, readQueries } from "./data.js"
import { compare, costOf, heldBytes, interleaved } from "./measure.js"
import { optional } from "./peers/optional.js"
import { tokenTrie } from "./peers/token-trie.js"
import { randomFrom, shuffled } from "./random.js"
import type { BenchContext, RunBench, Size } from "./result.js"

const namesWanted: Readonly<Record<Size, number>> = { small: 300, default: 100_000, full: 100_000 }
const pairsWanted: Readonly<Record<Size, number>> = { small: 2, default: 15, full: 40 }
const documentsPerWindow: Readonly<Record<Size, number>> = { small: 3, default: 24, full: 24 }
const questionsPerWindow: Readonly<Record<Size, number>> = { small: 3, default: 400, full: 400 }
/**
 * As much text as the other windows have, cut into pieces. In shorter ones (40,000 until now: 3 ms of ours) the caches,
 * which the other side has left cold, were much of what was measured.
 */
const packageCharsPerWindow = 320_000

interface Named {
  readonly id: EntityId
  readonly headId: EntityId
  /** The name, then its aliases. */
  readonly surfaces: ReadonlyArray<string>
}

/** So seldom does a word occur that is a name by itself. */
const rareBelow = 3

/**
 * Names as titles and terms are: two to five words in a row from the texts, or one that is rare; no two alike, half
 * of them with an alias.
 */
const makeNames = (texts: ReadonlyArray<string>, count: number, seed: number): ReadonlyArray<Named> => {
  const random = randomFrom(seed)
  const words = texts.map((text) => text.match(/\p{L}{3,}/gu) ?? []).filter((list) => list.length > 10)
  const counts = new Map<string, number>()
  for (const word of words.flat()) counts.set(word, (counts.get(word) ?? 0) + 1)
  const taken = new Set<string>()
  const phrase = (): string => {
    for (let tries = 0; tries < triesMax; tries++) {
      const list = words[Math.floor(random() * words.length)] ?? []
      const from = Math.floor(random() * list.length)
      const first = list[from] ?? ""
      const long = (counts.get(first) ?? 0) >= rareBelow ? 1 + Math.ceil(random() * 4) : 1
      const made = list.slice(from, from + long)
      const key = surfaceKey(made.join(" "))
      if (made.length < long || taken.has(key)) continue
      taken.add(key)
      return made.join(" ")
    }
    return `name ${taken.size}`
  }
  return Array.from({ length: count }, (_, i) => {
    const id = EntityId.parse(`ent_${String(i).padStart(26, "0")}`)
    return { id, headId: id, surfaces: random() < 0.5 ? [phrase()] : [phrase(), phrase()] }
  })
}
const triesMax = 1000

type Find = (text: string) => unknown

/** Bytes that making something keeps. */
const keptBy = async <A>(
  make: () => A | Promise<A>
): Promise<{ readonly made: A; readonly bytes: number }> => {
  const held = heldBytes()
  const before = held()
  const made = await make()
  return { made, bytes: held() - before }
}

export const entityDetect: RunBench = async (context) => {
  const { report, say, seed, size } = context
  const documents = readCorpus("eips")
  if (documents === null) return context.skip(`no eips in ${dataFolder}`)
  const texts = shuffled(documents, seed).map(({ text }) => text)
  const questions = shuffled(readQueries("eips"), seed).map(({ text }) => text)
  const names = makeNames(texts, namesWanted[size], seed)
  const surfaces = [...new Set(names.flatMap((one) => one.surfaces))]
  say(`${names.length} names, ${surfaces.length} different surfaces`)

  const ours = await keptBy(() => makeDetector(names))
  const trie = tokenTrie(surfaces.map(surfaceKey))
  const find: Find = (text) => ours.made.detect(text)
  report({
    metric: "names that the floor finds too",
    ours: sameFinds(texts.slice(0, 50), ours.made.detect, trie),
    n: Math.min(50, texts.length),
    unit: "share",
    peer: "token trie"
  })
  await against(context, "questions", questions, questionsPerWindow[size], find, "tokenising", tokenize, {
    target: "<= 8"
  })
  const windows = documentsPerWindow[size]
  // 0.15 of its rate is at most 6.7 of its time.
  await against(context, "documents", texts, windows, find, "tokenising", tokenize, { target: "<= 6.67" })
  await against(context, "documents", texts, windows, find, "token trie, hand-written", (text) =>
    trie(tokenize(text))
  )
  const pieces = texts.flatMap((text) => text.match(/[\s\S]{1,2000}/g) ?? [])
  for (const [name, load] of packages) {
    const make = await optional(context, name, load)
    if (make === null) continue
    if (name === slowToBuild && size === "default") {
      context.skip(`${name} takes half a minute to take in the names: with --size full`)
      continue
    }
    const peer = await keptBy(() => make(surfaces))
    const count = Math.ceil(packageCharsPerWindow / 2000)
    await against(context, "documents", pieces, count, find, name, peer.made, { target: "<= 0.2" })
    const [mine, theirs] = [ours.bytes / 1e6, peer.bytes / 1e6]
    const line = { ours: mine, floor: theirs, n: 1, target: "<= 0.1" }
    report({ metric: "memory beside the names", ...line, unit: "MB", peer: name })
  }
}

const against = async (
  { report, size }: BenchContext,
  what: string,
  texts: ReadonlyArray<string>,
  perWindow: number,
  ours: Find,
  peer: string,
  floor: Find,
  wanted: { readonly target?: string } = {}
): Promise<void> => {
  const run = (work: Find) => (window: number) =>
    costOf(() => {
      for (let i = 0; i < perWindow; i++) work(texts[(window * perWindow + i) % texts.length] ?? "")
    })
  const pairs = await interleaved(pairsWanted[size], run(ours), run(floor))
  report({ metric: `${what}, CPU`, ...compare(pairs, ({ cpuMs }) => cpuMs), unit: "ms", peer, ...wanted })
}

/** Returns the share of our names that the floor finds too; the floor knows no plurals. */
const sameFinds = (
  texts: ReadonlyArray<string>,
  detect: (text: string) => ReadonlyArray<{ readonly key: string }>,
  trie: (tokens: Tokens) => ReadonlyArray<string>
): number => {
  let [found, same] = [0, 0]
  for (const text of texts) {
    const theirs = new Set(trie(tokenize(text)))
    for (const { key } of detect(text)) {
      found += 1
      if (theirs.has(key)) same += 1
    }
  }
  return found === 0 ? 1 : same / found
}

const slowToBuild = "ahocorasick"

const packages: ReadonlyArray<readonly [string, () => Promise<(names: ReadonlyArray<string>) => Find>]> = [
  [
    "modern-ahocorasick",
    async () => {
      const { default: AhoCorasick } = await import("modern-ahocorasick")
      return (names) => {
        const automaton = new AhoCorasick(names.map((name) => name.toLowerCase()))
        return (text) => automaton.search(text.toLowerCase())
      }
    }
  ],
  [
    "ahocorasick",
    async () => {
      const { default: AhoCorasick } = await import("ahocorasick")
      return (names) => {
        const automaton = new AhoCorasick(names.map((name) => name.toLowerCase()))
        return (text) => automaton.search(text.toLowerCase())
      }
    }
  ]
]
