import type { Break, ChainTrace, ChainWalk, Link } from "./chain-check.js"
import type { ChainFinding, ChainHead } from "./model.js"

/**
 * Diagnoses the faults of a chain. An event that links to neither neighbour was moved here if another event links to
 * it, and inserted if none does. If both its predecessor and the predecessor of the next event are missing, it stands
 * between two gaps. A single break between two neighbours means that events were removed or inserted there.
 */
export const explainChain = (
  walk: ChainWalk,
  trace: ChainTrace,
  head: ChainHead | null
): ReadonlyArray<ChainFinding> => {
  const displaced = walk.breaks.flatMap(({ after, wanted }, place) => {
    const later = walk.breaks[place + 1]
    if (after === null || later?.before.rank !== after.rank) return []
    return trace.places.has(wanted) || trace.places.has(later.wanted) ? [after] : []
  })
  const isGenuine = (link: Link) => !link.isChanged && trace.followed.has(link.hash)
  const home = homes(walk.breaks, displaced, trace)
  const moved = displaced
    .filter((link) => home(link.rank) !== link.rank)
    .map((link) => (isGenuine(link) ? found.reordered(link) : found.inserted(link, 1)))
  const ranks = new Set(displaced.map(({ rank }) => rank))
  const parted = walk.breaks.filter(
    ({ after, before }) => !ranks.has(before.rank) && (after === null || !ranks.has(after.rank))
  )
  const others = parted.flatMap((one) => explainParting(one, trace, ranks, isGenuine))
  const named = new Set([...moved, ...others].map(({ id }) => id))
  return [
    ...walk.changed.filter(({ id }) => !named.has(id)).map(found.changed),
    ...walk.misnumbered.map(found.misnumbered),
    ...moved,
    ...others,
    ...(head === null && walk.events > 0 ? [found.headLost(walk.last)] : [])
  ].sort((a, b) => a.position - b.position)
}

/**
 * Returns where an event that fits neither neighbour belongs: directly after its predecessor. In three reversed
 * events, the middle one was not moved. Null if the predecessor is missing.
 */
const homes = (
  breaks: ReadonlyArray<Break>,
  displaced: ReadonlyArray<Link>,
  trace: ChainTrace
): ((rank: number) => number | null) => {
  const wanted = new Map(
    breaks.flatMap(({ after, wanted }) => (after === null ? [] : [[after.rank, wanted] as const]))
  )
  const moved = new Set(displaced.map(({ rank }) => rank))
  const known = new Map<number, number | null>()
  const homeOf = (rank: number): number | null => {
    const way: Array<number> = []
    let at = rank
    // Follow predecessors until one that is in its place.
    while (moved.has(at) && !known.has(at)) {
      known.set(at, null)
      way.push(at)
      at = trace.places.get(wanted.get(at) ?? "")?.link.rank ?? -1
    }
    let home = moved.has(at) ? (known.get(at) ?? null) : at < 0 ? null : at
    for (const step of way.reverse()) {
      home = home === null ? null : home + 1
      known.set(step, home)
    }
    return known.get(rank) ?? null
  }
  return homeOf
}

const explainParting = (
  { after, before, holes, wanted }: Break,
  trace: ChainTrace,
  displaced: ReadonlySet<number>,
  isGenuine: (link: Link) => boolean
): ReadonlyArray<ChainFinding> => {
  const place = trace.places.get(wanted)
  if (place === undefined) {
    if (holes > 0) return [found.removed(before.position + 1, holes, before, after)]
    // The links of an event whose content changed are unknown.
    if (before.isChanged || after?.isChanged === true) return []
    return [after === null ? found.headDiffers(before) : found.replaced(before, after)]
  }
  if (displaced.has(place.link.rank)) return []
  const { link, next } = place
  if (link.rank < before.rank && next !== null && !isGenuine(before))
    return [
      after === null
        ? found.behindHead(next, before.rank - link.rank)
        : found.inserted(next, before.rank - link.rank)
    ]
  return after === null ? [found.headDiffers(before)] : [found.reordered(after)]
}

const named = ({ id }: Link): string => (id === null ? "the beginning" : id)
const events = (count: number): string => (count === 1 ? "1 event" : `${count} events`)

const at = (fault: ChainFinding["fault"], link: Link, message: string, count = 1): ChainFinding => ({
  fault,
  position: link.position,
  id: link.id,
  count,
  message
})

const found = {
  changed: (link: Link) => at("changed", link, "its content is not what its hash says: it was changed"),
  misnumbered: (link: Link) =>
    at("misnumbered", link, "its place is counted wrongly: its number was changed"),
  reordered: (link: Link) =>
    at("reordered", link, "it does not stand behind the event that it follows: it was moved"),
  inserted: (link: Link, count: number) =>
    at(
      "inserted",
      link,
      "no event follows it, while the one behind it follows the one before: it was put there",
      count
    ),
  behindHead: (link: Link, count: number) =>
    at("inserted", link, "it stands behind the head: it was put there, or the head was set back", count),
  replaced: (before: Link, after: Link) =>
    at(
      "removed",
      after,
      `the event that it follows is gone: one was removed behind ${named(before)}, or that one was put in place of another`
    ),
  removed: (position: number, count: number, before: Link, after: Link | null): ChainFinding => ({
    fault: "removed",
    position,
    id: null,
    count,
    message:
      before.id === null && after === null
        ? `all events (${count}) are gone`
        : `${events(count)} behind ${named(before)} ${after === null ? "at the end" : `and before ${named(after)}`} ${count === 1 ? "is" : "are"} gone`
  }),
  headLost: (link: Link) => at("head", link, "the head of the chain was removed"),
  headDiffers: (link: Link) =>
    at("head", link, "the head names another event than the newest: one of the two was changed")
}
