/** Positions by index: x and y of node n stand at 2n and 2n + 1. */
export type Positions = Float32Array

/** A request to the layout worker. A newer one replaces it. */
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

const goldenAngle = Math.PI * (3 - Math.sqrt(5))

/**
 * Positions to draw at once: what stood somewhere stays, new nodes go on a sunflower spiral around the node that
 * brought them. A hub of any size is thereby readable before the first step of the simulation.
 */
export const firstPositions = (
  ids: ReadonlyArray<string>,
  known: ReadonlyMap<string, readonly [number, number]>,
  origin: readonly [number, number] = [0, 0]
): Positions => {
  const positions = new Float32Array(ids.length * 2)
  let added = 0
  ids.forEach((id, index) => {
    const at = known.get(id)
    if (at !== undefined) {
      positions.set(at, index * 2)
      return
    }
    const radius = added === 0 && known.size === 0 ? 0 : 26 * Math.sqrt(added + 1)
    const angle = added * goldenAngle
    positions.set([origin[0] + radius * Math.cos(angle), origin[1] + radius * Math.sin(angle)], index * 2)
    added += 1
  })
  return positions
}
