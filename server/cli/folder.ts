import { mkdir } from "node:fs/promises"
import * as Effect from "effect/Effect"
import { type Failure, failed } from "./failure.js"

/** Makes the folder of a vault, with those above it; one that is there stays as it is. */
export const makeFolder = (folder: string): Effect.Effect<void, Failure> =>
  Effect.tryPromise({
    try: () => mkdir(folder, { recursive: true }),
    catch: (error) =>
      failed(
        "vault_unavailable",
        `${folder} cannot be made: ${error instanceof Error ? error.message : error}`
      )
  })
