/** What can be done with a node, from the canvas, the list and the card alike. */
export interface NodeActions {
  readonly select: (id: string | null) => void
  readonly expand: (id: string) => void
  readonly pathFrom: (id: string) => void
  readonly pathTo: (id: string) => void
  readonly center: (id: string) => void
  /** Whether a path has its beginning. */
  readonly hasStart: boolean
}
