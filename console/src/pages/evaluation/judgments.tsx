import { type ReactNode, useId, useState } from "react"
import { Link } from "wouter"
import type { Judgment } from "../../../../server/client/index.js"
import { callOwn } from "../../api/connection.js"
import { callOperation, useChange, useConsoleOperation, useOperation, useRefresh } from "../../api/hooks.js"
import { useScopeReason } from "../../api/session.js"
import { ApiCall } from "../../components/api-call.js"
import { Button } from "../../components/button.js"
import { Dialog } from "../../components/dialog.js"
import { ErrorNote } from "../../components/error.js"
import { FilterBar, SelectFilter, TextFilter, useFilters } from "../../components/filters.js"
import { Field } from "../../components/page.js"
import { EmptyState, Loaded } from "../../components/states.js"
import { Content, Person } from "../../components/text.js"
import { useToast } from "../../components/toast.js"
import { evaluationText } from "../../strings/evaluation.js"
import { strings } from "../../strings.js"
import type { ConsoleOutput } from "../console-types.js"
import { useSets } from "./sets.js"

const text = evaluationText.judgments

/** Judgments of a set: add, change, remove, and how far the judges agree. */
export const Judgments = (): ReactNode => {
  const { set, values } = useFilters(["set", "query"])
  const sets = useSets()
  const writeReason = useScopeReason("kb:write")
  const [isAdding, setAdding] = useState(false)
  const input = {
    limit: 200,
    ...(values.set === "" ? {} : { set: values.set }),
    ...(values.query === "" ? {} : { query: values.query })
  }
  const judgments = useOperation("listQrels", input, { keepPrevious: true })
  return (
    <div className="stack">
      <FilterBar>
        <SelectFilter
          label={text.set}
          value={values.set}
          onChange={(value) => set("set", value)}
          all={text.allSets}
          options={sets.map((one) => [one, one])}
        />
        <TextFilter label={text.query} value={values.query} onChange={(value) => set("query", value)} />
        <Button kind="primary" reason={writeReason} onClick={() => setAdding(true)}>
          {text.add}
        </Button>
      </FilterBar>
      {values.set !== "" && <Agreement set={values.set} />}
      <Loaded query={judgments}>
        {({ items, total }) =>
          items.length === 0 ? (
            <EmptyState title={text.empty}>
              <p>{text.emptyHint}</p>
            </EmptyState>
          ) : (
            <>
              <p className="list-count">{evaluationText.total(total)}</p>
              {/* biome-ignore lint/a11y/noNoninteractiveTabindex: a block that scrolls has to be reachable by keyboard. */}
              <section className="table-frame" tabIndex={0} aria-label={evaluationText.tabs.judgments}>
                <table>
                  <thead>
                    <tr>
                      <th scope="col">{text.query}</th>
                      <th scope="col">{text.document}</th>
                      <th scope="col" className="number">
                        {text.grade}
                      </th>
                      <th scope="col">{text.judge}</th>
                      <th scope="col">
                        <span className="visually-hidden">{strings.actions.more}</span>
                      </th>
                    </tr>
                  </thead>
                  <tbody>
                    {items.map((judgment) => (
                      <Row key={judgment.id} judgment={judgment} reason={writeReason} />
                    ))}
                  </tbody>
                </table>
              </section>
            </>
          )
        }
      </Loaded>
      <ApiCall name="listQrels" input={input} />
      {isAdding && <AddDialog set={values.set} sets={sets} onClose={() => setAdding(false)} />}
    </div>
  )
}

const Row = ({
  judgment,
  reason
}: {
  readonly judgment: Judgment
  readonly reason: string | undefined
}): ReactNode => {
  const toast = useToast()
  const refresh = useRefresh()
  const document = useOperation(
    "getDocument",
    { id: judgment.docId ?? "" },
    { enabled: judgment.docId !== null }
  )
  const remove = useChange("putQrels", ["listQrels", "judgeAgreement"])
  const base = {
    set: judgment.set,
    queryId: judgment.queryId,
    ...(judgment.docId === null ? {} : { docId: judgment.docId })
  }
  const onRemove = () =>
    remove.mutate(
      { judgments: [{ ...base, grade: null }] },
      {
        onSuccess: () =>
          toast({
            text: text.removed,
            undo: async () => {
              await callOperation("putQrels", {
                judgments: [
                  {
                    ...base,
                    query: judgment.query,
                    ...(judgment.grade === null ? {} : { grade: judgment.grade }),
                    ...(judgment.expectAbstain ? { expectAbstain: true } : {}),
                    ...(judgment.answers.length === 0 ? {} : { answers: judgment.answers })
                  }
                ]
              })
              await refresh(["listQrels", "judgeAgreement"])
            }
          })
      }
    )
  return (
    <tr data-testid="judgment-row">
      <td>
        <code>{judgment.queryId}</code> <span dir="auto">{judgment.query}</span>
      </td>
      <td>
        {judgment.docId === null ? (
          <span className="muted" dir="auto">
            {judgment.expectAbstain ? text.abstain : judgment.answers.join("; ")}
          </span>
        ) : (
          <Link href={`/documents/${judgment.docId}`}>
            <Content>{document.data?.path ?? judgment.docId}</Content>
          </Link>
        )}
      </td>
      <td className="number">{judgment.grade}</td>
      <td>
        <Person id={judgment.judge} />
      </td>
      <td>
        <Button size="small" kind="quiet" reason={reason} busy={remove.isPending} onClick={onRemove}>
          {text.remove}
        </Button>
        <ErrorNote error={remove.error} />
      </td>
    </tr>
  )
}

