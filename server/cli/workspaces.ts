import { mkdir } from "node:fs/promises"
import { isAbsolute, join, relative, resolve } from "node:path"
import * as Effect from "effect/Effect"
import * as Option from "effect/Option"
import { createWorkspace } from "../../core/identity/index.js"
import { scopeOf } from "../../core/kernel/index.js"
import { WorkspaceStore } from "../../core/workspace/index.js"
import { type Failure, failed, wrongUsage } from "./failure.js"
import { withHost } from "./host.js"
import type { CommonInput } from "./options.js"
import { answer, tableColumns } from "./terminal.js"
import { cleanLine, table } from "./text.js"

/** Where workspaces that name no folder have their files, within the data folder. */
const ownVaults = "vaults"

/** `--vault` here is the folder of the new workspace, not the one by which the data is found. */
export const create = (
  input: CommonInput & { readonly name: string | undefined; readonly files: string | undefined }
): Effect.Effect<void, Failure> =>
  withHost(input, ({ place }) =>
    Effect.gen(function* () {
      const name = (input.name ?? "").trim()
      if (name === "" || name.length > 200) return yield* wrongUsage("--name takes 1 to 200 characters.")
      const folderOf = (id: string) =>
        input.files === undefined ? join(place.data, ownVaults, id) : resolve(input.files)
      const made = yield* createWorkspace(name, (id) => portable(place.data, folderOf(id)))
      const vault = folderOf(made.id)
      yield* makeFolder(vault)
      yield* answer(
        input.json,
        { id: made.id, name: made.name, vault },
        () => `Made the workspace ${cleanLine(made.name)}: ${made.id}\nvault  ${cleanLine(vault)}`
      )
    })
  )

export const list = (input: CommonInput): Effect.Effect<void, Failure> =>
  withHost(input, ({ place }) =>
    Effect.gen(function* () {
      const store = yield* WorkspaceStore
      const items = yield* Effect.forEach(yield* store.list, ({ id, name }) =>
        Effect.map(store.vault(scopeOf(id)), (folder) => ({
          id,
          name,
          vault: Option.match(folder, {
            onNone: () => place.vault,
            onSome: (own) => resolve(place.data, own)
          })
        }))
      )
      yield* answer(input.json, { items, total: items.length }, () =>
        table(
          [{ title: "name", shrink: true }, { title: "id" }, { title: "vault", shrink: true }],
          items.map(({ id, name, vault }) => [cleanLine(name), id, cleanLine(vault)]),
          tableColumns(),
          (cell) => cell
        )
      )
    })
  )

/** A folder within the data moves along with it, so it is remembered from there. */
const portable = (data: string, folder: string): string => {
  const between = relative(data, folder)
  return isAbsolute(between) || between.startsWith("..") ? folder : between
}

const makeFolder = (folder: string): Effect.Effect<void, Failure> =>
  Effect.tryPromise({
    try: () => mkdir(folder, { recursive: true }),
    catch: (error) =>
      failed(
        "vault_unavailable",
        `${folder} cannot be made: ${error instanceof Error ? error.message : error}`
      )
  })
