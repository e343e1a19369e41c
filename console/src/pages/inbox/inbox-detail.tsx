import { type ReactNode, useState } from "react"
import { Link } from "wouter"
import { approvalOf } from "../../../../react/approval.js"
import type { InboxItem } from "../../../../server/console/inbox-model.js"
import { type Stale, useChange, useConsoleChange, useOperation } from "../../api/hooks.js"
import { useMark } from "../../api/inbox.js"
import { useScopeReason } from "../../api/session.js"
import { Button } from "../../components/button.js"
import { TextView } from "../../components/json-view.js"
import { Loaded } from "../../components/states.js"
import { Content, Person, Time } from "../../components/text.js"
import { useToast } from "../../components/toast.js"
import { formatShare } from "../../language.js"
import { entityText } from "../../strings/entities.js"
import { inboxText as text } from "../../strings/inbox.js"
import { runText } from "../../strings/runs.js"
import { MergeDialog } from "../entities/merge-dialog.js"
import { entityStale } from "../entities/stale.js"
import { RequestView } from "../requests/request-view.js"
import { ApprovalCard } from "../runs/approval.js"
import { ForeignChange } from "./change-item.js"
import { NegativeFeedback } from "./feedback-item.js"
import { Head, Verbs } from "./item-parts.js"
import { Proposal } from "./proposal.js"
import { Assignment } from "./settle.js"

type Of<Kind extends InboxItem["kind"]> = { readonly item: Extract<InboxItem, { readonly kind: Kind }> }

/** Kinds that are marked by verbs of their own, or end by a decision only. */
const ownMarks: ReadonlySet<InboxItem["kind"]> = new Set([
  "change_request",
  "approval",
  "proposal",
  "feedback",
  "change",
  "duplicate"
])

/** The item that is looked at, with what can be done about it. */
export const InboxDetail = ({ item }: { readonly item: InboxItem }): ReactNode => (
  <>
    <ItemView item={item} />
    <Assignment item={item} hasMarks={!ownMarks.has(item.kind)} />
  </>
)

const ItemView = ({ item }: { readonly item: InboxItem }): ReactNode => {
  switch (item.kind) {
    case "change":
      return <ForeignChange item={item} />
    case "change_request":
      return <RequestView id={item.data.requestId} />
    case "approval":
      return <Approval item={item} />
    case "review":
      return <Review item={item} />
    case "verification":
      return <Verification item={item} />
    case "duplicate":
      return <DuplicatePair item={item} />
    case "sync_conflict":
      return <SyncConflict item={item} />
    case "feedback":
      return <NegativeFeedback item={item} />
    case "judgment":
      return <Judgment item={item} />
    case "contradiction":
      return <Contradiction item={item} />
    case "proposal":
      return <Proposal item={item} />
  }
}

const Approval = ({ item }: Of<"approval">): ReactNode => {
  const run = useOperation("getRun", { id: item.data.runId })
  return (
    <div className="stack">
      <Head item={item} href={`/runs/${item.data.runId}`} open={text.open.run} />
      <Loaded query={run}>
        {({ run: { input }, steps }) => {
          const known = steps.flatMap((step) => approvalOf(step) ?? [])
          const call = known.find(({ approvalId }) => approvalId === item.data.approvalId)
          return (
            <>
              <blockquote dir="auto">{input}</blockquote>
              <ApprovalCard
                runId={item.data.runId}
                approval={
                  call ?? { ...item.data, reason: runText.approval.tool(item.data.toolName), diff: null }
                }
              />
            </>
          )
        }}
      </Loaded>
    </div>
  )
}

const Review = ({ item }: Of<"review">): ReactNode => {
  const { entityId: id, nextReviewAt, ownerId } = item.data
  const reason = useScopeReason("kb:write")
  const toast = useToast()
  const entity = useOperation("getEntity", { id })
  const review = useChange("reviewEntity", entityStale)
  const certify = useChange("certifyEntity", entityStale)
  return (
    <div className="stack">
      <Head item={item} href={`/entities/${id}`} open={text.open.entity} />
      <p>{text.review.text}</p>
      <p className="muted">
        <Time at={nextReviewAt} form="exact" /> · <Person id={ownerId} />
      </p>
      {entity.data !== undefined && (
        <p dir="auto" className="prose">
          {entity.data.description ?? entity.data.aliases.join(", ")}
        </p>
      )}
      <Verbs
        reason={reason}
        busy={review.isPending || certify.isPending}
        error={review.error ?? certify.error}
        first={{
          label: text.review.review,
          run: () => review.mutate({ id }, { onSuccess: () => toast({ text: text.review.done }) })
        }}
        second={{
          label: text.review.certify,
          run: () => certify.mutate({ id }, { onSuccess: () => toast({ text: text.review.certified }) })
        }}
      />
    </div>
  )
}

