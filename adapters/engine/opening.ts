import { statSync } from "node:fs"
import * as Effect from "effect/Effect"
import type { OpenOptions } from "../../core/engine/engine/index.js"
import { invalid, KanonError, VaultUnavailable } from "../../core/platform/kernel/index.js"
import { processOwner } from "../host/process-owner.js"
import { absoluteVault, placeOf, vaultName } from "../vault/vault-address.js"
import { unfinishedImport } from "./import-mark.js"
import type { CommonOptions } from "./options.js"

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

/** Throws a KanonError `invalid_body` if the vault has no name, or the data folder is a file. */
export const requirePlaces = ({
  data,
  vault
}: {
  readonly vault: unknown
  readonly data?: unknown
}): void => {
  if (typeof vault !== "string" || vault.trim() === "")
    throw new KanonError(invalid(["vault"], "required", "A vault is a folder, named by its path."))
  if (typeof data !== "string" || data === ":memory:") return
  if (data.trim() === "" || statSync(data, { throwIfNoEntry: false })?.isDirectory() === false)
    throw new KanonError(invalid(["data"], "invalid_value", `The data folder is no folder: ${data}`))
}

/** Throws a KanonError `vault_unavailable` if the folder does not exist. */
const requireVault = (vault: string): void => {
  if (placeOf(vault).kind !== "folder") return
  const found = statSync(vault, { throwIfNoEntry: false })
  if (found?.isDirectory() === true) return
  const message = found === undefined ? "There is no such folder." : "It is a file, not a folder."
  throw new KanonError(
    new VaultUnavailable({
      code: found === undefined ? "ENOENT" : "ENOTDIR",
      message: `${vault}: ${message}`
    })
  )
}
