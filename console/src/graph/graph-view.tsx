import {
  type KeyboardEvent,
  type PointerEvent,
  useCallback,
  useEffect,
  useMemo,
  useRef,
  useState
} from "react"
import {
  type DrawnEdge,
  type DrawnNode,
  drawScene,
  fitView,
  nodeAt,
  nodeTowards,
  type Palette,
  type Scene,
  type View
} from "./draw.js"
import { firstPositions, type LayoutReply, type LayoutRequest, type Positions } from "./layout.js"

export interface GraphViewProps {
  readonly nodes: ReadonlyArray<DrawnNode>
  /** Edges by node ids. */
  readonly edges: ReadonlyArray<{ readonly src: string; readonly dst: string; readonly type: string }>
  /** All types in the order of their colours; those of the shown nodes by default. */
  readonly types?: ReadonlyArray<string>
  readonly rootId: string
  readonly selectedId: string | null
  /** Node ids of a path to mark; empty for none. */
  readonly path: ReadonlyArray<string>
  readonly onSelect: (id: string | null) => void
  /** A double click or Enter on a node. */
  readonly onExpand: (id: string) => void
  /** Accessible name; says what is shown and that a list says the same. */
  readonly label: string
  /** Starts the layout worker; the page knows its address and the policy for it. */
  readonly makeWorker: () => Worker
}

/** A graph on a canvas. It is drawn with first positions at once, then a worker settles it. */
export const GraphView = (props: GraphViewProps) => {
  const { label, onExpand, onSelect } = props
  const canvas = useRef<HTMLCanvasElement>(null)
  const [size, setSize] = useState({ width: 0, height: 0 })
  const [hovered, setHovered] = useState(-1)
  const view = useRef<View | null>(null)
  /** The view follows the layout until somebody moves it. */
  const isMoved = useRef(false)
  const { positions, move } = useLayout(props)
  const scene = useScene(props, positions, hovered)

  const draw = useCallback(() => {
    const element = canvas.current
    const context = element?.getContext("2d")
    if (!element || !context || size.width === 0) return
    const ratio = window.devicePixelRatio
    element.width = size.width * ratio
    element.height = size.height * ratio
    if (!isMoved.current || view.current === null)
      view.current = fitView(scene.positions, size.width, size.height)
    drawScene(context, scene, view.current, paletteOf(element), { ...size, ratio })
    // Tells tests and assistive scripts what stands on the canvas.
    element.dataset["nodes"] = String(scene.nodes.length)
    element.dataset["edges"] = String(scene.edges.length)
  }, [scene, size])

  useEffect(() => {
    const frame = requestAnimationFrame(draw)
    return () => cancelAnimationFrame(frame)
  }, [draw])
  useResize(canvas, setSize)
  useThemeChange(draw)

  const zoom = (factor: number, x = size.width / 2, y = size.height / 2) => {
    const now = view.current
    if (now === null) return
    isMoved.current = true
    const scale = Math.min(6, Math.max(0.02, now.scale * factor))
    const by = scale / now.scale
    view.current = { scale, x: x - (x - now.x) * by, y: y - (y - now.y) * by }
    draw()
  }
  useWheel(canvas, zoom)
  const pointer = usePointer({ view, isMoved, scene, move, draw, setHovered, onSelect })

  const onKeyDown = (event: KeyboardEvent) => {
    const arrow = arrows[event.key]
    if (arrow !== undefined) {
      const from = scene.selected >= 0 ? scene.selected : scene.root
      const next = scene.nodes[nodeTowards(scene, from, ...arrow)]
      if (next !== undefined) onSelect(next.id)
    } else if (event.key === "+" || event.key === "=") zoom(1.25)
    else if (event.key === "-") zoom(0.8)
    else if (event.key === "0") {
      isMoved.current = false
      draw()
    } else if (event.key === "Enter") {
      const node = scene.nodes[scene.selected]
      if (node !== undefined) onExpand(node.id)
    } else if (event.key === "Escape") onSelect(null)
    else return
    event.preventDefault()
  }

  return (
    <canvas
      ref={canvas}
      className="graph-canvas"
      data-testid="graph-canvas"
      tabIndex={0}
      role="img"
      aria-label={label}
      onKeyDown={onKeyDown}
      onDoubleClick={(event) => {
        const box = event.currentTarget.getBoundingClientRect()
        if (view.current === null) return
        const node =
          scene.nodes[nodeAt(scene, view.current, event.clientX - box.left, event.clientY - box.top)]
        if (node !== undefined) onExpand(node.id)
      }}
      {...pointer}
    />
  )
}

