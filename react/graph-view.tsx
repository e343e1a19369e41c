import {
  type KeyboardEvent,
  type PointerEvent,
  type ReactNode,
  useCallback,
  useEffect,
  useRef,
  useState
} from "react"
import { layOut, type Places } from "./graph-layout.js"

export interface GraphNode {
  readonly id: string
  readonly name: string
  readonly type: string
}
export interface GraphEdge {
  readonly src: string
  readonly dst: string
  readonly type: string
}

export interface GraphViewProps {
  readonly nodes: ReadonlyArray<GraphNode>
  readonly edges: ReadonlyArray<GraphEdge>
  readonly selectedId?: string | null
  /** Ids that stand out, such as those of a path. */
  readonly highlighted?: ReadonlySet<string> | undefined
  readonly onSelect?: ((id: string) => void) | undefined
  /** A double click or Enter on a node: load what is around it. */
  readonly onExpand?: ((id: string) => void) | undefined
  /** Places of the nodes, from a worker for example; without it they are computed here. */
  readonly places?: Places | undefined
  /** Says what the picture shows, for those who do not see it. */
  readonly label: string
}

interface View {
  readonly x: number
  readonly y: number
  readonly scale: number
}

const radius = 7
const scaleRange = [0.1, 6] as const

/**
 * A graph on a canvas: drag moves it, the wheel and + and - zoom, arrows move between neighbours, Enter expands. Colours
 * are the custom properties `--kanon-node`, `--kanon-edge`, `--kanon-text`, `--kanon-selected` of the canvas.
 */
export const GraphView = (props: GraphViewProps): ReactNode => {
  const { edges, label, nodes, onExpand, onSelect, places, selectedId = null } = props
  const canvas = useRef<HTMLCanvasElement>(null)
  const [own, setOwn] = useState<Places>({})
  const [view, setView] = useState<View>({ x: 0, y: 0, scale: 1 })
  const [size, setSize] = useState({ width: 0, height: 0 })
  const drag = useRef<{ x: number; y: number; moved: boolean } | null>(null)
  useEffect(() => {
    if (places === undefined) setOwn((known) => layOut({ nodes, edges }, known))
  }, [nodes, edges, places])
  const at = places ?? own
  useEffect(() => {
    const element = canvas.current
    if (element === null) return
    const watcher = new ResizeObserver(() =>
      setSize({ width: element.clientWidth, height: element.clientHeight })
    )
    watcher.observe(element)
    return () => watcher.disconnect()
  }, [])
  // biome-ignore lint/correctness/useExhaustiveDependencies: the picture is fitted when the set of nodes changes.
  useEffect(() => setView(fitted(at, size)), [nodes, at, size])
  useEffect(() => {
    if (canvas.current !== null) draw(canvas.current, props, at, view, size)
  })
  const zoom = useCallback(
    (factor: number) =>
      setView((last) => ({
        ...last,
        scale: Math.min(scaleRange[1], Math.max(scaleRange[0], last.scale * factor))
      })),
    []
  )
  useEffect(() => {
    const element = canvas.current
    // React listens to the wheel passively; the page must not scroll meanwhile.
    const wheel = (event: WheelEvent) => {
      event.preventDefault()
      zoom(event.deltaY < 0 ? 1.15 : 1 / 1.15)
    }
    element?.addEventListener("wheel", wheel, { passive: false })
    return () => element?.removeEventListener("wheel", wheel)
  }, [zoom])
  const nodeAt = (event: { readonly clientX: number; readonly clientY: number }): string | null => {
    const box = canvas.current?.getBoundingClientRect()
    if (box === undefined) return null
    const x = (event.clientX - box.left - size.width / 2) / view.scale - view.x
    const y = (event.clientY - box.top - size.height / 2) / view.scale - view.y
    let [best, bestDistance] = [null as string | null, (radius + 5) / Math.min(1, view.scale)]
    for (const { id } of nodes) {
      const place = at[id]
      if (place === undefined) continue
      const distance = Math.hypot(place[0] - x, place[1] - y)
      if (distance < bestDistance) [best, bestDistance] = [id, distance]
    }
    return best
  }
  const move = (event: PointerEvent) => {
    const from = drag.current
    if (from === null) return
    const [dx, dy] = [event.clientX - from.x, event.clientY - from.y]
    if (Math.abs(dx) + Math.abs(dy) < 3 && !from.moved) return
    drag.current = { x: event.clientX, y: event.clientY, moved: true }
    setView((last) => ({ ...last, x: last.x + dx / last.scale, y: last.y + dy / last.scale }))
  }
  const key = (event: KeyboardEvent) => {
    if (event.key === "+" || event.key === "=") zoom(1.25)
    else if (event.key === "-") zoom(1 / 1.25)
    else if (event.key === "Enter" && selectedId !== null) onExpand?.(selectedId)
    else if (event.key.startsWith("Arrow")) {
      const next = neighbour(event.key, selectedId, nodes, at)
      if (next !== null) onSelect?.(next)
    } else return
    event.preventDefault()
  }
  return (
    // biome-ignore lint/a11y/noInteractiveElementToNoninteractiveRole: a picture that is worked with by pointer and keys.
    <canvas
      ref={canvas}
      className="kanon-graph"
      data-testid="graph-canvas"
      data-nodes={nodes.length}
      data-edges={edges.length}
      role="application"
      aria-label={label}
      tabIndex={0}
      onKeyDown={key}
      onPointerDown={(event) => {
        drag.current = { x: event.clientX, y: event.clientY, moved: false }
        event.currentTarget.setPointerCapture(event.pointerId)
      }}
      onPointerMove={move}
      onPointerUp={(event) => {
        const id = drag.current?.moved === false ? nodeAt(event) : null
        drag.current = null
        if (id !== null) onSelect?.(id)
      }}
      onDoubleClick={(event) => {
        const id = nodeAt(event)
        if (id !== null) onExpand?.(id)
      }}
    />
  )
}

