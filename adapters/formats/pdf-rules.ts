/** The drawn rules of a page, and which of them belong together. */
import type { PdfLine } from "./pdf-page.js"

/** Pieces of lines and rules of a page that are looked at. */
const [piecesMax, rulesMax] = [40_000, 4000]
/** Rules this near to each other are one; rules that miss each other by this much meet, as those of cells that stand apart. */
const [same, meets] = [3.6, 5]
/** Pieces of a dotted or dashed rule leave at most this much free. */
const dashGap = 3
/** Between edges this near to each other stands nothing but the space between cells. */
const cellGap = 8

/** A drawn line: its position across its direction, then its start and end along that direction, in points. */
export interface Rule {
  readonly at: number
  readonly from: number
  readonly to: number
}

export interface Rules {
  readonly level: ReadonlyArray<Rule>
  readonly upright: ReadonlyArray<Rule>
}

/** The place of an edge of cells, and of the rules that draw it. */
export interface Edge {
  readonly at: number
  readonly from: number
  readonly to: number
}

/** The drawn lines of a page by their direction. */
export const rulesOf = (lines: ReadonlyArray<PdfLine>): Rules => {
  const level: Array<Rule> = []
  const upright: Array<Rule> = []
  if (lines.length <= piecesMax)
    for (const { x1, x2, y1, y2 } of lines) {
      if (Math.abs(y1 - y2) < 1) level.push({ at: y1, from: Math.min(x1, x2), to: Math.max(x1, x2) })
      if (Math.abs(x1 - x2) < 1) upright.push({ at: x1, from: Math.min(y1, y2), to: Math.max(y1, y2) })
    }
  const whole = { level: joinedPieces(level), upright: joinedPieces(upright) }
  return whole.level.length + whole.upright.length <= rulesMax ? whole : { level: [], upright: [] }
}

/** Rules without those that are too short for the side of a cell; the pieces of a dotted or dashed line are one. */
const joinedPieces = (pieces: ReadonlyArray<Rule>): ReadonlyArray<Rule> => {
  const placed = pieces.map((piece) => ({ piece, place: Math.round(piece.at * 4) }))
  const joined: Array<Rule> = []
  let lastPlace = Number.NaN
  for (const { piece, place } of placed.sort((a, b) => a.place - b.place || a.piece.from - b.piece.from)) {
    const last = joined.at(-1)
    if (last !== undefined && place === lastPlace && piece.from - last.to <= dashGap)
      joined[joined.length - 1] = { ...last, to: Math.max(last.to, piece.to) }
    else joined.push(piece)
    lastPlace = place
  }
  return joined.filter(({ from, to }) => to - from > 4)
}

/** The rules of a page as those of separate tables. */
export const tableRules = (rules: Rules): ReadonlyArray<Rules> => connected(rules).flatMap(stacked)

/** Tables that share the rule between them, one for each run of rows whose columns have an edge in common. */
const stacked = ({ level, upright }: Rules): ReadonlyArray<Rules> => {
  const ys = edgesOf(level, upright).map(({ at }) => at)
  if (ys.length * upright.length > rulesMax * 100) return []
  const inner = ys.slice(1).map((y, band) => {
    const middle = (y + (ys[band] ?? 0)) / 2
    const drawn = upright.filter(({ from, to }) => from < middle && to > middle).map(({ at }) => at)
    const [left, right] = [Math.min(...drawn), Math.max(...drawn)]
    return drawn.filter((x) => x - left > same && right - x > same)
  })
  const cuts = ys.filter((_, at) => {
    const [above = [], below = []] = [inner[at - 1], inner[at]]
    const isShared = above.some((x) => below.some((other) => Math.abs(x - other) < 1.5))
    return above.length > 0 && below.length > 0 && !isShared
  })
  if (cuts.length === 0) return [{ level, upright }]
  const edges = [-Infinity, ...cuts, Infinity]
  return edges.slice(1).map((end, at) => {
    const start = edges[at] ?? -Infinity
    return {
      level: level.filter((rule) => rule.at > start - same && rule.at < end + same),
      upright: upright.flatMap((rule) => {
        const [from, to] = [Math.max(rule.from, start), Math.min(rule.to, end)]
        return to - from > same ? [{ ...rule, from, to }] : []
      })
    }
  })
}