const documentStale: Stale = [
  "getDocument",
  "listDocuments",
  "getDocumentLineage",
  "listStewardship",
  "inbox"
]

const Verification = ({ item }: Of<"verification">): ReactNode => {
  const { docId: id, nextVerifyAt } = item.data
  const reason = useScopeReason("kb:write")
  const toast = useToast()
  const document = useOperation("getDocument", { id })
  const verify = useChange("verifyDocument", documentStale)
  const set = (verification: "verified" | "unverified", done: string) =>
    verify.mutate({ id, verification }, { onSuccess: () => toast({ text: done }) })
  return (
    <div className="stack">
      <Head item={item} href={`/documents/${id}`} open={text.open.document} />
      <p>{text.verification.text}</p>
      <p className="muted">
        <Time at={nextVerifyAt} form="exact" />
      </p>
      <Loaded query={document}>{({ content }) => <TextView label={item.title} text={content} />}</Loaded>
      <Verbs
        reason={reason}
        busy={verify.isPending}
        error={verify.error}
        first={{ label: text.verification.verify, run: () => set("verified", text.verification.done) }}
        second={{ label: text.verification.unverify, run: () => set("unverified", text.verification.undone) }}
      />
    </div>
  )
}

const DuplicatePair = ({ item }: Of<"duplicate">): ReactNode => {
  const { duplicateId, duplicateName, headId, headName, score } = item.data
  const reason = useScopeReason("kb:write")
  const [isMerging, setMerging] = useState(false)
  const toast = useToast()
  const mark = useMark()
  return (
    <div className="stack">
      <Head item={item} href={`/entities/${duplicateId}?tab=duplicates`} open={text.open.entity} />
      <p dir="auto">{text.duplicate.text(duplicateName, headName, formatShare(score))}</p>
      <Verbs
        reason={reason}
        busy={mark.isPending}
        error={mark.error}
        first={{ label: text.duplicate.merge, run: () => setMerging(true) }}
        second={{
          label: entityText.duplicates.apart,
          run: () =>
            mark.mutate(
              { kind: "duplicate", id: item.id, state: "rejected" },
              { onSuccess: () => toast({ text: text.duplicate.apart }) }
            )
        }}
      />
      {isMerging && (
        <MergeDialog
          from={{ id: duplicateId, name: duplicateName, type: "" }}
          into={{ id: headId, name: headName, type: "" }}
          onClose={() => setMerging(false)}
          onMerged={() => setMerging(false)}
        />
      )}
    </div>
  )
}

const SyncConflict = ({ item }: Of<"sync_conflict">): ReactNode => {
  const { connectorId, connectorName, externalId, reason: told } = item.data
  const reason = useScopeReason("kb:write")
  const toast = useToast()
  const sync = useChange("syncContentConnector", [
    "getContentConnector",
    "listContentConnectors",
    "listJobs",
    "inbox"
  ])
  const settle = (onConflict: "keep" | "source") =>
    sync.mutate({ id: connectorId, onConflict }, { onSuccess: () => toast({ text: text.conflict.done }) })
  return (
    <div className="stack">
      <Head item={item} href={`/connectors/${connectorId}`} open={text.open.connector} />
      <p>{text.conflict.text}</p>
      <p dir="auto" className="muted">
        {[connectorName, externalId].filter((part) => part !== null).join(" · ")}
      </p>
      <blockquote dir="auto">{told}</blockquote>
      <Verbs
        reason={reason}
        busy={sync.isPending}
        error={sync.error}
        first={{ label: text.conflict.keep, run: () => settle("keep") }}
        second={{ label: text.conflict.source, run: () => settle("source") }}
      />
    </div>
  )
}

