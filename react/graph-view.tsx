import { type KeyboardEvent, type ReactNode, useCallback, useEffect, useMemo, useRef, useState } from "react"
import {
  type DrawnEdge,
  drawScene,
  fitView,
  nodeAt,
  nodeTowards,
  type Palette,
  type Scene,
  type View
} from "./graph-draw.js"
import { usePointer, useResize, useThemeChange, useWheel } from "./graph-input.js"
import { useLayout } from "./graph-layout.js"
import type { Positions } from "./graph-settle.js"

/** An entity as `getNeighborhood` gives it. */
export interface GraphNode {
  readonly id: string
  readonly name: string
  readonly type: string
  /** 0 to 1: the size of its dot, and its precedence when names overlap; 0.3 by default. */
  readonly weight?: number
}

/** A relation by the ids of its ends. */
export interface GraphEdge {
  readonly src: string
  readonly dst: string
  readonly type: string
}

export interface GraphViewProps {
  readonly nodes: ReadonlyArray<GraphNode>
  readonly edges: ReadonlyArray<GraphEdge>
  /** All types in the order of their colours; those of the shown nodes by default. */
  readonly types?: ReadonlyArray<string> | undefined
  /** Relations in the order of their strokes (line, dashes, dots, then thin lines); the most frequent first by default. */
  readonly relations?: ReadonlyArray<string> | undefined
  /** The node that stays in the middle; the first one by default. */
  readonly rootId?: string | undefined
  readonly selectedId?: string | null
  /** Node ids of a path to mark. */
  readonly path?: ReadonlyArray<string>
  /** Null when nothing is selected any more. */
  readonly onSelect?: ((id: string | null) => void) | undefined
  /** A double click or Enter on a node: load what is around it. */
  readonly onExpand?: ((id: string) => void) | undefined
  /** Says what the picture shows, for those who do not see it. */
  readonly label: string
  /** Starts a worker that settles the layout; without it the page does so itself, a slice at a time. */
  readonly makeWorker?: (() => Worker) | undefined
}

const noPath: ReadonlyArray<string> = []
const usualWeight = 0.3

/**
 * A graph on a canvas, drawn at once and then settled by forces. Dragging moves it or a node, the wheel and + and - zoom,
 * 0 fits, arrows go from node to node, Enter expands, Escape selects nothing. Colours are the custom properties
 * `--kanon-graph-text`, `-halo`, `-edge`, `-accent` and `-type-1` to `-type-8` of the canvas.
 */
export const GraphView = ({
  edges,
  relations,
  label,
  makeWorker,
  nodes,
  onExpand,
  onSelect,
  path = noPath,
  rootId = nodes[0]?.id ?? "",
  selectedId = null,
  types
}: GraphViewProps): ReactNode => {
  const canvas = useRef<HTMLCanvasElement>(null)
  const [size, setSize] = useState({ width: 0, height: 0 })
  const [hovered, setHovered] = useState(-1)
  const view = useRef<View | null>(null)
  /** The view follows the layout until somebody moves it. */
  const isMoved = useRef(false)
  const { positions, move } = useLayout({ edges, makeWorker, nodes, rootId, selectedId })
  const scene = useScene({ edges, nodes, path, relations, rootId, selectedId, types }, positions, hovered)

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
      if (next !== undefined) onSelect?.(next.id)
    } else if (event.key === "+" || event.key === "=") zoom(1.25)
    else if (event.key === "-") zoom(0.8)
    else if (event.key === "0") {
      isMoved.current = false
      draw()
    } else if (event.key === "Enter") {
      const node = scene.nodes[scene.selected]
      if (node !== undefined) onExpand?.(node.id)
    } else if (event.key === "Escape") onSelect?.(null)
    else return
    event.preventDefault()
  }

  return (
    // biome-ignore lint/a11y/noInteractiveElementToNoninteractiveRole: a picture that is worked with by pointer and keys.
    <canvas
      ref={canvas}
      className="kanon-graph"
      data-testid="graph-canvas"
      tabIndex={0}
      role="application"
      aria-label={label}
      onKeyDown={onKeyDown}
      onDoubleClick={(event) => {
        const box = event.currentTarget.getBoundingClientRect()
        if (view.current === null) return
        const node =
          scene.nodes[nodeAt(scene, view.current, event.clientX - box.left, event.clientY - box.top)]
        if (node !== undefined) onExpand?.(node.id)
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

type Shown = Pick<GraphViewProps, "edges" | "nodes" | "relations" | "types"> & {
  readonly path: ReadonlyArray<string>
  readonly rootId: string
  readonly selectedId: string | null
}

/** The types of edges, the most frequent first. */
const byNumber = (edges: ReadonlyArray<GraphEdge>): ReadonlyArray<string> => {
  const counts = new Map<string, number>()
  for (const { type } of edges) counts.set(type, (counts.get(type) ?? 0) + 1)
  return [...counts].sort(([a, n], [b, m]) => m - n || a.localeCompare(b)).map(([type]) => type)
}

const useScene = (
  { edges, nodes, path, relations, rootId, selectedId, types: given }: Shown,
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
    return {
      index,
      drawn,
      nodes: nodes.map((node) => ({ ...node, weight: node.weight ?? usualWeight })),
      typeIndex: new Map(types.map((type, place) => [type, place])),
      relationIndex: new Map((relations ?? byNumber(edges)).map((type, place) => [type, place]))
    }
  }, [nodes, edges, given, relations])
  return useMemo(() => {
    const at = (id: string | null | undefined) => (id == null ? -1 : (fixed.index.get(id) ?? -1))
    const steps = path.map(at)
    return {
      nodes: fixed.nodes,
      edges: fixed.drawn,
      positions,
      typeIndex: fixed.typeIndex,
      relationIndex: fixed.relationIndex,
      selected: at(selectedId),
      hovered,
      root: at(rootId),
      pathNodes: new Set(steps),
      pathEdges: new Set(
        steps.slice(1).flatMap((to, step) => [`${steps[step]},${to}`, `${to},${steps[step]}`])
      )
    }
  }, [fixed, positions, path, selectedId, rootId, hovered])
}

const paletteOf = (element: Element): Palette => {
  const style = getComputedStyle(element)
  const own = (name: string, otherwise: string) => style.getPropertyValue(name).trim() || otherwise
  return {
    text: own("--kanon-graph-text", style.color),
    halo: own("--kanon-graph-halo", "Canvas"),
    edge: own("--kanon-graph-edge", "GrayText"),
    accent: own("--kanon-graph-accent", style.color),
    font: style.fontFamily,
    types: Array.from({ length: 8 }, (_, index) => own(`--kanon-graph-type-${index + 1}`, style.color))
  }
}
