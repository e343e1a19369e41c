import { z } from "zod"
import { operation, ReportId } from "../../platform/kernel/index.js"
import { Report, ReportItem, ReportKind, ReportTitle } from "./report-model.js"
import * as reports from "./reports.js"

/** Operation that lists all reports, newest first, without their bodies. */
export const listReports = operation({
  name: "listReports",
  summary: "List reports without their bodies, newest first.",
  scopes: ["reports:read"],
  effect: "read",
  input: z.object({}),
  output: z.object({ items: z.array(ReportItem), total: z.int() }),
  faults: [],
  run: () => reports.listReports()
})

/** See `createReport`: asks no model. */
export const createReport = operation({
  name: "createReport",
  summary: "Create an engagement or coverage report and archive the earlier one of its title.",
  scopes: ["reports:write"],
  effect: "write",
  input: z.object({ title: ReportTitle, kind: ReportKind.default("engagement") }),
  output: Report,
  faults: [],
  run: reports.createReport
})

/** Operation that reads one report in full. */
export const getReport = operation({
  name: "getReport",
  summary: "Get a report with its summary, coverage matrix and tables.",
  scopes: ["reports:read"],
  effect: "read",
  input: z.object({ id: ReportId }),
  output: Report,
  faults: ["NotFound"],
  run: ({ id }) => reports.getReport(id)
})
