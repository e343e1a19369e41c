import { type ReactNode, useState } from "react"
import type { UpdateWorkspaceInput, WorkspaceView } from "../../../../server/client/index.js"
import { callOperation } from "../../api/hooks.js"
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
    <SettingsForm view={view} changeOf={changeOf}>
      <header className="row spread">
        <h2>
          {text.roles[role]}{" "}
          <Badge tone={view.capabilities[role] ? "good" : "neutral"}>
            {view.capabilities[role] ? text.works : text.notInUse}
          </Badge>
        </h2>
        <Test role={role} />
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

/** One call that needs the model, with what came of it. */
const tryRole = async (role: Role): Promise<string> => {
  const began = performance.now()
  const ms = () => Math.round(performance.now() - began)
  const question = text.questionDefault
  switch (role) {
    case "chat": {
      const { model } = await callOperation(
        "query",
        { question, policyMode: "off", maxSources: 3 },
        { retries: 0 }
      )
      return text.tested.chat(model.chat, ms())
    }
    case "judge": {
      const { usage } = await callOperation("checkGrounding", { text: question, judge: true }, { retries: 0 })
      return text.tested.judge(`${usage.inputTokens + usage.outputTokens} tokens`, ms())
    }
    case "embedding": {
      const { results } = await callOperation("search", { q: question })
      const count = results.filter(({ channels }) => channels.includes("vector")).length
      return count === 0 ? text.tested.embeddingNone : text.tested.embedding(count, ms())
    }
    case "reranker": {
      const { results } = await callOperation("search", { q: question, rerank: true })
      const count = results.filter(({ rerankScore }) => rerankScore !== undefined).length
      return count === 0 ? text.tested.rerankerNone : text.tested.reranker(count, ms())
    }
    case "extraction":
      return text.tested.extraction
  }
}

const Test = ({ role }: { readonly role: Role }): ReactNode => {
  const [result, setResult] = useState<string | null>(null)
  const [error, setError] = useState<unknown>(null)
  const [busy, setBusy] = useState(false)
  const run = async () => {
    setBusy(true)
    setError(null)
    setResult(null)
    try {
      setResult(await tryRole(role))
    } catch (failure) {
      setError(failure)
    } finally {
      setBusy(false)
    }
  }
  return (
    <span className="row">
      {result !== null && <span role="status">{result}</span>}
      <ErrorNote error={error} />
      <Button size="small" busy={busy} onClick={() => void run()}>
        {busy ? text.testing : text.test}
      </Button>
    </span>
  )
}
