import * as Cause from "effect/Cause"
import type { Fault, FaultTag } from "./fault.js"

/** The word by which each fault is known outside: in `KanonError.code`, on the command line, on the wire. */
export const faultCodes: { readonly [Tag in FaultTag]: string } = {
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
  Unauthorized: "unauthorized",
  InsufficientScope: "insufficient_scope",
  WorkspaceForbidden: "workspace_forbidden",
  WorkspaceRequired: "workspace_required"
}

/** Whether something that was thrown, or that an effect failed or died with, is one of the faults. */
export const isFault = (error: unknown): error is Fault =>
  typeof error === "object" && error !== null && "_tag" in error && String(error._tag) in faultCodes

/** Whether something ended since the data may not be written: whoever works by itself then has nothing to report. */
export const isOfReadOnlyData = (cause: Cause.Cause<unknown>): boolean => endedBy(cause) === "DataReadOnly"

/** Whether something ended since the database is away: whoever asks again by itself need not tell how it came to that. */
export const isOfAbsentData = (cause: Cause.Cause<unknown>): boolean => endedBy(cause) === "DataUnavailable"

const endedBy = (cause: Cause.Cause<unknown>): Fault["_tag"] | null => {
  const error = Cause.squash(cause)
  return isFault(error) ? error._tag : null
}

/** What a promise of the embedded engine is rejected with: a code to branch on, a message to show, the fault itself. */
export class KanonError extends Error {
  override readonly name = "KanonError"
  readonly code: string
  constructor(readonly fault: Fault) {
    super(fault.message)
    this.code = faultCodes[fault._tag]
  }
}
