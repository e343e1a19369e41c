import type { z } from "zod"
import type { operations } from "../../core/operations.js"
import { withoutControls } from "../../core/platform/kernel/index.js"
import type { EvalView, GateVerdict } from "../../core/work/evaluation/index.js"

/** Result of an evaluation run, for reports. */
export interface EvalOutcome {
  readonly eval: EvalView
  readonly comparisons: ReadonlyArray<z.output<typeof operations.compareEvals.output>>
  readonly gates: ReadonlyArray<GateVerdict>
}

const shown = (value: number | null | undefined): string =>
  value === null || value === undefined ? "" : value.toFixed(4)

/** JUnit XML: one case for the run, and one for each gate. */
export const evalJUnit = ({ eval: run, gates }: EvalOutcome): string => {
  const failures = gates.filter(({ passed }) => !passed).length
  const className = escaped(`kanon.${run.suite}.${run.set}`)
  const cases = [
    `    <testcase classname="${className}" name="${escaped(run.name)}"/>`,
    ...gates.map((gate) => {
      const name = escaped(`${gate.metric} not below ${gate.margin}`)
      const said = `difference ${shown(gate.delta)}, interval [${shown(gate.interval[0])}, ${shown(gate.interval[1])}]`
      return gate.passed
        ? `    <testcase classname="${className}" name="${name}"/>`
        : `    <testcase classname="${className}" name="${name}">\n      <failure message="${escaped(said)}"/>\n    </testcase>`
    })
  ]
  return `<?xml version="1.0" encoding="UTF-8"?>
<testsuites tests="${cases.length}" failures="${failures}">
  <testsuite name="${escaped(run.name)}" tests="${cases.length}" failures="${failures}" timestamp="${run.createdAt}">
    <properties>
${Object.entries(run.metrics ?? {})
  .flatMap(([name, value]) =>
    typeof value === "number" ? [`      <property name="${escaped(name)}" value="${value}"/>`] : []
  )
  .join("\n")}
    </properties>
${cases.join("\n")}
  </testsuite>
</testsuites>
`
}

/** The same as Markdown, for a comment on a change. */
export const evalMarkdown = ({ comparisons, eval: run, gates }: EvalOutcome): string =>
  [
    `# ${inText(run.name)}`,
    `Suite ${run.suite} over \`${run.set}\`, ${run.topics} topics, digest \`${run.configDigest.slice(0, 16)}\`.`,
    table(
      ["metric", "value"],
      Object.entries(run.metrics ?? {}).flatMap(([name, value]) =>
        typeof value === "number" ? [[`\`${name}\``, shown(value)]] : []
      )
    ),
    ...(run.judgeCorrections.length === 0
      ? []
      : [
          "## Corrected by people's labels",
          table(
            ["metric", "judge", "raw", "corrected", "95 % interval", "labels"],
            run.judgeCorrections.map(({ corrected, interval, judge, labels, metric, raw }) => [
              inText(metric),
              inText(judge),
              shown(raw),
              shown(corrected),
              interval === null ? "" : `${shown(interval[0])} to ${shown(interval[1])}`,
              `${labels}`
            ])
          )
        ]),
    ...comparisons.flatMap((one) => [
      `## ${one.metric} against the baseline`,
      table(
        ["baseline", "run", "difference", "95 % interval", "p", "p corrected", "better", "worse", "equal"],
        [
          [
            shown(one.meanA),
            shown(one.meanB),
            shown(one.delta),
            `${shown(one.ci95[0])} to ${shown(one.ci95[1])}`,
            shown(one.pValue),
            shown(one.adjusted),
            `${one.wins}`,
            `${one.losses}`,
            `${one.ties}`
          ]
        ]
      ),
      ...(one.regressions.length === 0
        ? []
        : [
            table(
              ["topic", "baseline", "run"],
              one.regressions.slice(0, 20).map(({ a, b, queryId }) => [inText(queryId), shown(a), shown(b)])
            )
          ])
    ]),
    ...gates.map(
      (gate) =>
        `${gate.passed ? "Passed" : "**Failed**"}: ${gate.metric} not below ${gate.margin}; interval ${shown(gate.interval[0])} to ${shown(gate.interval[1])}.`
    ),
    ...run.warnings.map((warning) => `> ${inText(warning)}`)
  ]
    .join("\n\n")
    .concat("\n")

const table = (columns: ReadonlyArray<string>, rows: ReadonlyArray<ReadonlyArray<string>>): string =>
  [
    `| ${columns.join(" | ")} |`,
    `|${columns.map(() => "---").join("|")}|`,
    ...rows.map((row) => `| ${row.join(" | ")} |`)
  ].join("\n")

const inText = (text: string): string =>
  withoutControls(text.replace(/\s+/gu, " ")).replaceAll("|", "\\|").replaceAll("<", "&lt;")

const escaped = (text: string): string =>
  withoutControls(text)
    .replace(/[^\t\n\r\u0020-\ud7ff\ue000-\ufffd]/gu, "\ufffd")
    .replaceAll("&", "&amp;")
    .replaceAll("<", "&lt;")
    .replaceAll(">", "&gt;")
    .replaceAll('"', "&quot;")
