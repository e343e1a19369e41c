import * as Effect from "effect/Effect"
import type { OpenOptions } from "../../core/engine/index.js"
import { invalid, KanonError } from "../../core/kernel/index.js"
import { processOwner } from "../host/process-owner.js"
import { absoluteVault, vaultName } from "../vault/vault-address.js"
import { unfinishedImport } from "./import-mark.js"
import type { CommonOptions } from "./options.js"
import { requireVault } from "./vault-there.js"

/**
 * Returns core's options for opening an engine; throws if the vault is no readable folder.
 *
 * @param data The data folder beside the vault; null for none.
 */
export const openOptionsOf = (
  { cacheBytes, chunking, closeTimeoutMs, mend, name, upkeep, worker, workspace, ...options }: CommonOptions,
  data: string | null
) => {
  const vault = absoluteVault(options.vault)
  requireVault(vault)
  if (cacheBytes !== undefined && !(Number.isFinite(cacheBytes) && cacheBytes >= 0))
    throw new KanonError(invalid(["cacheBytes"], "invalid_value", "A number of bytes, 0 or more."))
  return {
    name: name ?? vaultName(vault),
    ...(workspace === undefined ? {} : { workspace }),
    worker: worker ?? true,
    owner: processOwner("worker"),
    ...(upkeep === undefined ? {} : { upkeep }),
    ...(cacheBytes === undefined ? {} : { cacheBytes }),
    ...(chunking === undefined ? {} : { chunking }),
    ...(closeTimeoutMs === undefined ? {} : { closeTimeoutMs }),
    mend: mend ?? true,
    mayMake: Effect.suspend(() => (data === null ? null : unfinishedImport(data)) ?? Effect.void)
  } satisfies OpenOptions
}
