import type { Explanation } from "../../core/answers/answering/index.js"
import type { GateFeatures } from "../../core/answers/policy/index.js"
import { paint, proseColumns, tableColumns } from "./terminal.js"
import { cleanLine, counted, table, wrap } from "./text.js"

/** Decision of the gate on a question, shown beside the question's path. */
export interface ExplainedGate {
  readonly mode: string
  readonly gate: string
  readonly verdict: string
  readonly applied: boolean
  readonly confidence: number
  readonly reasons: ReadonlyArray<string>
  readonly caveatCodes: ReadonlyArray<string>
  readonly cache: string
  readonly features: GateFeatures
}

/** The path of a question, for people; `gate` is null where it was off. */
export const showExplanation = (path: Explanation, gate: ExplainedGate | null): string =>
  [
    section("Question", questionLines(path)),
    section("Passages", [candidateTable(path)]),
    ...(path.relations === undefined ? [] : [section("Relations", relationLines(path.relations))]),
    ...(path.best === undefined || path.best === null
      ? []
      : [section("Best statement", bestLines(path.best))]),
    ...(path.claims === undefined || path.claims.length === 0
      ? []
      : [section("Statements", claimLines(path.claims))]),
    ...(gate === null ? [] : [section("Features", featureLines(gate.features))]),
    ...(gate === null ? [] : [section("Rules", ruleLines(path))]),
    section("Decision", gate === null ? ["the gate is off"] : decisionLines(gate)),
    section("Stages", stageLines(path)),
    ...(path.models === undefined || path.models.length === 0
      ? []
      : [section("Models", modelLines(path.models))])
  ].join("\n\n")

const section = (title: string, lines: ReadonlyArray<string>): string =>
  [paint.bold(title), ...lines.flatMap((text) => text.split("\n")).map((text) => `  ${text}`)].join("\n")

const row = (title: string, text: string): string => `${paint.dim(title.padEnd(12))}${text}`

const questionLines = ({ question }: Explanation): ReadonlyArray<string> => {
  if (question === undefined) return ["the workspace keeps no questions"]
  const { anchors, answerType, language, terms } = question
  return [
    row("asks for", `${answerType} (${language})`),
    row(
      "terms",
      terms.map(({ weight, word }) => `${cleanLine(word)} ${weight.toFixed(1)}`).join(", ") || "none"
    ),
    ...(anchors.length === 0
      ? []
      : [row("names", anchors.map(({ kind, text }) => `${cleanLine(text)} (${kind})`).join(", "))])
  ].map((text) => wrap(text, proseColumns() - 2, " ".repeat(12)))
}

const candidateTable = ({ candidates, found }: Explanation): string => {
  if (candidates.length === 0) return "none"
  const rank = (place: number | null): string => (place === null ? "-" : String(place))
  const rows = candidates.map(
    ({
      docPath,
      governance,
      headingPath,
      lexicalScore,
      ranks,
      score,
      sourceId,
      unitScore,
      vectorScore,
      worth
    }) => [
      sourceId ?? "",
      (worth ?? null) === null ? "" : `${worth?.toFixed(2)} (${unitScore?.toFixed(2)})`,
      score.toFixed(4),
      `${rank(ranks.fts)}${lexicalScore === null ? "" : ` (${lexicalScore.toFixed(1)})`}`,
      `${rank(ranks.vector)}${vectorScore === null ? "" : ` (${vectorScore.toFixed(2)})`}`,
      rank(ranks.graph),
      governance === null || governance === 1 ? "" : `x ${governance.toFixed(2)}`,
      cleanLine(headingPath === "" ? docPath : `${docPath}: ${headingPath}`)
    ]
  )
  const columns = [
    { title: "" },
    { title: "worth" },
    { title: "fused" },
    { title: "words" },
    { title: "vectors" },
    { title: "graph" },
    { title: "standing" },
    { title: "passage", shrink: true }
  ]
  return [
    table(columns, rows, tableColumns() - 2, (cell, column, isTitle) =>
      isTitle || (column !== 0 && column !== 7) ? paint.dim(cell) : cell
    ),
    paint.dim(
      `${candidates.length} of ${counted(found, "passage")} that came up, chosen by worth (of its best sentence)`
    )
  ].join("\n")
}

