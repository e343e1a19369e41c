/** Tables whose cells are drawn: the rules of a page say where rows and columns are. */
import { linesText, textLines } from "./pdf-lines.js"
import { boxAround, type PdfLine, type PdfTable, type PdfWord } from "./pdf-page.js"
import { rowsOfBand } from "./pdf-unruled.js"

/** Rules of a page that are looked at, and cells of a table. */
const [rulesMax, cellsMax] = [4000, 20_000]
/** Rules this near to each other are one; rules that miss each other by this much meet. */
const [same, meets] = [3.6, 3]
/** A cell with more words is a part of a page's layout. */
const cellWordsMax = 200

interface Rule {
  /** Position across the direction of the rule, then its start and end along that direction, in points. */
  readonly at: number
  readonly from: number
  readonly to: number
}

interface Rules {
  readonly level: ReadonlyArray<Rule>
  readonly upright: ReadonlyArray<Rule>
}

/** The drawn lines of a page by their direction. */
export const rulesOf = (lines: ReadonlyArray<PdfLine>): Rules => {
  const level: Array<Rule> = []
  const upright: Array<Rule> = []
  if (lines.length <= rulesMax)
    for (const { x1, x2, y1, y2 } of lines)
      if (Math.abs(y1 - y2) < 1 && Math.abs(x1 - x2) > 4)
        level.push({ at: y1, from: Math.min(x1, x2), to: Math.max(x1, x2) })
      else if (Math.abs(x1 - x2) < 1 && Math.abs(y1 - y2) > 4)
        upright.push({ at: x1, from: Math.min(y1, y2), to: Math.max(y1, y2) })
  return { level, upright }
}

/** The ruled tables of a page. */
export const ruledTables = (rules: Rules, words: ReadonlyArray<PdfWord>): ReadonlyArray<PdfTable> =>
  connected(rules)
    .flatMap(stacked)
    .flatMap((part) => {
      const table = tableOf(part, words)
      return table === null ? [] : [table]
    })

/** Tables that share the rule between them, one for each run of rows whose columns have an edge in common. */
const stacked = ({ level, upright }: Rules): ReadonlyArray<Rules> => {
  const ys = placesOf(level, upright)
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

/** The places of rules, those near to each other as one. The ends of the rules across them are edges, too. */
const placesOf = (rules: ReadonlyArray<Rule>, across: ReadonlyArray<Rule>): ReadonlyArray<number> => {
  const ends = [Math.min(...across.map(({ from }) => from)), Math.max(...across.map(({ to }) => to))]
  const found: Array<Array<number>> = []
  for (const at of [...rules.map((rule) => rule.at), ...ends].sort((a, b) => a - b)) {
    const last = found.at(-1)
    if (last !== undefined && at - (last[0] ?? at) < same) last.push(at)
    else found.push([at])
  }
  return found.map((group) => group.reduce((sum, at) => sum + at, 0) / group.length)
}

const isDrawn = (rules: ReadonlyArray<Rule>, at: number, middle: number): boolean =>
  rules.some((rule) => Math.abs(rule.at - at) < same && rule.from - 1 < middle && rule.to + 1 > middle)

const tableOf = ({ level, upright }: Rules, words: ReadonlyArray<PdfWord>): PdfTable | null => {
  const [xs, ys] = [placesOf(upright, level), placesOf(level, upright)]
  const [columns, bands] = [xs.length - 1, ys.length - 1]
  if (columns < 2 || bands < 1 || columns * bands > cellsMax) return null
  const [left = 0, right = 0, top = 0, bottom = 0] = [xs[0], xs[columns], ys[0], ys[bands]]
  const box = { x: left, y: top, width: right - left, height: bottom - top }
  const middleOf = (places: ReadonlyArray<number>, at: number) =>
    ((places[at] ?? 0) + (places[at + 1] ?? 0)) / 2
  // Cells without a rule between them are one, whose text stands in the first of them.
  const first = Array.from({ length: bands }, () => new Array<number>(columns).fill(0))
  for (let band = 0; band < bands; band++)
    for (let column = 0; column < columns; column++) {
      const own = band * columns + column
      const isOpenLeft = column > 0 && !isDrawn(upright, xs[column] ?? 0, middleOf(ys, band))
      const isOpenAbove = band > 0 && !isDrawn(level, ys[band] ?? 0, middleOf(xs, column))
      const row = first[band] ?? []
      row[column] = isOpenLeft
        ? (row[column - 1] ?? own)
        : isOpenAbove
          ? (first[band - 1]?.[column] ?? own)
          : own
    }
  const held = new Map<number, Array<PdfWord>>()
  const used = new Set<PdfWord>()
  for (const word of words) {
    const [x, y] = [word.x + word.width / 2, word.y + word.height / 2]
    const column = xs.findIndex((place, at) => x >= place && x < (xs[at + 1] ?? -Infinity))
    const band = ys.findIndex((place, at) => y >= place && y < (ys[at + 1] ?? -Infinity))
    if (column < 0 || band < 0) continue
    const cell = first[band]?.[column] ?? 0
    const known = held.get(cell)
    if (known === undefined) held.set(cell, [word])
    else known.push(word)
    used.add(word)
  }
  const cells = new Set(first.flat()).size
  if (held.size * 3 < cells || [...held.values()].some(({ length }) => length > cellWordsMax)) return null
  const rows: Array<ReadonlyArray<string>> = []
  for (let band = 0; band < bands; band++) {
    const own = Array.from({ length: columns }, (_, column) => held.get(band * columns + column) ?? [])
    // Few rules between many lines are those of a header and of the whole table.
    const split = bands <= 3 ? rowsOfBand(own, xs.slice(1)) : null
    rows.push(...(split ?? [own.map((cell) => linesText(textLines(cell)))]))
  }
  const filled = rows.filter((row) => row.some((cell) => cell !== ""))
  const isKept = Array.from({ length: columns }, (_, column) =>
    filled.some((row) => (row[column] ?? "") !== "")
  )
  const kept = filled.map((row) => row.filter((_, column) => isKept[column]))
  if (kept.length < 2 || (kept[0]?.length ?? 0) < 2) return null
  return { ...boxAround([box, ...used]), rows: kept, words: used }
}
