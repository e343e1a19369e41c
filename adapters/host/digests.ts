import { createHash } from "node:crypto"
import * as Effect from "effect/Effect"
import { serviceLayer } from "../../core/kernel/index.js"
import { Digests } from "../../core/transfer/index.js"

/** SHA-256 of Node. */
export const hostDigests = serviceLayer(
  Digests,
  Effect.succeed({
    sha256: () => {
      const hash = createHash("sha256")
      return {
        update: (bytes) => {
          hash.update(bytes)
        },
        finish: () => hash.digest("hex")
      }
    }
  })
)
