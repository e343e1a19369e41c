import { z } from "zod"
import { CacheStats } from "../../core/answers/answer-cache/index.js"
import { CalibrationMeasures, ReliabilityBin, RiskCertificate } from "../../core/answers/calibration/index.js"
import { ChangeRequest, CurationMeta, Entity, Revision } from "../../core/knowledge/entities/index.js"
import { MergeResult } from "../../core/knowledge/graph/index.js"
import { AuditPage, chainFaults } from "../../core/platform/audit/index.js"
import { KeyItem } from "../../core/platform/identity/index.js"
import { AuditId, EntityId, JobId, KeyId, UserId, WorkspaceId } from "../../core/platform/kernel/index.js"
import { RequestOverview } from "../../core/upkeep/overview/index.js"
import { RecordCounts } from "../../core/upkeep/transfer/index.js"
import { ServerSettings } from "../../server/config.js"

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
  workspaceId: z.string().regex(/^ws_/),
  created: z.boolean(),
  key: z
    .string()
    .regex(/^svc_sk_/)
    .nullable()
})

export const RetriedJobs = z.strictObject({
  items: z.array(z.strictObject({ jobId: JobId, kind: z.string(), subjectId: z.string().nullable() })),
  total: z.int()
})

const Milliseconds = z.number().min(0).nullable()

export const StatusResult = z.strictObject({
  workspace: z.strictObject({ id: z.string().regex(/^ws_/), name: z.string() }),
  counts: z.strictObject({ documents: z.int(), chunks: z.int(), entities: z.int(), relations: z.int() }),
  queue: z.strictObject({
    waiting: z.int(),
    running: z.int(),
    dead: z.int(),
    oldestQueuedAt: z.string().nullable(),
    work: z.array(
      z.strictObject({
        jobId: JobId,
        kind: z.string(),
        progress: z.strictObject({ done: z.number(), total: z.number(), note: z.string() }).nullable()
      })
    )
  }),
  textIndex: z.strictObject({
    segments: z.int(),
    passages: z.int(),
    removed: z.int(),
    sizeBytes: z.int()
  }),
  vectors: z.strictObject({
    model: z.string().nullable(),
    dimensions: z.int().nullable(),
    upToDate: z.boolean()
  }),
  vault: z.string(),
  data: z.string(),
  search: z.strictObject({
    count: z.int(),
    p50Ms: Milliseconds,
    p95Ms: Milliseconds,
    p99Ms: Milliseconds,
    maxMs: Milliseconds
  })
})

export const ExportResult = z.strictObject({
  file: z.string(),
  bytes: z.int(),
  sha256: z.string().length(64),
  records: RecordCounts
})

export const ImportResult = z.strictObject({
  id: z.string().regex(/^ws_/),
  name: z.string(),
  vault: z.string(),
  data: z.string(),
  records: RecordCounts
})

export const MigrateResult = z.strictObject({
  schema: z.int().min(0),
  newest: z.int().min(1),
  migrations: z.array(z.strictObject({ id: z.int().min(1), name: z.string() })),
  repairs: z.array(
    z.strictObject({
      code: z.enum(["text_order", "row_security", "vectors"]),
      tables: z.array(z.string()).min(1)
    })
  ),
  dryRun: z.boolean()
})

export const DatabaseStatus = z.strictObject({
  server: z.strictObject({
    version: z.string(),
    bytes: z.int().min(0),
    connections: z.int().min(1),
    connectionsMax: z.int().min(1),
    standbys: z.int().min(0),
    schema: z.int().min(1).nullable(),
    workspaces: z.int().min(0),
    passages: z.int().min(0)
  }),
  distributed: z.enum(["no", "partly", "yes"]),
  citus: z.string().nullable(),
  nodes: z.array(
    z.strictObject({
      node: z.string(),
      role: z.enum(["coordinator", "worker"]),
      isActive: z.boolean(),
      shards: z.int().min(0),
      bytes: z.int().min(0),
      unresolvedTransactions: z.int().min(0).nullable()
    })
  ),
  largest: z.array(
    z.strictObject({
      workspace: z.string(),
      passages: z.int().min(1),
      shard: z.int().min(1),
      node: z.string()
    })
  ),
  local: z.array(z.string()),
  pending: z.array(z.string())
})

