import { createRequire } from "node:module"

/** Version of this package; unknown in a bundle without the manifest. */
export const packageVersion = ((): string => {
  try {
    const { version }: { readonly version: string } = createRequire(import.meta.url)("kanon/package.json")
    return version
  } catch {
    return "unknown"
  }
})()
