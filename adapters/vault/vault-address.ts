import { basename, isAbsolute, relative, resolve } from "node:path"
import { invalid, KanonError } from "../../core/platform/kernel/index.js"

/** Location of a workspace's files. */
export type VaultPlace =
  | { readonly kind: "folder"; readonly folder: string }
  | { readonly kind: "database" }
  | { readonly kind: "objects"; readonly bucket: string; readonly prefix: string }

/** Address of a vault in the database itself. */
export const inDatabase = "database:"

const objects = /^s3:\/\/([a-z0-9][a-z0-9.-]{1,61}[a-z0-9])(?:\/(.*))?$/

/** Whether a vault is not a folder. */
export const isRemote = (vault: string): boolean => vault === inDatabase || vault.startsWith("s3://")

/** Whether an address of a vault is valid. */
export const isPlace = (vault: string): boolean =>
  !isRemote(vault) || vault === inDatabase || objects.test(vault)

/** Returns a canonical address, independent of the working directory: folders become absolute, relative to `base`. */
export const absoluteVault = (vault: string, base = "."): string =>
  isRemote(vault) ? vault : resolve(base, vault)

/** Returns an absolute address as it is stored: a folder within the data relative to it, so that both can be moved. */
export const portableVault = (vault: string, data: string | null): string => {
  if (isRemote(vault) || data === null) return vault
  const between = relative(data, vault)
  return isAbsolute(between) || between.startsWith("..") ? vault : between
}

/** Returns the default name of a workspace: the last part of its vault's address. */
export const vaultName = (vault: string): string =>
  vault === inDatabase ? "workspace" : basename(vault.replace(/\/+$/, ""))

/**
 * Parses a vault address: a folder, `database:`, or `s3://bucket/prefix`. Throws a KanonError `invalid_body` when it
 * is invalid.
 */
export const placeOf = (vault: string): VaultPlace => {
  if (!isRemote(vault)) return { kind: "folder", folder: vault }
  if (vault === inDatabase) return { kind: "database" }
  const [, bucket, prefix = ""] = objects.exec(vault) ?? []
  if (bucket === undefined)
    throw new KanonError(
      invalid(["vault"], "invalid_value", "Object storage is named as s3://bucket/prefix.")
    )
  return { kind: "objects", bucket, prefix: prefix.replace(/^\/+|\/+$/g, "") }
}
