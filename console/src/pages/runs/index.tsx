import { useQueryClient } from "@tanstack/react-query"
import { type ReactNode, useEffect } from "react"
import { Link } from "wouter"
import type { GetRunResult, RunStatus } from "../../../../server/client/index.js"
import { useChange, useClient, useOperation, useRefresh } from "../../api/hooks.js"
import { useScopeReason, useSession } from "../../api/session.js"
import { ApiCall } from "../../components/api-call.js"
import { Button } from "../../components/button.js"
import { useConfirm } from "../../components/dialog.js"
import { ErrorNote } from "../../components/error.js"
import { Page } from "../../components/page.js"
import { Loaded } from "../../components/states.js"
import { Badge, Person, Time } from "../../components/text.js"
import { useToast } from "../../components/toast.js"
import type { PageRoute } from "../../page-route.js"
import { runText as text } from "../../strings/runs.js"
import { RunFeedback } from "./run-feedback.js"
import { RunStatusBadge } from "./run-status.js"
import { RunSteps } from "./run-steps.js"

const active: ReadonlySet<RunStatus> = new Set(["queued", "running"])

/** One run: live while it works and the page is looked at. */
const RunPage: PageRoute["page"] = ({ params: { id = "" } }): ReactNode => {
  const run = useOperation("getRun", { id })
  const status = run.data?.run.status
  useLive(id, status !== undefined && active.has(status))
  if (run.data === undefined)
    return (
      <Page title={text.run}>
        <Loaded query={run}>{() => null}</Loaded>
      </Page>
    )
  return <RunDetail result={run.data} />
}

export default RunPage

/**
 * Reads the run again at each event of its stream. The stream is open only while the run works and the page is visible,
 * because a browser allows few connections to one server.
 */
const useLive = (id: string, isActive: boolean): void => {
  const client = useClient()
  const queries = useQueryClient()
  const { workspaceId } = useSession()
  useEffect(() => {
    if (!isActive) return
    let stop = new AbortController()
    const read = () => void queries.invalidateQueries({ queryKey: [workspaceId, "getRun"] })
    const follow = async (signal: AbortSignal) => {
      try {
        for await (const _event of client.streamRun({ id }, { signal })) read()
        read()
      } catch {
        // The page shows what is stored; a stream that cannot be had is no error of the run.
      }
    }
    const onVisible = () => {
      stop.abort()
      if (document.visibilityState !== "visible") return
      stop = new AbortController()
      read()
      void follow(stop.signal)
    }
    onVisible()
    document.addEventListener("visibilitychange", onVisible)
    return () => {
      document.removeEventListener("visibilitychange", onVisible)
      stop.abort()
    }
  }, [id, isActive, client, queries, workspaceId])
}

const RunDetail = ({ result: { run, steps } }: { readonly result: GetRunResult }): ReactNode => {
  const isActive = active.has(run.status)
  const item = useOperation("listRuns", {
    limit: 200,
    ...(run.conversationId === null ? {} : { conversationId: run.conversationId })
  })
  const listed = item.data?.items.find(({ id }) => id === run.id)
  return (
    <Page
      title={text.run}
      wide
      lead={
        <>
          <RunStatusBadge status={run.status} />{" "}
          {listed !== undefined && <Link href={`/agents/${listed.agentSlug}`}>{listed.agentSlug}</Link>}{" "}
          {isActive && <Badge tone="info">{text.live}</Badge>}
        </>
      }
      actions={<CancelButton id={run.id} isOpen={isActive || run.status === "suspended"} />}
    >
      <div className="with-side">
        <div className="stack">
          <section className="panel">
            <h2>{text.asks}</h2>
            <p dir="auto" className="prose">
              {run.input}
            </p>
          </section>
          {run.error !== null && (
            <div className="note warn" role="status">
              <p>{text.errors[run.error.code] ?? run.error.message}</p>
              {text.errors[run.error.code] !== undefined && (
                <p className="small" dir="auto">
                  {run.error.message}
                </p>
              )}
            </div>
          )}
          {run.output !== null && run.output.text !== "" && <Output run={run} />}
          <section className="stack tight">
            <h2>{text.timeline}</h2>
            <RunSteps runId={run.id} steps={steps} />
          </section>
          {!isActive && run.status !== "suspended" && (
            <RunFeedback runId={run.id} given={listed?.feedback ?? []} />
          )}
          <ApiCall name="getRun" input={{ id: run.id }} />
        </div>
        <Facts run={run} />
      </div>
    </Page>
  )
}

