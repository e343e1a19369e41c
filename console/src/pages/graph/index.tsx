import { type ReactNode, useState } from "react"
import { Link, useLocation } from "wouter"
import { useOperation } from "../../api/hooks.js"
import { AuthorityBadge } from "../../components/curation-badges.js"
import { EntityPicker } from "../../components/entity-picker.js"
import { Page } from "../../components/page.js"
import { EmptyState, Loaded } from "../../components/states.js"
import { Content } from "../../components/text.js"
import type { PageRoute } from "../../page-route.js"
import { graphText as text } from "../../strings/graph.js"
import { GraphExplorer } from "./graph-explorer.js"

/** The graph around one entity; without one, the central entities to start from. */
const GraphPage: PageRoute["page"] = ({ params: { id } }): ReactNode =>
  id === undefined ? <Start /> : <Around key={id} id={id} />

export default GraphPage

const Start = (): ReactNode => {
  const [, navigate] = useLocation()
  const manifest = useOperation("getManifest", {})
  return (
    <Page title={text.title} lead={text.lead}>
      <EntityPicker
        label={text.start}
        picked={null}
        onPick={(entity) => {
          if (entity !== null) navigate(`/graph/${entity.id}`)
        }}
      />
      <Loaded query={manifest}>
        {({ hubConcepts }) =>
          hubConcepts.length === 0 ? (
            <EmptyState title={text.empty}>
              <p>{text.emptyHint}</p>
              <Link href="/documents" className="button plain">
                {text.toDocuments}
              </Link>
            </EmptyState>
          ) : (
            <section className="stack tight">
              <h2>{text.hubs}</h2>
              <p className="muted">{text.hubsHint}</p>
              <ul className="cards">
                {hubConcepts.map((hub) => (
                  <li key={hub.id} className="panel">
                    <Link href={`/graph/${hub.id}`}>
                      <strong>
                        <Content>{hub.name}</Content>
                      </strong>
                    </Link>
                    <p className="muted small" dir="auto">
                      {hub.type} · {text.degree(hub.inDegree + hub.outDegree)}
                    </p>
                    <AuthorityBadge value={hub.authority} />
                  </li>
                ))}
              </ul>
            </section>
          )
        }
      </Loaded>
    </Page>
  )
}

const Around = ({ id }: { readonly id: string }): ReactNode => {
  const [depth, setDepth] = useState(1)
  const around = useOperation(
    "getNeighborhood",
    { id, depth, perHopCap: 100, totalCap: 500 },
    { keepPrevious: true }
  )
  if (around.data === undefined)
    return (
      <Page title={text.title} wide>
        <Loaded query={around}>{() => null}</Loaded>
      </Page>
    )
  // A merged id means its head, so the root is what came back.
  return <GraphExplorer around={around.data} depth={depth} onDepth={setDepth} />
}
