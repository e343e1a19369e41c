import type * as Layer from "effect/Layer"
import type { IdentityStore } from "../../core/platform/identity/index.js"
import type { Atomic, Ids } from "../../core/platform/kernel/index.js"
import type { WorkspaceStore } from "../../core/platform/workspace/index.js"
import { clientTokenStoreLaws } from "./client-token-store.js"
import { invitationStoreLaws } from "./invitation-store.js"
import { sessionStoreLaws } from "./session-store.js"

/** The laws of `IdentityStore`. `layer` gives an empty store each time. */
export const identityStoreContract = <E>(
  name: string,
  layer: () => Layer.Layer<IdentityStore | WorkspaceStore | Atomic | Ids, E>
): void => {
  sessionStoreLaws(name, layer)
  clientTokenStoreLaws(name, layer)
  invitationStoreLaws(name, layer)
}
