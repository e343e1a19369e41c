import { realpath } from "node:fs/promises"
import { isAbsolute, join, relative } from "node:path"
import * as Effect from "effect/Effect"
import * as Option from "effect/Option"
import { absoluteVault, inDatabase, isPlace, isRemote } from "../../adapters/vault/absolute-path.js"
import { pruneAnswers } from "../../core/answering/index.js"
import { createWorkspace } from "../../core/identity/index.js"
import { Conflict, scopeOf } from "../../core/kernel/index.js"
import { changeSettings, Settings, WorkspaceStore } from "../../core/workspace/index.js"
import { type Failure, wrongUsage } from "./failure.js"
import { makeFolder } from "./folder.js"
import { withHost } from "./host.js"
import type { CommonInput } from "./options.js"
import { call, withWorkspace } from "./session.js"
import { answer, tableColumns } from "./terminal.js"
import { cleanLine, table } from "./text.js"
import type { Place } from "./workspace.js"

/** Where workspaces that name no place have their files, within the data folder. */
const ownVaults = "vaults"

/**
 * `--vault` here is where the new workspace has its files, not the vault by which the data is found. Where that one
 * is no folder, none is made for the new workspace either: other hosts would not see it.
 */
export const create = (
  input: CommonInput & { readonly name: string | undefined; readonly files: string | undefined }
): Effect.Effect<void, Failure> =>
  withHost(input, ({ place }) =>
    Effect.gen(function* () {
      const name = (input.name ?? "").trim()
      if (name === "" || name.length > 200) return yield* wrongUsage("--name takes 1 to 200 characters.")
      const named = input.files ?? (isRemote(place.vault) ? inDatabase : undefined)
      if (named !== undefined && (named.trim() === "" || !isPlace(named)))
        return yield* wrongUsage("--vault takes a folder, database:, or s3://bucket/prefix.")
      if (named !== undefined && named !== inDatabase) {
        if (!isRemote(named)) yield* makeFolder(absoluteVault(named))
        yield* refuseShared(place, absoluteVault(named))
      }
      const vaultOf = (id: string) =>
        named === undefined ? join(place.data, ownVaults, id) : absoluteVault(named)
      const made = yield* createWorkspace(name, (id) => portable(place.data, vaultOf(id)))
      const vault = vaultOf(made.id)
      if (!isRemote(vault)) yield* makeFolder(vault)
      yield* answer(
        input.json,
        { id: made.id, name: made.name, vault },
        () => `Made the workspace ${cleanLine(made.name)}: ${made.id}\nvault  ${cleanLine(vault)}`
      )
    })
  )

/** The files of one workspace are no other's: what one takes to the trash would be gone for both. */
const refuseShared = (place: Place, vault: string) =>
  Effect.gen(function* () {
    const [store, wanted] = [yield* WorkspaceStore, yield* realOf(vault)]
    for (const { id, name } of yield* store.readable) {
      const folder = yield* store.vault(scopeOf(id))
      const own = Option.match(folder, {
        onNone: () => place.vault,
        onSome: (one) => absoluteVault(one, place.data)
      })
      if ((yield* realOf(own)) === wanted)
        return yield* new Conflict({ message: `${vault} is the vault of the workspace ${name} already.` })
    }
  })

const realOf = (vault: string) =>
  isRemote(vault)
    ? Effect.succeed(vault.replace(/\/+$/, ""))
    : Effect.promise(() => realpath(vault).catch(() => vault))

export const list = (input: CommonInput): Effect.Effect<void, Failure> =>
  withHost(input, ({ place }) =>
    Effect.gen(function* () {
      const store = yield* WorkspaceStore
      const items = yield* Effect.forEach(yield* store.readable, ({ id, name }) =>
        Effect.map(store.vault(scopeOf(id)), (folder) => ({
          id,
          name,
          vault: Option.match(folder, {
            onNone: () => place.vault,
            onSome: (own) => absoluteVault(own, place.data)
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

/** The workspace as `GET /api/v1/workspace` tells of it; nobody needs a key here. */
export const show = (input: CommonInput): Effect.Effect<void, Failure> =>
  withWorkspace(input, { worker: false }, ({ engine }) =>
    Effect.gen(function* () {
      const view = yield* call(() => engine.getWorkspace())
      const { capabilities, settings, usage } = view
      const able = Object.entries(capabilities).flatMap(([name, has]) => (has ? [name] : []))
      const { answerDays, trashDays, versionsPerDocument } = settings.retention
      yield* answer(input.json, view, () =>
        [
          `${cleanLine(view.name)}  ${view.id}`,
          `models     ${able.length === 0 ? "none" : able.join(", ")}`,
          `this month ${usage.tokens} tokens, ${usage.costUsd} USD`,
          `agents     ${usage.agentSpendUsd} of ${usage.capUsd} USD, ${usage.activeRuns} of ${usage.activeRunCap} runs`,
          `kept       answers ${answerDays === 0 ? "not at all" : `${answerDays} days`}, ${versionsPerDocument} versions of each document, the trash ${trashDays === 0 ? "for ever" : `${trashDays} days`}`
        ].join("\n")
      )
    })
  )

export const set = (
  input: CommonInput & { readonly answerDays: string | undefined; readonly trashDays: string | undefined }
): Effect.Effect<void, Failure> =>
  withHost(input, () =>
    Effect.gen(function* () {
      const change = {
        ...(yield* daysOf("answerDays", "--answer-days", input.answerDays)),
        ...(yield* daysOf("trashDays", "--trash-days", input.trashDays))
      }
      const { answerDays, trashDays } = change
      if (answerDays === undefined && trashDays === undefined)
        return yield* wrongUsage("Nothing to set. See: kanon workspaces set --help")
      const settings = yield* changeSettings({ retention: change })
      const forgotten = yield* pruneAnswers()
      yield* answer(input.json, { settings, forgotten }, () =>
        [
          ...(answerDays === undefined
            ? []
            : [answerDays === 0 ? "Answers are not kept." : `Answers are kept for ${answerDays} days.`]),
          ...(forgotten === 0 ? [] : [`${forgotten} older ones are gone.`]),
          ...(trashDays === undefined
            ? []
            : [
                trashDays === 0
                  ? "The trash is kept for ever."
                  : `Deleted documents are gone for good after ${trashDays} days.`
              ])
        ].join(" ")
      )
    })
  )

const daysOf = <Name extends "answerDays" | "trashDays">(
  name: Name,
  flag: string,
  days: string | undefined
): Effect.Effect<{ readonly [Key in Name]?: number }, Failure> => {
  const none: { readonly [Key in Name]?: number } = {}
  if (days === undefined) return Effect.succeed(none)
  const value = Settings.shape.retention.safeParse({ [name]: Number(days) }).data?.[name]
  return !/^\d+$/.test(days) || value === undefined
    ? wrongUsage(`${flag} takes a whole number, 0 to 36500.`)
    : Effect.succeed({ ...none, [name]: value })
}

/** A folder within the data moves along with it, so it is remembered from there. */
const portable = (data: string, folder: string): string => {
  if (isRemote(folder)) return folder
  const between = relative(data, folder)
  return isAbsolute(between) || between.startsWith("..") ? folder : between
}
