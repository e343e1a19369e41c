import * as Effect from "effect/Effect"
import type { WorkspaceScope } from "../kernel/index.js"
import { type MonthlyUsage, monthOf, UsageStore } from "../models/index.js"

/** Adds to what the models of the workspace used this month, in the running unit of work. */
export const addUsage = (workspace: WorkspaceScope, at: string, usage: MonthlyUsage) =>
  isNothing(usage)
    ? Effect.void
    : Effect.flatMap(UsageStore, (store) => store.add(workspace, monthOf(at), usage))

/** Whether no model was used. */
export const isNothing = ({ costUsd, inputTokens, outputTokens }: MonthlyUsage): boolean =>
  inputTokens === 0 && outputTokens === 0 && costUsd === "0"
