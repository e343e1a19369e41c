import { realpath } from "node:fs/promises"
import { join } from "node:path"
import * as Effect from "effect/Effect"
import * as Option from "effect/Option"
import { z } from "zod"
import {
  absoluteVault,
  inDatabase,
  isPlace,
  isRemote,
  portableVault
} from "../../adapters/vault/vault-address.js"
import { pruneAnswers } from "../../core/answers/answering/index.js"
import { createWorkspace } from "../../core/platform/identity/index.js"
import { Conflict, scopeOf } from "../../core/platform/kernel/index.js"
import { changeSettings, Settings, WorkspaceStore } from "../../core/platform/workspace/index.js"
import { command, group, noInput } from "./command.js"
import { type Failure, wrongUsage } from "./failure.js"
import { nameFlag, textFlag } from "./flags.js"
import { withHost } from "./host.js"
import { makeFolder, type Place } from "./place.js"
import { call, withWorkspace } from "./session.js"
import { factLines, tableOf } from "./tables.js"
import { answer } from "./terminal.js"
import { cleanLine } from "./text.js"

/** The folder in the data folder for the files of workspaces that name no vault. */
const ownVaults = "vaults"

const create = command("create", {
  description: "Make another workspace in the same data.",
  input: z.object({
    name: nameFlag.optional().describe("Its name."),
    files: textFlag(
      "The folder of its files, or database: or s3://bucket/prefix; a folder within the data by default."
    )
  }),
  // Here --vault names the files of the new workspace, not the vault by which the data is found.
  flags: { files: { name: "vault", placeholder: "DIR" } },
  run: (input) =>
    withHost(input, function* ({ place }) {
      const { name } = input
      if (name === undefined) return yield* wrongUsage("--name takes 1 to 200 characters.")
      const named = input.files ?? (isRemote(place.vault) ? inDatabase : undefined)
      if (named !== undefined && (named.trim() === "" || !isPlace(named)))
        return yield* wrongUsage("--vault takes a folder, database:, or s3://bucket/prefix.")
      if (named !== undefined && named !== inDatabase) {
        if (!isRemote(named)) yield* makeFolder(absoluteVault(named))
        yield* refuseShared(place, absoluteVault(named))
      }
      const vaultOf = (id: string) =>
        named === undefined ? join(place.data, ownVaults, id) : absoluteVault(named)
      const made = yield* createWorkspace(name, (id) => portableVault(vaultOf(id), place.data))
      const vault = vaultOf(made.id)
      if (!isRemote(vault)) yield* makeFolder(vault)
      yield* answer(
        input.json,
        { id: made.id, name: made.name, vault },
        () => `Made the workspace ${cleanLine(made.name)}: ${made.id}\nvault  ${cleanLine(vault)}`
      )
    })
})

/**
 * Fails when another workspace has this vault, one inside of it or one around it: what one moves to the trash would be
 * gone for both.
 */
export const refuseShared = Effect.fnUntraced(function* (place: Place, vault: string) {
  const [store, wanted] = [yield* WorkspaceStore, yield* realPathOf(vault)]
  for (const { id, name } of yield* store.readable) {
    const folder = yield* store.vault(scopeOf(id))
    const own = Option.match(folder, {
      onNone: () => place.vault,
      onSome: (one) => absoluteVault(one, place.data)
    })
    const real = yield* realPathOf(own)
    if (real === wanted)
      return yield* new Conflict({ message: `${vault} is the vault of the workspace ${name} already.` })
    if (holds(real, wanted) || holds(wanted, real))
      return yield* new Conflict({
        message: `${vault} and the vault of the workspace ${name} lie in one another: choose a place beside it.`
      })
  }
})

/** Whether a walk of the outer vault would find the files of the inner one: it skips names that start with a dot. */
const holds = (outer: string, inner: string): boolean =>
  inner.startsWith(`${outer}/`) && !/(?:^|\/)\./.test(inner.slice(outer.length + 1))

const realPathOf = (vault: string) =>
  isRemote(vault)
    ? Effect.succeed(vault.replace(/\/+$/, ""))
    : Effect.promise(() => realpath(vault).catch(() => vault))

const list = command("list", {
  description: "List the workspaces of the data.",
  input: noInput,
  run: (input) =>
    withHost(input, function* ({ place }) {
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
        tableOf(items, ["name", "id", "vault"], { shrink: ["name", "vault"] })
      )
    })
})

const show = command("show", {
  description: "Show the workspace: its settings, its models, and the usage of this month.",
  input: noInput,
  run: (input) =>
    withWorkspace(input, function* ({ engine }) {
      const view = yield* call(() => engine.getWorkspace())
      const { capabilities, settings, usage } = view
      const able = Object.entries(capabilities).flatMap(([name, has]) => (has ? [name] : []))
      const { answerDays, trashDays, versionsPerDocument } = settings.retention
      return {
        output: view,
        text: () =>
          [
            `${cleanLine(view.name)}  ${view.id}`,
            ...factLines([
              ["models", able.length === 0 ? "none" : able.join(", ")],
              ["this month", `${usage.tokens} tokens, ${usage.costUsd} USD`],
              [
                "agents",
                `${usage.agentSpendUsd} of ${usage.capUsd} USD, ${usage.activeRuns} of ${usage.activeRunCap} runs`
              ],
              [
                "retention",
                `answers ${answerDays === 0 ? "not kept" : `${answerDays} days`}, ${versionsPerDocument} versions of each document, trash ${trashDays === 0 ? "for ever" : `${trashDays} days`}`
              ]
            ])
          ].join("\n")
      }
    })
})

const set = command("set", {
  description: "Change settings of the workspace.",
  input: z.object({
    answerDays: textFlag("Days for which answers are kept with their questions; 0 keeps none.", "DAYS"),
    trashDays: textFlag(
      "Days after which a deleted document is removed for good; 0 keeps the trash for ever.",
      "DAYS"
    )
  }),
  run: (input) =>
    withHost(input, function* () {
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
})

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

export const workspaceCommands = group("workspaces", "The workspaces of the data.", [create, list, show, set])
