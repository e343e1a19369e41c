import { statSync } from "node:fs"
import { KanonError, VaultUnavailable } from "../../core/kernel/index.js"
import { placeOf } from "../vault/vault-address.js"

/** Throws a KanonError `vault_unavailable` if the folder does not exist. */
export const requireVault = (vault: string): void => {
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
