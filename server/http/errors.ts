import * as Data from "effect/Data"
import {
  DataUnavailable,
  defined,
  type Fault,
  type FaultOf,
  type FaultTag,
  faultCodes,
  type InvalidInput,
  type Issue,
  undeclaredCodes
} from "../../core/platform/kernel/index.js"
import { placeOf, type Row } from "../catalog/row.js"

/** The answer to a failed request; the body is the contract's error envelope. */
export interface WireError {
  readonly status: number
  readonly body: {
    readonly error: string
    readonly message?: string
    readonly existingId?: string
    readonly issues?: ReadonlyArray<Issue>
    readonly requestId?: string
    readonly dataCallId?: string
    /** How to sign in to the console. */
    readonly signIn?: ReadonlyArray<string>
    readonly signInProblem?: string | null
  }
  readonly headers?: Readonly<Record<string, string>>
}

/** A request that the server itself refuses, with its whole answer. */
export class Refused extends Data.TaggedError("Refused")<{ readonly answer: WireError }> {}

type FaultAnswers = { readonly [Tag in FaultTag]: (fault: FaultOf<Tag>, row: Row | undefined) => WireError }

/** The same answer for unknown and deleted items and those of other workspaces. */
export const notFound: WireError = {
  status: 404,
  body: {
    error: "not_found",
    message: "It does not exist here, was deleted, or belongs to another workspace."
  }
}

/** A bug or broken storage; the request id leads to the log. */
export const internal: WireError = { status: 500, body: { error: "internal" } }

/** The HTTP status of each fault; a fault without one is a compile error. */
export const faultStatuses: { readonly [Tag in FaultTag]: number } = {
  InvalidInput: 400,
  NotFound: 404,
  Conflict: 409,
  InvalidTransition: 409,
  NotOpen: 409,
  ReviewerRequired: 409,
  NoModelConfigured: 409,
  ModelUnavailable: 503,
  SpendCapExceeded: 402,
  RunCapacityFull: 429,
  VaultUnavailable: 503,
  SecretsUnavailable: 503,
  ConnectorDisabled: 409,
  InvalidParams: 400,
  ConnectorUnreachable: 502,
  QueryFailed: 502,
  QueryTimeout: 504,
  InvalidExport: 400,
  DataBusy: 503,
  DataReadOnly: 503,
  DataFull: 503,
  DataUnreadable: 500,
  DataTooNew: 500,
  ModuleMissing: 500,
  EngineClosed: 503,
  ImportUnfinished: 500,
  DataUnavailable: 503,
  Unauthorized: 401,
  InsufficientScope: 403,
  WorkspaceForbidden: 403,
  WorkspaceRequired: 400
}

/** The answer to a fault by its message, with the recorded data call and the time to retry where it has them. */
const answerTo = (fault: Fault): WireError => ({
  status: faultStatuses[fault._tag],
  body: {
    error: faultCodes[fault._tag],
    message: fault.message,
    ...("dataCallId" in fault ? defined({ dataCallId: fault.dataCallId }) : {})
  },
  ...("retryAfterSeconds" in fault ? { headers: { "retry-after": String(fault.retryAfterSeconds) } } : {})
})

/** Faults that are answered with more than their message, or with less. */
const otherAnswers: Partial<FaultAnswers> = {
  InvalidInput: (fault, row) =>
    !aboutQuery(fault, row) && (row === undefined || hasBody(row))
      ? { status: 400, body: { error: "invalid_body", message: fault.message, issues: fault.issues } }
      : isUndeclared(fault)
        ? { status: 400, body: { error: "invalid_params", message: fault.message, issues: fault.issues } }
        : { status: 400, body: { error: row?.badParameter ?? "invalid_params", message: fault.message } },
  NotFound: () => notFound,
  Conflict: ({ existingId, message }, row) => ({
    status: 409,
    body: {
      error: "conflict",
      message,
      ...(row?.namesHolder === true ? defined({ existingId }) : {})
    }
  }),
  // File paths and system messages belong in the log.
  VaultUnavailable: () => ({
    status: 503,
    body: { error: "vault_unavailable", message: "The files of the workspace cannot be read or written." }
  }),
  // Details of damaged data belong in the log.
  DataUnreadable: () => internal,
  DataTooNew: () => internal,
  ModuleMissing: () => internal,
  ImportUnfinished: () => internal,
  // Host names belong in the log.
  DataUnavailable: ({ outcome, retryAfterSeconds }) =>
    answerTo(new DataUnavailable({ outcome, retryAfterSeconds })),
  Unauthorized: (fault) => ({
    ...answerTo(fault),
    headers: { "www-authenticate": 'Bearer realm="kanon"' }
  })
}

/** Returns the HTTP answer to a fault; `row` is the operation, if any. */
export const wireError = (fault: Fault, row?: Row): WireError => {
  // An entry takes the fault of its tag, which TypeScript cannot infer through an index.
  const other: ((fault: never, row: Row | undefined) => WireError) | undefined = otherAnswers[fault._tag]
  return other === undefined ? answerTo(fault) : Reflect.apply(other, undefined, [fault, row])
}

const hasBody = ({ method }: Row): boolean => method !== "GET" && method !== "DELETE"

/** Returns whether an error concerns the query string of a request that also has a body. */
const aboutQuery = ({ issues }: InvalidInput, row: Row | undefined): boolean =>
  issues.some(
    ({ code, path: [first] }) =>
      code === undeclaredCodes.parameter ||
      (row !== undefined &&
        code !== undeclaredCodes.field &&
        typeof first === "string" &&
        placeOf(row, first) !== "body")
  )

/** The contract has spellings of its own for values, but not for names that are not declared. */
const isUndeclared = ({ issues }: InvalidInput): boolean =>
  issues.some(({ code }) => code === undeclaredCodes.parameter || code === undeclaredCodes.field)
