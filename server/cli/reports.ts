import * as Effect from "effect/Effect"
import { z } from "zod"
import { operations } from "../../core/operations.js"
import { type Report, reportHtml, reportMarkdown } from "../../core/overview/index.js"
import { command, group, operationCommand } from "./command.js"
import { writeReport } from "./evaluation-runs.js"
import { call, withWorkspace } from "./session.js"
import { factLines, listing, tableOf, timeOf } from "./tables.js"
import { answer, paint } from "./terminal.js"
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
    listing(
      tableOf(items, {
        id: ({ id }) => id,
        title: ({ title }) => title,
        kind: ({ kind }) => kind,
        status: ({ status }) => status,
        generated: ({ generatedAt }) => timeOf(generatedAt)
      }),
      { total, offset: 0 },
      items.length,
      "report"
    )
})

const show = command("show", {
  description: "Show a report, or write it as HTML or Markdown.",
  input: z.object({
    id: z.string(),
    html: z.string().optional().describe("Write one self-contained HTML page to this file."),
    markdown: z.string().optional().describe("Write Markdown to this file.")
  }),
  arguments: { id: { description: "Id of the report (rep_…)." } },
  flags: { html: { placeholder: "FILE" }, markdown: { placeholder: "FILE" } },
  run: (input) =>
    withWorkspace(input, { worker: false }, ({ engine }) =>
      Effect.gen(function* () {
        const report = yield* call(() => engine.call(operations.getReport, { id: input.id }))
        yield* writeReport(input.html, () => reportHtml(report))
        yield* writeReport(input.markdown, () => reportMarkdown(report))
        yield* answer(input.json, report, () => reportText(report))
      })
    )
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