const arrows: Readonly<Record<string, readonly [number, number]>> = {
  ArrowLeft: [-1, 0],
  ArrowRight: [1, 0],
  ArrowUp: [0, -1],
  ArrowDown: [0, 1]
}

const useScene = (
  { edges, nodes, path, rootId, selectedId, types: given }: GraphViewProps,
  positions: Positions,
  hovered: number
): Scene => {
  const fixed = useMemo(() => {
    const index = new Map(nodes.map(({ id }, place) => [id, place]))
    const drawn = edges.flatMap(({ dst, src, type }): ReadonlyArray<DrawnEdge> => {
      const [from, to] = [index.get(src), index.get(dst)]
      return from === undefined || to === undefined ? [] : [{ src: from, dst: to, type }]
    })
    const types = given ?? [...new Set(nodes.map(({ type }) => type))].sort()
    return { index, drawn, typeIndex: new Map(types.map((type, place) => [type, place])) }
  }, [nodes, edges, given])
  return useMemo(() => {
    const at = (id: string | null | undefined) => (id == null ? -1 : (fixed.index.get(id) ?? -1))
    const steps = path.map(at)
    return {
      nodes,
      edges: fixed.drawn,
      positions,
      typeIndex: fixed.typeIndex,
      selected: at(selectedId),
      hovered,
      root: at(rootId),
      pathNodes: new Set(steps),
      pathEdges: new Set(
        steps.slice(1).flatMap((to, step) => [`${steps[step]},${to}`, `${to},${steps[step]}`])
      )
    }
  }, [nodes, fixed, positions, path, selectedId, rootId, hovered])
}

/** Positions of the nodes: at once for new data, then as the worker settles them. */
const useLayout = ({ edges, makeWorker, nodes, rootId, selectedId }: GraphViewProps) => {
  const worker = useRef<Worker | null>(null)
  const version = useRef(0)
  const known = useRef(new Map<string, readonly [number, number]>())
  const ids = useMemo(() => nodes.map(({ id }) => id), [nodes])
  const origin = known.current.get(selectedId ?? rootId) ?? [0, 0]
  // Only new nodes lay the graph out anew; a selection does not.
  // biome-ignore lint/correctness/useExhaustiveDependencies: see above.
  const first = useMemo(() => firstPositions(ids, known.current, origin), [ids])
  const [settled, setSettled] = useState<{ readonly ids: unknown; readonly positions: Positions } | null>(
    null
  )
  const positions = settled?.ids === ids ? settled.positions : first

  useEffect(() => {
    known.current = new Map(
      ids.map((id, index) => [id, [positions[index * 2] ?? 0, positions[index * 2 + 1] ?? 0]])
    )
  }, [ids, positions])

  useEffect(() => {
    const started = makeWorker()
    worker.current = started
    return () => {
      started.terminate()
      worker.current = null
    }
  }, [makeWorker])

  useEffect(() => {
    const running = worker.current
    if (running === null || ids.length < 2) return
    version.current += 1
    const index = new Map(ids.map((id, place) => [id, place]))
    const links = edges.flatMap(({ dst, src }) => {
      const [from, to] = [index.get(src), index.get(dst)]
      return from === undefined || to === undefined ? [] : [from, to]
    })
    const request: LayoutRequest = {
      version: version.current,
      positions: first,
      links: Uint32Array.from(links),
      center: index.get(rootId) ?? -1
    }
    const isStill = window.matchMedia("(prefers-reduced-motion: reduce)").matches
    running.onmessage = ({ data }: MessageEvent<LayoutReply>) => {
      if (data.version === version.current && (data.settled || !isStill))
        setSettled({ ids, positions: data.positions })
    }
    // The first picture comes before the layout, which takes a processor for itself.
    let timer: ReturnType<typeof setTimeout> | undefined
    const frame = requestAnimationFrame(() => {
      timer = setTimeout(() => running.postMessage(request))
    })
    return () => {
      cancelAnimationFrame(frame)
      clearTimeout(timer)
    }
  }, [ids, edges, first, rootId])

  /** Puts one node elsewhere and stops the layout. */
  const move = useCallback(
    (index: number, x: number, y: number) => {
      version.current += 1
      setSettled((before) => {
        const next = Float32Array.from(before?.ids === ids ? before.positions : first)
        next.set([x, y], index * 2)
        return { ids, positions: next }
      })
    },
    [ids, first]
  )
  return { positions, move }
}

