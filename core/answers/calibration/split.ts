import { normalForm } from "../../platform/kernel/index.js"

/** Questions with at least this word overlap (Jaccard) are one group and must be in one half. */
const nearDuplicate = 0.8

/** The half and the near-duplicate group of each question, by input position. */
export interface Split {
  readonly fit: ReadonlyArray<number>
  /** One question of each group, so that they are independent. */
  readonly calibrate: ReadonlyArray<number>
  readonly groups: number
}

/** Normalizes a question: NFKC, lower case, only words and numbers, single blanks. */
export const normaliseForSplit = (question: string): string =>
  (
    normalForm(question, "NFKC")
      .toLowerCase()
      .match(/[\p{L}\p{N}]+/gu) ?? []
  ).join(" ")

/**
 * Splits questions into halves by `sha256(seed + normalized question)`, keeping near-duplicates together. Depends on
 * the questions and the seed, not on their order; in the calibration half the smallest of a group represents it.
 */
export const splitQuestions = (
  questions: ReadonlyArray<string>,
  seed: string,
  sha256: (text: string) => string
): Split => {
  const normalised = questions.map(normaliseForSplit)
  const groups = groupsOf(normalised)
  const fit: Array<number> = []
  const calibrate: Array<number> = []
  for (const group of groups) {
    const [first, ...others] = [...group].sort(
      (a, b) => compare(normalised[a] ?? "", normalised[b] ?? "") || a - b
    )
    if (first === undefined) continue
    const isFit = Number.parseInt(sha256(seed + (normalised[first] ?? "")).slice(0, 2), 16) < 128
    if (isFit) fit.push(first, ...others)
    else calibrate.push(first)
  }
  return { fit: fit.sort(ascending), calibrate: calibrate.sort(ascending), groups: groups.length }
}

const compare = (a: string, b: string): number => (a < b ? -1 : a > b ? 1 : 0)
const ascending = (a: number, b: number): number => a - b

/**
 * Groups positions of near-duplicates transitively. Two similar sets share one of their rarest words (prefix
 * filtering; Bayardo, Ma and Srikant, "Scaling Up All Pairs Similarity Search", WWW 2007), so few pairs are compared.
 */
const groupsOf = (normalised: ReadonlyArray<string>): ReadonlyArray<ReadonlyArray<number>> => {
  const sets = normalised.map((text) => new Set(text.split(" ")))
  const counts = new Map<string, number>()
  for (const set of sets) for (const word of set) counts.set(word, (counts.get(word) ?? 0) + 1)
  const rarest = sets.map((set) =>
    [...set].sort((a, b) => (counts.get(a) ?? 0) - (counts.get(b) ?? 0) || compare(a, b))
  )
  const heads = normalised.map((_, at) => at)
  const headOf = (at: number): number => {
    let head = at
    while (heads[head] !== head) head = heads[head] ?? head
    return head
  }
  const holders = new Map<string, Array<number>>()
  for (const [at, words] of rarest.entries()) {
    const prefix = words.slice(0, words.length - Math.ceil(nearDuplicate * words.length) + 1)
    const candidates = new Set(prefix.flatMap((word) => holders.get(word) ?? []))
    for (const other of candidates) {
      const [a, b] = [headOf(at), headOf(other)]
      if (a !== b && isNear(sets[at], sets[other])) heads[Math.max(a, b)] = Math.min(a, b)
    }
    for (const word of prefix) {
      const groupsOfWord = holders.get(word)
      if (groupsOfWord === undefined) holders.set(word, [at])
      else groupsOfWord.push(at)
    }
  }
  const groups = new Map<number, Array<number>>()
  for (const at of normalised.keys()) {
    const head = headOf(at)
    groups.set(head, [...(groups.get(head) ?? []), at])
  }
  return [...groups.values()]
}

const isNear = (a: ReadonlySet<string> = new Set(), b: ReadonlySet<string> = new Set()): boolean => {
  const shared = [...a].filter((word) => b.has(word)).length
  return shared >= nearDuplicate * (a.size + b.size - shared)
}
