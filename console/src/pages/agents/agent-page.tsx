import { type ReactNode, useState } from "react"
import { useLocation } from "wouter"
import type { AgentView } from "../../../../server/client/index.js"
import { useChange, useOperation } from "../../api/hooks.js"
import { useScopeReason } from "../../api/session.js"
import { ApiCall } from "../../components/api-call.js"
import { Button } from "../../components/button.js"
import { ErrorNote } from "../../components/error.js"
import { Field, Page } from "../../components/page.js"
import { Loaded } from "../../components/states.js"
import { Badge, Person, Time } from "../../components/text.js"
import { agentText as text } from "../../strings/runs.js"
import { AgentEditor } from "./agent-editor.js"
import { RunList } from "./run-list.js"

/** One agent: start a run, see what it may do, its versions and its runs. */
export const AgentPage = ({ slug }: { readonly slug: string }): ReactNode => {
  const agent = useOperation("getAgent", { slug })
  const [isEditing, setEditing] = useState(false)
  const adminReason = useScopeReason("workspace:admin")
  if (agent.data === undefined)
    return (
      <Page title={text.title}>
        <Loaded query={agent}>{() => null}</Loaded>
      </Page>
    )
  const view = agent.data
  return (
    <Page
      title={view.agent.name}
      lead={<span dir="auto">{view.agent.description}</span>}
      actions={
        <Button reason={adminReason} onClick={() => setEditing(true)}>
          {text.edit}
        </Button>
      }
    >
      <StartRun view={view} />
      <Definition view={view} />
      <RunList agent={slug} />
      <ApiCall name="getAgent" input={{ slug }} />
      {isEditing && <AgentEditor agent={view} onClose={() => setEditing(false)} />}
    </Page>
  )
}

const StartRun = ({ view: { agent } }: { readonly view: AgentView }): ReactNode => {
  const [, navigate] = useLocation()
  const [input, setInput] = useState("")
  const scopeReason = useScopeReason("agents:run")
  const start = useChange("startRun", ["listRuns", "listAgents"])
  const reason = scopeReason ?? (agent.enabled && !agent.archived ? undefined : text.cannotStart)
  const run = async () => {
    const started = await start.mutateAsync({ slug: agent.slug, input: input.trim() }).catch(() => null)
    if (started !== null) navigate(`/runs/${started.runId}`)
  }
  return (
    <form
      className="panel stack tight"
      onSubmit={(event) => {
        event.preventDefault()
        if (reason === undefined && !start.isPending) void run()
      }}
    >
      <Field label={text.input} hint={text.inputHint}>
        <textarea
          required
          rows={3}
          dir="auto"
          data-testid="run-input"
          value={input}
          onChange={(event) => setInput(event.target.value)}
          onKeyDown={(event) => {
            if (event.key === "Enter" && (event.ctrlKey || event.metaKey))
              event.currentTarget.form?.requestSubmit()
          }}
        />
      </Field>
      <ErrorNote error={start.error} />
      <p>
        <Button type="submit" kind="primary" data-testid="run-start" reason={reason} busy={start.isPending}>
          {text.start}
        </Button>
      </p>
    </form>
  )
}

const Definition = ({ view: { agent, version, versions } }: { readonly view: AgentView }): ReactNode => (
  <section className="panel stack">
    <h2>
      {text.definition} <Badge>{text.version(version.number)}</Badge>{" "}
      {!agent.enabled && <Badge tone="warn">{text.disabled}</Badge>}{" "}
      {agent.archived && <Badge>{text.archived}</Badge>}
    </h2>
    <div>
      <h3>{text.instructions}</h3>
      <p dir="auto" className="prose">
        {version.instructions}
      </p>
    </div>
    <div>
      <h3>{text.tools}</h3>
      {version.tools.length === 0 ? (
        <p className="muted">{text.noTools}</p>
      ) : (
        <ul className="tool-list">
          {version.tools.map((tool) => (
            <li key={tool.name}>
              <code>{tool.name}</code>{" "}
              <Badge tone={tool.effect === "write" ? "warn" : "neutral"}>{text.effects[tool.effect]}</Badge>{" "}
              <span className="muted">{text.approval[tool.approval]}</span>
            </li>
          ))}
        </ul>
      )}
    </div>
    {Object.keys(version.budgets).length > 0 && (
      <div>
        <h3>{text.budgets}</h3>
        <dl className="facts">
          {Object.entries(version.budgets).map(([name, value]) => (
            <div key={name} className="fact-row">
              <dt>{text.budget[name as keyof typeof text.budget]}</dt>
              <dd>{value}</dd>
            </div>
          ))}
        </dl>
      </div>
    )}
    <details>
      <summary>{text.versions}</summary>
      <ul className="stack tight">
        {versions.map((one) => (
          <li key={one.id}>
            {text.version(one.number)} · <Person id={one.changedBy} />, <Time at={one.createdAt} />
            {one.note !== null && <span dir="auto"> {one.note}</span>}
          </li>
        ))}
      </ul>
    </details>
  </section>
)
