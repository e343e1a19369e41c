import * as Effect from "effect/Effect"
import { z } from "zod"
import type { Engine } from "../../core/engine/engine/index.js"
import { operations } from "../../core/operations.js"
import { defined } from "../../core/platform/kernel/index.js"
import type { AgentView, RunEvent } from "../../core/work/agent-runs/index.js"
import { command, group, noInput, operationCommand } from "./command.js"
import { type Failure, failed } from "./failure.js"
import { switchFlag, textFlag } from "./flags.js"
import { followRun } from "./run-view.js"
import { call, withWorkspace } from "./session.js"
import { factLines, listOf, tableOf, timeOf, yesOrNo } from "./tables.js"
import { answer, paint } from "./terminal.js"
import { cleanLine } from "./text.js"

const slugArgument = { slug: { description: "Slug or id of an agent." } } as const
const runArgument = { id: { description: "Id of a run (run_…)." } } as const

const listAgents = operationCommand("list", operations.listAgents, {
  description: "List the agents of the workspace.",
  print: ({ items, total }) =>
    listOf(
      "agent",
      items,
      { total },
      [
        "slug",
        "name",
        "enabled",
        ["version", ({ latestVersion }) => latestVersion.number],
        ["last run", ({ lastRunAt }) => timeOf(lastRunAt)]
      ],
      { shrink: ["name"], right: ["version"] }
    )
})

const showAgent = operationCommand("show", operations.getAgent, {
  description: "Show what an agent does, and its versions.",
  arguments: slugArgument,
  print: (view) => agentLines(view).join("\n")
})

const agentLines = ({ agent, version, versions }: AgentView): ReadonlyArray<string> => [
  ...factLines([
    ["slug", agent.slug],
    ["name", agent.name],
    ["enabled", yesOrNo(agent.enabled)],
    ["version", version.number]
  ]),
  "",
  cleanLine(version.instructions),
  "",
  tableOf(version.tools, [["tool", "name"], "kind", "effect", "approval"]),
  "",
  tableOf(versions, [
    ["version", "number"],
    ["by", "changedBy"],
    ["at", ({ createdAt }) => timeOf(createdAt)],
    "note"
  ])
]

const putAgent = operationCommand("put", operations.putAgent, {
  description: "Make an agent, or replace it wholly; a change of what it does appends a version.",
  form: z.object({
    slug: z.string(),
    name: z.string().describe("What people call it."),
    instructions: z.string().describe("The instructions of the model."),
    description: z.string().default("").describe("What it is for."),
    tools: z
      .array(z.string())
      .default([])
      .describe("Name of a tool; :always or :never behind it sets its approval."),
    enabled: z.boolean().default(true).describe("Whether it can be run."),
    note: textFlag("Why it was changed.")
  }),
  arguments: { slug: { description: "Slug of the agent." } },
  flags: { tools: { name: "tool" } },
  toInput: ({ tools, ...given }) => Effect.succeed({ ...given, tools: tools.map(boundTool) }),
  print: ({ created, version }, { slug }) =>
    `${paint.green(created ? "Made" : "Saved")} ${slug}, version ${version.number}`
})

const listTools = command("tools", {
  description: "List the tools that agents can be given, those of MCP servers among them.",
  input: noInput,
  run: (input) =>
    withWorkspace(input, function* ({ engine }) {
      const items = yield* call(() => engine.agents.tools())
      return {
        output: { items, total: items.length },
        text: () =>
          tableOf(
            items,
            [
              ["tool", "name"],
              "kind",
              "effect",
              "approval",
              ["description", ({ description }) => cleanLine(description)]
            ],
            { shrink: ["description"] }
          )
      }
    })
})

const boundTool = (text: string): { name: string; approval?: "always" | "never" } => {
  const [name = "", approval] = text.split(":")
  return approval === "always" || approval === "never" ? { name, approval } : { name }
}

export const agentCommands = group("agents", "Agents: what they do, and with which tools.", [
  listAgents,
  showAgent,
  putAgent,
  listTools
])

/** Runs an agent in this process; with `--watch` shows its steps, and asks about calls that wait for approval. */
export const runCommand = command("run", {
  description: "Run an agent, and wait for its answer.",
  input: z.object({
    agent: z.string(),
    text: z.string(),
    conversation: textFlag("Go on with this conversation (cnv_…)."),
    watch: switchFlag("Show steps as they come, and ask about waiting calls.")
  }),
  arguments: {
    agent: { description: "Slug or id of an agent." },
    text: { name: "input", description: "What the agent is asked." }
  },
  run: ({ agent, conversation, text, watch, ...input }) =>
    withWorkspace({ ...input, worker: true }, function* ({ engine }) {
      const { runId } = yield* call(() =>
        engine.runs.start(agent, text, { trigger: "cli", ...defined({ conversationId: conversation }) })
      )
      yield* follow(engine, runId, { json: input.json, watch })
    })
})

const follow = (engine: Engine, id: string, options: { readonly json: boolean; readonly watch: boolean }) =>
  Effect.flatMap(
    call(() => followRun(engine, id, options)),
    (last) => endOf(last)
  )

/** A run that ended otherwise than with an answer ends the command with an error. */
const endOf = (last: RunEvent | undefined): Effect.Effect<void, Failure> =>
  last?.type === "final" && last.status !== "succeeded"
    ? failed(last.status, `The run ended ${last.status}.`)
    : last?.type === "error"
      ? failed(last.message, `The run could not begin: ${last.message}.`)
      : Effect.void

