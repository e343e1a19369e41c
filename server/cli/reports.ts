import { z } from "zod"
import { operations } from "../../core/operations.js"
import { type Report, reportHtml, reportMarkdown } from "../../core/upkeep/overview/index.js"
import { command, group, operationCommand } from "./command.js"
import { writeReport } from "./evaluation-runs.js"
import { textFlag } from "./flags.js"
import { call, withWorkspace } from "./session.js"
import { factLines, listOf, timeOf } from "./tables.js"
import { paint } from "./terminal.js"
import { cleanLine } from "./text.js"

const create = operationCommand("create", operations.createReport, {
  description: "Generate a report; the earlier one of the same kind and title is archived.",
  flags: {
    title: { placeholder: "TEXT", description: "Title of the report." },
    kind: { description: "engagement or coverage." }
  },
  print: (report) => reportText(report)
})

const list = operationCommand("list", operations.listReports, {
  description: "List reports, newest first.",
  print: ({ items, total }) =>
    listOf("report", items, { total }, [
      "id",
      "title",
      "kind",
      "status",
      ["generated", ({ generatedAt }) => timeOf(generatedAt)]
    ])
})

const show = command("show", {
  description: "Show a report, or write it as HTML or Markdown.",
  input: z.object({
    id: z.string(),
    html: textFlag("Write one self-contained HTML page to this file.", "FILE"),
    markdown: textFlag("Write Markdown to this file.", "FILE")
  }),
  arguments: { id: { description: "Id of the report (rep_…)." } },
  run: (input) =>
    withWorkspace(input, function* ({ engine }) {
      const report = yield* call(() => engine.call(operations.getReport, { id: input.id }))
      yield* writeReport(input.html, () => reportHtml(report))
      yield* writeReport(input.markdown, () => reportMarkdown(report))
      return { output: report, text: () => reportText(report) }
    })
})

const reportText = (report: Report): string =>
  [
    paint.bold(cleanLine(report.title)),
    paint.dim(`${report.kind} · ${report.id} · ${timeOf(report.generatedAt)}`),
    "",
    ...report.summary.highlights.map(cleanLine),
    "",
    ...factLines(
      Object.entries(report.summary).flatMap(([name, value]) =>
        typeof value === "number" ? [[name, value] as const] : []
      )
    )
  ].join("\n")

export const reportCommands = group(
  "reports",
  "Reports on what is asked and what is covered.",
  [create, list, show],
  "list"
)