const Output = ({ run: { output, status } }: { readonly run: GetRunResult["run"] }): ReactNode =>
  output === null ? null : (
    <section className="panel">
      <h2>{status === "succeeded" ? text.answer : text.partial}</h2>
      <p dir="auto" className="prose">
        {output.text}
      </p>
      {output.citations.length > 0 && (
        <>
          <h3>{text.citations}</h3>
          <ol className="citation-list">
            {output.citations.map(({ chunkId, docId }, index) => (
              <li key={`${docId}-${chunkId}`}>
                <Source number={index + 1} docId={docId} chunkId={chunkId} />
              </li>
            ))}
          </ol>
        </>
      )}
    </section>
  )

const Source = ({
  chunkId,
  docId,
  number
}: {
  readonly number: number
  readonly docId: string
  readonly chunkId: string
}): ReactNode => {
  const { data } = useOperation("getDocument", { id: docId })
  return (
    <Link href={`/documents/${docId}?chunk=${chunkId}`}>
      [S{number}] <bdi dir="auto">{data?.title ?? docId}</bdi>
    </Link>
  )
}

const Facts = ({ run }: { readonly run: GetRunResult["run"] }): ReactNode => (
  <aside className="panel side-card">
    <dl className="facts">
      <dt>{text.cost}</dt>
      <dd>
        {run.costUsd} USD
        <br />
        <span className="muted">{text.tokens(run.tokensIn, run.tokensOut)}</span>
      </dd>
      <dt>{text.started}</dt>
      <dd>
        <Time at={run.startedAt ?? run.createdAt} form="exact" />
      </dd>
      <dt>{text.finished}</dt>
      <dd>
        {run.finishedAt === null ? (
          <span className="muted">—</span>
        ) : (
          <Time at={run.finishedAt} form="exact" />
        )}
      </dd>
      <dt>{text.by}</dt>
      <dd>
        <Person id={run.apiKeyId} />
      </dd>
      <dt>{text.trigger}</dt>
      <dd>{run.trigger}</dd>
      <dt>{text.version}</dt>
      <dd>
        <code>{run.agentVersionId}</code>
      </dd>
      {run.conversationId !== null && (
        <>
          <dt>{text.conversation}</dt>
          <dd>
            <Link href={`/agents?conversation=${run.conversationId}`}>
              <code>{run.conversationId}</code>
            </Link>
          </dd>
        </>
      )}
    </dl>
  </aside>
)

const CancelButton = ({ id, isOpen }: { readonly id: string; readonly isOpen: boolean }): ReactNode => {
  const scopeReason = useScopeReason("agents:run")
  const confirm = useConfirm()
  const toast = useToast()
  const refresh = useRefresh()
  const cancel = useChange("cancelRun", ["getRun", "listRuns", "inbox"])
  return (
    <>
      <ErrorNote error={cancel.error} />
      <Button
        reason={scopeReason ?? (isOpen ? undefined : text.ended)}
        onClick={() =>
          confirm({
            title: text.cancelTitle,
            text: text.cancelHint,
            action: text.cancel,
            danger: true,
            run: async () => {
              await cancel.mutateAsync({ id })
              await refresh(["getRun"])
              toast({ text: text.cancelled })
            }
          })
        }
      >
        {text.cancel}
      </Button>
    </>
  )
}
