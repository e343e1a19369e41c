import { createRequire } from "node:module"

/** The version of this package; a bundle that left the manifest out does not know it. */
export const packageVersion = ((): string => {
  try {
    const { version }: { readonly version: string } = createRequire(import.meta.url)("kanon/package.json")
    return version
  } catch {
    return "unknown"
  }
})()
