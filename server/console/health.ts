import * as Effect from "effect/Effect"
import { z } from "zod"
import { packageVersion } from "../../adapters/host/package-version.js"
import { status } from "../../core/engine/engine/index.js"
import { rendered, Vault } from "../../core/files/documents/index.js"
import { operation } from "../../core/platform/kernel/index.js"
import { type Row, row } from "../catalog/row.js"

// Requests of the console that are no operations: the state of the workspace on its overview page.

const Count = z.int()

const health = operation({
  name: "health",
  summary:
    "The state of the workspace: counts, background jobs, vectors, and whether its files can be written.",
  scopes: ["kb:read"],
  effect: "read",
  input: z.object({}),
  output: z.object({
    version: z.string(),
    counts: z.object({ documents: Count, chunks: Count, entities: Count, relations: Count }),
    jobs: z.object({
      queued: Count,
      running: Count,
      failed: Count,
      oldestQueuedAt: z.string().nullable()
    }),
    vectors: z.object({ model: z.string().nullable(), upToDate: z.boolean() }),
    vault: z.object({ readable: z.boolean(), message: z.string().nullable() })
  }),
  faults: [],
  run: () =>
    Effect.gen(function* () {
      const { counts, queue, vectors } = yield* status()
      const vault = yield* Vault
      const readable = yield* vault.checkWritable("health.md").pipe(
        Effect.as(true),
        Effect.orElseSucceed(() => false)
      )
      return {
        version: packageVersion,
        counts,
        jobs: {
          queued: queue.waiting,
          running: queue.running,
          failed: queue.dead,
          oldestQueuedAt: queue.oldestQueuedAt
        },
        vectors: { model: vectors.model, upToDate: vectors.upToDate },
        vault: {
          readable,
          message: readable ? null : "The files of the workspace cannot be read or written."
        }
      }
    })
})

const preview = operation({
  name: "preview",
  summary: "Render unsaved text as getDocument does.",
  scopes: ["kb:read"],
  effect: "read",
  input: z.object({
    content: z.string().max(5 * 1024 * 1024),
    path: z.string().max(1024).default("preview.md")
  }),
  output: z.object({ html: z.string(), title: z.string().nullable() }),
  faults: [],
  run: ({ content, path }) => rendered(content, path)
})

export const stateRows: ReadonlyArray<Row> = [
  row(health, "GET", "/console/health"),
  row(preview, "POST", "/console/preview")
]
