import { type ReactNode, useState } from "react"
import type { CreateDataConnectorInput } from "../../../../server/client/index.js"
import { callOperation, useRefresh } from "../../api/hooks.js"
import { Button } from "../../components/button.js"
import { Dialog } from "../../components/dialog.js"
import { ErrorNote } from "../../components/error.js"
import { Field } from "../../components/page.js"
import { useToast } from "../../components/toast.js"
import { dataText } from "../../strings/data.js"
import { strings } from "../../strings.js"
import { type Database, Probe } from "./probe.js"

const text = dataText.connectors
type Kind = CreateDataConnectorInput["kind"]
type Settings = CreateDataConnectorInput["settings"]
type Tls = NonNullable<Extract<Settings, { readonly host: string }>["tls"]>

/** Adds a database, or changes where it is and how it is reached. */
export const DatabaseDialog = ({
  database,
  onClose
}: {
  readonly database: Database | null
  readonly onClose: () => void
}): ReactNode => {
  const [kind, setKind] = useState<Kind>(database?.kind ?? "postgres")
  const [error, setError] = useState<unknown>(null)
  const [busy, setBusy] = useState(false)
  const [probe, setProbe] = useState<Parameters<typeof Probe>[0]["probe"] | null>(null)
  const refresh = useRefresh()
  const toast = useToast()
  const server = database !== null && "host" in database.settings ? database.settings : null
  const file = database !== null && "path" in database.settings ? database.settings : null
  const submit = async (form: FormData) => {
    const value = (name: string) => String(form.get(name) ?? "").trim()
    const number = (name: string) => (value(name) === "" ? {} : { [name]: Number(value(name)) })
    const settings: Settings =
      kind === "sqlite"
        ? { path: value("path") }
        : {
            host: value("host"),
            ...number("port"),
            database: value("database"),
            user: value("user"),
            ...(value("tls") === "" ? {} : { tls: value("tls") as Tls })
          }
    const limits = { ...number("rowCap"), ...number("timeoutMs") }
    const credential = String(form.get("credential") ?? "")
    const common = {
      name: value("name"),
      settings,
      ...(credential === "" ? {} : { credential }),
      ...(Object.keys(limits).length === 0 ? {} : { limits })
    }
    setBusy(true)
    setError(null)
    try {
      const saved =
        database === null
          ? await callOperation("createDataConnector", { kind, ...common })
          : await callOperation("updateDataConnector", { id: database.id, ...common })
      await refresh(["listDataConnectors"])
      if (saved.probe !== null && !saved.probe.ok) setProbe(saved.probe)
      else {
        toast({ text: text.saved })
        onClose()
      }
    } catch (failure) {
      setError(failure)
    } finally {
      setBusy(false)
    }
  }
  return (
    <Dialog title={database === null ? text.create : text.edit} onClose={onClose}>
      <form
        className="stack tight"
        onSubmit={(event) => {
          event.preventDefault()
          void submit(new FormData(event.currentTarget))
        }}
      >
        <Field label={text.name}>
          <input name="name" required dir="auto" defaultValue={database?.name} />
        </Field>
        {database === null && (
          <Field label={text.kind}>
            <select value={kind} onChange={(event) => setKind(event.target.value as Kind)}>
              <option value="postgres">Postgres</option>
              <option value="mysql">MySQL</option>
              <option value="sqlite">SQLite</option>
            </select>
          </Field>
        )}
        {kind === "sqlite" ? (
          <Field label={text.path}>
            <input name="path" required defaultValue={file?.path} />
          </Field>
        ) : (
          <>
            <Field label={text.host}>
              <input name="host" required defaultValue={server?.host} />
            </Field>
            <Field label={text.port}>
              <input name="port" type="number" defaultValue={server?.port} />
            </Field>
            <Field label={text.database}>
              <input name="database" required defaultValue={server?.database} />
            </Field>
            <Field label={text.user}>
              <input name="user" required autoComplete="off" defaultValue={server?.user} />
            </Field>
            <Field label={text.tls}>
              <select name="tls" defaultValue={server?.tls ?? ""}>
                <option value="" />
                {Object.entries(text.tlsKinds).map(([value, label]) => (
                  <option key={value} value={value}>
                    {label}
                  </option>
                ))}
              </select>
            </Field>
            <Field
              label={text.credential}
              hint={database?.hasCredential === true ? text.kept : text.credentialHint}
            >
              <input name="credential" type="password" autoComplete="new-password" />
            </Field>
          </>
        )}
        <Field label={text.rowCap}>
          <input name="rowCap" type="number" min={1} defaultValue={database?.limits.rowCap} />
        </Field>
        <Field label={text.timeoutMs}>
          <input name="timeoutMs" type="number" min={1} defaultValue={database?.limits.timeoutMs} />
        </Field>
        {probe !== null && <Probe probe={probe} />}
        <ErrorNote error={error} />
        <div className="dialog-actions">
          <Button onClick={onClose}>{strings.actions.cancel}</Button>
          <Button kind="primary" type="submit" busy={busy}>
            {strings.actions.save}
          </Button>
        </div>
      </form>
    </Dialog>
  )
}
