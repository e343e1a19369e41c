import { type ReactNode, useState } from "react"
import { Link } from "wouter"
import type { AgentItem } from "../../../../server/client/index.js"
import { useOperation } from "../../api/hooks.js"
import { useScopeReason } from "../../api/session.js"
import { ApiCall } from "../../components/api-call.js"
import { Button } from "../../components/button.js"
import { Page } from "../../components/page.js"
import { EmptyState, Loaded } from "../../components/states.js"
import { Badge, Content, Time } from "../../components/text.js"
import type { PageRoute } from "../../page-route.js"
import { agentText as text } from "../../strings/runs.js"
import { AgentEditor } from "./agent-editor.js"
import { AgentPage } from "./agent-page.js"
import { RunList } from "./run-list.js"

/** The agents of the workspace and the runs of all of them. */
const Agents: PageRoute["page"] = ({ params: { slug } }): ReactNode =>
  slug === undefined ? <AgentList /> : <AgentPage key={slug} slug={slug} />

export default Agents

const AgentList = (): ReactNode => {
  const agents = useOperation("listAgents", {})
  const [isCreating, setCreating] = useState(false)
  const adminReason = useScopeReason("workspace:admin")
  return (
    <Page
      title={text.title}
      lead={text.lead}
      actions={
        <Button kind="primary" reason={adminReason} onClick={() => setCreating(true)}>
          {text.create}
        </Button>
      }
    >
      <Loaded query={agents}>
        {({ items }) =>
          items.length === 0 ? (
            <EmptyState title={text.empty}>
              <p>{text.emptyHint}</p>
            </EmptyState>
          ) : (
            <ul className="cards">
              {items.map((agent) => (
                <AgentCard key={agent.id} agent={agent} />
              ))}
            </ul>
          )
        }
      </Loaded>
      <RunList />
      <ApiCall name="listAgents" input={{}} />
      {isCreating && <AgentEditor agent={null} onClose={() => setCreating(false)} />}
    </Page>
  )
}

const AgentCard = ({ agent }: { readonly agent: AgentItem }): ReactNode => (
  <li className="panel">
    <h2>
      <Link href={`/agents/${agent.slug}`}>
        <Content>{agent.name}</Content>
      </Link>
    </h2>
    <p dir="auto">{agent.description}</p>
    <p className="muted small">
      {text.version(agent.latestVersion.number)} · {text.lastRun} <Time at={agent.lastRunAt} />{" "}
      {!agent.enabled && <Badge tone="warn">{text.disabled}</Badge>}{" "}
      {agent.archived && <Badge>{text.archived}</Badge>}
    </p>
  </li>
)
