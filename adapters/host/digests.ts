import { createHash } from "node:crypto"
import * as Layer from "effect/Layer"
import { Digests } from "../../core/transfer/index.js"

/** SHA-256 of the host. */
export const hostDigests = Layer.succeed(Digests, {
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
