/** Actions on a node, shared by the canvas, the list and the card. */
export interface NodeActions {
  readonly select: (id: string | null) => void
  readonly expand: (id: string) => void
  readonly pathFrom: (id: string) => void
  readonly pathTo: (id: string) => void
  readonly center: (id: string) => void
  /** Whether a path has its beginning. */
  readonly hasStart: boolean
}
