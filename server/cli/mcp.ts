import * as Effect from "effect/Effect"
import { z } from "zod"
import { packageVersion } from "../../adapters/host/package-version.js"
import { scopeOf } from "../../core/platform/kernel/index.js"
import { scopesByRole } from "../config.js"
import { command } from "./command.js"
import { failed } from "./failure.js"
import { switchFlag } from "./flags.js"
import { withHost } from "./host.js"
import { warningLogger } from "./progress.js"
import { configOf } from "./serve.js"
import { preparePlace, shutdown } from "./session.js"

export const mcpCommand = command("mcp", {
  description: "Serve one workspace to a language model over standard input and output (MCP).",
  input: z.object({ readOnly: switchFlag("Offer only tools that change nothing.") }),
  run: function* (input) {
    const place = yield* preparePlace(input)
    const { id } = yield* withHost(
      { ...input, data: place.data, vault: undefined },
      function* ({ workspace }) {
        return yield* Effect.succeed(workspace)
      }
    )
    // Its worker works on runs of members too.
    const roleScopes = scopesByRole(yield* configOf({}))
    const { openHost } = yield* Effect.promise(() => import("../host.js"))
    const { serveStdio } = yield* Effect.promise(() => import("../mcp/stdio.js"))
    yield* Effect.acquireUseRelease(
      Effect.tryPromise({
        try: () =>
          openHost({ ...place, workspace: id, worker: true, roleScopes, logger: warningLogger(input.json) }),
        catch: (error) => failed("not_serving", error instanceof Error ? error.message : String(error))
      }),
      ({ runtime }) =>
        Effect.acquireUseRelease(
          Effect.sync(() =>
            serveStdio({
              runtime,
              caller: { workspace: scopeOf(id), actor: "local", activity: "mcp" },
              version: packageVersion,
              isReadOnly: input.readOnly
            })
          ),
          ({ ended }) =>
            Effect.suspend(() => {
              shutdown.isGraceful = true
              return Effect.promise(() => ended)
            }),
          ({ close }) => Effect.promise(close)
        ),
      (host) => Effect.promise(() => host.close())
    )
  }
})