const Agreement = ({ set }: { readonly set: string }): ReactNode => {
  const agreement = useConsoleOperation<ConsoleOutput<"judgeAgreement">>("judgeAgreement", { set })
  return (
    <Loaded query={agreement}>
      {({ alpha, pairs }) => (
        <details>
          <summary>
            {text.agreement} {alpha !== null && `(${text.alpha} ${alpha.toFixed(3)})`}
          </summary>
          {pairs.length === 0 ? (
            <p className="muted">{text.noAgreement}</p>
          ) : (
            <ul className="bullets">
              {pairs.map(({ a, b, items, kappa }) => (
                <li key={`${a}-${b}`}>
                  {text.kappa(a, b)}: κ {kappa.toFixed(3)} ({items})
                </li>
              ))}
            </ul>
          )}
        </details>
      )}
    </Loaded>
  )
}

const AddDialog = ({
  onClose,
  set,
  sets
}: {
  readonly set: string
  readonly sets: ReadonlyArray<string>
  readonly onClose: () => void
}): ReactNode => {
  const id = useId()
  const toast = useToast()
  const refresh = useRefresh()
  const [isAbstain, setAbstain] = useState(false)
  const [error, setError] = useState<unknown>(null)
  const [busy, setBusy] = useState(false)
  const submit = async (form: FormData) => {
    const value = (name: string) => String(form.get(name) ?? "").trim()
    const answers = value("answers")
      .split("\n")
      .flatMap((line) => line.trim() || [])
    setBusy(true)
    setError(null)
    try {
      const named = value("document")
      const docId =
        isAbstain || named === "" ? null : named.startsWith("doc_") ? named : await documentAt(named)
      await callOperation("putQrels", {
        judgments: [
          {
            set: value("set"),
            queryId: value("queryId"),
            query: value("query"),
            ...(docId === null ? {} : { docId, grade: Number(value("grade")) }),
            ...(isAbstain ? { expectAbstain: true } : answers.length === 0 ? {} : { answers })
          }
        ]
      })
      await refresh(["listQrels", "judgeAgreement", "listEvals"])
      onClose()
      toast({ text: text.saved })
    } catch (failure) {
      setError(failure)
    } finally {
      setBusy(false)
    }
  }
  return (
    <Dialog title={text.add} onClose={onClose}>
      <form
        className="stack tight"
        onSubmit={(event) => {
          event.preventDefault()
          void submit(new FormData(event.currentTarget))
        }}
      >
        <datalist id={id}>
          {sets.map((one) => (
            <option key={one} value={one} />
          ))}
        </datalist>
        <Field label={text.set}>
          <input name="set" required list={id} dir="auto" defaultValue={set} />
        </Field>
        <Field label={text.queryId} hint={text.queryIdHint}>
          <input name="queryId" required pattern="\S+" />
        </Field>
        <Field label={text.query}>
          <input name="query" required dir="auto" />
        </Field>
        <label className="check">
          <input type="checkbox" checked={isAbstain} onChange={(event) => setAbstain(event.target.checked)} />
          {text.abstain}
        </label>
        {!isAbstain && (
          <>
            <Field label={text.document} hint={text.docHint}>
              <input name="document" dir="auto" />
            </Field>
            <Field label={text.grade}>
              <select name="grade" defaultValue="3">
                {evaluationText.pool.grades.map((meaning, grade) => (
                  <option key={meaning} value={grade}>
                    {meaning}
                  </option>
                ))}
              </select>
            </Field>
            <Field label={text.answers}>
              <textarea name="answers" rows={2} dir="auto" />
            </Field>
          </>
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

const documentAt = async (path: string): Promise<string> =>
  (
    await callOwn<ConsoleOutput<"getDocumentByPath">>("operations/getDocumentByPath", {
      method: "POST",
      body: { path }
    })
  ).id
