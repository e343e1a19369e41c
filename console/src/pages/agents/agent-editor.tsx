import { type ReactNode, useId, useState } from "react"
import { useLocation } from "wouter"
import { type AgentView, type ApprovalPolicy, KanonApiError } from "../../../../server/client/index.js"
import type { ToolList } from "../../../../server/console/model.js"
import { useChange, useOwn } from "../../api/hooks.js"
import { Button } from "../../components/button.js"
import { Dialog } from "../../components/dialog.js"
import { ErrorNote } from "../../components/error.js"
import { Field } from "../../components/page.js"
import { useToast } from "../../components/toast.js"
import { agentText as text } from "../../strings/runs.js"
import { strings } from "../../strings.js"

interface ToolDraft {
  readonly name: string
  /** Empty: by the effect of the tool. */
  readonly approval: ApprovalPolicy | ""
}

/** Makes an agent, or appends a version to one. */
export const AgentEditor = ({
  agent,
  onClose
}: {
  readonly agent: AgentView | null
  readonly onClose: () => void
}): ReactNode => {
  const [, navigate] = useLocation()
  const toast = useToast()
  const put = useChange("putAgent", ["listAgents", "getAgent"])
  const [tools, setTools] = useState<ReadonlyArray<ToolDraft>>(
    agent === null
      ? [{ name: "svc_search", approval: "" }]
      : agent.version.tools.map(({ approval, name }) => ({ approval, name }))
  )
  const isStale = put.error instanceof KanonApiError && put.error.code === "conflict"
  const submit = async (form: FormData) => {
    const value = (name: string) => String(form.get(name) ?? "").trim()
    const numbers = Object.fromEntries(
      ["steps", "tokens", "minutes"].flatMap((name) =>
        value(name) === "" ? [] : [[name, Number(value(name))]]
      )
    )
    const slug = agent?.agent.slug ?? value("slug")
    const saved = await put
      .mutateAsync({
        slug,
        name: value("name"),
        description: value("description"),
        instructions: value("instructions"),
        tools: tools
          .filter(({ name }) => name.trim() !== "")
          .map(({ approval, name }) => ({ name: name.trim(), ...(approval === "" ? {} : { approval }) })),
        budgets: { ...numbers, ...(value("costUsd") === "" ? {} : { costUsd: value("costUsd") }) },
        enabled: form.get("enabled") !== null,
        archived: agent?.agent.archived ?? false,
        ...(value("note") === "" ? {} : { note: value("note") }),
        ...(agent === null ? {} : { expectVersion: agent.version.number })
      })
      .catch(() => null)
    if (saved === null) return
    onClose()
    toast({ text: text.saved })
    navigate(`/agents/${slug}`)
  }
  return (
    <Dialog title={agent === null ? text.create : text.edit} onClose={onClose} wide>
      <form
        className="stack"
        onSubmit={(event) => {
          event.preventDefault()
          void submit(new FormData(event.currentTarget))
        }}
      >
        {agent === null && (
          <Field label={text.slug} hint={text.slugHint}>
            <input name="slug" required pattern="[a-z0-9][a-z0-9\-]*" maxLength={63} />
          </Field>
        )}
        <Field label={text.name}>
          <input name="name" required dir="auto" defaultValue={agent?.agent.name} />
        </Field>
        <Field label={text.description}>
          <input name="description" dir="auto" defaultValue={agent?.agent.description} />
        </Field>
        <Field label={text.instructions}>
          <textarea
            name="instructions"
            required
            rows={7}
            dir="auto"
            defaultValue={agent?.version.instructions}
          />
        </Field>
        <Tools tools={tools} onChange={setTools} />
        <fieldset className="field-row">
          <legend>{text.budgets}</legend>
          {(["steps", "tokens", "costUsd", "minutes"] as const).map((name) => (
            <Field key={name} label={text.budget[name]}>
              <input
                name={name}
                inputMode="decimal"
                size={8}
                defaultValue={agent?.version.budgets[name] ?? ""}
              />
            </Field>
          ))}
          <p className="field-hint">{text.budgetsHint}</p>
        </fieldset>
        <label className="check">
          <input type="checkbox" name="enabled" defaultChecked={agent?.agent.enabled ?? true} />
          {text.enabled}
        </label>
        <Field label={text.note}>
          <input name="note" dir="auto" />
        </Field>
        {isStale && <p className="note warn">{text.conflict}</p>}
        <ErrorNote error={put.error} />
        <div className="dialog-actions">
          <Button onClick={onClose}>{strings.actions.cancel}</Button>
          <Button kind="primary" type="submit" busy={put.isPending}>
            {strings.actions.save}
          </Button>
        </div>
      </form>
    </Dialog>
  )
}

const Tools = ({
  onChange,
  tools
}: {
  readonly tools: ReadonlyArray<ToolDraft>
  readonly onChange: (tools: ReadonlyArray<ToolDraft>) => void
}): ReactNode => {
  const id = useId()
  const known = useOwn<ToolList>("tools")
  const set = (index: number, change: Partial<ToolDraft>) =>
    onChange(tools.map((tool, at) => (at === index ? { ...tool, ...change } : tool)))
  return (
    <fieldset className="stack tight">
      <legend className="field-label">{text.toolNames}</legend>
      <datalist id={id}>
        {known.data?.items.map(({ description, name }) => (
          <option key={name} value={name}>
            {description}
          </option>
        ))}
      </datalist>
      {tools.map((tool, index) => {
        // A row has no identity beside its place while its name is typed.
        const key = `${index}`
        return (
          <p key={key} className="row">
            <input
              list={id}
              className="grow"
              aria-label={text.toolNames}
              value={tool.name}
              onChange={(event) => set(index, { name: event.target.value })}
            />
            <select
              aria-label={text.toolApproval(tool.name)}
              value={tool.approval}
              onChange={(event) => set(index, { approval: event.target.value as ToolDraft["approval"] })}
            >
              <option value="">{text.toolDefault}</option>
              <option value="always">{text.approval.always}</option>
              <option value="never">{text.approval.never}</option>
            </select>
            <Button
              size="small"
              kind="quiet"
              aria-label={text.removeTool(tool.name)}
              onClick={() => onChange(tools.filter((_, at) => at !== index))}
            >
              {strings.actions.delete}
            </Button>
          </p>
        )
      })}
      <p>
        <Button size="small" onClick={() => onChange([...tools, { name: "", approval: "" }])}>
          {text.addTool}
        </Button>
      </p>
      <p className="field-hint">{text.toolHint}</p>
    </fieldset>
  )
}
