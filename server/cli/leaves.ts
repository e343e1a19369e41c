import * as Effect from "effect/Effect"
import type { Failure } from "./failure.js"
import { number } from "./options.js"

/** The work of a command is loaded when it is run, so that help is there at once. */
export const run = <Module>(
  load: () => Promise<Module>,
  work: (module: Module) => Effect.Effect<void, Failure>
): Effect.Effect<void, Failure> => Effect.flatMap(Effect.promise(load), work)

export const page = {
  limit: number("limit", "Most items to list", { from: 1, to: 200, usual: 50 }),
  offset: number("offset", "How many to leave out at the start", {
    from: 0,
    to: Number.MAX_SAFE_INTEGER,
    usual: 0
  })
}
