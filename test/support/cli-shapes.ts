import { z } from "zod"
import { JobId } from "../../core/index.js"

/** The results of the command line that are no operation of the engine. */

const Remark = z.strictObject({ path: z.string(), code: z.string(), message: z.string() })

export const IngestReport = z.strictObject({
  documents: z.strictObject({
    created: z.int(),
    updated: z.int(),
    moved: z.int(),
    deleted: z.int(),
    unchanged: z.int(),
    failed: z.int()
  }),
  chunks: z.int(),
  entities: z.int(),
  relations: z.int(),
  warnings: z.array(Remark),
  errors: z.array(Remark),
  durationMs: z.number().min(0)
})

export const InitResult = z.strictObject({
  id: z.string().regex(/^ws_/),
  name: z.string(),
  vault: z.string(),
  data: z.string(),
  created: z.boolean()
})

export const RetriedJobs = z.strictObject({
  items: z.array(z.strictObject({ jobId: JobId, kind: z.string(), subjectId: z.string().nullable() })),
  total: z.int()
})
