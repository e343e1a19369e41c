import { z } from "zod"
import {
  AnswerId,
  ChunkId,
  DocumentId,
  EvalId,
  FeedbackId,
  JobId,
  JudgmentId,
  pageLimit,
  pageOffset,
  RunId,
  Text,
  Timestamp
} from "../../platform/kernel/index.js"

/** Name of a topic set; exactly as given, without blanks at its ends. */
export const SetName = Text.trim().min(1).max(200)
/** Names a topic within its set; TREC files separate fields by blanks, so it holds none. */
export const QueryId = Text.min(1)
  .max(200)
  .regex(/^[^\s\p{Cc}\p{Bidi_Control}]+$/u, {
    error: "A query id holds no blanks and no control characters."
  })
const QueryText = Text.trim().min(1).max(4000)
const Answer = Text.trim().min(1).max(4000)

/** The highest grade of a relevance judgment; the lowest is 0. */
export const gradeMax = 4
const Grade = z.int().min(0).max(gradeMax)

/** A judge that is a model is named so; everybody else is a person. */
export const modelJudgePrefix = "model:"
/** Whether the name of a judge is that of a model. */
export const isModelJudge = (judge: string): boolean => judge.startsWith(modelJudgePrefix)

/** A graded relevance judgment, or a question with its accepted answers, or one that is to be abstained on. */
export const Judgment = z.object({
  id: JudgmentId,
  set: z.string(),
  queryId: z.string(),
  query: z.string(),
  docId: DocumentId.nullable().describe("Null where the judgment is about the question alone."),
  chunkId: ChunkId.nullable().describe("The passage that the judgment was made on, as it is found today."),
  quote: z.string().nullable().describe("Text that anchors the judgment when passages are cut again."),
  grade: Grade.nullable().describe("0 was judged and is not relevant; null without a document."),
  expectAbstain: z.boolean().describe("The right answer is to abstain."),
  answers: z.array(z.string()).describe("Accepted answers; any of them is right."),
  judge: z.string().describe("Who judged: a key, a member, `local`, or `model:NAME`."),
  note: z.string().nullable(),
  updatedAt: Timestamp
})
export type Judgment = z.infer<typeof Judgment>

/** One judgment to be written; `grade: null` removes it. */
export const JudgmentInput = z
  .object({
    set: SetName,
    queryId: QueryId,
    query: QueryText.optional().describe("Needed the first time that the topic is named."),
    docId: DocumentId.optional(),
    chunkId: ChunkId.optional(),
    quote: Text.max(4000).optional(),
    grade: Grade.nullable().optional(),
    expectAbstain: z.boolean().optional(),
    answers: z.array(Answer).max(100).optional(),
    judge: z
      .string()
      .regex(/^model:\S{1,200}$/, { error: "Only a model is named as judge, as model:NAME." })
      .optional()
      .describe("Names the model that judged; left out, the caller did."),
    note: Text.max(4000).optional()
  })
  .superRefine(({ answers, chunkId, docId, expectAbstain, grade }, context) => {
    const refuse = (path: string, message: string) =>
      context.addIssue({ code: "custom", path: [path], message })
    if (grade === null) return
    if (expectAbstain === true && (answers?.length ?? 0) > 0)
      refuse("answers", "A question to be abstained on has no answers.")
    if (docId === undefined) {
      if (chunkId !== undefined) refuse("docId", "A passage needs its document.")
      if (grade !== undefined) refuse("docId", "A grade needs a document.")
      else if (expectAbstain !== true && (answers?.length ?? 0) === 0)
        refuse("docId", "Name a document and a grade, accepted answers, or expectAbstain.")
    } else if (grade === undefined) refuse("grade", "A document needs a grade.")
  })
export type JudgmentInput = z.output<typeof JudgmentInput>

/** A judgment that feedback on a run or an answer suggests: a graded document, or an accepted answer. */
export const ProposedJudgment = z.object({
  feedbackId: FeedbackId,
  runId: RunId.nullable().describe("Null for feedback on an answer."),
  answerId: AnswerId.nullable().describe("Null for feedback on a run."),
  queryId: z.string().describe("The topic of the set with this question, else the id of the run or answer."),
  query: z.string(),
  docId: DocumentId.nullable(),
  path: z.string().nullable(),
  chunkId: ChunkId.nullable(),
  grade: Grade.nullable(),
  answers: z.array(z.string()),
  why: z.string(),
  saidBy: z.string().describe("Who gave the feedback.")
})
export type ProposedJudgment = z.infer<typeof ProposedJudgment>

/** Counts of the changes that a write of judgments made. */
export const JudgmentCounts = z.object({
  created: z.int(),
  updated: z.int(),
  removed: z.int(),
  unchanged: z.int()
})
export type JudgmentCounts = z.infer<typeof JudgmentCounts>

/** Subject of an evaluation run: rankings of documents, answers, or abstention. */
export const Suite = z.enum(["retrieval", "answer", "abstention"])
export type Suite = z.infer<typeof Suite>
/** The status of an evaluation run. */
export const EvalStatus = z.enum(["queued", "running", "succeeded", "failed", "cancelled"])
export type EvalStatus = z.infer<typeof EvalStatus>

const optionFields = {
  channels: z
    .array(z.enum(["fts", "vector"]))
    .min(1)
    .max(2)
    .optional()
    .describe("Lists that are fused; both when left out."),
  weights: z
    .object({ fts: z.number().min(0).max(1000).optional(), vector: z.number().min(0).max(1000).optional() })
    .optional(),
  rrfK: z.number().min(0).max(10_000).optional().describe("Constant of reciprocal rank fusion."),
  demotion: z.boolean().optional().describe("False ranks without regard to the standing of documents.")
}

