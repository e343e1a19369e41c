/** Ranks that a passage of a deprecated document loses at most (contract). */
export const demotionRanksMax = 10

interface Ranked {
  readonly score: number
}

/**
 * Returns a list with some of its items demoted: each stands where its score times the factor belongs, but at most ten
 * ranks below its place, and demoted ones keep their order. The others move up to fill the gaps. `ranked` is sorted by
 * falling score, and so is the result: a demoted item that is held by the bound gets the score of the item behind it.
 */
export const demote = <Item extends Ranked>(
  ranked: ReadonlyArray<Item>,
  factor: number,
  isDemoted: (item: Item) => boolean
): ReadonlyArray<Item> => {
  if (factor >= 1 || !ranked.some(isDemoted)) return ranked
  const places = ranked.map((item, place) => ({ item, place }))
  const demoted = places.filter(({ item }) => isDemoted(item))
  const others = places.filter(({ item }) => !isDemoted(item))
  const result: Array<Item> = []
  let [nextDemoted, nextOther] = [0, 0]
  while (result.length < ranked.length) {
    const [low, other] = [demoted[nextDemoted], others[nextOther]]
    const lowScore = (low?.item.score ?? 0) * factor
    const isHeld = low !== undefined && low.place + demotionRanksMax <= result.length
    if (low !== undefined && (other === undefined || isHeld || lowScore > other.item.score)) {
      result.push({ ...low.item, score: Math.max(lowScore, other?.item.score ?? 0) })
      nextDemoted += 1
    } else if (other !== undefined) {
      result.push(other.item)
      nextOther += 1
    }
  }
  return result
}
