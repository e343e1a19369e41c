import * as Context from "effect/Context"
import type * as Effect from "effect/Effect"
import type * as Option from "effect/Option"
import type { z } from "zod"
import type { PolicyBlock } from "../../answers/policy/index.js"
import type {
  Atomic,
  Caller,
  CallerShape,
  Issue,
  Scope,
  WorkspaceScope
} from "../../platform/kernel/index.js"
import type { Usage } from "../../platform/models/index.js"
import type { ToolKind } from "./agent-model.js"
import type { ApprovalPolicy, RunCitation, StoredRun, ToolEffect } from "./model.js"

/** A tool that agents of a workspace may be given. */
export interface ToolSpec {
  readonly name: string
  readonly kind: ToolKind
  readonly effect: ToolEffect
  /** Approval policy of an agent that sets none for the tool. */
  readonly approval: ApprovalPolicy
  /** Any one of these is needed; empty for tools that need none. */
  readonly scopes: ReadonlyArray<Scope>
  readonly description: string
  /** JSON Schema of the arguments. */
  readonly inputSchema: Readonly<Record<string, unknown>>
}

/** Result of a call. A failed call is a result for the model and does not fail the run. */
export type ToolOutcome =
  | {
      readonly ok: true
      readonly output: unknown
      /** Whether passages that the output names are evidence: it is of an operation of this workspace. */
      readonly isEvidence?: boolean
    }
  | { readonly ok: false; readonly code: string; readonly message: string }

/** Preview of the changes of a call, for the person who approves it. */
export interface ToolPreview {
  /** The versions of what would change, by id; a decision holds only while they are the same. */
  readonly targets: Readonly<Record<string, string>>
  /** Unified diff, or null where there is nothing to compare. */
  readonly diff: string | null
}

/** The tools of a workspace. Made in the wiring of the engine: this room knows none of them. */
export class Toolbox extends Context.Tag("kanon/Toolbox")<
  Toolbox,
  {
    /** Every tool; with `names` only those, so that no MCP server is asked in vain. */
    readonly list: (
      workspace: WorkspaceScope,
      names?: ReadonlyArray<string>
    ) => Effect.Effect<ReadonlyArray<ToolSpec>>
    /** Returns the problems of the arguments; empty when they are valid. */
    readonly check: (
      workspace: WorkspaceScope,
      name: string,
      given: unknown
    ) => Effect.Effect<ReadonlyArray<Issue>>
    readonly preview: (
      workspace: WorkspaceScope,
      name: string,
      given: unknown
    ) => Effect.Effect<ToolPreview, never, Caller>
    /** Calls a tool as the caller in the context, with the units of work of the context. */
    readonly call: (
      workspace: WorkspaceScope,
      name: string,
      given: unknown
    ) => Effect.Effect<ToolOutcome, never, Caller | Atomic>
  }
>() {}

/** Result of the guardrail check of a final text. */
export interface AnswerReport {
  readonly claims: ReadonlyArray<{
    readonly text: string
    readonly status: string
    /** The words that no source carries, as offsets in the text; absent for none. */
    readonly unmatched?: ReadonlyArray<{ readonly start: number; readonly end: number }> | undefined
  }>
  readonly groundedness: { readonly verified: number; readonly total: number }
  readonly policy: PolicyBlock
  readonly usage: Pick<Usage, "inputTokens" | "outputTokens" | "costUsd">
}

/** Checks of a run's texts and rights that other rooms make. Made in the wiring of the engine. */
export class RunGuard extends Context.Tag("kanon/RunGuard")<
  RunGuard,
  {
    /**
     * Returns a model's text as it may be shown, by the rule of answers: without markers that name no source, images,
     * markup, and addresses that no passage it cites shows.
     */
    readonly safeText: (
      text: string,
      sources: ReadonlyArray<RunCitation>
    ) => Effect.Effect<string, never, Caller>
    /** Grounds a final text in the documents that it cites, and asks the policy gate. */
    readonly checkAnswer: (answer: {
      readonly question: string
      readonly text: string
      readonly docIds: ReadonlyArray<string>
    }) => Effect.Effect<AnswerReport, never, Caller>
    /** Returns the caller of a run with what it may read now. */
    readonly reading: (
      run: Pick<StoredRun, "actor" | "apiKeyId" | "principals">,
      caller: CallerShape
    ) => Effect.Effect<CallerShape>
    /**
     * Returns the scopes that the starter of a run holds now, within those that the run was started with; null for all.
     * None once the key is no longer good, or the membership has ended.
     */
    readonly rights: (
      workspace: WorkspaceScope,
      run: Pick<StoredRun, "actor" | "apiKeyId" | "scopes">
    ) => Effect.Effect<Option.Option<StoredRun["scopes"]>>
  }
>() {}

/** A function of the embedding product that agents may call. */
export interface RegisteredTool {
  /** Letters, digits, `_` and `-`; not beginning with `svc_`. */
  readonly name: string
  readonly description: string
  /** The schema of its arguments: what does not pass goes back to the model. */
  readonly input: z.ZodType
  readonly effect: ToolEffect
  /** `always` for writes, `never` otherwise, where it is left out. */
  readonly approval?: ApprovalPolicy
  /** Does the work. What it throws is an error result for the model. The signal is aborted when nobody waits any more. */
  run(input: unknown, context: ToolContext): unknown
}

/** Caller of a registered function, and the step: the same for every repetition of one call. */
export interface ToolContext {
  readonly workspaceId: string
  readonly actor: string
  readonly signal: AbortSignal
}

/** The functions that the engine was opened with; none where it is absent. */
export class RegisteredTools extends Context.Tag("kanon/RegisteredTools")<
  RegisteredTools,
  ReadonlyArray<RegisteredTool>
>() {}
