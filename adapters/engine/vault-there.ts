import { statSync } from "node:fs"
import { invalid, KanonError, VaultUnavailable } from "../../core/kernel/index.js"
import { placeOf } from "../vault/vault-address.js"

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