/** Search options of an evaluation; those left out follow the settings of the workspace. */
export const EvalOptions = z.object({
  depth: z.int().describe("Documents of a ranking that are kept and scored."),
  ...optionFields,
  rerank: z.boolean()
})
export type EvalOptions = z.infer<typeof EvalOptions>

/** The same as it is asked for. */
export const EvalOptionsInput = z.object({
  depth: z.int().min(1).max(1000).default(100).describe("Documents of a ranking that are kept and scored."),
  ...optionFields,
  rerank: z.boolean().default(false)
})

const Score = z.number().nullable()

/** The abstention metrics of an evaluation run; null where a metric could not be computed. */
export const AbstentionMetrics = z.object({
  coverage: Score,
  selectiveAccuracy: Score,
  harm: Score,
  precision: Score,
  recall: Score,
  f1: Score,
  overAbstention: Score,
  aurc: Score,
  ece: Score,
  brier: Score
})

/** Means over the topics: the named figures, and every metric by its own name; null where the suite has none. */
export const EvalMetrics = z
  .object({
    ndcg: Score.describe("ndcg@10."),
    mrr: Score.describe("Mean of rr."),
    map: Score.describe("Mean of ap."),
    recall: Score.describe("recall@100."),
    precision: Score.describe("p@10."),
    groundedness: Score.describe("Verified claims over all claims."),
    citationPrecision: Score,
    citationRecall: Score,
    abstention: AbstentionMetrics.nullable()
  })
  .catchall(z.union([Score, AbstentionMetrics]))
export type EvalMetrics = z.infer<typeof EvalMetrics>

/**
 * A figure found by a judge that is no person, corrected by its errors against people's labels: shares of items by its
 * sensitivity and specificity (Lee et al.), means over topics by prediction-powered inference (PPI++).
 */
export const JudgeCorrection = z.object({
  metric: z.string(),
  judge: z.string(),
  raw: z.number().describe("What the judge alone says."),
  corrected: Score.describe("Null while too few items are labelled."),
  interval: z.array(z.number()).nullable().describe("Lower and upper end, 95 %."),
  sensitivity: Score.describe("Null for means over topics."),
  specificity: Score.describe("Null for means over topics."),
  labels: z.int().describe("Items, or topics, that both a person and the judge judged.")
})
export type JudgeCorrection = z.infer<typeof JudgeCorrection>

/** An evaluation run in a list. */
export const EvalItem = z.object({
  id: EvalId,
  name: z.string(),
  suite: Suite,
  set: z.string(),
  status: EvalStatus,
  configDigest: z
    .string()
    .describe(
      "SHA-256 over suite, set, judgments, options, seed and versions: equal digests on an equal corpus give equal results."
    ),
  metrics: EvalMetrics.nullable().describe("Null until the run has succeeded."),
  createdAt: Timestamp,
  startedAt: Timestamp.nullable(),
  finishedAt: Timestamp.nullable()
})
export type EvalItem = z.infer<typeof EvalItem>

/** An evaluation run in full: the list item with options, progress, versions, corrections and warnings. */
export const EvalView = EvalItem.extend({
  options: EvalOptions,
  seed: z.int(),
  calibrate: z.boolean(),
  topics: z.int(),
  done: z.int().describe("Topics that have a result."),
  versions: z
    .record(z.string(), z.string().nullable())
    .describe("Models and pipeline, as they were at the start."),
  corpusFingerprint: z.string().nullable().describe("SHA-256 over paths and contents of the live documents."),
  corpusChanged: z.boolean().describe("Documents changed while the run was under way."),
  calibrationVersion: z.string().nullable().describe("The calibration that this run put in use."),
  judgeCorrections: z.array(JudgeCorrection),
  warnings: z.array(z.string()),
  error: z.string().nullable(),
  createdBy: z.string(),
  jobId: JobId.nullable()
})
export type EvalView = z.infer<typeof EvalView>

/** A claim of an answer: what the judge of the run says of it, and a person. */
export const EvalClaim = z.object({
  text: z.string(),
  citations: z.array(z.object({ id: z.string(), docId: DocumentId, chunkId: ChunkId })),
  verified: z.boolean().describe("The judge of the run found it supported by what it cites."),
  label: z
    .object({
      supportedBy: z
        .array(z.string())
        .describe("Citations that together support it; none: it is unsupported."),
      by: z.string(),
      at: Timestamp
    })
    .optional()
    .describe("What a person says.")
})
export type EvalClaim = z.infer<typeof EvalClaim>

/** Result of one topic. */
export const EvalResult = z.object({
  queryId: z.string(),
  query: z.string(),
  metrics: z.record(z.string(), z.number()),
  ranking: z.array(DocumentId).describe("Documents, best first."),
  scores: z.array(z.number()).describe("The score of each document of the ranking."),
  verdict: z.string().optional(),
  confidence: z.number().optional(),
  answer: z.string().optional(),
  claims: z.array(EvalClaim).optional(),
  right: z.boolean().optional(),
  expectAbstain: z.boolean().optional()
})
export type EvalResult = z.infer<typeof EvalResult>

/** A question of a run, with all that its scores are computed from. */
export const Topic = z.object({
  queryId: z.string(),
  query: z.string(),
  judgments: z.array(z.object({ docId: DocumentId, grade: Grade, judge: z.string() })),
  answers: z.array(z.string()),
  expectAbstain: z.boolean()
})
export type Topic = z.infer<typeof Topic>

/** The paging fields of inputs: `limit` and `offset`. */
export const page = { limit: pageLimit, offset: pageOffset }
