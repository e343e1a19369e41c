import * as Effect from "effect/Effect"
import * as Option from "effect/Option"
import { unfinishedImport } from "../../adapters/engine/import-mark.js"
import { findWorkspace } from "../../core/platform/identity/index.js"
import {
  Caller,
  type CallerShape,
  type Fault,
  faultCodes,
  scopeOf
} from "../../core/platform/kernel/index.js"
import type { Workspace } from "../../core/platform/workspace/index.js"
import type { Ports } from "../../core/ports.js"
import { storeOf } from "../store.js"
import { Failure, failed } from "./failure.js"
import type { CommonInput } from "./flags.js"
import { locate, type Place } from "./place.js"
import { warningLogger } from "./progress.js"
import { here, type Work } from "./session.js"

/** A host's data, with the workspace that a command is for. */
export interface Hosted {
  readonly place: Place
  readonly workspace: Workspace
}

/**
 * Runs an effect of the host's administration on the data folder, as the local user of the workspace that
 * `--workspace` names, else of the one that `init` made. Works on no jobs and looks at no files.
 */
export const withHost = <A>(
  input: CommonInput,
  use: Work<Hosted, A, Fault | Failure, Ports | Caller>
): Effect.Effect<A, Failure> =>
  Effect.gen(function* () {
    const place = yield* locate(input, here())
    const unfinished = unfinishedImport(place.data)
    if (place.fresh && unfinished !== null) return yield* failed("import_unfinished", unfinished.message)
    if (place.fresh)
      return yield* failed(
        "no_workspace",
        `${place.data} holds no workspace. Begin with: kanon init --vault DIR`
      )
    const store = yield* Effect.promise(() => storeOf(place))
    const ports = store.ports({ name: place.name ?? "", logger: warningLogger(input.json) })
    return yield* Effect.gen(function* () {
      const found = yield* findWorkspace(input.workspace)
      if (Option.isNone(found) && unfinished !== null) return yield* unfinished
      if (Option.isNone(found))
        return yield* failed(
          "not_found",
          input.workspace === undefined
            ? `${place.data} holds no workspace yet. Begin with: kanon init`
            : `No such workspace: ${input.workspace}`
        )
      const workspace = found.value
      const caller: CallerShape = { workspace: scopeOf(workspace.id), actor: "local", activity: "ui" }
      return yield* Effect.provideService(
        Effect.gen(() => use({ place, workspace })),
        Caller,
        caller
      )
    }).pipe(
      Effect.provide(ports),
      Effect.mapError((error) =>
        error instanceof Failure
          ? error
          : new Failure({
              code: faultCodes[error._tag],
              message: error.message,
              exitCode: error._tag === "InvalidInput" ? 2 : 1
            })
      )
    )
  })
