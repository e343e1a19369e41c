import * as Effect from "effect/Effect"
import * as Option from "effect/Option"
import { record } from "../audit/index.js"
import {
  atomically,
  Caller,
  type CallerShape,
  Ids,
  now,
  scopeOf,
  traced,
  type WorkspaceId
} from "../kernel/index.js"
import { Settings, type Workspace, WorkspaceStore } from "../workspace/index.js"

/**
 * Creates a workspace for the host's command line. `vaultFor` returns the host's name for the location of its files.
 */
export const createWorkspace = traced("identity.createWorkspace")(function* (
  name: string,
  vaultFor: (id: WorkspaceId) => string
) {
  const store = yield* WorkspaceStore
  const workspace: Workspace = { id: (yield* Ids).make("workspace"), name, settings: Settings.parse({}) }
  const at = yield* now
  const caller: CallerShape = { workspace: scopeOf(workspace.id), actor: "local", activity: "ui" }
  yield* atomically(
    Effect.zipRight(
      store.insert(workspace, at, vaultFor(workspace.id)),
      Effect.provideService(
        record([{ action: "workspace.create", subjectId: workspace.id, details: { name } }]),
        Caller,
        caller
      )
    )
  )
  return workspace
})

/** Returns a workspace of the host by id, by default the first one created. */
export const findWorkspace = (id: string | undefined) =>
  Effect.flatMap(WorkspaceStore, (store) =>
    id === undefined
      ? store.first
      : Effect.gen(function* () {
          const named = (all: ReadonlyArray<Workspace>) =>
            Option.fromNullable(all.find((one) => one.id === id))
          const found = named(yield* store.readable)
          // If it exists but is damaged, this read fails with the reason.
          return Option.isSome(found) ? found : named(yield* store.list)
        })
  )
