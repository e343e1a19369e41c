import { basename, resolve } from "node:path"
import { invalid, KanonError } from "../../core/kernel/index.js"

/** Where the files of a workspace are. */
export type VaultPlace =
  | { readonly kind: "folder"; readonly folder: string }
  | { readonly kind: "database" }
  | { readonly kind: "objects"; readonly bucket: string; readonly prefix: string }

/** Names the database itself as the place of the files. */
export const inDatabase = "database:"

const objects = /^s3:\/\/([a-z0-9][a-z0-9.-]{1,61}[a-z0-9])(?:\/(.*))?$/

/** Whether a vault is named that is no folder. */
export const isRemote = (vault: string): boolean => vault === inDatabase || vault.startsWith("s3://")

/** Whether a name that says where a vault is says it rightly. */
export const isPlace = (vault: string): boolean =>
  !isRemote(vault) || vault === inDatabase || objects.test(vault)

/** The same name for the same vault, wherever a program stands: folders become absolute, in `base`. */
export const absoluteVault = (vault: string, base = "."): string =>
  isRemote(vault) ? vault : resolve(base, vault)

/** What a workspace is called whose name nobody said: as the last part of where its files are. */
export const vaultName = (vault: string): string =>
  vault === inDatabase ? "workspace" : basename(vault.replace(/\/+$/, ""))

/**
 * What a vault is called by: a folder, `database:`, or `s3://bucket/prefix`. Throws a KanonError `invalid_body` where an
 * address is none.
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
