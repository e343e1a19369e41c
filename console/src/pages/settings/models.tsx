import { useMutation } from "@tanstack/react-query"
import { type ReactNode, useState } from "react"
import type { UpdateWorkspaceInput, WorkspaceView } from "../../../../server/client/index.js"
import type { ModelTest } from "../../../../server/console/model.js"
import { callOwn } from "../../api/connection.js"
import { useScopeReason } from "../../api/session.js"
import { Button } from "../../components/button.js"
import { ErrorNote } from "../../components/error.js"
import { Field } from "../../components/page.js"
import { Badge } from "../../components/text.js"
import { settingsText } from "../../strings/settings.js"
import { SettingsForm } from "./settings-form.js"

const text = settingsText.models
type Role = keyof typeof text.roles
type Models = NonNullable<UpdateWorkspaceInput["models"]>

const providersOf: Readonly<Record<Role, ReadonlyArray<string>>> = {
  chat: ["openai", "openai-compatible", "anthropic", "ollama"],
  judge: ["openai", "openai-compatible", "anthropic", "ollama"],
  embedding: ["openai", "openai-compatible", "ollama"],
  reranker: ["cohere", "jina", "tei"],
  extraction: ["openai", "openai-compatible", "anthropic", "ollama"]
}

/** The models by role; each can be tried with one call. */
export const Models = ({ view }: { readonly view: WorkspaceView }): ReactNode => (
  <>
    {(Object.keys(text.roles) as ReadonlyArray<Role>).map((role) => (
      <RoleForm key={role} role={role} view={view} />
    ))}
    <SettingsForm
      view={view}
      changeOf={(form) => ({ models: { fallbackToExtractive: form.get("fallback") !== null } })}
    >
      <label className="check">
        <input type="checkbox" name="fallback" defaultChecked={view.settings.models.fallbackToExtractive} />
        {text.fallback}
      </label>
    </SettingsForm>
  </>
)

const RoleForm = ({ role, view }: { readonly role: Role; readonly view: WorkspaceView }): ReactNode => {
  const present = view.settings.models[role]
  const [provider, setProvider] = useState<string>(present?.provider ?? "")
  // The server calls what is stored, so that a key never goes to an address that nobody saved.
  const [changed, setChanged] = useState<number | null>(null)
  const changeOf = (form: FormData): UpdateWorkspaceInput => {
    if (provider === "") return { models: { [role]: null } }
    const value = (name: string) => String(form.get(name) ?? "").trim()
    const choice = {
      provider,
      model: value("model"),
      baseUrl: value("baseUrl") === "" ? null : value("baseUrl"),
      enabled: form.get("enabled") !== null,
      ...(value("credential") === "" ? {} : { credential: value("credential") })
    }
    // The select offers only the providers of the role.
    const models = { [role]: choice } as Models
    return { models }
  }
  return (
    <SettingsForm view={view} changeOf={changeOf} onChange={() => setChanged(view.revision)}>
      <header className="row spread">
        <h2>
          {text.roles[role]}{" "}
          <Badge tone={view.capabilities[role] ? "good" : "neutral"}>
            {view.capabilities[role] ? text.works(present?.model ?? text.server) : text.notInUse}
          </Badge>
        </h2>
        <Test role={role} reason={changed === view.revision ? text.saveFirst : undefined} />
      </header>
      <p className="muted">{text.hints[role]}</p>
      <Field label={text.provider}>
        <select value={provider} onChange={(event) => setProvider(event.target.value)}>
          <option value="">{text.server}</option>
          {providersOf[role].map((one) => (
            <option key={one} value={one}>
              {one}
            </option>
          ))}
        </select>
      </Field>
      {provider !== "" && (
        <>
          <Field label={text.model}>
            <input name="model" required defaultValue={present?.model} />
          </Field>
          <Field label={text.address}>
            <input name="baseUrl" type="url" defaultValue={present?.baseUrl ?? ""} />
          </Field>
          <Field
            label={text.credential}
            hint={present?.hasCredential === true ? text.kept : text.credentialHint}
          >
            <input name="credential" type="password" autoComplete="new-password" />
          </Field>
          <label className="check">
            <input type="checkbox" name="enabled" defaultChecked={present?.enabled ?? true} />
            {text.enabled}
          </label>
        </>
      )}
    </SettingsForm>
  )
}

const Test = ({
  reason,
  role
}: {
  readonly role: Role
  /** Why it cannot be tested now. */
  readonly reason: string | undefined
}): ReactNode => {
  const adminReason = useScopeReason("workspace:admin")
  const test = useMutation({
    mutationFn: () => callOwn<ModelTest>(`models/${role}/test`, { method: "POST", body: {} })
  })
  return (
    <span className="row">
      {test.data !== undefined && <Result {...test.data} />}
      <ErrorNote error={test.error} />
      <Button size="small" reason={adminReason ?? reason} busy={test.isPending} onClick={() => test.mutate()}>
        {test.isPending ? text.testing : text.test}
      </Button>
    </span>
  )
}

const Result = ({ error, modelId, ms }: ModelTest): ReactNode => (
  <span role="status" className={error === null ? "muted small" : "small job-error"} dir="auto">
    {modelId === null
      ? text.tested.builtIn
      : error === null
        ? text.tested.answered(modelId, ms)
        : text.tested.failed(modelId, error)}
  </span>
)
