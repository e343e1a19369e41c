import { type ReactNode, useState } from "react"
import { Link, useLocation } from "wouter"
import type { ContentConnector, SyncContentConnectorInput } from "../../../../server/client/index.js"
import { callOperation, useChange, useOperation, useRefresh } from "../../api/hooks.js"
import { useScopeReason } from "../../api/session.js"
import { ApiCall } from "../../components/api-call.js"
import { Button } from "../../components/button.js"
import { Dialog } from "../../components/dialog.js"
import { ErrorNote } from "../../components/error.js"
import { Page } from "../../components/page.js"
import { Loaded } from "../../components/states.js"
import { Badge } from "../../components/text.js"
import { useToast } from "../../components/toast.js"
import { connectorText as text } from "../../strings/connectors.js"
import { strings } from "../../strings.js"
import { ConnectorDialog } from "./connector-dialog.js"
import { SyncRuns } from "./sync-runs.js"
import { Upload } from "./upload.js"

/** One connector: sync or upload, its runs with what failed, and its settings. */
export const ConnectorPage = ({ id }: { readonly id: string }): ReactNode => {
  const [isRunning, setRunning] = useState(true)
  const detail = useOperation(
    "getContentConnector",
    { id, limit: 50 },
    { everyMs: isRunning ? 1_500 : 15_000 }
  )
  const works = detail.data?.syncs.some(({ status }) => status === "queued" || status === "running") ?? true
  if (works !== isRunning) setRunning(works)
  if (detail.data === undefined)
    return (
      <Page title={text.title}>
        <Loaded query={detail}>{() => null}</Loaded>
      </Page>
    )
  const { connector, syncs } = detail.data
  return (
    <Page
      title={connector.name}
      lead={
        <>
          {text.providers[connector.config.provider as keyof typeof text.providers] ??
            text.kinds[connector.kind]}{" "}
          <Badge tone={connector.enabled ? "good" : "warn"}>
            {connector.enabled ? text.enabled : text.disabled}
          </Badge>
        </>
      }
      actions={<Actions connector={connector} />}
    >
      {connector.kind === "markdown_upload" ? (
        <Upload connector={connector} />
      ) : (
        <SyncForm connector={connector} />
      )}
      <SyncRuns syncs={syncs} />
      <section className="panel">
        <dl className="facts">
          <dt>{text.prefix}</dt>
          <dd>
            <Link href={`/documents?folder=${encodeURIComponent(connector.pathPrefix)}`}>
              <code>{connector.pathPrefix}</code>
            </Link>
          </dd>
          <dt>{text.schedule}</dt>
          <dd>{connector.schedule === null ? text.noSchedule : <code>{connector.schedule}</code>}</dd>
          {Object.entries(connector.config)
            .filter(([name]) => name !== "provider")
            .map(([name, value]) => (
              <div key={name} className="fact-row">
                <dt>{text.fields[name] ?? name}</dt>
                <dd dir="auto">{Array.isArray(value) ? value.join(", ") : String(value)}</dd>
              </div>
            ))}
        </dl>
      </section>
      <ApiCall name="getContentConnector" input={{ id }} />
    </Page>
  )
}

const SyncForm = ({ connector: { enabled, id } }: { readonly connector: ContentConnector }): ReactNode => {
  const writeReason = useScopeReason("kb:write")
  const toast = useToast()
  const sync = useChange("syncContentConnector", ["getContentConnector", "listContentConnectors", "listJobs"])
  const submit = (form: FormData) => {
    const isOn = (name: string) => form.get(name) !== null
    const input: SyncContentConnectorInput = {
      id,
      mode: isOn("full") ? "full" : "incremental",
      dryRun: isOn("dry"),
      allowRemovals: isOn("removals")
    }
    sync.mutate(input, { onSuccess: () => toast({ text: text.sync.started }) })
  }
  return (
    <form
      className="panel stack tight"
      onSubmit={(event) => {
        event.preventDefault()
        submit(new FormData(event.currentTarget))
      }}
    >
      <fieldset className="checks in-row">
        <legend className="visually-hidden">{text.sync.options}</legend>
        {(["full", "dry", "removals"] as const).map((name) => (
          <label key={name} className="check">
            <input type="checkbox" name={name} />
            {text.sync[name]}
          </label>
        ))}
      </fieldset>
      <ErrorNote error={sync.error} />
      <p>
        <Button
          type="submit"
          kind="primary"
          reason={writeReason ?? (enabled ? undefined : text.sync.disabled)}
          busy={sync.isPending}
        >
          {text.sync.now}
        </Button>
      </p>
    </form>
  )
}

const Actions = ({ connector }: { readonly connector: ContentConnector }): ReactNode => {
  const writeReason = useScopeReason("kb:write")
  const [open, setOpen] = useState<"edit" | "remove" | null>(null)
  const update = useChange("updateContentConnector", ["getContentConnector", "listContentConnectors"])
  return (
    <>
      <Button
        reason={writeReason}
        busy={update.isPending}
        title={connector.enabled ? text.disableHint : undefined}
        onClick={() => update.mutate({ id: connector.id, enabled: !connector.enabled })}
      >
        {connector.enabled ? text.disable : text.enable}
      </Button>
      <Button reason={writeReason} onClick={() => setOpen("edit")}>
        {text.edit}
      </Button>
      <Button kind="danger" reason={writeReason} onClick={() => setOpen("remove")}>
        {text.remove}
      </Button>
      <ErrorNote error={update.error} />
      {open === "edit" && <ConnectorDialog connector={connector} onClose={() => setOpen(null)} />}
      {open === "remove" && <RemoveDialog connector={connector} onClose={() => setOpen(null)} />}
    </>
  )
}

const RemoveDialog = ({
  connector: { id, name },
  onClose
}: {
  readonly connector: ContentConnector
  readonly onClose: () => void
}): ReactNode => {
  const [documents, setDocuments] = useState<"keep" | "trash">("keep")
  const [error, setError] = useState<unknown>(null)
  const [, navigate] = useLocation()
  const toast = useToast()
  const refresh = useRefresh()
  const run = async () => {
    try {
      await callOperation("deleteContentConnector", { id, documents })
      navigate("/connectors")
      await refresh(["listContentConnectors", "listDocuments", "listTrash"])
      toast({ text: text.removed })
    } catch (failure) {
      setError(failure)
    }
  }
  return (
    <Dialog title={text.removeTitle(name)} onClose={onClose}>
      <p>{text.removeText}</p>
      <fieldset className="checks">
        <legend>{text.documents}</legend>
        {(["keep", "trash"] as const).map((one) => (
          <label key={one} className="check">
            <input
              type="radio"
              name="documents"
              checked={documents === one}
              onChange={() => setDocuments(one)}
            />
            {one === "keep" ? text.removeKeep : text.removeTrash}
          </label>
        ))}
      </fieldset>
      <ErrorNote error={error} />
      <div className="dialog-actions">
        <Button onClick={onClose}>{strings.actions.cancel}</Button>
        <span data-testid="confirm">
          <Button kind="danger" onClick={() => void run()}>
            {text.remove}
          </Button>
        </span>
      </div>
    </Dialog>
  )
}
