import { type ReactNode, useMemo } from "react"
import type { PolicyStats } from "../../../../server/client/index.js"
import { useOperation } from "../../api/hooks.js"
import { ApiCall } from "../../components/api-call.js"
import { Bars, Reliability } from "../../components/bars.js"
import { Figures } from "../../components/figures.js"
import { Loaded } from "../../components/states.js"
import { TimeChart } from "../../components/time-chart.js"
import { formatNumber, formatShare } from "../../language.js"
import { decisionText } from "../../strings/decisions.js"

const text = decisionText.stats
const share = (value: number | null): string => (value === null ? "—" : formatShare(value, 1))
const fixed = (value: number | null): string => (value === null ? "—" : value.toFixed(3))

const verdictColors = {
  answer: "--chart-good",
  answer_with_caveats: "--chart-warn",
  clarify: "--chart-info",
  abstain_with_pointers: "--chart-neutral"
} as const

/** Charts of the gate's decisions in the last thirty days. */
export const Month = (): ReactNode => {
  const stats = useOperation("getPolicyStats", {})
  return (
    <div className="stack">
      <Loaded query={stats}>{(data) => <Charts stats={data} />}</Loaded>
      <Cache />
      <ApiCall name="getPolicyStats" input={{}} />
    </div>
  )
}

const Charts = ({ stats }: { readonly stats: PolicyStats }): ReactNode => {
  const days = useMemo(() => stats.byDay.map(({ day }) => day), [stats])
  const series = useMemo(
    () =>
      (Object.keys(verdictColors) as ReadonlyArray<keyof typeof verdictColors>).map((verdict) => ({
        label: decisionText.verdicts[verdict],
        color: verdictColors[verdict],
        values: stats.byDay.map(({ byVerdict }) => byVerdict[verdict])
      })),
    [stats]
  )
  return (
    <>
      <Figures
        items={[
          [text.total, formatNumber(stats.total)],
          [text.abstained, share(stats.abstentionRate)],
          [text.asked, share(stats.clarifyRate)],
          [text.grounded, share(stats.groundedShare)],
          [text.conflicts, share(stats.conflictRate)],
          [text.confidence, share(stats.meanConfidence)],
          [text.shadow, formatNumber(stats.shadowWouldChange)]
        ]}
      />
      <section className="panel">
        <h2>{text.perDay}</h2>
        <TimeChart label={text.perDay} days={days} series={series} table={text.table} />
      </section>
      <div className="cards wide-cards">
        <section className="panel">
          <h2>{text.reasons}</h2>
          {stats.topReasons.length === 0 ? (
            <p className="muted">{text.none}</p>
          ) : (
            <Bars
              label={text.reasons}
              rows={stats.topReasons.map(({ count, reason }) => ({
                name: reason.replaceAll("_", " "),
                value: count
              }))}
            />
          )}
        </section>
        <section className="panel">
          <h2>{text.caveats}</h2>
          <Bars
            label={text.caveats}
            rows={(Object.keys(stats.caveatCounts) as ReadonlyArray<keyof typeof stats.caveatCounts>)
              .map((code) => ({
                name: decisionText.caveats[code],
                value: stats.caveatCounts[code],
                tone: "warn"
              }))
              .filter(({ value }) => value > 0)}
          />
        </section>
        <section className="panel">
          <h2>{text.histogram}</h2>
          <Bars
            label={text.histogram}
            rows={stats.confidenceHistogram.map((value, index, all) => ({
              name: text.histogramLabel(
                Math.round((100 * index) / all.length),
                Math.round((100 * (index + 1)) / all.length)
              ),
              value
            }))}
          />
        </section>
        <Calibration stats={stats} />
      </div>
    </>
  )
}

const Calibration = ({ stats: { calibration } }: { readonly stats: PolicyStats }): ReactNode => (
  <section className="panel">
    <h2>{text.calibration}</h2>
    <p>
      <code>{calibration.version}</code>
    </p>
    {calibration.samples === 0 ? (
      <p className="muted">{text.noCalibration}</p>
    ) : (
      <>
        <Reliability label={text.reliability} bins={calibration.bins} />
        <p className="muted small">{text.reliability}</p>
        <dl className="facts">
          <dt>{text.samples}</dt>
          <dd>{formatNumber(calibration.samples)}</dd>
          <dt>{text.ece}</dt>
          <dd>{fixed(calibration.ece)}</dd>
          <dt>{text.brier}</dt>
          <dd>{fixed(calibration.brier)}</dd>
        </dl>
      </>
    )}
  </section>
)

const Cache = (): ReactNode => {
  const cache = useOperation("getCacheStats", {})
  return (
    <Loaded query={cache}>
      {(stats) => (
        <section className="panel">
          <h2>{text.cache}</h2>
          <Figures
            items={[
              [
                text.cacheMode,
                decisionText.modes[stats.mode as keyof typeof decisionText.modes] ?? stats.mode
              ],
              [text.entries, formatNumber(stats.entries)],
              [text.hits, formatNumber(stats.hits)],
              [text.hitRate, share(stats.hitRate)],
              [text.falseHits, share(stats.falseHitRate)]
            ]}
          />
        </section>
      )}
    </Loaded>
  )
}
