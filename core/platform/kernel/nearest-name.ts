/** Returns the known name that a mistyped one most likely means, or none when nothing is similar enough. */
export const nearestName = (given: string, known: ReadonlyArray<string>): string | undefined => {
  const plain = plainOf(given)
  const [nearest] = known
    .map((name) => ({ name, edits: editsBetween(plain, plainOf(name)) }))
    .filter(({ edits, name }) => edits <= Math.max(1, Math.floor(plainOf(name).length / 3)))
    .filter(({ edits, name }) => edits < Math.max(plain.length, name.length) / 2)
    .sort((a, b) => a.edits - b.edits)
  return nearest?.name ?? known.find((name) => isBeginning(plain, plainOf(name)))
}

/** Ignores case and separators, so that `max_sources` and `maxSources` are equal. */
const plainOf = (name: string): string => name.slice(0, lettersMax).toLowerCase().replaceAll(/[_-]/g, "")

/** The time is quadratic in the length, so longer names are compared by their beginning. */
const lettersMax = 64

const isBeginning = (given: string, name: string): boolean =>
  given.length > 0 && name.length > 0 && (name.startsWith(given) || given.startsWith(name))

/** Returns the edit distance (optimal string alignment: insertion, deletion, replacement, exchange of neighbours). */
const editsBetween = (a: string, b: string): number => {
  let [beforeLast, last]: [ReadonlyArray<number>, ReadonlyArray<number>] = [
    [],
    Array.from({ length: b.length + 1 }, (_, column) => column)
  ]
  for (let i = 1; i <= a.length; i++) {
    const row = [i]
    for (let j = 1; j <= b.length; j++) {
      const replaced = (last[j - 1] ?? 0) + (a[i - 1] === b[j - 1] ? 0 : 1)
      const isExchange = i > 1 && j > 1 && a[i - 1] === b[j - 2] && a[i - 2] === b[j - 1]
      row.push(
        Math.min(
          (last[j] ?? 0) + 1,
          (row[j - 1] ?? 0) + 1,
          replaced,
          isExchange ? (beforeLast[j - 2] ?? 0) + 1 : replaced
        )
      )
    }
    ;[beforeLast, last] = [last, row]
  }
  return last[b.length] ?? 0
}
