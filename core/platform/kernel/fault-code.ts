import * as Cause from "effect/Cause"
import type { Fault, FaultOf, FaultTag } from "./fault.js"

/** The public code of each fault: in `KanonError.code`, on the command line, on the wire. */
export const faultCodes = {
  InvalidInput: "invalid_body",
  NotFound: "not_found",
  Conflict: "conflict",
  InvalidTransition: "invalid_transition",
  NotOpen: "not_open",
  ReviewerRequired: "reviewer_required",
  NoModelConfigured: "no-model-configured",
  ModelUnavailable: "model_unavailable",
  SpendCapExceeded: "spend_cap_exceeded",
  RunCapacityFull: "run_capacity_full",
  VaultUnavailable: "vault_unavailable",
  SecretsUnavailable: "secrets_unavailable",
  ConnectorDisabled: "connector-disabled",
  InvalidParams: "invalid-params",
  ConnectorUnreachable: "connector_unreachable",
  QueryFailed: "query_failed",
  QueryTimeout: "query_timeout",
  InvalidExport: "invalid_export",
  ImportUnfinished: "import_unfinished",
  DataBusy: "busy",
  DataReadOnly: "data_read_only",
  DataFull: "data_full",
  DataUnreadable: "data_unreadable",
  DataTooNew: "data_too_new",
  DataUnavailable: "database_unavailable",
  ModuleMissing: "module_missing",
  EngineClosed: "engine_closed",
  Unauthorized: "unauthorized",
  InsufficientScope: "insufficient_scope",
  WorkspaceForbidden: "workspace_forbidden",
  WorkspaceRequired: "workspace_required"
} as const satisfies { readonly [Tag in FaultTag]: string }

/** The codes of these faults. */
export type FaultCode<Tag extends FaultTag = FaultTag> = (typeof faultCodes)[Tag]

/** Whether a thrown value, a failure or a defect is one of the faults. */
export const isFault = (error: unknown): error is Fault =>
  typeof error === "object" && error !== null && "_tag" in error && String(error._tag) in faultCodes

/** A function of the host threw an error. Unlike that of other defects, its message is shown: the host wrote it. */
export class HostFunctionFailed extends Error {
  override readonly name = "HostFunctionFailed"
  /** @param what What failed, such as "The extractor". */
  constructor(what: string, thrown: unknown) {
    super(`${what} failed: ${thrown instanceof Error ? thrown.message : String(thrown)}`, { cause: thrown })
  }
}

/** Whether the cause is read-only data. Background work does not report it. */
export const isCausedByReadOnlyData = (cause: Cause.Cause<unknown>): boolean =>
  endedBy(cause) === "DataReadOnly"

/** Whether the cause is an unreachable database. Background work that retries does not report it. */
export const isCausedByUnavailableData = (cause: Cause.Cause<unknown>): boolean =>
  endedBy(cause) === "DataUnavailable"

/** Whether the cause is a full disk under the database. */
export const isCausedByFullData = (cause: Cause.Cause<unknown>): boolean => endedBy(cause) === "DataFull"

const endedBy = (cause: Cause.Cause<unknown>): Fault["_tag"] | null => {
  const error = Cause.squash(cause)
  return isFault(error) ? error._tag : null
}

interface KanonErrorOf<Tag extends FaultTag> extends Error {
  readonly name: "KanonError"
  readonly code: FaultCode<Tag>
  readonly fault: FaultOf<Tag>
}

/**
 * The error with which promises of the embedded engine reject: a code to branch on, which tells the type of `fault`; a
 * message to show; the fault itself.
 */
export type KanonError = { readonly [Tag in FaultTag]: KanonErrorOf<Tag> }[FaultTag]

class ErrorWithFault extends Error {
  override readonly name = "KanonError"
  readonly code: FaultCode
  constructor(readonly fault: Fault) {
    super(fault.message)
    this.code = faultCodes[fault._tag]
  }
  static override [Symbol.hasInstance](value: unknown): value is KanonError {
    return (
      value instanceof Error &&
      value.name === "KanonError" &&
      "fault" in value &&
      isFault(value.fault) &&
      "code" in value &&
      value.code === faultCodes[value.fault._tag]
    )
  }
}

/** The class of `KanonError`. `instanceof` gives the union, in which the code tells the type of `fault`. */
export const KanonError: {
  new (fault: Fault): ErrorWithFault
  readonly prototype: ErrorWithFault
  [Symbol.hasInstance](value: unknown): value is KanonError
} = ErrorWithFault
