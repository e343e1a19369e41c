import type { Positions } from "./graph-settle.js"

/** A node as the canvas draws it. */
export interface DrawnNode {
  readonly id: string
  readonly name: string
  readonly type: string
  /** 0 to 1: the size of its dot, and its precedence when names overlap. */
  readonly weight: number
}

/** Edge by the indexes of its ends. */
export interface DrawnEdge {
  readonly src: number
  readonly dst: number
  readonly type: string
}

/** Scale, and the canvas point of the origin in CSS pixels. */
export interface View {
  readonly scale: number
  readonly x: number
  readonly y: number
}

/** Colours and fonts, read from the page's custom properties. */
export interface Palette {
  readonly text: string
  readonly halo: string
  readonly edge: string
  readonly accent: string
  readonly font: string
  readonly types: ReadonlyArray<string>
}

export interface Scene {
  readonly nodes: ReadonlyArray<DrawnNode>
  readonly edges: ReadonlyArray<DrawnEdge>
  readonly positions: Positions
  /** Place of each node type in the palette; those beyond it share the colour of edges. */
  readonly typeIndex: ReadonlyMap<string, number>
  /** Place of each relation among the strokes; those beyond them are thin. */
  readonly relationIndex: ReadonlyMap<string, number>
  readonly selected: number
  readonly hovered: number
  readonly root: number
  /** Edges of the shown path as `src,dst` in both directions; nodes of it. */
  readonly pathNodes: ReadonlySet<number>
  readonly pathEdges: ReadonlySet<string>
}

const labelsMax = 90

const radiusOf = ({ weight }: DrawnNode): number => 4.5 + 9 * weight

/** Draws a scene; `width` and `height` are CSS pixels, `ratio` the device pixels of one. */
export const drawScene = (
  context: CanvasRenderingContext2D,
  scene: Scene,
  view: View,
  palette: Palette,
  { height, ratio, width }: { readonly width: number; readonly height: number; readonly ratio: number }
): void => {
  context.setTransform(ratio, 0, 0, ratio, 0, 0)
  context.clearRect(0, 0, width, height)
  const x = (index: number) => (scene.positions[index * 2] ?? 0) * view.scale + view.x
  const y = (index: number) => (scene.positions[index * 2 + 1] ?? 0) * view.scale + view.y
  const focus = scene.hovered >= 0 ? scene.hovered : scene.selected
  drawEdges(context, scene, palette, focus, x, y)
  drawNodes(context, scene, palette, { height, scale: view.scale, width }, x, y)
  drawLabels(context, scene, palette, { focus, height, scale: view.scale, width }, x, y)
}

type Place = (index: number) => number

const drawEdges = (
  context: CanvasRenderingContext2D,
  { edges, pathEdges, relationIndex }: Scene,
  palette: Palette,
  focus: number,
  x: Place,
  y: Place
): void => {
  // Most often nothing is marked, and the keys of ten thousand edges take a while to build.
  const isStrong = ({ dst, src }: DrawnEdge): boolean =>
    src === focus || dst === focus || (pathEdges.size > 0 && pathEdges.has(`${src},${dst}`))
  const strong = edges.filter(isStrong)
  const others = strong.length === 0 ? edges : edges.filter((edge) => !isStrong(edge))
  context.strokeStyle = palette.edge
  if (edges.length > 2_000) {
    // Dashes of thousands of lines are no more than noise, and take long to draw.
    context.lineWidth = 0.5
    strokeLines(context, others, x, y)
  } else {
    const placeOf = ({ type }: DrawnEdge) => Math.min(relationIndex.get(type) ?? 0, dashes.length)
    for (const place of new Set(others.map(placeOf))) {
      context.lineWidth = place < dashes.length ? 1.2 : 0.5
      context.setLineDash(dashes[place] ?? [])
      strokeLines(
        context,
        others.filter((edge) => placeOf(edge) === place),
        x,
        y
      )
    }
    context.setLineDash([])
  }
  if (strong.length === 0) return
  context.strokeStyle = palette.accent
  context.lineWidth = strong.length > 500 ? 0.6 : 1.6
  strokeLines(context, strong, x, y)
  if (strong.length > 24) return
  context.fillStyle = palette.accent
  context.font = `11px ${palette.font}`
  context.textAlign = "center"
  for (const { dst, src, type } of strong) {
    arrow(context, x(src), y(src), x(dst), y(dst))
    haloText(context, type, (x(src) + x(dst)) / 2, (y(src) + y(dst)) / 2 - 4, palette.halo)
  }
}

/** Strokes of the first relations: a line, dashes, dots. */
const dashes: ReadonlyArray<Array<number>> = [[], [7, 4], [2, 3]]

/** Lines in one path: the time to fill a path grows faster than the lines in it. */
const linesPerPath = 500

const strokeLines = (
  context: CanvasRenderingContext2D,
  edges: ReadonlyArray<DrawnEdge>,
  x: Place,
  y: Place
): void => {
  for (let from = 0; from < edges.length; from += linesPerPath) {
    context.beginPath()
    for (const { dst, src } of edges.slice(from, from + linesPerPath)) {
      context.moveTo(x(src), y(src))
      context.lineTo(x(dst), y(dst))
    }
    context.stroke()
  }
}

const arrow = (context: CanvasRenderingContext2D, x1: number, y1: number, x2: number, y2: number): void => {
  const angle = Math.atan2(y2 - y1, x2 - x1)
  const [tipX, tipY] = [x2 - 12 * Math.cos(angle), y2 - 12 * Math.sin(angle)]
  context.beginPath()
  context.moveTo(tipX, tipY)
  for (const side of [-0.4, 0.4])
    context.lineTo(tipX - 8 * Math.cos(angle + side), tipY - 8 * Math.sin(angle + side))
  context.fill()
}