export const DoctorResult = z.strictObject({
  ok: z.boolean(),
  differences: z.int().min(0),
  repaired: z.int().min(0),
  remarks: z.int().min(0),
  findings: z.array(
    z.strictObject({
      code: z.string(),
      severity: z.enum(["difference", "remark"]),
      subject: z.string(),
      message: z.string(),
      count: z.int().min(1),
      repaired: z.boolean()
    })
  ),
  checked: z.strictObject({
    files: z.int(),
    documents: z.int(),
    passages: z.int(),
    segments: z.int(),
    postings: z.int(),
    vectors: z.int(),
    entities: z.int(),
    vectorRecall: z.number().nullable(),
    drawn: z.int(),
    events: z.int(),
    jobs: z.int()
  }),
  durationMs: z.number().min(0)
})

/** Schemas of the output of curation commands and change requests, by the names of the examples. */
export const curationShapes = {
  curation: CurationMeta,
  merged: MergeResult,
  history: z.strictObject({ entityId: EntityId, revisions: z.array(Revision) }),
  "entity-restored": Entity,
  requests: z.strictObject({
    requests: z.array(ChangeRequest),
    total: z.int(),
    limit: z.int().nullable(),
    offset: z.int()
  }),
  request: ChangeRequest,
  "request-approved": z.strictObject({ request: ChangeRequest, appliedEntityId: EntityId.nullable() }),
  "request-shown": RequestOverview
} as const

const listOf = <Item extends z.ZodType>(item: Item) =>
  z.strictObject({ items: z.array(item), total: z.int() })
const Workspace = z.strictObject({ id: WorkspaceId, name: z.string(), vault: z.string() })
const Grant = z.union([z.literal("all"), z.array(WorkspaceId)])
const role = z.enum(["admin", "member"])

/** Schemas of the output of the server and its administration, by the names of the examples in the documentation. */
export const serverShapes = {
  setting: z.strictObject({ setting: z.string().nullable(), value: z.unknown(), revision: z.int() }),
  rotated: z.strictObject({ secrets: z.int(), resealed: z.int() }),
  serve: z.strictObject({ url: z.url(), mcp: z.url(), openapi: z.url() }),
  worker: z.strictObject({ event: z.literal("started"), health: z.url().nullable() }),
  config: ServerSettings.extend({
    databaseUrl: z.string().nullable(),
    databaseListenUrl: z.string().nullable(),
    databaseReadUrl: z.string().nullable()
  }),
  workspace: Workspace,
  workspaces: listOf(Workspace),
  user: z.strictObject({ id: UserId, name: z.string() }),
  users: listOf(z.strictObject({ id: UserId, name: z.string(), createdAt: z.string() })),
  member: z.strictObject({ workspaceId: WorkspaceId, userId: UserId, role }),
  "member-removed": z.strictObject({ workspaceId: WorkspaceId, userId: UserId, removed: z.literal(true) }),
  members: listOf(z.strictObject({ id: UserId, name: z.string(), role, since: z.string() })),
  key: z.strictObject({
    id: KeyId,
    key: z.string().regex(/^svc_[su]k_/),
    kind: z.enum(["workspace", "user"]),
    scopes: z.array(z.string()),
    workspaces: Grant,
    expiresAt: z.string().nullable()
  }),
  "key-revoked": z.strictObject({ deleted: z.literal(true), id: KeyId }),
  keys: listOf(
    KeyItem.extend({
      workspaces: Grant,
      userId: UserId.nullable(),
      state: z.enum(["active", "revoked", "expired"])
    })
  )
}

export const auditShapes = {
  "cache-stats": CacheStats,
  calibrated: z.strictObject({
    calibrationVersion: z.string().regex(/^[0-9a-f]{16}$/),
    ...z.object({
      questions: z.int(),
      answered: z.int(),
      right: z.int(),
      fitted: z.int(),
      calibrated: z.int()
    }).shape,
    measures: CalibrationMeasures.omit({ bins: true }).strict(),
    risk: RiskCertificate.omit({ grid: true, start: true })
      .extend({ coverage: z.number(), needed: z.int(), leastAbstention: z.number() })
      .strict(),
    bins: z.array(ReliabilityBin),
    diagram: z.string().nullable()
  }),
  "cache-cleared": z.strictObject({ cleared: z.int() }),
  audit: AuditPage,
  "audit-verified": z.strictObject({
    ok: z.boolean(),
    events: z.int(),
    head: z.strictObject({ position: z.int(), hash: z.string().length(64) }),
    kept: z.strictObject({ hash: z.string(), position: z.int().nullable() }).nullable(),
    findings: z.array(
      z.strictObject({
        fault: z.enum(chainFaults),
        position: z.number(),
        id: AuditId.nullable(),
        count: z.int(),
        message: z.string()
      })
    ),
    differences: z.int()
  }),
  "audit-head": z.strictObject({ position: z.int(), hash: z.string().length(64) })
} as const
