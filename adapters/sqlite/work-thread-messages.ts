import type { IngestOptions, IngestProgress, IngestReport } from "../../core/engine/engine/index.js"
import * as kernel from "../../core/platform/kernel/index.js"
import { type Fault, type FaultTag, isFault } from "../../core/platform/kernel/index.js"
import type { ModelFailed, ModelUse } from "../../core/platform/models/index.js"
import type { EndedSpan } from "../host/span-tracer.js"

/** Start options of the thread. */
export interface WorkThreadData {
  readonly vault: string
  readonly data: string
  readonly workspace: string
  /** Name of its worker within this process. */
  readonly owner: string
  /** The kinds of jobs that it runs. */
  readonly kinds: ReadonlyArray<string>
  readonly builtInModels: boolean
  /** Cache size; null for the default. */
  readonly cacheBytes: number | null
  /** Limits of the conversion of one file; null for the defaults. */
  readonly formatMemoryMb: number | null
  readonly formatTimeoutMs: number | null
  readonly privateModelAddresses: boolean
  /** An embedder that only the main thread has; null if the thread creates its own from the environment. */
  readonly embedder: { readonly modelId: string; readonly batchMax: number } | null
  /** Sampling ratio of job spans; null for none. */
  readonly traceRatio: number | null
}

/** Messages from the main thread. */
export type ToThread =
  | { readonly say: "ingest"; readonly id: number; readonly options: Omit<IngestOptions, "onProgress"> }
  | { readonly say: "stop"; readonly id: number }
  | { readonly say: "embedded"; readonly id: number; readonly result: Embedded }
  | { readonly say: "close" }

export type Embedded = (
  | { readonly vectors: ReadonlyArray<Float32Array> }
  | { readonly failure: Pick<ModelFailed, "modelId" | "message" | "retryable" | "retryAfterSeconds"> }
) & {
  /** Usage of the calls, including failed ones. */
  readonly uses: ReadonlyArray<ModelUse>
}

/** Messages to the main thread. */
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

/** Converts a fault or other error to a message. */
export const errorToMessage = (error: unknown): Ended => {
  if (isFault(error)) {
    // A message that is an own field is not enumerable and must be copied explicitly.
    const ownMessage = Object.hasOwn(error, "message") ? { message: error.message } : {}
    return { fault: { tag: error._tag, fields: { ...error, ...ownMessage } } }
  }
  const { message, name, stack } = error instanceof Error ? error : new Error(String(error))
  return { defect: { name, message, stack: stack ?? "" } }
}

const classes: { readonly [Tag in FaultTag]: new (fields: never) => Fault } = kernel

/** Converts a message back to a fault of its class. */
export const faultFrom = ({ fields, tag }: Extract<Ended, { fault: unknown }>["fault"]): Fault =>
  // The fields were taken from an instance of the class.
  new classes[tag](fields as never)
