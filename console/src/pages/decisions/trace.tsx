import type { ReactNode } from "react"
import { Link } from "wouter"
import type { Explanation } from "../../../../server/client/index.js"
import { Badge, Content } from "../../components/text.js"
import { decisionText } from "../../strings/decisions.js"
import { runText } from "../../strings/runs.js"

const text = decisionText.detail
const digits = (value: number | null): string => (value === null ? "" : value.toFixed(3))

/** How the answer came about: rules with why, stages with their time, and all candidates, used and unused. */
export const Trace = ({ trace }: { readonly trace: Explanation }): ReactNode => (
  <>
    {trace.rules.length > 0 && (
      <details>
        <summary>{text.rules}</summary>
        <ul className="stack tight">
          {trace.rules.map((rule) => (
            <li key={rule.rule}>
              <Badge tone={rule.fired ? "warn" : "neutral"}>
                {rule.skipped ? text.skipped : rule.fired ? text.fired : text.quiet}
              </Badge>{" "}
              {rule.rule.replaceAll("_", " ")}: <span dir="auto">{rule.why}</span>
            </li>
          ))}
        </ul>
      </details>
    )}
    <details>
      <summary>{text.stages}</summary>
      <div className="table-frame">
        <table>
          <thead>
            <tr>
              <th scope="col">{text.stage}</th>
              <th scope="col" className="number">
                {text.count}
              </th>
              <th scope="col" className="number">
                {text.duration}
              </th>
            </tr>
          </thead>
          <tbody>
            {trace.stages.map((stage) => (
              <tr key={stage.name}>
                <td>{stage.name}</td>
                <td className="number">{stage.count}</td>
                <td className="number">{runText.ms(Math.round(stage.durationMs))}</td>
              </tr>
            ))}
          </tbody>
        </table>
      </div>
    </details>
    <details>
      <summary>{text.candidates}</summary>
      <p className="muted small">{text.candidateHint}</p>
      {/* biome-ignore lint/a11y/noNoninteractiveTabindex: a block that scrolls has to be reachable by keyboard. */}
      <section className="table-frame" tabIndex={0} aria-label={text.candidates}>
        <table>
          <thead>
            <tr>
              <th scope="col">{text.source}</th>
              <th scope="col">{text.passage}</th>
              <th scope="col" className="number">
                {text.text}
              </th>
              <th scope="col" className="number">
                {text.vector}
              </th>
              <th scope="col" className="number">
                {text.fused}
              </th>
              <th scope="col" className="number">
                {text.score}
              </th>
            </tr>
          </thead>
          <tbody>
            {trace.candidates.map((candidate) => (
              <tr key={candidate.chunkId}>
                <td>{candidate.sourceId !== null && <code>{candidate.sourceId}</code>}</td>
                <td>
                  <Link href={`/documents/${candidate.docId}?chunk=${candidate.chunkId}`}>
                    <Content>{candidate.docPath}</Content>
                  </Link>
                  <br />
                  <span className="muted small" dir="auto">
                    {candidate.headingPath}
                  </span>
                </td>
                <td className="number">{candidate.ranks.fts ?? ""}</td>
                <td className="number">{candidate.ranks.vector ?? ""}</td>
                <td className="number">{digits(candidate.fusedScore)}</td>
                <td className="number">{digits(candidate.score)}</td>
              </tr>
            ))}
          </tbody>
        </table>
      </section>
    </details>
  </>
)
