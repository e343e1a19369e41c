import type { Fault, FaultTag } from "./fault.js"

/** The word by which each fault is known outside: in `KanonError.code`, on the command line, on the wire. */
export const faultCodes: { readonly [Tag in FaultTag]: string } = {
  InvalidInput: "invalid_body",
  NotFound: "not_found",
  Conflict: "conflict",
  InvalidTransition: "invalid_transition",
  NoModelConfigured: "no-model-configured",
  ModelUnavailable: "model_unavailable",
  VaultUnavailable: "vault_unavailable"
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
