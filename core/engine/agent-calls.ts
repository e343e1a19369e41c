import * as Effect from "effect/Effect"
import * as Either from "effect/Either"
import type * as ManagedRuntime from "effect/ManagedRuntime"
import * as Stream from "effect/Stream"
import type { z } from "zod"
import {
  type AgentPage,
  type AgentPut,
  type AgentView,
  driveRun,
  findRun,
  forkRun,
  type Replay,
  type Run,
  type RunEvent,
  RunFeed,
  type RunPage,
  type RunQuery,
  type RunStep,
  type RunTrigger,
  replayRun,
  startRun,
  Toolbox,
  type ToolSpec
} from "../agents/index.js"
import {
  asInvalid,
  Caller,
  type CallerShape,
  ConversationId,
  type Fault,
  NotFound,
  RunId,
  readInput,
  refuseUnstorable
} from "../kernel/index.js"
import { operations } from "../operations.js"
import type { Ports } from "../ports.js"
import type { Wired } from "../wiring.js"
import type { Call } from "./calls.js"

/** The calls of the embedded engine that are about agents and their runs. */
export interface AgentCalls {
  readonly agents: {
    readonly list: (options?: { readonly enabled?: boolean }) => Promise<z.infer<typeof AgentPage>>
    /** By slug or id. */
    readonly get: (slug: string) => Promise<AgentView>
    /** Makes an agent, or replaces it wholly; a change of what it does appends a version. */
    readonly put: (
      slug: string,
      agent: Omit<z.input<typeof AgentPut>, "slug">
    ) => Promise<AgentView & { readonly created: boolean }>
    /** The tools that agents of the workspace can be given; asks its MCP servers for theirs. */
    readonly tools: () => Promise<ReadonlyArray<ToolSpec>>
  }
  readonly runs: {
    /** Queues a run; `inline` has this process work on it at once, also without a worker. */
    readonly start: (
      slug: string,
      input: string,
      options?: { readonly conversationId?: string; readonly trigger?: RunTrigger; readonly inline?: boolean }
    ) => Promise<{ readonly runId: string; readonly status: Run["status"]; readonly stream: string }>
    readonly get: (id: string) => Promise<{ readonly run: Run; readonly steps: ReadonlyArray<RunStep> }>
    readonly list: (query?: z.input<typeof RunQuery>) => Promise<z.infer<typeof RunPage>>
    /** The events of a run from its start, until one that ends the stream. */
    readonly events: (id: string) => AsyncIterable<RunEvent>
    readonly cancel: (id: string) => Promise<{ readonly cancelled: boolean }>
    readonly decide: (
      id: string,
      approvalId: string,
      decision: "allow" | "deny",
      note?: string
    ) => Promise<{ readonly runId: string; readonly approvalId: string; readonly status: "queued" }>
    readonly feedback: (
      id: string,
      kind: string,
      value: Readonly<Record<string, unknown>>,
      note?: string
    ) => Promise<{ readonly id: string }>
    /** Folds the stored journal with today's code: every state and prompt, and where the two part. */
    readonly replay: (id: string) => Promise<Replay>
    /** Starts a run from the steps of another before `at`: they are taken as they are and not done again. */
    readonly fork: (
      id: string,
      options: { readonly at: number; readonly input?: string; readonly version?: number }
    ) => Promise<{ readonly runId: string; readonly status: Run["status"]; readonly stream: string }>
  }
}

type Services = Ports | Wired

/** Reads ids that a program gives: one of the wrong form is one that nothing has. */
const runId = (id: string) => {
  const read = RunId.safeParse(id)
  return read.success ? Effect.succeed(read.data) : Effect.fail(new NotFound({ what: "run" }))
}

export const agentCalls = (
  call: Call,
  runtime: Pick<ManagedRuntime.ManagedRuntime<Services, unknown>, "runFork">,
  caller: CallerShape,
  run: <A>(effect: Effect.Effect<A, Fault, Services | Caller>) => Promise<A>
): AgentCalls => ({
  agents: {
    list: (options = {}) => call(operations.listAgents, options),
    get: (slug) => call(operations.getAgent, { slug }),
    put: (slug, agent) => call(operations.putAgent, { ...agent, slug }),
    tools: () => run(Effect.flatMap(Toolbox, (toolbox) => toolbox.list(caller.workspace)))
  },
  runs: {
    start: (slug, input, { conversationId, inline = false, trigger } = {}) =>
      run(
        Effect.gen(function* () {
          const read = yield* Either.mapLeft(
            readInput(operations.startRun.input, { slug, input, conversationId }),
            asInvalid
          )
          const conversation = conversationId === undefined ? undefined : ConversationId.parse(conversationId)
          const made = yield* startRun({ ...read, conversationId: conversation, trigger, inline })
          if (inline) runtime.runFork(Effect.provideService(driveRun(made.id), Caller, caller))
          return started(made)
        })
      ),
    get: (id) => call(operations.getRun, { id }),
    list: (query = {}) => call(operations.listRuns, query),
    events: (id) => ({
      async *[Symbol.asyncIterator]() {
        // Fails as any call does where there is no such run.
        const stream = await run(
          Effect.gen(function* () {
            const found = yield* findRun(yield* runId(id))
            const feed = yield* RunFeed
            return Stream.toAsyncIterable(feed.watch(caller.workspace, found.id))
          })
        )
        yield* stream
      }
    }),
    cancel: (id) => call(operations.cancelRun, { id }),
    decide: (id, approvalId, decision, note) =>
      call(operations.approveRunStep, { id, approvalId, decision, ...(note === undefined ? {} : { note }) }),
    feedback: (id, kind, value, note) =>
      call(operations.addRunFeedback, { id, kind, value, ...(note === undefined ? {} : { note }) }),
    replay: (id) => run(Effect.flatMap(runId(id), replayRun)),
    fork: (id, { at, input, version }) =>
      run(
        Effect.map(
          Effect.flatMap(Effect.zipRight(refuseUnstorable({ input }), runId(id)), (source) =>
            forkRun({ id: source, at, input, version })
          ),
          started
        )
      )
  }
})

const started = ({ id, status }: { readonly id: string; readonly status: Run["status"] }) => ({
  runId: id,
  status,
  stream: `/api/v1/runs/${id}/stream`
})
