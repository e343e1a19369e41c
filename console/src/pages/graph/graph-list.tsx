import { type ReactNode, useMemo } from "react"
import { Link } from "wouter"
import type { Card } from "../../../../server/client/index.js"
import { Button } from "../../components/button.js"
import { AuthorityBadge } from "../../components/curation-badges.js"
import { Content } from "../../components/text.js"
import { graphText as text } from "../../strings/graph.js"
import type { Graph, GraphEdge } from "./model.js"
import type { NodeActions } from "./node-actions.js"

const relationsMax = 40

/** The graph as a list: every shown entity with its relations and the same actions as on the canvas. */
export const GraphList = ({
  actions,
  graph
}: {
  readonly graph: Graph
  readonly actions: NodeActions
}): ReactNode => {
  const rows = useMemo(() => rowsOf(graph), [graph])
  return (
    <ul className="list graph-list" data-testid="graph-list">
      {rows.map(({ edges, node }) => (
        <li key={node.id} className="list-row">
          <div className="row spread">
            <span>
              <Link href={`/entities/${node.id}`}>
                <Content>{node.name}</Content>
              </Link>{" "}
              <span className="muted" dir="auto">
                {node.type}
              </span>{" "}
              <AuthorityBadge value={node.authority} />
            </span>
            <span className="button-row">
              <Button
                size="small"
                aria-label={text.expandLabel(node.name)}
                onClick={() => actions.expand(node.id)}
              >
                {text.expand}
              </Button>
              <Button size="small" kind="quiet" onClick={() => actions.pathFrom(node.id)}>
                {text.pathFrom}
              </Button>
              {actions.hasStart && (
                <Button size="small" kind="quiet" onClick={() => actions.pathTo(node.id)}>
                  {text.pathTo}
                </Button>
              )}
            </span>
          </div>
          {edges.length > 0 && (
            <details>
              <summary>{text.degree(edges.length)}</summary>
              <ul className="edge-list">
                {edges.slice(0, relationsMax).map((edge) => (
                  <li key={`${edge.src}-${edge.type}-${edge.dst}`} dir="auto">
                    {wordsOf(edge, node.id, graph.nodes)}
                  </li>
                ))}
                {edges.length > relationsMax && (
                  <li className="muted">{text.more(edges.length - relationsMax)}</li>
                )}
              </ul>
            </details>
          )}
        </li>
      ))}
    </ul>
  )
}

const rowsOf = ({ edges, nodes }: Graph) => {
  const byNode = new Map<string, Array<GraphEdge>>([...nodes.keys()].map((id) => [id, []]))
  for (const edge of edges) {
    byNode.get(edge.src)?.push(edge)
    if (edge.dst !== edge.src) byNode.get(edge.dst)?.push(edge)
  }
  return [...nodes.values()]
    .map((node) => ({ node, edges: byNode.get(node.id) ?? [] }))
    .sort((a, b) => b.edges.length - a.edges.length || a.node.name.localeCompare(b.node.name))
}

const wordsOf = ({ dst, src, type }: GraphEdge, id: string, nodes: ReadonlyMap<string, Card>): string =>
  src === id ? `${type} → ${nodes.get(dst)?.name ?? dst}` : `← ${type} ${nodes.get(src)?.name ?? src}`
