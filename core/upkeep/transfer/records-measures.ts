import { z } from "zod"
import { EvalId, Timestamp } from "../../platform/kernel/index.js"
import { EvalResult, EvalView, Judgment, Topic } from "../../work/evaluation/index.js"
import { Report } from "../overview/index.js"
import { Count } from "./record-fields.js"

/** A relevance judgment, with the last label that each judge gave its document. */
export const JudgmentRecord = Judgment.extend({
  kind: z.literal("judgment"),
  createdAt: Timestamp,
  labels: z.array(z.strictObject({ judge: z.string(), grade: Count, updatedAt: Timestamp }))
}).strict()

/** An evaluation run, without its topics. */
export const EvalRecord = EvalView.omit({ done: true })
  .extend({ kind: z.literal("eval") })
  .strict()

/** A topic of an evaluation run, and what came of it. */
export const EvalTopicRecord = z.strictObject({
  kind: z.literal("eval_topic"),
  evalId: EvalId,
  place: Count,
  topic: Topic,
  result: EvalResult.nullable(),
  detail: z.record(z.string(), z.unknown()).nullable()
})

/** A report as it was generated; its own kind is called `about` here. */
export const ReportRecord = Report.omit({ kind: true })
  .extend({ kind: z.literal("report"), about: Report.shape.kind })
  .strict()
