import {
  forceCollide,
  forceLink,
  forceManyBody,
  forceSimulation,
  forceX,
  forceY,
  type SimulationLinkDatum,
  type SimulationNodeDatum
} from "d3-force"

/** Nodes and edges of a graph by their ids. */
export interface GraphShape {
  readonly nodes: ReadonlyArray<{ readonly id: string }>
  readonly edges: ReadonlyArray<{ readonly src: string; readonly dst: string }>
}
/** Places of nodes by id, around 0, 0. */
export type Places = Readonly<Record<string, readonly [number, number]>>

interface Body extends SimulationNodeDatum {
  readonly id: string
}

/** Rounds of the simulation: enough for a readable picture of 500 nodes in a quarter of a second. */
const rounds = (nodes: number): number => Math.max(30, Math.min(200, Math.round(40_000 / Math.max(nodes, 1))))

/** Lays a graph out by forces (d3-force). Nodes with a place in `known` begin there, so that a grown graph stays alike. */
export const layOut = ({ edges, nodes }: GraphShape, known: Places = {}): Places => {
  const bodies: Array<Body> = nodes.map(({ id }) => {
    const place = known[id]
    return place === undefined ? { id } : { id, x: place[0], y: place[1] }
  })
  const ids = new Set(nodes.map(({ id }) => id))
  const links: Array<SimulationLinkDatum<Body>> = edges
    .filter(({ dst, src }) => ids.has(src) && ids.has(dst) && src !== dst)
    .map(({ dst, src }) => ({ source: src, target: dst }))
  const simulation = forceSimulation(bodies)
    .force(
      "link",
      forceLink<Body, SimulationLinkDatum<Body>>(links)
        .id(({ id }) => id)
        .distance(70)
    )
    .force("charge", forceManyBody().strength(-160).distanceMax(600))
    .force("collide", forceCollide(16))
    .force("x", forceX(0).strength(0.04))
    .force("y", forceY(0).strength(0.04))
    .stop()
  simulation.tick(rounds(nodes.length))
  return Object.fromEntries(bodies.map(({ id, x, y }) => [id, [x ?? 0, y ?? 0] as const]))
}
