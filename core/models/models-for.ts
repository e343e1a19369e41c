import * as Effect from "effect/Effect"
import * as Option from "effect/Option"
import type { WorkspaceScope } from "../kernel/index.js"
import { checkedModels } from "./checked.js"
import { modelRoles } from "./choices.js"
import { givenModels, Models, type PricedChoices, type WorkspaceModels } from "./store.js"

/** Returns the models of a workspace with these choices. Reads nothing without choices. */
export const modelsFor = (
  workspace: WorkspaceScope,
  choices: PricedChoices
): Effect.Effect<WorkspaceModels, never, Models> =>
  Effect.flatMap(Models, (given) =>
    Effect.map(
      given.of === undefined || modelRoles.every((role) => choices[role] === null)
        ? Effect.succeed(givenModels(given))
        : given.of(workspace, choices),
      (models) => checkedModels(choices.chatEnabled === false ? { ...models, chat: Option.none() } : models)
    )
  )
