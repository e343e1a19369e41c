import { join } from "node:path"
import * as Effect from "effect/Effect"
import { z } from "zod"
import { makeKeyFile, secretKeyFile, secretKeyVariable } from "../../adapters/host/secret-keys.js"
import { isRemote } from "../../adapters/vault/vault-address.js"
import { mintAsHost } from "../../core/platform/identity/index.js"
import { scopes } from "../../core/platform/kernel/index.js"
import { command } from "./command.js"
import { failed } from "./failure.js"
import { type CommonInput, nameFlag } from "./flags.js"
import { withHost } from "./host.js"
import { locate, makeFolder } from "./place.js"
import { here, withEngine } from "./session.js"
import { answer, paint } from "./terminal.js"
import { cleanLine } from "./text.js"

export const initCommand = command("init", {
  description: "Make a workspace for a folder of Markdown files, by default the current one.",
  input: z.object({
    name: nameFlag.optional().describe("Name of the workspace; by default the name of the vault's folder.")
  }),
  run: function* (input) {
    const place = yield* locate(
      { ...input, vault: input.vault ?? process.cwd() },
      { ...here(), makesVault: true }
    )
    if (place.fresh && !isRemote(place.vault)) yield* makeFolder(place.vault)
    const options = { json: input.json, worker: false, name: input.name }
    const workspace = yield* withEngine(place, options, ({ workspace: made }) => Effect.succeed(made))
    const key = place.fresh ? yield* firstKey(input, place.data) : null
    if (place.fresh && (process.env[secretKeyVariable] ?? "") === "")
      yield* Effect.try({
        try: () => makeKeyFile(join(place.data, secretKeyFile)),
        catch: (error) => failed("data_unavailable", error instanceof Error ? error.message : String(error))
      })
    const { data, fresh: created, vault } = place
    const { id, name } = workspace
    yield* answer(input.json, { id, workspaceId: id, name, vault, data, created, key }, () =>
      [
        created
          ? `${paint.green("Made")} the workspace ${paint.bold(cleanLine(name))}.`
          : `The workspace ${paint.bold(cleanLine(name))} is there already.`,
        `${paint.dim("vault")}  ${cleanLine(vault)}`,
        `${paint.dim("data")}   ${cleanLine(data)}`,
        ...(key === null
          ? []
          : [
              `${paint.dim("key")}    ${key}`,
              paint.dim("       for a server, with every scope; it is shown this once"),
              "",
              `Next: ${paint.cyan("kanon ingest")}, or at once ${paint.cyan('kanon ask "…"')}`
            ])
      ].join("\n")
    )
  }
})

/** The first key of a new workspace, for a server over it; with every scope. */
const firstKey = (input: CommonInput, data: string) =>
  withHost({ ...input, data, vault: undefined, workspace: undefined }, function* ({ workspace }) {
    return yield* Effect.map(
      mintAsHost({
        name: "first key",
        scopes: [...scopes],
        expiresAt: null,
        owner: { kind: "workspace", workspace: workspace.id }
      }),
      ({ secret }) => secret
    )
  })
