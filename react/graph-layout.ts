import { useCallback, useEffect, useMemo, useRef, useState } from "react"
import type { LayoutReply, LayoutRequest, Positions } from "./graph-settle.js"

const goldenAngle = Math.PI * (3 - Math.sqrt(5))

/**
 * Positions to draw at once: what stood somewhere stays, new nodes go on a sunflower spiral around the node that
 * brought them. A hub of any size is thereby readable before the first step of the simulation.
 */
const firstPositions = (
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

interface LaidOut {
  readonly nodes: ReadonlyArray<{ readonly id: string }>
  readonly edges: ReadonlyArray<{ readonly src: string; readonly dst: string }>
  readonly rootId: string
  readonly selectedId: string | null
  readonly makeWorker?: (() => Worker) | undefined
}

/** Positions of the nodes: at once for new data, then as the worker settles them. */
export const useLayout = ({ edges, makeWorker, nodes, rootId, selectedId }: LaidOut) => {
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
    const started = makeWorker?.() ?? null
    worker.current = started
    return () => {
      started?.terminate()
      worker.current = null
    }
  }, [makeWorker])

  useEffect(() => {
    if (ids.length < 2) return
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
    const isWanted = () => request.version === version.current
    const take = (reply: LayoutReply) => {
      if (reply.version === version.current && (reply.settled || !isStill))
        setSettled({ ids, positions: reply.positions })
    }
    const start = async () => {
      const running = worker.current
      if (running === null) await (await import("./graph-settle.js")).settle(request, isWanted, take)
      else {
        running.onmessage = ({ data }: MessageEvent<LayoutReply>) => take(data)
        running.postMessage(request)
      }
    }
    // The first picture comes before the layout, which takes a processor for itself.
    let timer: ReturnType<typeof setTimeout> | undefined
    const frame = requestAnimationFrame(() => {
      timer = setTimeout(() => void start())
    })
    return () => {
      version.current += 1
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
