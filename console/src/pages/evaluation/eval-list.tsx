import { type ReactNode, useId, useState } from "react"
import { Link, useLocation } from "wouter"
import type { EvalItem, EvalStatus, Suite } from "../../../../server/client/index.js"
import { useChange, useOperation } from "../../api/hooks.js"
import { useScopeReason } from "../../api/session.js"
import { ApiCall } from "../../components/api-call.js"
import { Button } from "../../components/button.js"
import { Dialog } from "../../components/dialog.js"
import { ErrorNote } from "../../components/error.js"
import { Field } from "../../components/page.js"
import { EmptyState, Loaded } from "../../components/states.js"
import { Badge, Content, Time } from "../../components/text.js"
import { useToast } from "../../components/toast.js"
import { evaluationText as text } from "../../strings/evaluation.js"
import { strings } from "../../strings.js"
import { useSets } from "./sets.js"

const tones = {
  queued: "neutral",
  running: "info",
  succeeded: "good",
  failed: "bad",
  cancelled: "neutral"
} as const

export const EvalBadge = ({ status }: { readonly status: EvalStatus }): ReactNode => (
  <Badge tone={tones[status]}>{text.statuses[status]}</Badge>
)

/** The main figure of a run, by suite. */
const mainFigure = ({ metrics, suite }: EvalItem): string => {
  if (metrics === null) return ""
  const [name, value] =
    suite === "retrieval"
      ? (["nDCG@10", metrics.ndcg] as const)
      : suite === "answer"
        ? (["groundedness", metrics.groundedness] as const)
        : (["coverage", metrics.abstention?.coverage ?? null] as const)
  return value === null ? "" : `${name} ${value.toFixed(3)}`
}

/** Evaluation runs, newest first. */
export const EvalList = (): ReactNode => {
  const evals = useOperation("listEvals", { limit: 200 }, { everyMs: 5_000 })
  const writeReason = useScopeReason("kb:write")
  const [isStarting, setStarting] = useState(false)
  return (
    <div className="stack">
      <p>
        <Button kind="primary" reason={writeReason} onClick={() => setStarting(true)}>
          {text.start}
        </Button>
      </p>
      <Loaded query={evals}>
        {({ items }) =>
          items.length === 0 ? (
            <EmptyState title={text.empty}>
              <p>{text.emptyHint}</p>
              <Link href="/evals?tab=judgments" className="button plain">
                {text.toJudgments}
              </Link>
            </EmptyState>
          ) : (
            <ul className="list">
              {items.map((run) => (
                <li key={run.id} className="list-row row spread" data-testid="eval-row" data-id={run.id}>
                  <span>
                    <Link href={`/evals/${run.id}`}>
                      <strong>
                        <Content>{run.name}</Content>
                      </strong>
                    </Link>
                    <br />
                    <span className="muted small">
                      {run.suite} · <Content>{run.set}</Content> · <Time at={run.createdAt} />
                    </span>
                  </span>
                  <span className="row">
                    <span className="mono">{mainFigure(run)}</span>
                    <EvalBadge status={run.status} />
                  </span>
                </li>
              ))}
            </ul>
          )
        }
      </Loaded>
      <ApiCall name="listEvals" input={{}} />
      {isStarting && <StartDialog onClose={() => setStarting(false)} />}
    </div>
  )
}

const StartDialog = ({ onClose }: { readonly onClose: () => void }): ReactNode => {
  const id = useId()
  const sets = useSets()
  const [, navigate] = useLocation()
  const toast = useToast()
  const start = useChange("startEval", ["listEvals", "listJobs"])
  const submit = async (form: FormData) => {
    const channel = String(form.get("channel"))
    const started = await start
      .mutateAsync({
        name: String(form.get("name")),
        suite: String(form.get("suite")) as Suite,
        set: String(form.get("set")),
        seed: Number(form.get("seed")),
        options: {
          ...(channel === "fts" || channel === "vector" ? { channels: [channel] } : {}),
          rerank: form.get("rerank") !== null
        },
        calibrate: form.get("calibrate") !== null
      })
      .catch(() => null)
    if (started === null) return
    toast({ text: text.started })
    navigate(`/evals/${started.id}`)
  }
  return (
    <Dialog title={text.start} onClose={onClose}>
      <form
        className="stack tight"
        onSubmit={(event) => {
          event.preventDefault()
          void submit(new FormData(event.currentTarget))
        }}
      >
        <Field label={text.name}>
          <input name="name" required dir="auto" />
        </Field>
        <Field label={text.suite}>
          <select name="suite">
            {Object.entries(text.suites).map(([suite, label]) => (
              <option key={suite} value={suite}>
                {label}
              </option>
            ))}
          </select>
        </Field>
        <datalist id={id}>
          {sets.map((set) => (
            <option key={set} value={set} />
          ))}
        </datalist>
        <Field label={text.set} hint={text.setHint}>
          <input name="set" required list={id} dir="auto" defaultValue={sets[0]} key={sets[0]} />
        </Field>
        <Field label={text.channels}>
          <select name="channel">
            <option value="">{text.bothChannels}</option>
            <option value="fts">{text.onlyFts}</option>
            <option value="vector">{text.onlyVector}</option>
          </select>
        </Field>
        <Field label={text.seed}>
          <input name="seed" type="number" defaultValue={1} required />
        </Field>
        <label className="check">
          <input type="checkbox" name="rerank" />
          {text.rerank}
        </label>
        <label className="check">
          <input type="checkbox" name="calibrate" />
          {text.calibrate}
        </label>
        <ErrorNote error={start.error} />
        <div className="dialog-actions">
          <Button onClick={onClose}>{strings.actions.cancel}</Button>
          <Button kind="primary" type="submit" busy={start.isPending}>
            {text.start}
          </Button>
        </div>
      </form>
    </Dialog>
  )
}
