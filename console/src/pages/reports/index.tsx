import { type ReactNode, useState } from "react"
import { Link, useLocation } from "wouter"
import type { ReportKind } from "../../../../server/client/index.js"
import { useChange, useOperation } from "../../api/hooks.js"
import { useScopeReason } from "../../api/session.js"
import { ApiCall } from "../../components/api-call.js"
import { Button } from "../../components/button.js"
import { Dialog } from "../../components/dialog.js"
import { ErrorNote } from "../../components/error.js"
import { Field, Page } from "../../components/page.js"
import { EmptyState, Loaded } from "../../components/states.js"
import { Badge, Content, Person, Time } from "../../components/text.js"
import { useToast } from "../../components/toast.js"
import type { PageRoute } from "../../page-route.js"
import { reportText as text } from "../../strings/reports.js"
import { strings } from "../../strings.js"
import { ReportPage } from "./report-page.js"

/** Reports, newest first, and one of them. */
const Reports: PageRoute["page"] = ({ params: { id } }): ReactNode =>
  id === undefined ? <ReportList /> : <ReportPage key={id} id={id} />

export default Reports

const ReportList = (): ReactNode => {
  const reports = useOperation("listReports", {})
  const writeReason = useScopeReason("reports:write")
  const [isCreating, setCreating] = useState(false)
  return (
    <Page
      title={text.title}
      lead={text.lead}
      actions={
        <Button kind="primary" reason={writeReason} onClick={() => setCreating(true)}>
          {text.create}
        </Button>
      }
    >
      <Loaded query={reports}>
        {({ items }) =>
          items.length === 0 ? (
            <EmptyState title={text.empty}>
              <p>{text.emptyHint}</p>
            </EmptyState>
          ) : (
            <ul className="list">
              {items.map((report) => (
                <li
                  key={report.id}
                  className="list-row row spread"
                  data-testid="report-row"
                  data-id={report.id}
                >
                  <span>
                    <Link href={`/reports/${report.id}`}>
                      <strong>
                        <Content>{report.title}</Content>
                      </strong>
                    </Link>
                    <br />
                    <span className="muted small">
                      {text.kinds[report.kind]} · {text.by} <Person id={report.createdBy} />,{" "}
                      <Time at={report.generatedAt} />
                    </span>
                  </span>
                  <Badge tone={report.status === "ready" ? "good" : "neutral"}>
                    {text.statuses[report.status]}
                  </Badge>
                </li>
              ))}
            </ul>
          )
        }
      </Loaded>
      <ApiCall name="listReports" input={{}} />
      {isCreating && <CreateDialog onClose={() => setCreating(false)} />}
    </Page>
  )
}

const CreateDialog = ({ onClose }: { readonly onClose: () => void }): ReactNode => {
  const [, navigate] = useLocation()
  const toast = useToast()
  const create = useChange("createReport", ["listReports"])
  const submit = async (form: FormData) => {
    const made = await create
      .mutateAsync({ title: String(form.get("title")), kind: String(form.get("kind")) as ReportKind })
      .catch(() => null)
    if (made === null) return
    toast({ text: text.made })
    navigate(`/reports/${made.id}`)
  }
  return (
    <Dialog title={text.create} onClose={onClose}>
      <form
        className="stack tight"
        onSubmit={(event) => {
          event.preventDefault()
          void submit(new FormData(event.currentTarget))
        }}
      >
        <Field label={text.name}>
          <input name="title" required maxLength={200} dir="auto" />
        </Field>
        <Field label={text.kind}>
          <select name="kind">
            {Object.entries(text.kinds).map(([kind, label]) => (
              <option key={kind} value={kind}>
                {label}
              </option>
            ))}
          </select>
        </Field>
        <ErrorNote error={create.error} />
        <div className="dialog-actions">
          <Button onClick={onClose}>{strings.actions.cancel}</Button>
          <Button kind="primary" type="submit" busy={create.isPending}>
            {strings.actions.create}
          </Button>
        </div>
      </form>
    </Dialog>
  )
}
