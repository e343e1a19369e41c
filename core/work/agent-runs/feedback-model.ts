import { z } from "zod"
import { FeedbackId, Text, Timestamp } from "../../platform/kernel/index.js"

/** Kinds of feedback, each with the shape of its value. */
export const feedbackValues = {
  thumb: z.object({ thumb: z.enum(["up", "down"]) }),
  rating: z.object({ rating: z.int().min(1).max(5) }),
  correction: z.object({ text: Text.min(1).max(20_000) }),
  edit: z.object({ before: Text.max(20_000), after: Text.max(20_000) }),
  citation_flag: z.object({ docId: z.string().min(1), chunkId: z.string().min(1), reason: Text.max(4000) })
} as const
/** The kind of feedback; `feedbackValues` has the shape of the value of each kind. */
export const FeedbackKind = z.enum(["thumb", "rating", "correction", "edit", "citation_flag"])
export type FeedbackKind = z.infer<typeof FeedbackKind>
/** One piece of feedback on a run, as it is stored and shown. */
export const Feedback = z.object({
  id: FeedbackId,
  kind: FeedbackKind,
  value: z.record(z.string(), z.unknown()),
  note: z.string().nullable(),
  createdBy: z.string(),
  createdAt: Timestamp
})
export type Feedback = z.infer<typeof Feedback>

/** Whether feedback speaks for the run or against it; null for a rating of 3. */
export const sentimentOf = ({
  kind,
  value
}: Pick<Feedback, "kind" | "value">): "positive" | "negative" | null => {
  if (kind === "thumb") return value["thumb"] === "up" ? "positive" : "negative"
  if (kind !== "rating") return "negative"
  const rating = Number(value["rating"])
  return rating >= 4 ? "positive" : rating <= 2 ? "negative" : null
}
