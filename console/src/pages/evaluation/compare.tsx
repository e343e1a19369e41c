import { type ReactNode, useState } from "react"
import type { CompareEvalsResult, EvalView } from "../../../../server/client/index.js"
import { useOperation } from "../../api/hooks.js"
import { Figures } from "../../components/figures.js"
import { Field } from "../../components/page.js"
import { Loaded } from "../../components/states.js"
import { evaluationText } from "../../strings/evaluation.js"

const text = evaluationText.compare
const fixed = (value: number | null): string => (value === null ? "—" : value.toFixed(4))

/** Compares a run with a baseline, topic by topic. */
export const Compare = ({ run }: { readonly run: EvalView }): ReactNode => {
  const others = useOperation("listEvals", { suite: run.suite, status: "succeeded", limit: 200 })
  const [baseline, setBaseline] = useState("")
  const [metric, setMetric] = useState("")
  const choices = (others.data?.items ?? []).filter(({ id, set }) => id !== run.id && set === run.set)
  const comparison = useOperation(
    "compareEvals",
    { id: run.id, baseline, ...(metric === "" ? {} : { metric }) },
    { enabled: baseline !== "" }
  )
  const metrics = Object.entries({ ...run.metrics }).flatMap(([name, value]: readonly [string, unknown]) =>
    typeof value === "number" && /[@.]|^(rr|ap|f1|exactMatch)$/.test(name) ? [name] : []
  )
  if (others.data !== undefined && choices.length === 0) return <p className="muted">{text.none}</p>
  return (
    <div className="stack">
      <div className="field-row">
        <Field label={text.baseline}>
          <select value={baseline} onChange={(event) => setBaseline(event.target.value)}>
            <option value="">{text.choose}</option>
            {choices.map(({ id, name }) => (
              <option key={id} value={id}>
                {name}
              </option>
            ))}
          </select>
        </Field>
        <Field label={text.metric}>
          <select value={metric} onChange={(event) => setMetric(event.target.value)}>
            <option value="">{text.main}</option>
            {metrics.map((name) => (
              <option key={name}>{name}</option>
            ))}
          </select>
        </Field>
      </div>
      {baseline !== "" && <Loaded query={comparison}>{(result) => <Result result={result} />}</Loaded>}
    </div>
  )
}

const Result = ({ result }: { readonly result: CompareEvalsResult }): ReactNode => (
  <>
    <p
      className={result.adjusted < 0.05 ? (result.delta > 0 ? "note good" : "note warn") : "note"}
      role="status"
    >
      {result.adjusted < 0.05 ? text.apart(result.delta > 0) : text.notApart}
    </p>
    <Figures
      items={[
        [result.metric, `${fixed(result.meanA)} → ${fixed(result.meanB)}`],
        [text.delta, fixed(result.delta)],
        [text.interval, result.ci95.map(fixed).join(" … ")],
        [text.p, fixed(result.adjusted)],
        [text.wins, String(result.wins)],
        [text.losses, String(result.losses)],
        [text.ties, String(result.ties)],
        [text.effect, fixed(result.effectSize)],
        [text.mde, fixed(result.mde)]
      ]}
    />
    <h3>{text.regressions}</h3>
    {result.regressions.length === 0 ? (
      <p className="muted">{text.noneWorse}</p>
    ) : (
      <div className="table-frame">
        <table>
          <thead>
            <tr>
              <th scope="col">{evaluationText.topic}</th>
              <th scope="col" className="number">
                A
              </th>
              <th scope="col" className="number">
                B
              </th>
              <th scope="col" className="number">
                {text.delta}
              </th>
            </tr>
          </thead>
          <tbody>
            {result.regressions.map(({ a, b, delta, queryId }) => (
              <tr key={queryId}>
                <td>
                  <code>{queryId}</code>
                </td>
                <td className="number">{fixed(a)}</td>
                <td className="number">{fixed(b)}</td>
                <td className="number">{fixed(delta)}</td>
              </tr>
            ))}
          </tbody>
        </table>
      </div>
    )}
  </>
)