/** Rules that meet each other, directly or by way of others. */
const connected = ({ level, upright }: Rules): ReadonlyArray<Rules> => {
  const owner = new Array<number>(level.length + upright.length).fill(0).map((_, at) => at)
  const rootOf = (at: number): number => {
    let root = at
    while (owner[root] !== root) root = owner[root] ?? root
    owner[at] = root
    return root
  }
  for (const [h, across] of level.entries())
    for (const [v, down] of upright.entries())
      if (
        down.at > across.from - meets &&
        down.at < across.to + meets &&
        across.at > down.from - meets &&
        across.at < down.to + meets
      )
        owner[rootOf(h)] = rootOf(level.length + v)
  const parts = new Map<number, { level: Array<Rule>; upright: Array<Rule> }>()
  const partOf = (at: number) => {
    const root = rootOf(at)
    const part = parts.get(root) ?? { level: [], upright: [] }
    parts.set(root, part)
    return part
  }
  for (const [at, rule] of level.entries()) partOf(at).level.push(rule)
  for (const [at, rule] of upright.entries()) partOf(level.length + at).upright.push(rule)
  return [...parts.values()].filter((part) => part.level.length > 0 && part.upright.length > 0)
}

/** The edges of cells: rules near to each other are one. The ends of the rules across them are edges, too. */
const edgesOf = (rules: ReadonlyArray<Rule>, across: ReadonlyArray<Rule>): ReadonlyArray<Edge> => {
  const ends = [Math.min(...across.map(({ from }) => from)), Math.max(...across.map(({ to }) => to))]
  const found: Array<Array<number>> = []
  for (const at of [...rules.map((rule) => rule.at), ...ends].sort((a, b) => a - b)) {
    const last = found.at(-1)
    if (last !== undefined && at - (last[0] ?? at) < same) last.push(at)
    else found.push([at])
  }
  return found.map((group) => ({
    at: group.reduce((sum, at) => sum + at, 0) / group.length,
    from: group[0] ?? 0,
    to: group.at(-1) ?? 0
  }))
}

/** The edges of the columns, from the left, and of the rows of a table; `held` are the middles of its words. */
export const gridOf = (
  { level, upright }: Rules,
  held: ReadonlyArray<readonly [x: number, y: number]>
): { readonly xs: ReadonlyArray<Edge>; readonly ys: ReadonlyArray<Edge> } => {
  const [xs, ys] = [edgesOf(upright, level), edgesOf(level, upright)]
  const inside = held.filter(
    ([x, y]) =>
      x > (xs[0]?.at ?? 0) && x < (xs.at(-1)?.at ?? 0) && y > (ys[0]?.at ?? 0) && y < (ys.at(-1)?.at ?? 0)
  )
  return {
    xs: withoutSpaces(
      xs,
      inside.map(([x]) => x)
    ),
    ys: withoutSpaces(
      ys,
      inside.map(([, y]) => y)
    )
  }
}

/** Edges with the empty space between two cells as one edge. */
const withoutSpaces = (edges: ReadonlyArray<Edge>, held: ReadonlyArray<number>): ReadonlyArray<Edge> =>
  edges.reduce<Array<Edge>>((kept, edge) => {
    const last = kept.at(-1)
    const isSpace =
      last !== undefined &&
      edge.at - last.from < cellGap &&
      !held.some((middle) => middle > last.from && middle < edge.to)
    if (isSpace) kept[kept.length - 1] = { at: (last.from + edge.to) / 2, from: last.from, to: edge.to }
    else kept.push(edge)
    return kept
  }, [])

/** Whether a rule is drawn at an edge, beside a place along it. */
export const isDrawn = (rules: ReadonlyArray<Rule>, edge: Edge | undefined, middle: number): boolean =>
  edge !== undefined &&
  rules.some(
    ({ at, from, to }) => at > edge.from - same && at < edge.to + same && from - 1 < middle && to + 1 > middle
  )