/** The view that holds all nodes. */
const fitted = (
  places: Places,
  { height, width }: { readonly width: number; readonly height: number }
): View => {
  const all = Object.values(places)
  if (all.length === 0 || width === 0) return { x: 0, y: 0, scale: 1 }
  const xs = all.map(([x]) => x)
  const ys = all.map(([, y]) => y)
  const bounds = [
    smallest(xs),
    -smallest(xs.map((x) => -x)),
    smallest(ys),
    -smallest(ys.map((y) => -y))
  ] as const
  const [left, right, top, bottom] = bounds
  const scale = Math.min(1.6, width / (right - left + 160), height / (bottom - top + 80))
  return { x: -(left + right) / 2, y: -(top + bottom) / 2, scale: Math.max(scaleRange[0], scale) }
}

const smallest = (values: ReadonlyArray<number>): number =>
  values.reduce((least, value) => Math.min(least, value), Number.POSITIVE_INFINITY)

/** The nearest node in the direction of an arrow key. */
const neighbour = (
  key: string,
  selectedId: string | null,
  nodes: ReadonlyArray<GraphNode>,
  places: Places
): string | null => {
  const from = selectedId === null ? undefined : places[selectedId]
  if (from === undefined) return nodes[0]?.id ?? null
  const [dx, dy] = { ArrowLeft: [-1, 0], ArrowRight: [1, 0], ArrowUp: [0, -1], ArrowDown: [0, 1] }[key] ?? [
    0, 0
  ]
  let [best, bestCost] = [null as string | null, Number.POSITIVE_INFINITY]
  for (const { id } of nodes) {
    const place = places[id]
    if (place === undefined || id === selectedId) continue
    const [x, y] = [place[0] - from[0], place[1] - from[1]]
    const along = x * (dx ?? 0) + y * (dy ?? 0)
    const across = Math.abs(x * (dy ?? 0)) + Math.abs(y * (dx ?? 0))
    const cost = along <= 0 ? Number.POSITIVE_INFINITY : along + 2 * across
    if (cost < bestCost) [best, bestCost] = [id, cost]
  }
  return best
}

const draw = (
  canvas: HTMLCanvasElement,
  { edges, highlighted, nodes, selectedId }: GraphViewProps,
  places: Places,
  view: View,
  { height, width }: { readonly width: number; readonly height: number }
): void => {
  const pen = canvas.getContext("2d")
  if (pen === null || width === 0) return
  const ratio = devicePixelRatio
  if (canvas.width !== width * ratio || canvas.height !== height * ratio) {
    canvas.width = width * ratio
    canvas.height = height * ratio
  }
  const style = getComputedStyle(canvas)
  const colour = (name: string, otherwise: string) => style.getPropertyValue(`--kanon-${name}`) || otherwise
  pen.setTransform(ratio, 0, 0, ratio, 0, 0)
  pen.clearRect(0, 0, width, height)
  pen.translate(width / 2, height / 2)
  pen.scale(view.scale, view.scale)
  pen.translate(view.x, view.y)
  const strong = (edge: GraphEdge) => highlighted?.has(edge.src) === true && highlighted.has(edge.dst)
  for (const emphasised of [false, true]) {
    // One path for all edges: a hub of ten thousand is drawn in milliseconds.
    pen.beginPath()
    for (const edge of edges) {
      const [from, to] = [places[edge.src], places[edge.dst]]
      if (from === undefined || to === undefined || strong(edge) !== emphasised) continue
      pen.moveTo(from[0], from[1])
      pen.lineTo(to[0], to[1])
    }
    pen.strokeStyle = emphasised ? colour("selected", "#1b5e59") : colour("edge", "#999")
    pen.lineWidth = (emphasised ? 2.2 : 1) / Math.max(view.scale, 0.4)
    pen.stroke()
  }
  const withNames = nodes.length * view.scale < 400
  pen.font = `${12 / Math.max(view.scale, 0.6)}px ${style.fontFamily}`
  pen.textBaseline = "middle"
  for (const { id, name } of nodes) {
    const place = places[id]
    if (place === undefined) continue
    const isMarked = id === selectedId || highlighted?.has(id) === true
    pen.beginPath()
    pen.arc(place[0], place[1], id === selectedId ? radius + 3 : radius, 0, 2 * Math.PI)
    pen.fillStyle = isMarked ? colour("selected", "#1b5e59") : colour("node", "#7aa")
    pen.fill()
    if (!withNames && !isMarked) continue
    pen.fillStyle = colour("text", "#222")
    pen.fillText(name.length > 32 ? `${name.slice(0, 31)}…` : name, place[0] + radius + 4, place[1])
  }
}
