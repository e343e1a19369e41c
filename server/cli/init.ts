import { mkdir } from "node:fs/promises"
import * as Effect from "effect/Effect"
import type { Failure } from "./failure.js"
import { failed, wrongUsage } from "./failure.js"
import type { CommonInput } from "./options.js"
import { here, withEngine } from "./session.js"
import { answer, paint } from "./terminal.js"
import { cleanLine } from "./text.js"
import { locate } from "./workspace.js"

/** Makes a workspace, or says that it is there already. */
export const init = (
  input: CommonInput & { readonly name: string | undefined }
): Effect.Effect<void, Failure> =>
  Effect.gen(function* () {
    if (input.name !== undefined && (input.name.trim() === "" || input.name.length > 200)) {
      return yield* wrongUsage("--name takes 1 to 200 characters.")
    }
    const place = yield* locate(
      { data: input.data, vault: input.vault ?? process.cwd() },
      { ...here(), makesVault: true }
    )
    if (place.fresh) yield* makeFolder(place.vault)
    yield* withEngine(place, { json: input.json, worker: false, name: input.name }, (engine) => {
      const { data, fresh: created, vault } = place
      const { id, name } = engine.workspace
      return answer(input.json, { id, name, vault, data, created }, () =>
        [
          created
            ? `${paint.green("Made")} the workspace ${paint.bold(cleanLine(name))}.`
            : `The workspace ${paint.bold(cleanLine(name))} is there already.`,
          `${paint.dim("vault")}  ${cleanLine(vault)}`,
          `${paint.dim("data")}   ${cleanLine(data)}`,
          ...(created
            ? ["", `Next: ${paint.cyan("kanon ingest")}, or at once ${paint.cyan('kanon ask "…"')}`]
            : [])
        ].join("\n")
      )
    })
  })

const makeFolder = (folder: string): Effect.Effect<void, Failure> =>
  Effect.tryPromise({
    try: () => mkdir(folder, { recursive: true }),
    catch: (error) =>
      failed(
        "vault_unavailable",
        `${folder} cannot be made: ${error instanceof Error ? error.message : error}`
      )
  })
