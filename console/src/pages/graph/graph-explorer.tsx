import { type ReactNode, useMemo, useState } from "react"
import { useLocation } from "wouter"
import { GraphView } from "../../../../react/index.js"
import { startWorker } from "../../../../react/trusted.js"
import type { Card, Neighborhood } from "../../../../server/client/index.js"
import { callOperation } from "../../api/hooks.js"
import { ApiCall } from "../../components/api-call.js"
import { Button } from "../../components/button.js"
import { ErrorNote } from "../../components/error.js"
import { Page } from "../../components/page.js"
import { useToast } from "../../components/toast.js"
import { graphText as text } from "../../strings/graph.js"
import { GraphFilters } from "./graph-filters.js"
import { GraphList } from "./graph-list.js"
import layoutUrl from "./layout-worker.ts?worker&url"
import {
  countsOf,
  emptyGraph,
  filtered,
  firstFilter,
  type Graph,
  type GraphFilter,
  shortestPath,
  withNeighborhood
} from "./model.js"
import type { NodeActions } from "./node-actions.js"
import { NodeCard } from "./node-card.js"

/** Starts the worker that computes the layout of the graph. */
const makeWorker = (): Worker => startWorker(layoutUrl)

export const GraphExplorer = ({
  around,
  depth,
  onDepth
}: {
  readonly around: Neighborhood
  readonly depth: number
  readonly onDepth: (depth: number) => void
}): ReactNode => {
  const root = around.entity
  const [, navigate] = useLocation()
  const toast = useToast()
  const [graph, setGraph] = useState<Graph>(() => withNeighborhood(emptyGraph, around))
  const [filter, setFilter] = useState<GraphFilter>(firstFilter)
  const [view, setView] = useState<"graph" | "list">("graph")
  const [selected, setSelected] = useState<string | null>(null)
  const [ends, setEnds] = useState<{ readonly from: string | null; readonly to: string | null }>({
    from: null,
    to: null
  })
  const [error, setError] = useState<unknown>(null)
  const [isTruncated, setTruncated] = useState(around.truncated)
  // The graph begins with the first neighborhood; to add it once more would draw everything twice.
  const [added, setAdded] = useState(around)
  if (added !== around) {
    setAdded(around)
    setGraph((before) => withNeighborhood(before, around))
    setTruncated(around.truncated)
  }
  const shown = useMemo(() => filtered(graph, filter, new Set([root.id])), [graph, filter, root.id])
  const path = useMemo(
    () => (ends.from !== null && ends.to !== null ? shortestPath(shown, ends.from, ends.to) : []),
    [shown, ends]
  )
  const drawn = useMemo(() => drawnOf(shown), [shown])
  const types = useMemo(() => typesOf(graph), [graph])
  const relations = useMemo(
    () => countsOf(graph.edges.map(({ type }) => type)).map(([type]) => type),
    [graph]
  )
  const actions: NodeActions = {
    select: setSelected,
    hasStart: ends.from !== null,
    expand: async (id) => {
      setError(null)
      try {
        const more = await callOperation("getNeighborhood", { id, depth: 1, perHopCap: 100, totalCap: 300 })
        const added = more.nodes.filter((node) => !graph.nodes.has(node.id)).length
        setGraph((before) => withNeighborhood(before, more))
        toast({ text: text.expanded(more.entity.name, added) })
      } catch (failure) {
        setError(failure)
      }
    },
    pathFrom: (id) => setEnds({ from: id, to: null }),
    pathTo: (id) => setEnds((before) => ({ ...before, to: id })),
    center: (id) => navigate(`/graph/${id}`)
  }
  const node = selected === null ? null : (shown.nodes.get(selected) ?? null)
  const from = ends.from === null ? undefined : graph.nodes.get(ends.from)
  return (
    <Page
      title={root.name}
      wide
      lead={text.shown(shown.nodes.size, shown.edges.length)}
      actions={
        <>
          <label className="filter inline">
            <span>{text.depth}</span>
            <select value={depth} onChange={(event) => onDepth(Number(event.target.value))}>
              <option>1</option>
              <option>2</option>
              <option>3</option>
            </select>
          </label>
          <Button aria-pressed={view === "graph"} onClick={() => setView("graph")}>
            {text.views.graph}
          </Button>
          <Button aria-pressed={view === "list"} onClick={() => setView("list")}>
            {text.views.list}
          </Button>
        </>
      }
    >
      <ErrorNote error={error} />
      {isTruncated && <p className="note info">{text.truncated}</p>}
      {ends.from !== null && (
        <div className="note row" role="status">
          {ends.to === null ? (
            <span dir="auto">{text.pathSet(from?.name ?? "")}</span>
          ) : path === null ? (
            <span>{text.noPath}</span>
          ) : (
            <PathWords path={path} graph={shown} />
          )}
          <Button size="small" onClick={() => setEnds({ from: null, to: null })}>
            {text.clearPath}
          </Button>
        </div>
      )}
      <div className="with-side graph-page">
        <div className="stack tight">
          {view === "graph" ? (
            <>
              <GraphView
                nodes={drawn}
                edges={shown.edges}
                types={types}
                relations={relations}
                rootId={root.id}
                selectedId={selected}
                path={path ?? []}
                onSelect={setSelected}
                onExpand={actions.expand}
                label={text.canvas(root.name, shown.nodes.size, shown.edges.length)}
                makeWorker={makeWorker}
              />
              <p className="muted small keys-hint">{text.keys}</p>
            </>
          ) : (
            <GraphList graph={shown} actions={actions} />
          )}
          <ApiCall name="getNeighborhood" input={{ id: root.id, depth, perHopCap: 100, totalCap: 500 }} />
        </div>
        <aside className="stack tight">
          <section className="panel" aria-live="polite">
            {node === null ? (
              <p className="muted">{text.choose}</p>
            ) : (
              <NodeCard node={node} graph={shown} actions={actions} />
            )}
          </section>
          <GraphFilters
            graph={graph}
            colors={types}
            strokes={relations}
            filter={filter}
            onChange={setFilter}
          />
        </aside>
      </div>
    </Page>
  )
}

