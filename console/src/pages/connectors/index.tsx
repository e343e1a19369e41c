import { type ReactNode, useState } from "react"
import { Link } from "wouter"
import type { ContentConnector } from "../../../../server/client/index.js"
import { useOperation } from "../../api/hooks.js"
import { useScopeReason } from "../../api/session.js"
import { ApiCall } from "../../components/api-call.js"
import { Button } from "../../components/button.js"
import { Page } from "../../components/page.js"
import { EmptyState, Loaded } from "../../components/states.js"
import { Badge, Content, Time } from "../../components/text.js"
import type { PageRoute } from "../../page-route.js"
import { connectorText as text } from "../../strings/connectors.js"
import { ConnectorDialog } from "./connector-dialog.js"
import { ConnectorPage } from "./connector-page.js"
import { SyncBadge } from "./sync-runs.js"

/** Content connectors with their last syncs. */
const Connectors: PageRoute["page"] = ({ params: { id } }): ReactNode =>
  id === undefined ? <ConnectorList /> : <ConnectorPage key={id} id={id} />

export default Connectors

const ConnectorList = (): ReactNode => {
  const connectors = useOperation("listContentConnectors", {}, { everyMs: 10_000 })
  const writeReason = useScopeReason("kb:write")
  const [isCreating, setCreating] = useState(false)
  const create = (
    <Button kind="primary" reason={writeReason} onClick={() => setCreating(true)}>
      {text.create}
    </Button>
  )
  return (
    <Page title={text.title} lead={text.lead} actions={create}>
      <Loaded query={connectors}>
        {({ items }) =>
          items.length === 0 ? (
            <EmptyState title={text.empty}>
              <p>{text.emptyHint}</p>
            </EmptyState>
          ) : (
            <ul className="list">
              {items.map((connector) => (
                <ConnectorRow key={connector.id} connector={connector} />
              ))}
            </ul>
          )
        }
      </Loaded>
      <ApiCall name="listContentConnectors" input={{}} />
      {isCreating && <ConnectorDialog connector={null} onClose={() => setCreating(false)} />}
    </Page>
  )
}

const ConnectorRow = ({ connector }: { readonly connector: ContentConnector }): ReactNode => (
  <li className="list-row row spread" data-testid="connector-row" data-id={connector.id}>
    <span>
      <Link href={`/connectors/${connector.id}`}>
        <strong>
          <Content>{connector.name}</Content>
        </strong>
      </Link>{" "}
      {!connector.enabled && <Badge tone="warn">{text.disabled}</Badge>}
      <br />
      <span className="muted small">
        {text.providers[connector.config.provider as keyof typeof text.providers] ??
          text.kinds[connector.kind]}{" "}
        · {connector.schedule ?? text.noSchedule}
      </span>
    </span>
    <span className="row">
      {connector.lastSync === null ? (
        <span className="muted">{text.never}</span>
      ) : (
        <>
          <SyncBadge status={connector.lastSync.status} />
          <span className="muted small">
            <Time at={connector.lastSync.finishedAt ?? connector.lastSync.startedAt} />
          </span>
        </>
      )}
    </span>
  </li>
)