const bestLines = ({ best, probability, runnerUp, strongest }: NonNullable<Explanation["best"]>) => {
  const told = ({ score, sourceId, text = "not kept" }: typeof best) =>
    `${score.toFixed(2)} [${sourceId}] ${cleanLine(text)}`
  return [
    row("answers", `with a probability of ${probability.toFixed(2)}`),
    row("score", told(best)),
    ...(runnerUp === null ? [] : [row("runner-up", told(runnerUp))]),
    ...strongest.map(({ effect, feature }) => row(`${effect < 0 ? "" : "+"}${effect.toFixed(2)}`, feature))
  ].map((text) => wrap(text, proseColumns() - 2, " ".repeat(12)))
}

const relationLines = (relations: NonNullable<Explanation["relations"]>): ReadonlyArray<string> =>
  relations.map(({ from, rule, to, type }) =>
    row(rule ?? "stated", `${cleanLine(from)} ${cleanLine(type)} ${cleanLine(to)}`)
  )

const claimLines = (claims: NonNullable<Explanation["claims"]>): ReadonlyArray<string> =>
  claims.map(({ citations, status = "", text = "not kept", withheld }) =>
    wrap(
      `${row(status, "")}${cleanLine(text)}${citations.map((id) => ` [${id}]`).join("")}${withheld ? paint.yellow(" (withheld)") : ""}`,
      proseColumns() - 2,
      " ".repeat(12)
    )
  )

const featureLines = ({ values }: GateFeatures): ReadonlyArray<string> =>
  Object.entries(values).map(([name, value]) =>
    row(name.padEnd(20), value === null ? "missing" : value.toFixed(3))
  )

const ruleLines = ({ rules }: Explanation): ReadonlyArray<string> =>
  rules.map(({ fired, rule, skipped, why }) => {
    const state = fired ? paint.yellow("fired") : paint.dim(skipped ? "skipped" : "quiet")
    return `${rule.padEnd(24)}${state}  ${paint.dim(cleanLine(why))}`
  })

const decisionLines = (gate: ExplainedGate): ReadonlyArray<string> => {
  const { calibrationVersion, certified, confidence } = gate.features.limits
  return [
    row("mode", `${gate.mode}${gate.applied ? ", answered in the place of a model" : ""}`),
    row("verdict", `${gate.verdict} (${gate.gate}-gate)`),
    row(
      "confidence",
      `${gate.confidence.toFixed(3)}, threshold ${confidence.toFixed(3)}, calibration ${calibrationVersion}${certified ? "" : ", not certified"}`
    ),
    row("reasons", gate.reasons.map(cleanLine).join(", ") || "none"),
    row("caveats", gate.caveatCodes.join(", ") || "none"),
    row("cache", gate.cache)
  ]
}

const stageLines = ({ stages }: Explanation): ReadonlyArray<string> =>
  stages.map(
    ({ costUsd, count, durationMs, name }) =>
      `${name.padEnd(12)}${`${durationMs.toFixed(1)} ms`.padStart(12)}  ${String(count).padStart(5)}${costUsd === "0" ? "" : `  $${costUsd}`}`
  )

const modelLines = (models: NonNullable<Explanation["models"]>): ReadonlyArray<string> =>
  models.map(({ calls, costUsd, estimated, inputTokens, model, outputTokens, role }) => {
    const tokens = `${counted(inputTokens, "token")} in, ${outputTokens} out${estimated ? " (estimated)" : ""}`
    return `${role.padEnd(12)}${cleanLine(model)}  ${counted(calls, "call")}, ${tokens}${costUsd === "0" ? "" : `  $${costUsd}`}`
  })