/** Types in the order of their colours. */
const typesOf = ({ nodes }: Graph): ReadonlyArray<string> =>
  [...new Set([...nodes.values()].map(({ type }) => type))].sort()

/** Sizes follow the number of mentions, on a scale that keeps small ones visible. */
const drawnOf = ({ nodes }: Graph) => {
  const max = Math.max(1, ...[...nodes.values()].map(({ mentionCount }) => mentionCount))
  return [...nodes.values()].map(({ id, mentionCount, name, type }) => ({
    id,
    name,
    type,
    weight: Math.log1p(mentionCount) / Math.log1p(max)
  }))
}

const PathWords = ({
  graph,
  path
}: {
  readonly graph: Graph
  readonly path: ReadonlyArray<string>
}): ReactNode => (
  <span dir="auto">
    {text.pathOf(path.length - 1)}:{" "}
    {path.map((id, step) => {
      const before = path[step - 1]
      return (
        <span key={id}>
          {before !== undefined && <em> {stepWords(graph, before, id)} </em>}
          <strong>{nameIn(graph.nodes, id)}</strong>
        </span>
      )
    })}
  </span>
)

const nameIn = (nodes: ReadonlyMap<string, Card>, id: string): string => nodes.get(id)?.name ?? id

/** The relation between two steps, with its direction. */
const stepWords = ({ edges }: Graph, a: string, b: string): string => {
  const forth = edges.find(({ dst, src }) => src === a && dst === b)
  if (forth !== undefined) return `— ${forth.type} →`
  const back = edges.find(({ dst, src }) => src === b && dst === a)
  return back === undefined ? "—" : `← ${back.type} —`
}
