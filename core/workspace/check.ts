import * as Effect from "effect/Effect"
import { eventsOf, record } from "../audit/index.js"
import { atomically, Caller, type Examiner, now, traced } from "../kernel/index.js"
import { laidOver, plainPart } from "./change.js"
import { Settings, type Workspace } from "./model.js"
import { WorkspaceStore } from "./store.js"

/** The kinds of what may be wrong with the name and the settings of a workspace. */
export const workspaceFindings = { workspace_differs: "difference" } as const

/**
 * Compares the name and the settings, save those of models, with the newest changes of which the trail tells, where
 * that is whole: each has the value that it was given last. What nobody ever set is told nowhere.
 */
export const checkWorkspace = traced("workspace.check")(function* (
  examiner: Examiner<keyof typeof workspaceFindings>,
  { trailHolds }: { readonly trailHolds: boolean }
) {
  if (!trailHolds || (yield* mendedOf).problems.length === 0) return
  yield* atomically(
    Effect.gen(function* () {
      const [store, { workspace }] = [yield* WorkspaceStore, yield* Caller]
      const { mended, problems } = yield* mendedOf
      if (problems.length === 0) return
      yield* examiner.tell("workspace_differs", {
        subject: workspace,
        message: `the workspace is set otherwise than its history tells: ${problems.join(", ")}`
      })
      if (!examiner.repair) return
      yield* store.update(mended, yield* now)
      yield* record([{ action: "workspace.repair", subjectId: workspace, details: { problems } }])
    })
  )
})

const mendedOf = Effect.gen(function* () {
  const [store, { workspace }] = [yield* WorkspaceStore, yield* Caller]
  const before = yield* store.get(workspace)
  const told = (yield* eventsOf(workspace)).filter(({ action }) => named.has(action))
  const name = told.findLast(({ details }) => typeof details["name"] === "string")?.details["name"]
  const laid = told
    .filter(({ action }) => action === "workspace.update")
    .reduce<unknown>((standing, { details }) => laidOver(standing, plainPart(details)), before.settings)
  const settings = Settings.safeParse(laid).data ?? before.settings
  const mended: Workspace = { ...before, name: typeof name === "string" ? name : before.name, settings }
  const groups = Object.entries(before.settings).flatMap(([group, value]) =>
    JSON.stringify(value) === JSON.stringify(Object.entries(settings).find(([one]) => one === group)?.[1])
      ? []
      : [group]
  )
  return { mended, problems: [...(mended.name === before.name ? [] : ["name"]), ...groups] }
})

const named = new Set(["workspace.create", "workspace.update"])
