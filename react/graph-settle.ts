import {
  forceCenter,
  forceCollide,
  forceLink,
  forceManyBody,
  forceSimulation,
  type SimulationLinkDatum,
  type SimulationNodeDatum
} from "d3-force"

/** Positions by index: x and y of node n stand at 2n and 2n + 1. */
export type Positions = Float32Array

/** A layout that is asked for. A newer request replaces it. */
export interface LayoutRequest {
  readonly version: number
  /** Start positions; those of new nodes are the caller's guess. */
  readonly positions: Positions
  /** Pairs of node indexes. */
  readonly links: Uint32Array
  /** Index of the node that stays in the middle, or -1. */
  readonly center: number
}

/** Positions of a request, sent several times while they settle. */
export interface LayoutReply {
  readonly version: number
  readonly positions: Positions
  readonly settled: boolean
}

/** Time between two replies. */
const sliceMs = 40
/** Large graphs settle in fewer steps, because each takes longer. */
const stepsFor = (nodes: number): number => (nodes > 4_000 ? 40 : nodes > 1_000 ? 120 : 240)

/**
 * Settles a graph by forces in slices of time and tells the positions after each, until it is done or `isWanted` says
 * no. It runs in a worker or in the page.
 */
export const settle = async (
  { center, links, positions, version }: LayoutRequest,
  isWanted: () => boolean,
  tell: (reply: LayoutReply) => void
): Promise<void> => {
  const count = positions.length / 2
  const nodes: Array<SimulationNodeDatum> = Array.from({ length: count }, (_, index) => ({
    x: positions[index * 2] ?? 0,
    y: positions[index * 2 + 1] ?? 0,
    ...(index === center ? { fx: positions[index * 2] ?? 0, fy: positions[index * 2 + 1] ?? 0 } : {})
  }))
  const pairs: Array<SimulationLinkDatum<SimulationNodeDatum>> = []
  for (let index = 0; index < links.length; index += 2)
    pairs.push({ source: links[index] ?? 0, target: links[index + 1] ?? 0 })
  const steps = stepsFor(count)
  const simulation = forceSimulation(nodes)
    .alphaDecay(1 - 0.001 ** (1 / steps))
    .force(
      "link",
      forceLink(pairs)
        .distance(80)
        .strength(count > 1_000 ? 0.1 : 0.3)
    )
    .force("charge", forceManyBody().strength(-180).theta(1.1).distanceMax(900))
    .force("collide", forceCollide(count > 1_000 ? 8 : 18).iterations(1))
    .force("center", forceCenter().strength(0.04))
    .stop()
  let done = 0
  while (done < steps) {
    const sliceEnd = performance.now() + sliceMs
    do {
      simulation.tick()
      done += 1
    } while (done < steps && performance.now() < sliceEnd)
    const reply = new Float32Array(count * 2)
    nodes.forEach(({ x = 0, y = 0 }, index) => {
      reply[index * 2] = x
      reply[index * 2 + 1] = y
    })
    tell({ version, positions: reply, settled: done >= steps })
    // Lets a newer request and the page in.
    await new Promise((resolve) => setTimeout(resolve, 0))
    if (!isWanted()) return
  }
}
