import * as Effect from "effect/Effect"
import { type ChunkId, type DocumentId, type EntityId, Ids } from "../../core/platform/kernel/index.js"
import type { ArchiveRecord } from "../../core/upkeep/transfer/index.js"
import { lawsAt as at } from "./workspace.js"

/** A record of each kind of live data and of agents, for a workspace with such a document and such an entity. */
export const runRecords = ({
  chunkId,
  documentId,
  entityId
}: {
  readonly chunkId: ChunkId
  readonly documentId: DocumentId
  readonly entityId: EntityId
}) =>
  Effect.gen(function* () {
    const ids = yield* Ids
    const [connectorId, queryId, callId] = [
      ids.make("dataConnector"),
      ids.make("dataQuery"),
      ids.make("dataCall")
    ]
    const [agentId, agentVersionId, runId, stepId] = [
      ids.make("agent"),
      ids.make("agentVersion"),
      ids.make("run"),
      ids.make("step")
    ]
    const query = (revision: number) => ({
      kind: "data_query" as const,
      id: queryId,
      slug: "gren",
      title: "Größen",
      description: "",
      connectorId,
      enabled: true,
      params: [{ name: "p", type: "enum" as const, enum: ["a"], default: "a" }],
      sql: `select :p, ${revision}`,
      bindings: [{ entityId, paramMap: { p: "attribute:k" } }],
      archived: false,
      columns: [{ name: "p", type: "text", table: null, column: null }],
      revision,
      createdAt: at,
      updatedAt: at,
      activity: "api",
      changedBy: "key"
    })
    const tool = { name: "svc_search", kind: "operation", effect: "read_only", approval: "never" } as const
    const step = (idx: number) => ({
      kind: "step" as const,
      id: idx === 0 ? stepId : ids.make("step"),
      runId,
      idx,
      step: "approval" as const,
      name: "svc_create_document",
      modelId: null,
      tokensIn: 5,
      tokensOut: 7,
      costUsd: "0.0000000001",
      latencyMs: 3,
      status: "pending" as const,
      input: { place: 0, note: "ö\u2028" },
      output: null,
      error: null,
      startedAt: at,
      finishedAt: null
    })
    const all: ReadonlyArray<ArchiveRecord> = [
      {
        kind: "data_connector",
        id: connectorId,
        name: "Shop",
        database: "postgres",
        enabled: true,
        settings: { host: "db.example", database: "größe", user: "reader", relations: ["a"] },
        limits: { rowCap: 5 },
        createdAt: at,
        updatedAt: at,
        deletedAt: at
      },
      query(1),
      query(2),
      {
        kind: "data_call",
        id: callId,
        queryId,
        slug: "gren",
        queryRevision: 2,
        connectorId,
        params: { p: "a" },
        outcome: "ok",
        error: null,
        rowCount: 1,
        truncated: false,
        durationMs: 3,
        executedAt: at,
        resultDigest: "0".repeat(64),
        answerId: null,
        runId,
        activity: "api",
        calledBy: "key",
        kept: { columns: ["p"], rows: [{ p: "é" }] }
      },
      {
        kind: "agent",
        id: agentId,
        slug: "writer",
        name: "Schreiber",
        description: "",
        enabled: true,
        archived: false,
        createdAt: at,
        updatedAt: at
      },
      {
        kind: "agent_version",
        agentId,
        id: agentVersionId,
        number: 1,
        createdAt: at,
        changedBy: "local",
        note: null,
        instructions: "Write.",
        modelRole: "chat",
        tools: [tool],
        budgets: { steps: 3 }
      },
      {
        kind: "run",
        id: runId,
        agentId,
        agentVersionId,
        conversationId: ids.make("conversation"),
        status: "suspended",
        trigger: "api",
        input: "Schreib.",
        output: { text: "A [S1].", citations: [{ docId: documentId, chunkId: chunkId }] },
        error: null,
        tokensIn: 5,
        tokensOut: 7,
        costUsd: "0.0000000001",
        apiKeyId: null,
        configSnapshotId: ids.make("runConfig"),
        createdAt: at,
        startedAt: at,
        finishedAt: null,
        forkedFrom: null,
        actor: "local",
        activity: "ui",
        scopes: ["kb:read"],
        principals: null,
        config: {
          agentId,
          agentSlug: "writer",
          agentVersionId,
          instructions: "Write.",
          modelId: "m",
          tools: [{ ...tool, scopes: ["kb:read"], description: "", inputSchema: { type: "object" } }],
          budgets: { steps: 3, tokens: 5, costUsd: "1", minutes: 1 }
        },
        history: [
          { role: "user", content: "Früher." },
          {
            role: "assistant",
            content: "",
            toolCalls: [{ id: "c", name: "svc_search", arguments: { q: "x" } }]
          },
          { role: "tool", callId: "c", name: "svc_search", content: "[]", isError: false }
        ]
      },
      step(0),
      step(1),
      {
        kind: "approval",
        id: ids.make("approval"),
        runId,
        stepId,
        toolName: "svc_create_document",
        arguments: { path: "é.md" },
        digest: "0".repeat(64),
        targets: { [documentId]: "4" },
        status: "open",
        expiresAt: at,
        decidedBy: null,
        decidedAt: null,
        note: null
      },
      {
        kind: "feedback",
        id: ids.make("feedback"),
        runId,
        about: "rating",
        value: { rating: 2 },
        note: null,
        createdBy: "local",
        createdAt: at
      }
    ]
    return all
  })
