import type { ReactNode } from "react"
import { Link } from "wouter"
import type { Card } from "../../../../server/client/index.js"
import { Button } from "../../components/button.js"
import { AuthorityBadge, LifecycleBadge } from "../../components/curation-badges.js"
import { Content } from "../../components/text.js"
import { graphText as text } from "../../strings/graph.js"
import type { Graph } from "./model.js"
import type { NodeActions } from "./node-actions.js"

/** The chosen entity with what can be done from here. */
export const NodeCard = ({
  actions,
  graph,
  node
}: {
  readonly node: Card
  readonly graph: Graph
  readonly actions: NodeActions
}): ReactNode => {
  const degree = graph.edges.filter(({ dst, src }) => src === node.id || dst === node.id).length
  return (
    <div className="stack tight">
      <h2>
        <Link href={`/entities/${node.id}`}>
          <Content>{node.name}</Content>
        </Link>
      </h2>
      <p className="muted small" dir="auto">
        {node.type} · {text.degree(degree)} · {text.mentions(node.mentionCount)}
      </p>
      <p className="row">
        <AuthorityBadge value={node.authority} />
        <LifecycleBadge value={node.lifecycleStatus} inList />
      </p>
      {node.aliases.length > 0 && (
        <p className="muted small" dir="auto">
          {node.aliases.slice(0, 6).join(", ")}
        </p>
      )}
      <p className="button-row">
        <Button size="small" kind="primary" onClick={() => actions.expand(node.id)}>
          {text.expand}
        </Button>
        <Button size="small" onClick={() => actions.pathFrom(node.id)}>
          {text.pathFrom}
        </Button>
        {actions.hasStart && (
          <Button size="small" onClick={() => actions.pathTo(node.id)}>
            {text.pathTo}
          </Button>
        )}
        <Button size="small" kind="quiet" onClick={() => actions.center(node.id)}>
          {text.center}
        </Button>
      </p>
    </div>
  )
}
