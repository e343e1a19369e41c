import { type ReactNode, useState } from "react"
import { useLocation } from "wouter"
import type { ContentConnector, ContentConnectorKind } from "../../../../server/client/index.js"
import { callOperation, useRefresh } from "../../api/hooks.js"
import { Button } from "../../components/button.js"
import { Dialog } from "../../components/dialog.js"
import { ErrorNote } from "../../components/error.js"
import { Field } from "../../components/page.js"
import { useToast } from "../../components/toast.js"
import { connectorText as text } from "../../strings/connectors.js"
import { strings } from "../../strings.js"
import { listFields, numberFields, type Provider, providers, providersOf } from "./providers.js"

/** Adds a connector, or changes its name, source, credential and schedule. */
export const ConnectorDialog = ({
  connector,
  onClose
}: {
  readonly connector: ContentConnector | null
  readonly onClose: () => void
}): ReactNode => {
  const [kind, setKind] = useState<ContentConnectorKind>(connector?.kind ?? "markdown_upload")
  const [provider, setProvider] = useState(connector?.config.provider as Provider | undefined)
  const [error, setError] = useState<unknown>(null)
  const [busy, setBusy] = useState(false)
  const [, navigate] = useLocation()
  const toast = useToast()
  const refresh = useRefresh()
  const chosen = provider ?? providersOf(kind)[0]
  const fields = chosen === undefined ? [] : (providers[kind][chosen] ?? [])
  const submit = async (form: FormData) => {
    const value = (name: string) => String(form.get(name) ?? "").trim()
    const given = fields.flatMap((field): ReadonlyArray<readonly [string, unknown]> => {
      const name = field.replace("?", "")
      const plain = value(name)
      if (plain === "") return []
      if (!listFields.has(name)) return [[name, plain]]
      const lines = plain.split("\n").flatMap((line) => line.trim() || [])
      return [[name, numberFields.has(name) ? lines.map(Number) : lines]]
    })
    const config =
      chosen === undefined ? {} : { ...connector?.config, provider: chosen, ...Object.fromEntries(given) }
    const credential = String(form.get("credential") ?? "")
    const common = {
      name: value("name"),
      ...(kind === "markdown_upload"
        ? {}
        : { config, schedule: value("schedule") === "" ? null : value("schedule") }),
      ...(credential === "" ? {} : { credential })
    }
    setBusy(true)
    setError(null)
    try {
      const saved =
        connector === null
          ? await callOperation("createContentConnector", {
              kind,
              ...common,
              ...(value("pathPrefix") === "" ? {} : { pathPrefix: value("pathPrefix") })
            })
          : await callOperation("updateContentConnector", { id: connector.id, ...common })
      await refresh(["listContentConnectors", "getContentConnector"])
      onClose()
      toast({ text: text.saved })
      navigate(`/connectors/${saved.id}`)
    } catch (failure) {
      setError(failure)
    } finally {
      setBusy(false)
    }
  }
  return (
    <Dialog title={connector === null ? text.create : text.edit} onClose={onClose}>
      <form
        className="stack tight"
        onSubmit={(event) => {
          event.preventDefault()
          void submit(new FormData(event.currentTarget))
        }}
      >
        <Field label={text.name}>
          <input name="name" required dir="auto" maxLength={200} defaultValue={connector?.name} />
        </Field>
        {connector === null && (
          <Field label={text.kind}>
            <select
              value={kind}
              onChange={(event) => {
                setKind(event.target.value as ContentConnectorKind)
                setProvider(undefined)
              }}
            >
              {Object.entries(text.kinds).map(([value, label]) => (
                <option key={value} value={value}>
                  {label}
                </option>
              ))}
            </select>
          </Field>
        )}
        {connector === null && providersOf(kind).length > 0 && (
          <Field label={text.provider}>
            <select value={chosen} onChange={(event) => setProvider(event.target.value as Provider)}>
              {providersOf(kind).map((one) => (
                <option key={one} value={one}>
                  {text.providers[one]}
                </option>
              ))}
            </select>
          </Field>
        )}
        {fields.map((field) => (
          <ConfigField key={`${chosen}-${field}`} field={field} config={{ ...connector?.config }} />
        ))}
        {kind !== "markdown_upload" && (
          <>
            <Field
              label={text.credential}
              hint={connector?.hasCredential === true ? text.kept : text.credentialHint}
            >
              <input name="credential" type="password" autoComplete="new-password" />
            </Field>
            <Field label={text.schedule} hint={text.scheduleHint}>
              <input name="schedule" defaultValue={connector?.schedule ?? ""} />
            </Field>
          </>
        )}
        {connector === null && (
          <Field label={text.prefix} hint={text.prefixHint}>
            <input name="pathPrefix" dir="auto" />
          </Field>
        )}
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

const ConfigField = ({
  config,
  field
}: {
  readonly field: string
  readonly config: Readonly<Record<string, unknown>>
}): ReactNode => {
  const name = field.replace("?", "")
  const required = !field.endsWith("?")
  const present = config[name]
  const given = Array.isArray(present) ? present.join("\n") : present === undefined ? "" : String(present)
  return (
    <Field label={text.fields[name] ?? name}>
      {listFields.has(name) ? (
        <textarea name={name} rows={2} required={required} defaultValue={given} />
      ) : (
        <input name={name} required={required} defaultValue={given} />
      )}
    </Field>
  )
}
