import * as Effect from "effect/Effect"
import { z } from "zod"
import type { DoctorReport } from "../../core/upkeep/integrity/index.js"
import { command } from "./command.js"
import { switchFlag } from "./flags.js"
import { withProgress } from "./progress.js"
import { call, withWorkspace } from "./session.js"
import { answer, paint, proseColumns } from "./terminal.js"
import { cleanLine, counted, wrap } from "./text.js"

export const doctorCommand = command("doctor", {
  description: "Inspect files, database and indexes; rebuild derived data with --repair.",
  input: z.object({
    repair: switchFlag("Reconcile files and rebuild derived data.")
  }),
  run: (input) =>
    withWorkspace({ ...input, worker: input.repair, mend: false }, function* ({ engine }) {
      const report = yield* withProgress({ silent: input.json, lines: true }, (onProgress) =>
        call(() =>
          engine.doctor({
            repair: input.repair,
            onProgress: ({ done, phase, total }) => onProgress({ phase: `doctor-${phase}`, done, total })
          })
        )
      )
      const { vectorPassagesMin } = yield* call(() => import("../../core/search/retrieval/index.js"))
      yield* answer(input.json, report, () => reportText(report, input.repair, vectorPassagesMin))
      if (!report.ok)
        yield* Effect.sync(() => {
          process.exitCode = 1
        })
    })
})

type Finding = DoctorReport["findings"][number]

/** Maximum number of subjects of one kind in the text output. */
const shownMax = 10

const reportText = (report: DoctorReport, repairs: boolean, passagesMin: number): string => {
  const kinds = new Map<string, Array<Finding>>()
  for (const finding of report.findings)
    kinds.set(finding.code, [...(kinds.get(finding.code) ?? []), finding])
  const { passages, vectorRecall, vectors } = report.checked
  return [
    ...[...kinds.values()].map((kind) => group(kind, repairs)),
    ...(vectors === 0 && passages < passagesMin
      ? [paint.dim(`No vectors: built-in ones need ${passagesMin} passages. The words alone rank searches.`)]
      : []),
    ...(vectorRecall === null
      ? []
      : [
          paint.dim(
            `The vector index finds ${(100 * vectorRecall).toFixed(1)} % of the 100 nearest passages (sampled).`
          )
        ]),
    lastLine(report, repairs)
  ].join("\n\n")
}

const group = (kind: ReadonlyArray<Finding>, repairs: boolean): string => {
  const [first] = kind
  if (first === undefined) return ""
  const total = kind.reduce((sum, { count }) => sum + count, 0)
  const named = kind.filter(({ subject }) => subject !== "")
  const shown = named.slice(0, shownMax)
  const left = named.length === 0 ? 0 : total - shown.reduce((sum, { count }) => sum + count, 0)
  return [
    `${titleOf(kind, repairs)}  ${first.code}${total > 1 ? paint.dim(`  ${total.toLocaleString("en")}`) : ""}`,
    wrap(cleanLine(first.message), proseColumns(), "  "),
    ...shown.map((finding) => `  ${paint.dim("·")} ${line(finding, first.message)}`),
    ...(left > 0 ? [paint.dim(`  · and ${left.toLocaleString("en")} more`)] : [])
  ].join("\n")
}

const line = ({ count, message, subject }: Finding, said: string): string =>
  [
    cleanLine(subject),
    ...(count > 1 ? [paint.dim(`×${count.toLocaleString("en")}`)] : []),
    ...(message === said ? [] : [paint.dim(cleanLine(message))])
  ].join("  ")

const titleOf = (kind: ReadonlyArray<Finding>, repairs: boolean): string => {
  if (kind.every(({ severity }) => severity === "remark")) return paint.cyan("remark")
  if (!repairs) return paint.red("difference")
  if (kind.every(({ repaired }) => repaired)) return paint.green("repaired")
  return paint.red(kind.some(({ repaired }) => repaired) ? "partly repaired" : "not repaired")
}

const lastLine = (report: DoctorReport, repairs: boolean): string => {
  const { checked, differences, durationMs, remarks, repaired } = report
  const looked = paint.dim(
    `${counted(checked.documents, "document")}, ${counted(checked.passages, "passage")}, ${counted(checked.vectors, "vector")}, ${counted(checked.entities, "entity", "entities")} compared (${(durationMs / 1000).toFixed(1)} s)`
  )
  const verdict =
    differences > 0
      ? paint.red(
          repairs
            ? `${counted(differences, "difference")} could not be repaired.`
            : `${counted(differences, "difference")}. Run 'kanon doctor --repair' to reconcile files and rebuild derived data.`
        )
      : repaired > 0
        ? paint.green(`${counted(repaired, "difference")} repaired; everything agrees.`)
        : paint.green("Everything agrees.")
  return [verdict, ...(remarks > 0 ? [counted(remarks, "remark")] : []), looked].join("  ")
}
