/** A figure of the page that does not meet its target, as its table says. */
interface Miss {
  readonly run: string
  readonly metric: string
  readonly ratio: string
  readonly target: string
  /** How many times the target; null of figures that only say that they miss it. */
  readonly times: number | null
}

const cellsOf = (line: string): ReadonlyArray<string> => {
  const cells = line.split("|").map((cell) => cell.trim())
  return cells.slice(1, -1)
}

/** All that is marked as missed in the tables of one run, which begin with its title. */
const missesIn = (section: string): ReadonlyArray<Miss> => {
  const [title = "", ...lines] = section.split("\n")
  const run = title.replace(/^#+ /, "")
  let named = ""
  let head: ReadonlyArray<string> = []
  const found: Array<Miss> = []
  for (const line of lines) {
    if (line.startsWith("**")) named = line.replaceAll("**", "")
    if (!line.startsWith("|")) head = []
    else if (head.length === 0) head = cellsOf(line)
    else
      found.push(
        ...(head[0] === "metric" ? plainMiss(run, cellsOf(line)) : peerMisses(run, named, head, line))
      )
  }
  return found
}

const plainMiss = (run: string, cells: ReadonlyArray<string>): ReadonlyArray<Miss> => {
  const [metric = "", , , , ratio = "", , target = "", , peer = ""] = cells
  const parts = /^(<=|>=) ([\d.]+) missed$/.exec(target)
  if (parts === null) return []
  const [reached, wanted] = [Number(ratio), Number(parts[2])]
  const times = parts[1] === "<=" ? reached / wanted : wanted / reached
  const beside = peer.startsWith("none") ? metric : `${metric}, beside ${peer}`
  return [{ run, metric: beside, ratio, target: `${parts[1]} ${parts[2]}`, times }]
}

/** In a table of collections and peers a `!` stands behind the figure of the peer. */
const peerMisses = (
  run: string,
  metric: string,
  head: ReadonlyArray<string>,
  line: string
): ReadonlyArray<Miss> => {
  const [collection = "", , ours = "", ...peers] = cellsOf(line)
  return peers.flatMap((cell, i) => {
    const theirs = /^([\d.]+)!/.exec(cell)?.[1]
    if (theirs === undefined) return []
    const beside = `${metric}, ${collection}, beside ${head[i + 3] ?? ""}`
    return [{ run, metric: beside, ratio: `${ours} for ${theirs}`, target: "", times: null }]
  })
}

/** Every target that the tables of the page miss, the furthest first. */
export const missesTable = (sections: ReadonlyArray<string>): string => {
  const misses = sections.flatMap(missesIn).sort((a, b) => (b.times ?? 1) - (a.times ?? 1))
  return [
    "| Run | What | Ratio | Target | Times the target |",
    "| --- | --- | --- | --- | --- |",
    ...misses.map(
      ({ metric, ratio, run, target, times }) =>
        `| \`${run}\` | ${metric} | ${ratio} | ${target} | ${times === null ? "" : times.toFixed(2)} |`
    )
  ].join("\n")
}
