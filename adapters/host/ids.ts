import { createHash, hash } from "node:crypto"
import * as Effect from "effect/Effect"
import { fromUUIDBytes, typeidUnboxed } from "typeid-js"
import { Ids, prefixes, serviceLayer } from "../../core/platform/kernel/index.js"
import { keySecrets } from "./key-secrets.js"

/** TypeIDs over UUIDv7, and over the first 128 bits of SHA-256 for derived ones; SHA-256 of Node. */
export const hostIds = serviceLayer(
  Ids,
  Effect.succeed({
    // The library's branded string type is equivalent to ours; the cast only changes the brand.
    make: (kind) => typeidUnboxed(prefixes[kind]) as never,
    derive: (kind, text) =>
      fromUUIDBytes(prefixes[kind], hash("sha256", text, "buffer").subarray(0, 16)) as never,
    sha256: (data) => hash("sha256", data, "hex"),
    digest: () => {
      const running = createHash("sha256")
      return {
        update: (bytes) => {
          running.update(bytes)
        },
        finish: () => running.digest("hex")
      }
    },
    secrets: keySecrets
  })
)
