import { type ReactNode, useState } from "react"
import { Link } from "wouter"
import type { RequestOverview } from "../../../../server/client/index.js"
import { useChange, useOperation } from "../../api/hooks.js"
import { useScopeReason, useSession } from "../../api/session.js"
import { Button } from "../../components/button.js"
import { useConfirm } from "../../components/dialog.js"
import { ErrorNote } from "../../components/error.js"
import { FieldsDiff } from "../../components/fields-diff.js"
import { useKeys } from "../../components/keyboard.js"
import { Field } from "../../components/page.js"
import { Loaded } from "../../components/states.js"
import { Badge, Content, Person, Time } from "../../components/text.js"
import { useToast } from "../../components/toast.js"
import { entityText } from "../../strings/entities.js"
import { requestText as text } from "../../strings/requests.js"
import { entityStale } from "../entities/stale.js"
import { requestName } from "./request-name.js"

/** One request: what it would change, what hangs on it, whether it can be approved, and the decision. */
export const RequestView = ({ id }: { readonly id: string }): ReactNode => {
  const overview = useOperation("getChangeRequest", { id })
  return (
    <Loaded query={overview}>
      {(data) => (
        <article className="stack">
          <Head overview={data} />
          <Difference overview={data} />
          <Impact overview={data} />
          {data.request.status === "open" ? <Decision overview={data} /> : <Decided overview={data} />}
          <Discussion overview={data} />
        </article>
      )}
    </Loaded>
  )
}

type Part = { readonly overview: RequestOverview }

const Head = ({ overview: { request } }: Part): ReactNode => (
  <header>
    <h2>
      <Content>{requestName(request)}</Content> <Badge tone="info">{text.kinds[request.kind]}</Badge>{" "}
      {request.status !== "open" && <Badge>{text.statuses[request.status]}</Badge>}
    </h2>
    <p className="muted">
      <Person id={request.proposedBy} /> {text.proposed}, <Time at={request.createdAt} />
      {request.entityId !== null && (
        <>
          {" · "}
          <Link href={`/entities/${request.appliedEntityId ?? request.entityId}`}>{text.openEntity}</Link>
        </>
      )}
    </p>
    {request.note !== null && (
      <blockquote dir="auto" aria-label={text.note}>
        {request.note}
      </blockquote>
    )}
  </header>
)

const Difference = ({ overview: { preview, request } }: Part): ReactNode => {
  const isOpen = request.status === "open"
  const diff =
    isOpen && Object.keys(preview.diff).length > 0
      ? preview.diff
      : Object.fromEntries(Object.entries(request.payload).map(([field, to]) => [field, { from: null, to }]))
  return (
    <section>
      <h3>{isOpen ? text.diff : text.diffDone}</h3>
      {Object.keys(diff).length === 0 ? (
        <p className="muted" data-testid="request-diff">
          {text.noDiff}
        </p>
      ) : (
        <FieldsDiff diff={diff} testId="request-diff" />
      )}
    </section>
  )
}

const Impact = ({ overview: { impact } }: Part): ReactNode => (
  <section data-testid="request-impact">
    <h3>{text.impact.title}</h3>
    <p className="chips">
      <Badge>{text.impact.relations(impact.relations)}</Badge>
      <Badge>{text.impact.answers(impact.answers)}</Badge>
      <Badge>{text.impact.cache(impact.cacheEntries)}</Badge>
    </p>
  </section>
)

const Decision = ({ overview: { preview, request } }: Part): ReactNode => {
  const { id } = request
  const writeReason = useScopeReason("kb:write")
  const { actor, member } = useSession()
  const [note, setNote] = useState("")
  const toast = useToast()
  const confirm = useConfirm()
  const approve = useChange("approveChangeRequest", entityStale)
  const reject = useChange("rejectChangeRequest", entityStale)
  const withdraw = useChange("withdrawChangeRequest", entityStale)
  const input = { id, ...(note.trim() === "" ? {} : { note: note.trim() }) }
  const { blockedBy } = preview
  const blocked =
    blockedBy === null
      ? undefined
      : (text.blocked[
          blockedBy === "reviewer_required" && member === null ? "reviewer_required_key" : blockedBy
        ] ?? blockedBy)
  const onApprove = () => approve.mutate(input, { onSuccess: () => toast({ text: text.done.approved }) })
  const onReject = () => reject.mutate(input, { onSuccess: () => toast({ text: text.done.rejected }) })
  const isBusy = approve.isPending || reject.isPending || withdraw.isPending
  useKeys({
    a: () => {
      if (blocked === undefined && writeReason === undefined && !isBusy) onApprove()
    },
    r: () => {
      if (writeReason === undefined && !isBusy) onReject()
    }
  })
  return (
    <section className="decision">
      {blocked !== undefined && (
        <p className="callout warn" data-testid="request-blocked" data-code={blockedBy ?? ""}>
          <strong>{text.blocked["title"]}.</strong> {blocked}
        </p>
      )}
      <Field label={text.reviewNote}>
        <textarea
          rows={2}
          maxLength={4000}
          dir="auto"
          value={note}
          onChange={(event) => setNote(event.target.value)}
        />
      </Field>
      <ErrorNote error={approve.error ?? reject.error ?? withdraw.error} />
      <p className="button-row">
        <Button
          kind="primary"
          data-testid="request-approve"
          reason={writeReason ?? blocked}
          busy={approve.isPending}
          onClick={onApprove}
        >
          {text.approve}
        </Button>
        <Button data-testid="request-reject" reason={writeReason} busy={reject.isPending} onClick={onReject}>
          {text.reject}
        </Button>
        <Button
          kind="quiet"
          reason={writeReason ?? (request.proposedBy === actor ? undefined : text.withdrawHint)}
          onClick={() =>
            confirm({
              title: text.withdrawTitle,
              action: text.withdraw,
              run: async () => {
                await withdraw.mutateAsync({ id })
                toast({ text: text.done.withdrawn })
              }
            })
          }
        >
          {text.withdraw}
        </Button>
      </p>
    </section>
  )
}

const Decided = ({ overview: { request } }: Part): ReactNode => (
  <section>
    <p>
      <Badge tone={request.status === "approved" ? "good" : "neutral"}>{text.statuses[request.status]}</Badge>{" "}
      <Person id={request.reviewedBy} />, <Time at={request.reviewedAt} />
      {request.appliedEntityId !== null && (
        <>
          {" · "}
          <Link href={`/entities/${request.appliedEntityId}`}>{text.openEntity}</Link>
        </>
      )}
    </p>
    {request.reviewNote !== null && (
      <blockquote dir="auto" aria-label={text.reviewNoteOf}>
        {request.reviewNote}
      </blockquote>
    )}
  </section>
)

const Discussion = ({ overview: { discussion } }: Part): ReactNode =>
  discussion.length === 0 ? null : (
    <section>
      <h3>{text.discussion}</h3>
      <ul className="plain-list">
        {discussion.map((revision) => (
          <li key={revision.version}>
            {entityText.history.kinds[revision.changeKind]} · <Person id={revision.changedBy} />,{" "}
            <Time at={revision.createdAt} />
            {revision.note !== null && <span dir="auto"> {revision.note}</span>}
          </li>
        ))}
      </ul>
    </section>
  )
