import * as Effect from "effect/Effect"
import { unfinishedImport } from "../../adapters/engine/import-mark.js"
import type { Failure } from "./failure.js"
import { isNews, refuseOther } from "./home.js"
import type { CommonInput } from "./options.js"
import { here, withEngine } from "./session.js"
import { locate, type Place } from "./workspace.js"

/**
 * The place for a process that stays: a vault that was only just named is made a workspace first. Its files are left to
 * the process, which watches them.
 */
export const begin = (input: CommonInput): Effect.Effect<Place, Failure> =>
  Effect.gen(function* () {
    const place = yield* locate(input, here())
    // What an import left that was killed looks like a workspace from outside.
    if (!isNews(place) && unfinishedImport(place.data) === null) yield* refuseOther(place)
    else yield* withEngine(place, { json: input.json, worker: false }, () => Effect.void)
    return place
  })
