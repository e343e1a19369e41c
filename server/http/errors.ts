import {
  DataUnavailable,
  type Fault,
  type FaultOf,
  type FaultTag,
  faultCodes,
  type InvalidInput,
  type Issue
} from "../../core/kernel/index.js"
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
  }
  readonly headers?: Readonly<Record<string, string>>
}

type FaultAnswers = { readonly [Tag in FaultTag]: (fault: FaultOf<Tag>, row: Row | undefined) => WireError }

const withMessage = (status: number, { _tag, message }: Fault): WireError => ({
  status,
  body: { error: faultCodes[_tag], message }
})

/** Returns the answer to a failed named query, with the id of its recorded data call. */
const ofCall = (status: number, fault: CallFault): WireError => {
  const { body } = withMessage(status, fault)
  return { status, body: fault.dataCallId === undefined ? body : { ...body, dataCallId: fault.dataCallId } }
}
type CallFault = FaultOf<
  "ConnectorDisabled" | "InvalidParams" | "ConnectorUnreachable" | "QueryFailed" | "QueryTimeout"
>

/** The same answer for unknown and deleted items and those of other workspaces. */
export const notFound: WireError = { status: 404, body: { error: "not_found" } }

/** A bug or broken storage; the request id leads to the log. */
export const internal: WireError = { status: 500, body: { error: "internal" } }

/** Maps faults to HTTP answers; a fault without an entry is a compile error. */
const faultAnswers: FaultAnswers = {
  InvalidInput: (fault, row) =>
    row === undefined || (hasBody(row) && !aboutQuery(fault, row))
      ? { status: 400, body: { error: "invalid_body", message: fault.message, issues: fault.issues } }
      : { status: 400, body: { error: row.badParameter, message: fault.message } },
  NotFound: () => notFound,
  Conflict: (fault) => ({
    status: 409,
    body: {
      error: "conflict",
      message: fault.message,
      ...(fault.existingId === undefined ? {} : { existingId: fault.existingId })
    }
  }),
  InvalidTransition: (fault) => withMessage(409, fault),
  NotOpen: (fault) => withMessage(409, fault),
  ReviewerRequired: (fault) => withMessage(409, fault),
  NoModelConfigured: (fault) => withMessage(409, fault),
  ModelUnavailable: (fault) => ({
    ...withMessage(503, fault),
    headers: { "retry-after": String(fault.retryAfterSeconds) }
  }),
  SpendCapExceeded: (fault) => withMessage(402, fault),
  RunCapacityFull: (fault) => ({
    ...withMessage(429, fault),
    headers: { "retry-after": String(fault.retryAfterSeconds) }
  }),
  // File paths and system messages belong in the log.
  VaultUnavailable: () => ({
    status: 503,
    body: { error: "vault_unavailable", message: "The files of the workspace cannot be read or written." }
  }),
  SecretsUnavailable: (fault) => withMessage(503, fault),
  ConnectorDisabled: (fault) => ofCall(409, fault),
  InvalidParams: (fault) => ofCall(400, fault),
  ConnectorUnreachable: (fault) => ofCall(502, fault),
  QueryFailed: (fault) => ofCall(502, fault),
  QueryTimeout: (fault) => ofCall(504, fault),
  InvalidExport: (fault) => withMessage(400, fault),
  DataBusy: (fault) => ({
    ...withMessage(503, fault),
    headers: { "retry-after": String(fault.retryAfterSeconds) }
  }),
  DataReadOnly: (fault) => withMessage(503, fault),
  DataFull: (fault) => withMessage(503, fault),
  // Details of damaged data belong in the log.
  DataUnreadable: () => internal,
  DataTooNew: () => internal,
  ModuleMissing: () => internal,
  ImportUnfinished: () => internal,
  // Host names belong in the log.
  DataUnavailable: ({ outcome, retryAfterSeconds }) => ({
    ...withMessage(503, new DataUnavailable({ outcome, retryAfterSeconds })),
    headers: { "retry-after": String(retryAfterSeconds) }
  }),
  Unauthorized: (fault) => ({
    ...withMessage(401, fault),
    headers: { "www-authenticate": 'Bearer realm="kanon"' }
  }),
  InsufficientScope: (fault) => withMessage(403, fault),
  WorkspaceForbidden: (fault) => withMessage(403, fault),
  WorkspaceRequired: (fault) => withMessage(400, fault)
}

/** Returns the HTTP answer to a fault; `row` is the operation, if any. */
export const wireError = (fault: Fault, row?: Row): WireError => {
  // Each tag has exactly one entry, which TypeScript cannot infer through an index.
  const face: (fault: never, row: Row | undefined) => WireError = faultAnswers[fault._tag]
  return Reflect.apply(face, undefined, [fault, row])
}

const hasBody = ({ method }: Row): boolean => method !== "GET" && method !== "DELETE"

/** Returns whether all errors concern the query string of a request that also has a body. */
const aboutQuery = ({ issues }: InvalidInput, row: Row): boolean =>
  issues.some(({ path: [first] }) => typeof first === "string" && placeOf(row, first) !== "body")
