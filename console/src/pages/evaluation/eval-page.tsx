import { type ReactNode, useState } from "react"
import type { EvalResult, EvalView } from "../../../../server/client/index.js"
import { useConsoleChange, useOperation } from "../../api/hooks.js"
import { useScopeReason } from "../../api/session.js"
import { ApiCall } from "../../components/api-call.js"
import { Button } from "../../components/button.js"
import { ErrorNote } from "../../components/error.js"
import { Figures } from "../../components/figures.js"
import { Page } from "../../components/page.js"
import { Loaded } from "../../components/states.js"
import { TabSet } from "../../components/tab-set.js"
import { Person, Time } from "../../components/text.js"
import { useToast } from "../../components/toast.js"
import { evaluationText as text } from "../../strings/evaluation.js"
import { Compare } from "./compare.js"
import { EvalBadge } from "./eval-list.js"
import { ClaimsToLabel, Pool } from "./to-judge.js"

const pageSize = 100

/** One evaluation run: figures, topics, comparison, and what is left to judge and to label. */
export const EvalPage = ({ id }: { readonly id: string }): ReactNode => {
  const [offset, setOffset] = useState(0)
  const [isActive, setActive] = useState(true)
  const run = useOperation(
    "getEval",
    { id, limit: pageSize, offset },
    { keepPrevious: true, everyMs: isActive ? 1_500 : undefined }
  )
  const status = run.data?.eval.status
  const works = status === undefined || status === "queued" || status === "running"
  if (works !== isActive) setActive(works)
  if (run.data === undefined)
    return (
      <Page title={text.title}>
        <Loaded query={run}>{() => null}</Loaded>
      </Page>
    )
  const { eval: view, results, total } = run.data
  const isDone = view.status === "succeeded"
  return (
    <Page
      title={view.name}
      wide
      lead={
        <>
          <EvalBadge status={view.status} /> {view.suite} · <bdi dir="auto">{view.set}</bdi>
        </>
      }
      actions={works && <Cancel id={id} />}
    >
      {works && (
        <p className="progress-line">
          <progress value={view.done} max={Math.max(1, view.topics)} aria-label={view.name} />
          <span className="muted">{text.progress(view.done, view.topics)}</span>
        </p>
      )}
      {view.error !== null && (
        <p className="error-note" dir="auto">
          {view.error}
        </p>
      )}
      {view.corpusChanged && <p className="note warn">{text.corpusChanged}</p>}
      {view.warnings.length > 0 && (
        <ul className="note warn bullets">
          {view.warnings.map((warning) => (
            <li key={warning}>{warning}</li>
          ))}
        </ul>
      )}
      <Metrics view={view} />
      <TabSet
        label={view.name}
        tabs={[
          {
            name: "topics",
            label: text.results,
            content: () => <Topics results={results} total={total} offset={offset} onOffset={setOffset} />
          },
          ...(isDone
            ? [
                { name: "compare", label: text.compare.title, content: () => <Compare run={view} /> },
                { name: "pool", label: text.pool.title, content: () => <Pool run={view} /> },
                ...(view.suite === "retrieval"
                  ? []
                  : [{ name: "label", label: text.label.title, content: () => <ClaimsToLabel id={id} /> }])
              ]
            : []),
          { name: "facts", label: text.facts, content: () => <Facts view={view} /> }
        ]}
      />
      <ApiCall name="getEval" input={{ id }} />
    </Page>
  )
}

const Cancel = ({ id }: { readonly id: string }): ReactNode => {
  const writeReason = useScopeReason("kb:write")
  const toast = useToast()
  const cancel = useConsoleChange("cancelEval", ["getEval", "listEvals", "listJobs"])
  return (
    <>
      <ErrorNote error={cancel.error} />
      <Button
        reason={writeReason}
        busy={cancel.isPending}
        onClick={() => cancel.mutate({ id }, { onSuccess: () => toast({ text: text.cancelled }) })}
      >
        {text.cancel}
      </Button>
    </>
  )
}

/** Measures that stand first are those that people compare. */
const mainFigures = 5

const figuresOf = (metrics: object): ReadonlyArray<readonly [string, string]> =>
  Object.entries(metrics).flatMap(([name, value]: readonly [string, unknown]) =>
    typeof value === "number" ? [[text.measures[name] ?? name, value.toFixed(4)] as const] : []
  )