const Judgment = ({ item }: Of<"judgment">): ReactNode => {
  const { answers, docId, feedbackIds, grade, path, query, set, why } = item.data
  const reason = useScopeReason("kb:write")
  const toast = useToast()
  const accept = useConsoleChange("acceptQrels", ["inbox", "proposeQrels", "listQrels"])
  const store = (as?: number) =>
    accept.mutate(
      {
        set,
        feedbackIds,
        ...(docId === null ? {} : { docId }),
        ...(as === undefined ? {} : { grade: as })
      },
      { onSuccess: () => toast({ text: text.judgment.done }) }
    )
  return (
    <div className="stack">
      <Head
        item={item}
        href={`/evals?tab=judgments&set=${encodeURIComponent(set)}`}
        open={text.open.evaluation}
      />
      <p>{text.judgment.text(set)}</p>
      <dl className="facts">
        <dt>{text.judgment.question}</dt>
        <dd dir="auto">{query}</dd>
        {docId !== null && (
          <>
            <dt>{text.judgment.document}</dt>
            <dd>
              <Link href={`/documents/${docId}`}>
                <Content>{path ?? docId}</Content>
              </Link>
            </dd>
            <dt>{text.judgment.grade}</dt>
            <dd>{grade}</dd>
          </>
        )}
        {answers.length > 0 && (
          <>
            <dt>{text.judgment.answers}</dt>
            <dd dir="auto">{answers.join("; ")}</dd>
          </>
        )}
        <dt>{text.judgment.why}</dt>
        <dd dir="auto">{why}</dd>
      </dl>
      <Verbs
        reason={reason}
        busy={accept.isPending}
        error={accept.error}
        first={{ label: text.judgment.accept, run: () => store() }}
        second={docId === null ? undefined : { label: text.judgment.reject, run: () => store(0) }}
      />
    </div>
  )
}

const Contradiction = ({ item }: Of<"contradiction">): ReactNode => {
  const { contradictionId, sides } = item.data
  const page = sides.flatMap(({ docId }) => docId ?? [])[0] ?? ""
  const reason = useScopeReason("kb:write")
  const toast = useToast()
  const [why, setWhy] = useState("")
  const settle = useConsoleChange("settleContradiction", ["inbox"])
  const verify = useChange("verifyDocument", documentStale)
  return (
    <div className="stack">
      <Head item={item} href={`/documents/${page}`} open={text.open.document} />
      <p>{text.contradiction.text}</p>
      {sides.map(({ docId, place, quote, standing, value }) =>
        docId === null ? (
          <section key={`${place} ${value}`} className="stack">
            <p>
              <Content>{place}</Content> ({text.contradiction.row(standing)})
            </p>
            <blockquote dir="auto">{quote}</blockquote>
          </section>
        ) : (
          <section key={`${docId} ${value}`} className="stack">
            <p>
              <Link href={`/documents/${docId}`}>
                <Content>{place}</Content>
              </Link>
            </p>
            <blockquote dir="auto">{quote}</blockquote>
            <p className="button-row">
              <Link href={`/documents/${docId}`} className="button quiet small">
                {text.contradiction.change}
              </Link>
              <Button
                reason={reason}
                busy={verify.isPending}
                onClick={() =>
                  verify.mutate(
                    { id: docId, verification: "deprecated" },
                    { onSuccess: () => toast({ text: text.contradiction.deprecated }) }
                  )
                }
              >
                {text.contradiction.deprecate}
              </Button>
            </p>
          </section>
        )
      )}
      <label className="stack">
        {text.contradiction.reason}
        <input value={why} onChange={({ target }) => setWhy(target.value)} dir="auto" maxLength={4000} />
      </label>
      <Verbs
        reason={reason ?? (why.trim() === "" ? text.contradiction.noReason : undefined)}
        busy={settle.isPending}
        error={settle.error ?? verify.error}
        first={{
          label: text.contradiction.bothTrue,
          run: () =>
            settle.mutate(
              { id: contradictionId, status: "both_true", reason: why },
              { onSuccess: () => toast({ text: text.contradiction.done }) }
            )
        }}
      />
    </div>
  )
}
