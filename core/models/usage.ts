import * as Context from "effect/Context"
import * as Effect from "effect/Effect"
import type { WorkspaceScope } from "../kernel/index.js"
import type { Usage } from "./model.js"

/** What the models of a workspace used in a month. */
export type MonthlyUsage = Omit<Usage, "estimated">

/** The month of a moment in UTC, as `2026-11`. */
export const monthOf = (timestamp: string): string => timestamp.slice(0, 7)

/** Counts what models used, by workspace and month. */
export class UsageStore extends Context.Tag("kanon/UsageStore")<
  UsageStore,
  {
    /** Adds to a month in the caller's unit of work; exact, whoever adds at the same time. */
    readonly add: (workspace: WorkspaceScope, month: string, usage: MonthlyUsage) => Effect.Effect<void>
    /** All zero for a month in which nothing was used. */
    readonly of: (workspace: WorkspaceScope, month: string) => Effect.Effect<MonthlyUsage>
  }
>() {}

/** Adds to what the models of the workspace used this month, in the running unit of work. */
export const addUsage = (workspace: WorkspaceScope, at: string, usage: MonthlyUsage) =>
  isNothing(usage)
    ? Effect.void
    : Effect.flatMap(UsageStore, (store) => store.add(workspace, monthOf(at), usage))

/** Whether no model was used. */
export const isNothing = ({ costUsd, inputTokens, outputTokens }: MonthlyUsage): boolean =>
  inputTokens === 0 && outputTokens === 0 && costUsd === "0"
