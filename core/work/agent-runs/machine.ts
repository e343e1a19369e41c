import type { StateTable } from "../../platform/kernel/index.js"
import { RunStatus } from "./states.js"

/** Name of a trigger that changes the status of a run. */
export type RunTriggerName =
  | "lease"
  | "lease_lost"
  | "set_up_failed"
  | "answered"
  | "failed"
  | "budget_used_up"
  | "await_approval"
  | "decide"
  | "expire"
  | "cancel"
  | "outcome_unknown"

/** State table of a run. Transitions that it does not list are refused. */
export const runTable: StateTable<RunStatus, RunTriggerName> = {
  name: "Agent run",
  states: RunStatus.options,
  initial: ["queued", "failed"],
  refusedWith: "InvalidTransition",
  triggers: {
    lease: "A worker takes the run, with a fencing token that rises each time.",
    lease_lost: "The worker's lease lapsed, or its process is gone or shuts down.",
    set_up_failed: "The run cannot begin: no chat model is enabled.",
    answered: "The model gave its final text and the guardrails let it through.",
    failed: "The model or the run broke one of the rules that end a run.",
    budget_used_up: "Steps, tokens, cost or time of the run, or the month's spend, are used up.",
    await_approval: "Every other call of the turn is done and one waits for a person.",
    decide: "A person allows or denies a waiting call.",
    expire: "A waiting call was not decided in time (7 days).",
    cancel: "A person cancels the run, or its key is revoked.",
    outcome_unknown: "A write was begun and nobody can know whether it happened."
  },
  steps: [
    { from: "queued", on: "lease", to: "running" },
    { from: "queued", on: "cancel", to: "interrupted" },
    { from: "queued", on: "set_up_failed", to: "failed" },
    {
      from: "running",
      on: "lease_lost",
      to: "queued",
      also: "The next worker folds the journal and goes on."
    },
    { from: "running", on: "answered", to: "succeeded" },
    { from: "running", on: "failed", to: "failed" },
    { from: "running", on: "set_up_failed", to: "failed" },
    {
      from: "running",
      on: "budget_used_up",
      to: "budget_exceeded",
      also: "The output holds the partial answer."
    },
    { from: "running", on: "await_approval", to: "suspended" },
    { from: "running", on: "outcome_unknown", to: "interrupted" },
    {
      from: "running",
      on: "cancel",
      to: "interrupted",
      also: "A model call or a tool that runs is aborted; a write to our own database is waited for."
    },
    {
      from: "suspended",
      on: "decide",
      to: "queued",
      when: "The approval is open, and for allow what would change is as it was shown.",
      otherwise: "409 `not_open`, 409 `conflict`; it stays open.",
      also: "Allow executes exactly the arguments that were shown; deny gives the model an error."
    },
    { from: "suspended", on: "cancel", to: "interrupted", also: "Open approvals are closed." },
    { from: "suspended", on: "expire", to: "interrupted", also: "Open approvals are closed." }
  ]
}
