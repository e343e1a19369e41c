import * as Effect from "effect/Effect"
import type { Engine } from "../../core/engine/engine/index.js"
import { type Failure, failed, wrongUsage } from "./failure.js"
import { switchFlag } from "./flags.js"
import { call } from "./session.js"
import { readSecret } from "./terminal.js"
import { named } from "./text.js"

/** The argument that names a connector of a list by its id or its name. */
export const connectorOf = (
  list: (
    engine: Engine
  ) => Promise<{ readonly items: ReadonlyArray<{ readonly id: string; readonly name: string }> }>
) => ({
  name: "connector",
  description: "The id or the name of the connector.",
  resolve: (engine: Engine, given: string): Effect.Effect<string, Failure> =>
    Effect.flatMap(
      call(() => list(engine)),
      ({ items }) => {
        const found = items.find(({ id, name }) => id === given || name === given)
        return found === undefined
          ? failed("not_found", `There is no connector ${named(given)}.`)
          : Effect.succeed(found.id)
      }
    )
})

export const enabling = {
  enable: switchFlag("Enable the connector."),
  disable: switchFlag("Disable the connector.")
}

export const enabledOf = ({ disable, enable }: { readonly disable: boolean; readonly enable: boolean }) =>
  enable && disable
    ? wrongUsage("Give either --enable or --disable.")
    : Effect.succeed(enable === disable ? undefined : enable)

/** The credential of a change: null erases it, undefined leaves it. */
export const credentialOf = (given: {
  readonly clearCredential?: boolean
  readonly credentialStdin: boolean
}): Effect.Effect<string | null | undefined> =>
  given.clearCredential === true
    ? Effect.succeed(null)
    : given.credentialStdin
      ? readSecret
      : Effect.succeed(undefined)