/** Nodes below this radius are squares: nobody sees the difference, and thousands of circles take ten times as long. */
const dotRadius = 2

const drawNodes = (
  context: CanvasRenderingContext2D,
  { hovered, nodes, pathNodes, root, selected, typeIndex }: Scene,
  palette: Palette,
  { height, scale, width }: { readonly width: number; readonly height: number; readonly scale: number },
  x: Place,
  y: Place
): void => {
  const shrink = Math.min(1, Math.max(0.35, scale))
  let filled = ""
  nodes.forEach((node, index) => {
    const [atX, atY, radius] = [x(index), y(index), radiusOf(node) * shrink]
    if (atX < -20 || atY < -20 || atX > width + 20 || atY > height + 20) return
    const place = typeIndex.get(node.type) ?? 0
    const colour = palette.types[place] ?? palette.edge
    // The canvas parses a colour whenever it is given one.
    if (colour !== filled) context.fillStyle = colour
    filled = colour
    if (radius < dotRadius) context.fillRect(atX - radius, atY - radius, 2 * radius, 2 * radius)
    else {
      context.beginPath()
      context.arc(atX, atY, radius, 0, Math.PI * 2)
      context.fill()
    }
    const isMarked = index === selected || index === hovered || pathNodes.has(index)
    if (!isMarked && index !== root) return
    context.lineWidth = index === selected ? 3 : 2
    context.strokeStyle = isMarked ? palette.accent : palette.text
    context.beginPath()
    context.arc(atX, atY, radius + 3, 0, Math.PI * 2)
    context.stroke()
  })
}

const drawLabels = (
  context: CanvasRenderingContext2D,
  scene: Scene,
  palette: Palette,
  {
    focus,
    height,
    scale,
    width
  }: {
    readonly focus: number
    readonly width: number
    readonly height: number
    readonly scale: number
  },
  x: Place,
  y: Place
): void => {
  const { nodes, pathNodes, root, selected } = scene
  const first = new Set([focus, selected, root, ...pathNodes])
  const order = nodes
    .map((node, index) => ({ index, weight: first.has(index) ? 2 : node.weight }))
    .filter(({ index }) => x(index) > 0 && y(index) > 0 && x(index) < width && y(index) < height)
    .sort((a, b) => b.weight - a.weight)
    .slice(0, labelsMax)
  context.font = `12px ${palette.font}`
  context.textAlign = "center"
  context.fillStyle = palette.text
  const taken: Array<readonly [number, number, number]> = []
  for (const { index, weight } of order) {
    const node = nodes[index]
    if (node === undefined) continue
    const text = node.name.length > 28 ? `${node.name.slice(0, 27)}…` : node.name
    const half = text.length * 3.4
    const [atX, atY] = [x(index), y(index) + radiusOf(node) * Math.min(1, scale) + 14]
    const overlaps = taken.some(
      ([otherX, otherY, otherHalf]) =>
        Math.abs(otherX - atX) < half + otherHalf && Math.abs(otherY - atY) < 14
    )
    if (overlaps && weight < 2) continue
    taken.push([atX, atY, half])
    haloText(context, text, atX, atY, palette.halo)
  }
}

const haloText = (
  context: CanvasRenderingContext2D,
  text: string,
  x: number,
  y: number,
  halo: string
): void => {
  context.lineJoin = "round"
  context.lineWidth = 3
  context.strokeStyle = halo
  context.strokeText(text, x, y)
  context.fillText(text, x, y)
}

/** The node at a point of the canvas, or -1. */
export const nodeAt = ({ nodes, positions }: Scene, view: View, atX: number, atY: number): number => {
  let [best, bestDistance] = [-1, 18]
  nodes.forEach((_, index) => {
    const dx = (positions[index * 2] ?? 0) * view.scale + view.x - atX
    const dy = (positions[index * 2 + 1] ?? 0) * view.scale + view.y - atY
    const distance = Math.hypot(dx, dy)
    if (distance < bestDistance) [best, bestDistance] = [index, distance]
  })
  return best
}

/** The nearest node in the direction of an arrow key, or -1. */
export const nodeTowards = ({ nodes, positions }: Scene, from: number, dx: number, dy: number): number => {
  let [best, bestCost] = [-1, Number.POSITIVE_INFINITY]
  nodes.forEach((_, index) => {
    if (index === from) return
    const x = (positions[index * 2] ?? 0) - (positions[from * 2] ?? 0)
    const y = (positions[index * 2 + 1] ?? 0) - (positions[from * 2 + 1] ?? 0)
    const ahead = x * dx + y * dy
    if (ahead <= 0) return
    const cost = ahead + 2.5 * Math.abs(x * dy - y * dx)
    if (cost < bestCost) [best, bestCost] = [index, cost]
  })
  return best
}

/** The view that shows all nodes. */
export const fitView = (positions: Positions, width: number, height: number): View => {
  let [left, top, right, bottom] = [Infinity, Infinity, -Infinity, -Infinity]
  for (let index = 0; index < positions.length; index += 2) {
    const [x, y] = [positions[index] ?? 0, positions[index + 1] ?? 0]
    left = Math.min(left, x)
    right = Math.max(right, x)
    top = Math.min(top, y)
    bottom = Math.max(bottom, y)
  }
  if (left > right) return { scale: 1, x: width / 2, y: height / 2 }
  const [spanX, spanY] = [right - left + 120, bottom - top + 120]
  const scale = Math.min(1.4, width / spanX, height / spanY)
  return {
    scale,
    x: width / 2 - ((left + right) / 2) * scale,
    y: height / 2 - ((top + bottom) / 2) * scale
  }
}
