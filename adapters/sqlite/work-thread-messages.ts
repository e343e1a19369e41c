import type { IngestOptions, IngestProgress, IngestReport } from "../../core/engine/index.js"
import {
  Conflict,
  ConnectorDisabled,
  ConnectorUnreachable,
  DataBusy,
  DataFull,
  DataReadOnly,
  DataTooNew,
  DataUnavailable,
  DataUnreadable,
  type Fault,
  type FaultTag,
  ImportUnfinished,
  InsufficientScope,
  InvalidExport,
  InvalidInput,
  InvalidParams,
  InvalidTransition,
  isFault,
  ModelUnavailable,
  NoModelConfigured,
  NotFound,
  NotOpen,
  QueryFailed,
  QueryTimeout,
  ReviewerRequired,
  RunCapacityFull,
  SecretsUnavailable,
  SpendCapExceeded,
  Unauthorized,
  VaultUnavailable,
  WorkspaceForbidden,
  WorkspaceRequired
} from "../../core/kernel/index.js"
import type { ModelFailed, ModelUse } from "../../core/models/index.js"
import type { EndedSpan } from "../host/span-tracer.js"

/** What a thread for long work is started with. */
export interface WorkThreadData {
  readonly vault: string
  readonly data: string
  readonly workspace: string
  /** Names it as a worker of this process. */
  readonly owner: string
  /** The kinds of jobs it works on. */
  readonly kinds: ReadonlyArray<string>
  readonly builtInModels: boolean
  /** What its caches may keep; null for as much as usual. */
  readonly cacheBytes: number | null
  readonly privateModelAddresses: boolean
  /** An embedder that only the main thread has; null lets the thread make what the environment names. */
  readonly embedder: { readonly modelId: string; readonly batchMax: number } | null
  /** The share of its jobs whose spans are told; null: none. */
  readonly traceRatio: number | null
}

/** What the main thread says to it. */
export type ToThread =
  | { readonly say: "ingest"; readonly id: number; readonly options: Omit<IngestOptions, "onProgress"> }
  | { readonly say: "stop"; readonly id: number }
  | { readonly say: "embedded"; readonly id: number; readonly result: Embedded }
  | { readonly say: "close" }

export type Embedded = (
  | { readonly vectors: ReadonlyArray<Float32Array> }
  | { readonly failure: Pick<ModelFailed, "modelId" | "message" | "retryable" | "retryAfterSeconds"> }
) & {
  /** What the calls used, also of those that failed in the end. */
  readonly uses: ReadonlyArray<ModelUse>
}

/** What it says. */
export type FromThread =
  | { readonly say: "ready" }
  | { readonly say: "progress"; readonly id: number; readonly progress: IngestProgress }
  | { readonly say: "ingested"; readonly id: number; readonly result: Ended }
  | {
      readonly say: "embed"
      readonly id: number
      readonly texts: ReadonlyArray<string>
      readonly purpose: "passage" | "query"
    }
  | { readonly say: "span"; readonly span: EndedSpan }
  | {
      readonly say: "log"
      readonly level: "Fatal" | "Error" | "Warning" | "Info" | "Debug" | "Trace"
      readonly messages: ReadonlyArray<string>
    }

export type Ended =
  | { readonly report: IngestReport }
  | { readonly fault: { readonly tag: FaultTag; readonly fields: object } }
  | { readonly defect: { readonly name: string; readonly message: string; readonly stack: string } }

/** A fault as it crosses, or anything else that went wrong. */
export const endedBadly = (error: unknown): Ended => {
  if (isFault(error)) {
    // Where a message is a fact and not made of others, it is a field that spreading leaves out.
    const said = Object.hasOwn(error, "message") ? { message: error.message } : {}
    return { fault: { tag: error._tag, fields: { ...error, ...said } } }
  }
  const { message, name, stack } = error instanceof Error ? error : new Error(String(error))
  return { defect: { name, message, stack: stack ?? "" } }
}

const classes: { readonly [Tag in FaultTag]: new (fields: never) => Fault } = {
  Conflict,
  ConnectorDisabled,
  ConnectorUnreachable,
  DataBusy,
  DataFull,
  DataReadOnly,
  DataTooNew,
  DataUnavailable,
  DataUnreadable,
  ImportUnfinished,
  InsufficientScope,
  InvalidExport,
  InvalidInput,
  InvalidParams,
  InvalidTransition,
  ModelUnavailable,
  NoModelConfigured,
  NotFound,
  NotOpen,
  QueryFailed,
  QueryTimeout,
  ReviewerRequired,
  RunCapacityFull,
  SecretsUnavailable,
  SpendCapExceeded,
  Unauthorized,
  VaultUnavailable,
  WorkspaceForbidden,
  WorkspaceRequired
}

/** The fault that crossed, of its own class again. */
export const faultFrom = ({ fields, tag }: Extract<Ended, { fault: unknown }>["fault"]): Fault =>
  // Its fields are those of the class, since it was one.
  new classes[tag](fields as never)