const Metrics = ({ view: { judgeCorrections, metrics } }: { readonly view: EvalView }): ReactNode =>
  metrics === null ? null : (
    <>
      <Figures items={figuresOf(metrics).slice(0, mainFigures)} />
      {figuresOf(metrics).length > mainFigures && (
        <details>
          <summary>{text.allMeasures}</summary>
          <Figures items={figuresOf(metrics).slice(mainFigures)} />
        </details>
      )}
      {metrics.abstention !== null && (
        <section>
          <h2>{text.abstention}</h2>
          <Figures items={figuresOf(metrics.abstention)} />
        </section>
      )}
      {judgeCorrections.length > 0 && (
        <section className="stack tight">
          <h2>{text.corrections}</h2>
          <div className="table-frame">
            <table>
              <thead>
                <tr>
                  <th scope="col">{text.correction.metric}</th>
                  <th scope="col" className="number">
                    {text.correction.raw}
                  </th>
                  <th scope="col" className="number">
                    {text.correction.corrected}
                  </th>
                  <th scope="col" className="number">
                    {text.correction.interval}
                  </th>
                  <th scope="col" className="number">
                    {text.correction.labels}
                  </th>
                </tr>
              </thead>
              <tbody>
                {judgeCorrections.map((correction) => (
                  <tr key={`${correction.metric}-${correction.judge}`}>
                    <td>{correction.metric}</td>
                    <td className="number">{correction.raw.toFixed(3)}</td>
                    <td className="number">{correction.corrected?.toFixed(3) ?? text.correction.few}</td>
                    <td className="number">
                      {correction.interval?.map((end) => end.toFixed(3)).join(" – ") ?? ""}
                    </td>
                    <td className="number">{correction.labels}</td>
                  </tr>
                ))}
              </tbody>
            </table>
          </div>
        </section>
      )}
    </>
  )

const Topics = ({
  offset,
  onOffset,
  results,
  total
}: {
  readonly results: ReadonlyArray<EvalResult>
  readonly total: number
  readonly offset: number
  readonly onOffset: (offset: number) => void
}): ReactNode => {
  const names = [...new Set(results.flatMap(({ metrics }) => Object.keys(metrics)))].slice(0, 8)
  const hasVerdicts = results.some(({ verdict }) => verdict !== undefined)
  return (
    <div className="stack tight">
      {/* biome-ignore lint/a11y/noNoninteractiveTabindex: a block that scrolls has to be reachable by keyboard. */}
      <section className="table-frame" tabIndex={0} aria-label={text.results}>
        <table>
          <thead>
            <tr>
              <th scope="col">{text.topic}</th>
              {hasVerdicts && <th scope="col">{text.verdict}</th>}
              {names.map((name) => (
                <th key={name} scope="col" className="number">
                  {name}
                </th>
              ))}
            </tr>
          </thead>
          <tbody>
            {results.map((result) => (
              <tr key={result.queryId}>
                <td>
                  <code>{result.queryId}</code> <span dir="auto">{result.query}</span>
                  {result.answer !== undefined && (
                    <p className="muted small" dir="auto">
                      {result.answer}
                    </p>
                  )}
                </td>
                {hasVerdicts && <td>{result.verdict?.replaceAll("_", " ")}</td>}
                {names.map((name) => (
                  <td key={name} className="number">
                    {result.metrics[name]?.toFixed(3) ?? ""}
                  </td>
                ))}
              </tr>
            ))}
          </tbody>
        </table>
      </section>
      {total > pageSize && (
        <p className="button-row">
          <Button size="small" onClick={() => onOffset(Math.max(0, offset - pageSize))}>
            ←
          </Button>
          <span className="muted">
            {offset + 1}–{Math.min(total, offset + pageSize)} / {total}
          </span>
          <Button
            size="small"
            onClick={() => onOffset(offset + pageSize < total ? offset + pageSize : offset)}
          >
            →
          </Button>
        </p>
      )}
    </div>
  )
}

const Facts = ({ view }: { readonly view: EvalView }): ReactNode => (
  <dl className="facts">
    <dt>{text.by}</dt>
    <dd>
      <Person id={view.createdBy} />, <Time at={view.createdAt} />
    </dd>
    <dt>{text.seed}</dt>
    <dd>{view.seed}</dd>
    <dt>{text.digest}</dt>
    <dd>
      <code>{view.configDigest}</code>
    </dd>
    <dt>{text.corpus}</dt>
    <dd>
      <code>{view.corpusFingerprint}</code>
    </dd>
    <dt>{text.versions}</dt>
    <dd>
      {Object.entries(view.versions).map(([name, version]) => (
        <p key={name}>
          {name}: <code>{version}</code>
        </p>
      ))}
    </dd>
  </dl>
)
