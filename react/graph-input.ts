import { type PointerEvent, useEffect, useRef } from "react"
import { nodeAt, type Scene, type View } from "./graph-draw.js"

interface PointerInput {
  readonly view: { current: View | null }
  readonly isMoved: { current: boolean }
  readonly scene: Scene
  readonly move: (index: number, x: number, y: number) => void
  readonly draw: () => void
  readonly setHovered: (index: number) => void
  readonly onSelect: ((id: string | null) => void) | undefined
}

/** Dragging the ground moves the view, dragging a node moves the node, a click selects. */
export const usePointer = ({ draw, isMoved, move, onSelect, scene, setHovered, view }: PointerInput) => {
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
      if (held !== null && held.distance <= 4) onSelect?.(scene.nodes[held.index]?.id ?? null)
    },
    onPointerLeave: () => setHovered(-1)
  }
}

export const useResize = (
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
export const useWheel = (
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

export const useThemeChange = (draw: () => void) =>
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