interface PointerInput {
  readonly view: { current: View | null }
  readonly isMoved: { current: boolean }
  readonly scene: Scene
  readonly move: (index: number, x: number, y: number) => void
  readonly draw: () => void
  readonly setHovered: (index: number) => void
  readonly onSelect: (id: string | null) => void
}

/** Dragging the ground moves the view, dragging a node moves the node, a click selects. */
const usePointer = ({ draw, isMoved, move, onSelect, scene, setHovered, view }: PointerInput) => {
  const drag = useRef<{ readonly index: number; x: number; y: number; distance: number } | null>(null)
  const placeOf = (event: PointerEvent<HTMLCanvasElement>) => {
    const box = event.currentTarget.getBoundingClientRect()
    return [event.clientX - box.left, event.clientY - box.top] as const
  }
  return {
    onPointerDown: (event: PointerEvent<HTMLCanvasElement>) => {
      const [x, y] = placeOf(event)
      if (view.current === null) return
      event.currentTarget.setPointerCapture(event.pointerId)
      drag.current = { index: nodeAt(scene, view.current, x, y), x, y, distance: 0 }
    },
    onPointerMove: (event: PointerEvent<HTMLCanvasElement>) => {
      const [x, y] = placeOf(event)
      const [now, held] = [view.current, drag.current]
      if (now === null) return
      if (held === null) {
        setHovered(nodeAt(scene, now, x, y))
        return
      }
      const [dx, dy] = [x - held.x, y - held.y]
      held.distance += Math.hypot(dx, dy)
      if (held.distance > 4) {
        isMoved.current = true
        if (held.index >= 0) move(held.index, (x - now.x) / now.scale, (y - now.y) / now.scale)
        else {
          view.current = { ...now, x: now.x + dx, y: now.y + dy }
          draw()
        }
      }
      held.x = x
      held.y = y
    },
    onPointerUp: () => {
      const held = drag.current
      drag.current = null
      if (held !== null && held.distance <= 4) onSelect(scene.nodes[held.index]?.id ?? null)
    },
    onPointerLeave: () => setHovered(-1)
  }
}

const useResize = (
  canvas: { readonly current: HTMLCanvasElement | null },
  setSize: (size: { readonly width: number; readonly height: number }) => void
) =>
  useEffect(() => {
    if (canvas.current === null) return
    const observer = new ResizeObserver(([entry]) => {
      if (entry !== undefined) setSize({ width: entry.contentRect.width, height: entry.contentRect.height })
    })
    observer.observe(canvas.current)
    return () => observer.disconnect()
  }, [canvas, setSize])

/** React's own wheel handlers are passive, so the page would scroll. */
const useWheel = (
  canvas: { readonly current: HTMLCanvasElement | null },
  zoom: (factor: number, x: number, y: number) => void
) => {
  const latest = useRef(zoom)
  latest.current = zoom
  useEffect(() => {
    const element = canvas.current
    if (element === null) return
    const onWheel = (event: WheelEvent) => {
      event.preventDefault()
      const box = element.getBoundingClientRect()
      latest.current(Math.exp(-event.deltaY * 0.0015), event.clientX - box.left, event.clientY - box.top)
    }
    element.addEventListener("wheel", onWheel, { passive: false })
    return () => element.removeEventListener("wheel", onWheel)
  }, [canvas])
}

const useThemeChange = (draw: () => void) =>
  useEffect(() => {
    const observer = new MutationObserver(draw)
    observer.observe(document.documentElement, { attributes: true })
    const scheme = window.matchMedia("(prefers-color-scheme: dark)")
    scheme.addEventListener("change", draw)
    return () => {
      observer.disconnect()
      scheme.removeEventListener("change", draw)
    }
  }, [draw])

const paletteOf = (element: Element): Palette => {
  const style = getComputedStyle(element)
  const own = (name: string, otherwise: string) => style.getPropertyValue(name).trim() || otherwise
  return {
    text: own("--graph-text", style.color),
    halo: own("--graph-halo", "Canvas"),
    edge: own("--graph-edge", "GrayText"),
    accent: own("--graph-accent", style.color),
    font: style.fontFamily,
    types: Array.from({ length: 8 }, (_, index) => own(`--graph-type-${index + 1}`, style.color))
  }
}
