import { type ReactNode, useState } from "react"
import { callOperation, useChange, useOperation, useRefresh } from "../../api/hooks.js"
import { useScopeReason } from "../../api/session.js"
import { ApiCall } from "../../components/api-call.js"
import { Button } from "../../components/button.js"
import { useConfirm } from "../../components/dialog.js"
import { ErrorNote } from "../../components/error.js"
import { EmptyState, Loaded } from "../../components/states.js"
import { Badge, Content } from "../../components/text.js"
import { useToast } from "../../components/toast.js"
import { dataText } from "../../strings/data.js"
import { DatabaseDialog } from "./database-dialog.js"
import { type Database, Probe } from "./probe.js"

const text = dataText.connectors

/** The databases of the workspace: add, test, disable, delete. */
export const Databases = (): ReactNode => {
  const databases = useOperation("listDataConnectors", {})
  const adminReason = useScopeReason("workspace:admin")
  const [editing, setEditing] = useState<Database | "new" | null>(null)
  return (
    <div className="stack">
      <p>
        <Button kind="primary" reason={adminReason} onClick={() => setEditing("new")}>
          {text.create}
        </Button>
      </p>
      <Loaded query={databases}>
        {({ items }) =>
          items.length === 0 ? (
            <EmptyState title={text.empty}>
              <p>{text.emptyHint}</p>
            </EmptyState>
          ) : (
            <ul className="list">
              {items.map((database) => (
                <DatabaseRow
                  key={database.id}
                  database={database}
                  reason={adminReason}
                  onEdit={() => setEditing(database)}
                />
              ))}
            </ul>
          )
        }
      </Loaded>
      <ApiCall name="listDataConnectors" input={{}} />
      {editing !== null && (
        <DatabaseDialog database={editing === "new" ? null : editing} onClose={() => setEditing(null)} />
      )}
    </div>
  )
}

const DatabaseRow = ({
  database,
  onEdit,
  reason
}: {
  readonly database: Database
  readonly reason: string | undefined
  readonly onEdit: () => void
}): ReactNode => {
  const { enabled, id, kind, name, settings } = database
  const confirm = useConfirm()
  const toast = useToast()
  const refresh = useRefresh()
  const update = useChange("updateDataConnector", ["listDataConnectors"])
  const place = "path" in settings ? settings.path : `${settings.user}@${settings.host}/${settings.database}`
  return (
    <li className="list-row" data-testid="connector-row" data-id={id}>
      <div className="row spread">
        <span>
          <strong>
            <Content>{name}</Content>
          </strong>{" "}
          <Badge>{kind}</Badge>{" "}
          <Badge tone={enabled ? "good" : "warn"}>{enabled ? text.enabled : text.disabled}</Badge>
          <br />
          <code className="small">{place}</code>
        </span>
        <span className="button-row">
          <Button
            size="small"
            reason={reason}
            busy={update.isPending}
            onClick={() => update.mutate({ id, probe: true })}
          >
            {text.test}
          </Button>
          <Button size="small" reason={reason} onClick={() => update.mutate({ id, enabled: !enabled })}>
            {enabled ? text.disable : text.enable}
          </Button>
          <Button size="small" reason={reason} onClick={onEdit}>
            {text.edit}
          </Button>
          <Button
            size="small"
            kind="danger"
            reason={reason}
            onClick={() =>
              confirm({
                title: text.removeTitle(name),
                text: text.removeText,
                action: text.remove,
                danger: true,
                run: async () => {
                  await callOperation("deleteDataConnector", { id })
                  await refresh(["listDataConnectors", "listDataQueries"])
                  toast({ text: text.removed })
                }
              })
            }
          >
            {text.remove}
          </Button>
        </span>
      </div>
      {update.data?.probe != null && <Probe probe={update.data.probe} />}
      <ErrorNote error={update.error} />
    </li>
  )
}
