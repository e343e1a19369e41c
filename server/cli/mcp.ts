import * as Effect from "effect/Effect"
import { packageVersion } from "../../adapters/host/package-version.js"
import { scopeOf } from "../../core/kernel/index.js"
import { begin } from "./begin.js"
import { type Failure, failed } from "./failure.js"
import { withHost } from "./host.js"
import { noteLogger } from "./notes.js"
import type { CommonInput } from "./options.js"
import { stopping } from "./stopping.js"

/** Serves MCP over the standard input and output until the client closes them or a signal ends it. */
export const mcp = (input: CommonInput & { readonly readOnly: boolean }): Effect.Effect<void, Failure> =>
  Effect.gen(function* () {
    const place = yield* begin(input)
    const { id } = yield* withHost({ ...input, data: place.data, vault: undefined }, ({ workspace }) =>
      Effect.succeed(workspace)
    )
    const { openHost } = yield* Effect.promise(() => import("../host.js"))
    const { serveStdio } = yield* Effect.promise(() => import("../mcp/stdio.js"))
    yield* Effect.acquireUseRelease(
      Effect.tryPromise({
        try: () => openHost({ ...place, workspace: id, worker: true, logger: noteLogger(input.json) }),
        catch: (error) => failed("not_serving", error instanceof Error ? error.message : String(error))
      }),
      ({ runtime }) =>
        Effect.acquireUseRelease(
          Effect.promise(() =>
            serveStdio({
              runtime,
              caller: { workspace: scopeOf(id), actor: "local", activity: "mcp" },
              version: packageVersion,
              isReadOnly: input.readOnly
            })
          ),
          ({ ended }) =>
            Effect.suspend(() => {
              stopping.isDone = true
              return Effect.promise(() => ended)
            }),
          ({ close }) => Effect.promise(close)
        ),
      (host) => Effect.promise(() => host.close())
    )
  })
