/** A pattern over tagged words as compromise compiles it, with the words and tags that it takes. */
interface TagPattern {
  readonly match: string
  /** All of these are in each sentence that it matches. */
  readonly needs: ReadonlyArray<string>
  /** At least `minWant` of these are in each sentence that it matches. */
  readonly wants: ReadonlyArray<string>
  readonly minWant: number
  readonly minWords: number
  /** None of these may be there. */
  readonly ifNo?: ReadonlyArray<string>
}

interface PatternNet {
  /** The patterns by each word and tag that they need or want. */
  readonly hooks: Readonly<Record<string, ReadonlyArray<TagPattern>>>
  readonly always: ReadonlyArray<TagPattern>
}

/** Number of the sentence, places of the first word and after the last, and their keys. */
type Pointer = ReadonlyArray<number | string>

interface TaggerMethods<Terms> {
  readonly one: {
    readonly cacheDoc: (document: ReadonlyArray<Terms>) => ReadonlyArray<ReadonlySet<string>>
    readonly match: (
      document: ReadonlyArray<Terms>,
      pattern: TagPattern
    ) => { readonly ptrs: ReadonlyArray<Pointer> }
  }
}

/** A pattern, and the places at which compromise finds it under its hooks, ascending. */
interface Placed {
  readonly pattern: TagPattern
  readonly hooks: Array<{ readonly hook: string; readonly place: number }>
}

/** The patterns of a net by a hook that is in each sentence they match, or by several of which one is. */
type Index = ReadonlyMap<string, ReadonlyArray<Placed>>

const indexes = new WeakMap<PatternNet, Index>()

const indexOf = (net: PatternNet): Index => {
  const known = indexes.get(net)
  if (known !== undefined) return known
  const placed = new Map<TagPattern, Placed>()
  let place = 0
  for (const [hook, patterns] of Object.entries(net.hooks))
    for (const pattern of patterns) {
      const one = placed.get(pattern) ?? { pattern, hooks: [] }
      one.hooks.push({ hook, place })
      placed.set(pattern, one)
      place += 1
    }
  // Words are rarer than tags, and tags of few patterns rarer than those of many.
  const commonness = (hook: string) => (/^[#%]/u.test(hook) ? (net.hooks[hook]?.length ?? 0) : 0)
  const made = new Map<string, Array<Placed>>()
  for (const one of placed.values()) {
    const { needs, wants } = one.pattern
    const rarest = [...needs].sort((a, b) => commonness(a) - commonness(b)).slice(0, 1)
    for (const hook of rarest.length > 0 ? rarest : new Set(wants))
      made.set(hook, [...(made.get(hook) ?? []), one])
  }
  indexes.set(net, made)
  return made
}

/**
 * Returns the matches of a net of patterns in each sentence, like compromise's `bulkMatch` and in its order. That one
 * tests all words and tags of all patterns against each sentence, which takes a quarter of the time of reading prose;
 * this one looks the few words and tags of a sentence up.
 */
export const sweep = <Terms extends { readonly length: number }>(
  document: ReadonlyArray<Terms>,
  net: PatternNet,
  methods: TaggerMethods<Terms>
): ReadonlyArray<TagPattern & { readonly pointer: Pointer }> => {
  const index = indexOf(net)
  const found: Array<TagPattern & { readonly pointer: Pointer }> = []
  for (const [sentence, present] of methods.one.cacheDoc(document).entries()) {
    const terms = document[sentence]
    if (terms === undefined) continue
    for (const pattern of [...candidates(index, present), ...net.always]) {
      if (terms.length < pattern.minWords) continue
      for (const [, ...words] of methods.one.match([terms], pattern).ptrs)
        found.push({ ...pattern, pointer: [sentence, ...words] })
    }
  }
  return found
}

/** Returns the patterns that the words and tags of a sentence allow, in the order of the first hook that it has. */
const candidates = (index: Index, present: ReadonlySet<string>): ReadonlyArray<TagPattern> => {
  const allowed = new Map<TagPattern, number>()
  for (const hook of present)
    for (const { hooks, pattern } of index.get(hook) ?? [])
      if (!allowed.has(pattern) && isAllowed(pattern, present))
        allowed.set(pattern, hooks.find((one) => present.has(one.hook))?.place ?? 0)
  return [...allowed].sort(([, a], [, b]) => a - b).map(([pattern]) => pattern)
}

const isAllowed = ({ ifNo, minWant, needs, wants }: TagPattern, present: ReadonlySet<string>): boolean => {
  for (const need of needs) if (!present.has(need)) return false
  if (ifNo !== undefined) for (const no of ifNo) if (present.has(no)) return false
  if (wants.length === 0) return true
  let count = 0
  for (const want of wants) if (present.has(want)) count += 1
  return count >= minWant
}
