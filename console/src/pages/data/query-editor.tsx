import { type ReactNode, useState } from "react"
import type {
  GetDataQueryResult,
  PutDataQueryInput,
  PutDataQueryResult
} from "../../../../server/client/index.js"
import { useChange, useOperation } from "../../api/hooks.js"
import { Button } from "../../components/button.js"
import { Dialog } from "../../components/dialog.js"
import { ErrorNote } from "../../components/error.js"
import { Field } from "../../components/page.js"
import { RowsTable } from "../../components/rows-table.js"
import { Loaded } from "../../components/states.js"
import { useToast } from "../../components/toast.js"
import { dataText } from "../../strings/data.js"
import { strings } from "../../strings.js"

const text = dataText.form

/** Publishes a named query; a check shows the plan and the columns and stores nothing. An empty slug makes a new one. */
export const QueryEditor = ({
  onClose,
  slug
}: {
  readonly slug: string
  readonly onClose: () => void
}): ReactNode => {
  const query = useOperation("getDataQuery", { slug }, { enabled: slug !== "" })
  return (
    <Dialog title={slug === "" ? dataText.queries.create : dataText.queries.edit} onClose={onClose} wide>
      {slug === "" ? (
        <Form query={null} onClose={onClose} />
      ) : (
        <Loaded query={query}>{(found) => <Form query={found} onClose={onClose} />}</Loaded>
      )}
    </Dialog>
  )
}

const listOf = <Item,>(label: string, given: string): ReadonlyArray<Item> => {
  let value: unknown
  try {
    value = given.trim() === "" ? [] : JSON.parse(given)
  } catch {
    throw new Error(text.badJson(label))
  }
  if (!Array.isArray(value)) throw new Error(text.badJson(label))
  // The server checks each element.
  return value as ReadonlyArray<Item>
}

const Form = ({
  onClose,
  query
}: {
  readonly query: GetDataQueryResult | null
  readonly onClose: () => void
}): ReactNode => {
  const connectors = useOperation("listDataConnectors", {})
  const put = useChange("putDataQuery", ["listDataQueries", "getDataQuery"])
  const toast = useToast()
  const [badJson, setBadJson] = useState<unknown>(null)
  const [plan, setPlan] = useState<Extract<PutDataQueryResult, { readonly plan: string }> | null>(null)
  const inputOf = (form: FormData): PutDataQueryInput => {
    const value = (name: string) => String(form.get(name) ?? "").trim()
    return {
      slug: query?.slug ?? value("slug"),
      title: value("title"),
      description: value("description"),
      connectorId: value("connectorId"),
      sql: value("sql"),
      params: listOf(text.params, value("params")),
      bindings: listOf(text.bindings, value("bindings")),
      enabled: form.get("enabled") !== null,
      archived: form.get("archived") !== null
    }
  }
  const send = async (form: HTMLFormElement, dryRun: boolean) => {
    setBadJson(null)
    setPlan(null)
    try {
      const input = inputOf(new FormData(form))
      const result = await put.mutateAsync({
        ...input,
        dryRun,
        ...(dryRun ? {} : { expectRevision: query?.revision ?? 0 })
      })
      if ("plan" in result) setPlan(result)
      else {
        onClose()
        toast({ text: text.saved })
      }
    } catch (error) {
      setBadJson(error)
    }
  }
  return (
    <form
      className="stack tight"
      onSubmit={(event) => {
        event.preventDefault()
        void send(event.currentTarget, false)
      }}
    >
      {query === null && (
        <Field label={text.slug} hint={text.slugHint}>
          <input name="slug" required maxLength={63} pattern="[a-z0-9][a-z0-9\-]*" />
        </Field>
      )}
      <Field label={text.title}>
        <input name="title" required dir="auto" defaultValue={query?.title} />
      </Field>
      <Field label={text.description}>
        <input name="description" dir="auto" defaultValue={query?.description} />
      </Field>
      <Field label={text.connector}>
        <select name="connectorId" required defaultValue={query?.connectorId}>
          {(connectors.data?.items ?? []).map(({ id, name }) => (
            <option key={id} value={id}>
              {name}
            </option>
          ))}
        </select>
      </Field>
      <Field label={text.sql} hint={text.sqlHint}>
        <textarea
          name="sql"
          required
          rows={7}
          className="mono"
          spellCheck={false}
          defaultValue={query?.sql}
        />
      </Field>
      <Field label={text.params}>
        <textarea
          name="params"
          rows={4}
          className="mono"
          spellCheck={false}
          defaultValue={JSON.stringify(query?.params ?? [], undefined, 2)}
        />
      </Field>
      <Field label={text.bindings}>
        <textarea
          name="bindings"
          rows={3}
          className="mono"
          spellCheck={false}
          defaultValue={JSON.stringify(query?.bindings ?? [], undefined, 2)}
        />
      </Field>
      <label className="check">
        <input type="checkbox" name="enabled" defaultChecked={query?.enabled ?? true} />
        {text.enabled}
      </label>
      <label className="check">
        <input type="checkbox" name="archived" defaultChecked={query?.archived ?? false} />
        {text.archived}
      </label>
      {plan !== null && (
        <section className="note good">
          <strong>{text.columns}</strong>
          <RowsTable label={text.columns} columns={["name", "type", "table"]} rows={plan.columns} />
          <details>
            <summary>{text.plan}</summary>
            <pre className="code">{plan.plan}</pre>
          </details>
        </section>
      )}
      <ErrorNote error={badJson} />
      <div className="dialog-actions">
        <Button onClick={onClose}>{strings.actions.cancel}</Button>
        <Button
          busy={put.isPending}
          onClick={(event) => {
            const { form } = event.currentTarget
            if (form?.reportValidity() === true) void send(form, true)
          }}
        >
          {text.check}
        </Button>
        <Button kind="primary" type="submit" busy={put.isPending}>
          {text.publish}
        </Button>
      </div>
    </form>
  )
}