const listRuns = operationCommand("list", operations.listRuns, {
  description: "List runs, newest first.",
  print: ({ items, total }, { offset }) =>
    listOf(
      "run",
      items,
      { total, offset },
      [
        "input",
        ["agent", "agentSlug"],
        "status",
        ["cost", "costUsd"],
        ["created", ({ createdAt }) => timeOf(createdAt)],
        ["waits", ({ pendingApproval }) => pendingApproval?.toolName ?? ""],
        "id"
      ],
      { shrink: ["input"], right: ["cost"] }
    )
})

const showRun = operationCommand("show", operations.getRun, {
  description: "Show a run with its journal.",
  arguments: runArgument,
  print: ({ run, steps }) =>
    [
      ...factLines([
        ["status", run.status],
        ["error", run.error?.message],
        ["tokens", run.tokensIn + run.tokensOut],
        ["cost", `${run.costUsd} USD`]
      ]),
      "",
      tableOf(steps, [["step", "idx"], "kind", "name", "status", ["ms", "latencyMs"]]),
      ...(run.output === null ? [] : ["", run.output.text])
    ].join("\n")
})

const watchRun = command("watch", {
  description: "Show the steps of a run as they come, and ask about waiting calls.",
  input: z.object({ id: z.string() }),
  arguments: runArgument,
  run: ({ id, ...input }) =>
    withWorkspace({ ...input, worker: true }, function* ({ engine }) {
      return yield* follow(engine, id, { json: input.json, watch: true })
    })
})

const cancelRun = operationCommand("cancel", operations.cancelRun, {
  description: "Ask a run to end.",
  arguments: runArgument,
  print: ({ cancelled }) => (cancelled ? `${paint.green("Cancelled")}.` : "The run had ended already.")
})

const decide = (name: "approve" | "deny") =>
  command(name, {
    description:
      name === "approve"
        ? "Allow a waiting call; it runs with the arguments that were shown."
        : "Deny a waiting call.",
    input: z.object({
      id: z.string(),
      approval: textFlag("Id of the approval (apv_…); the first that waits by default."),
      note: textFlag("Why.")
    }),
    arguments: runArgument,
    run: ({ approval, id, note, ...input }) =>
      withWorkspace(input, function* ({ engine }) {
        const { steps } = yield* call(() => engine.runs.get(id))
        const open = steps.find(({ kind, status }) => kind === "approval" && status === "pending")
        const approvalId = approval ?? String(open?.input?.["approvalId"] ?? "")
        if (approvalId === "") return yield* failed("not_open", "No call of the run waits for a decision.")
        const decided = yield* call(() =>
          engine.runs.decide(id, approvalId, name === "approve" ? "allow" : "deny", note)
        )
        return { output: decided, text: () => `${paint.green(name === "approve" ? "Allowed" : "Denied")}.` }
      })
  })

const replayRun = command("replay", {
  description: "Fold stored journals with today's code; fails where they part.",
  input: z.object({
    ids: z.array(z.string()).default([]),
    all: switchFlag("The newest 200 runs of the workspace.")
  }),
  arguments: { ids: { name: "id", description: "Ids of runs (run_…)." } },
  run: ({ all, ids, ...input }) =>
    withWorkspace(input, function* ({ engine }) {
      const chosen = all
        ? (yield* call(() => engine.runs.list({ limit: 200 }))).items.map(({ id }) => id)
        : ids
      const replays = yield* Effect.forEach(chosen, (id) => call(() => engine.runs.replay(id)))
      yield* answer(input.json, { items: replays, total: replays.length }, () =>
        replays
          .flatMap(({ divergedAt, runId, steps }) => [
            `${runId}  ${divergedAt === null ? paint.green("agrees") : paint.red(`parts at step ${divergedAt}`)}`,
            ...steps.flatMap(({ divergence, idx }) =>
              divergence === null ? [] : [`  ${idx}  ${divergence}`]
            )
          ])
          .join("\n")
      )
      const parted = replays.filter(({ divergedAt }) => divergedAt !== null)
      if (parted.length > 0)
        return yield* failed("diverged", `${parted.length} of ${replays.length} journals part.`)
    })
})

const forkRun = command("fork", {
  description: "Start a run from the first steps of another; they are taken as they are.",
  input: z.object({
    id: z.string(),
    at: z.int().min(0).describe("The step before which the new run goes on."),
    text: textFlag("Another input."),
    version: z.int().min(1).optional().describe("Another version of the agent."),
    watch: switchFlag("Show steps as they come.")
  }),
  arguments: runArgument,
  flags: { text: { name: "input" } },
  run: ({ at, id, text, version, watch, ...input }) =>
    withWorkspace({ ...input, worker: true }, function* ({ engine }) {
      const { runId } = yield* call(() => engine.runs.fork(id, { at, ...defined({ input: text, version }) }))
      yield* follow(engine, runId, { json: input.json, watch })
    })
})

export const runCommands = group("runs", "Runs of agents: journals, decisions, replay.", [
  listRuns,
  showRun,
  watchRun,
  cancelRun,
  decide("approve"),
  decide("deny"),
  replayRun,
  forkRun
])
