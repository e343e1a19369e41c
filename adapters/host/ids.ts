import { createHash } from "node:crypto"
import * as Layer from "effect/Layer"
import { TypeID, typeidUnboxed } from "typeid-js"
import { Ids, prefixes } from "../../core/kernel/index.js"

const sha256 = (data: string | Uint8Array) => createHash("sha256").update(data)

/** TypeIDs over UUIDv7, and over the first 128 bits of SHA-256 for derived ones. */
export const hostIds = Layer.succeed(Ids, {
  // The library's own string type says no more than ours: the cast changes the name of the brand alone.
  make: (kind) => typeidUnboxed(prefixes[kind]) as never,
  derive: (kind, text) =>
    TypeID.fromUUIDBytes(prefixes[kind], sha256(text).digest().subarray(0, 16)).toString() as never,
  sha256: (data) => sha256(data).digest("hex")
})
