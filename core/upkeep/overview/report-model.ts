import { z } from "zod"
import { ReportId, Text, Timestamp } from "../../platform/kernel/index.js"

/** Raised when the structure of reports changes; older reports keep theirs. */
export const reportLayoutVersion = 1
/** Days that an engagement report looks back. */
export const reportWindowDays = 30

/** The kind of a report: on the questions that were asked, or on what the documents cover. */
export const ReportKind = z.enum(["engagement", "coverage"])
export type ReportKind = z.infer<typeof ReportKind>
/** The status of a report; a newer report of the same kind and title makes it `archived`. */
export const ReportStatus = z.enum(["ready", "archived"])
export type ReportStatus = z.infer<typeof ReportStatus>
/** The title of a report: 1 to 200 characters after trimming. */
export const ReportTitle = Text.trim().min(1).max(200)

/** A report in a list, without its body. */
export const ReportItem = z.object({
  id: ReportId,
  title: z.string(),
  kind: ReportKind,
  status: ReportStatus,
  layoutVersion: z.int(),
  createdBy: z.string().nullable(),
  generatedAt: Timestamp
})
export type ReportItem = z.infer<typeof ReportItem>

const Label = z.object({ id: z.string(), label: z.string() })

/** How much of each concept or entity type the documents of a folder or verification tier hold. */
export const CoverageMatrix = z.object({
  rows: z.array(Label).describe("Hub concepts, then entity types (`type:NAME`)."),
  columns: z
    .array(Label)
    .describe("Top-level folders (`folder:NAME`), then verification tiers (`tier:NAME`)."),
  cells: z
    .array(z.object({ row: z.string(), column: z.string(), documents: z.int(), mentions: z.int() }))
    .describe("Cells without a mention are left out.")
})
export type CoverageMatrix = z.infer<typeof CoverageMatrix>

const Cell = z.union([z.string(), z.number(), z.null()])

/** A table of a report; a row has a cell for each column. */
export const ReportSection = z.object({
  id: z.string(),
  title: z.string(),
  columns: z.array(z.string()),
  rows: z.array(z.array(Cell))
})
export type ReportSection = z.infer<typeof ReportSection>

/** The summary of a report: highlight sentences, and key figures or lists by name. */
export const ReportSummary = z
  .object({ highlights: z.array(z.string()).describe("Sentences computed from the numbers.") })
  .catchall(z.union([z.number(), z.array(z.string())]))
export type ReportSummary = z.infer<typeof ReportSummary>

/** A report in full, with summary, coverage matrix and tables. */
export const Report = ReportItem.extend({
  summary: ReportSummary,
  coverage: CoverageMatrix,
  sections: z.array(ReportSection)
})
export type Report = z.infer<typeof Report>
