import { type NotKept, notKeptMax } from "./model.js"
import { skos } from "./words.js"

export type Reason = NotKept["reason"]

/** Counts statements that an import drops, by predicate and reason. */
export interface WarningCounter {
  readonly add: (word: string, reason: Reason, about: string, count?: number) => void
  /** Returns the counts: SKOS terms first, then by frequency. */
  readonly all: () => ReadonlyArray<NotKept>
  /** Returns the number of all dropped statements. */
  readonly total: () => number
}

const isSkos = (word: string): number => (word.startsWith(skos) ? 1 : 0)

export const countWarnings = (): WarningCounter => {
  const found = new Map<string, { word: string; reason: Reason; count: number; example: string }>()
  return {
    add: (word, reason, about, count = 1) => {
      if (count === 0) return
      const key = `${reason} ${word}`
      const known = found.get(key)
      if (known === undefined) found.set(key, { word, reason, count, example: about })
      else known.count += count
    },
    all: () =>
      [...found.values()]
        .sort(
          (a, b) =>
            isSkos(b.word) - isSkos(a.word) ||
            b.count - a.count ||
            (a.word < b.word ? -1 : a.word > b.word ? 1 : 0)
        )
        .slice(0, notKeptMax),
    total: () => [...found.values()].reduce((sum, { count }) => sum + count, 0)
  }
}
