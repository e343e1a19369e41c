import * as Effect from "effect/Effect"
import * as Stream from "effect/Stream"
import { deletedIn, mayReadDeleted, withoutQuotes } from "../../core/files/documents/index.js"
import { operations } from "../../core/operations.js"
import { Caller, type RunId } from "../../core/platform/kernel/index.js"
import { driveRun, RunEvent } from "../../core/work/agent-runs/index.js"
import { RunFeed, startInline } from "../../core/work/agents/index.js"
import { eventStreamHeaders, eventStreamType } from "../http/server-sent-events.js"
import { liveEvents, StreamGuard } from "./live-events.js"

/** A stream is closed after so long; whoever still waits connects again. */
const closeAfter = "10 minutes"
const [mediaType, headers] = [eventStreamType, eventStreamHeaders]

/** Hides a text that cites deleted documents from callers without `workspace:admin`. */
const withoutDeleted = Effect.fnUntraced(function* (event: RunEvent) {
  if (event.type !== "final" || (yield* mayReadDeleted)) return event
  return RunEvent.parse(withoutQuotes(event, yield* deletedIn(event)))
})

/** The events of a run as server-sent events: `data:` lines and comments, nothing else. */
const eventText = Effect.fnUntraced(function* (id: RunId) {
  const { workspace } = yield* Caller
  const [feed, stillAdmitted] = [yield* RunFeed, yield* StreamGuard]
  const events = Stream.mapEffect(feed.watch(workspace, id), withoutDeleted)
  return Stream.interruptAfter(liveEvents(events, stillAdmitted), closeAfter)
})

const [runId, docId, chunkId, approvalId] = [
  "run_01kjq3x8wefm5v2n7c4t9dbhga",
  "doc_01kjq3x8wefm5v2n7c4t9dbhga",
  "chk_01kjq3x8wefm5v2n7c4t9dbhga",
  "apv_01kjq3x8wefm5v2n7c4t9dbhga"
]
const examples = {
  model_call: { type: "model_call", runId, textLength: 0, toolCalls: 1 },
  tool_call: { type: "tool_call", runId, name: "svc_search", ok: true },
  final: {
    type: "final",
    runId,
    status: "succeeded",
    text: "The launch moved to March [S1].",
    citations: [{ docId, chunkId }],
    error: null
  },
  suspended: { type: "suspended", runId, approvalId, toolName: "svc_replace_document" },
  error: {
    type: "error",
    message: "no-model-configured",
    error: { code: "no-model-configured", message: "No chat model is enabled." }
  }
} satisfies { readonly [Type in RunEvent["type"]]: unknown }

/** The stream of a run: 404 before it opens. */
export const runEvents = {
  mediaType,
  headers,
  isLive: true,
  isOnly: true,
  event: { schema: RunEvent, examples },
  meaning:
    "Server-sent events. Each `data:` line is one event as JSON; `final`, `suspended` and `error` end the stream. Comments keep the connection alive.",
  open: ({ id }: { readonly id: RunId }) => Effect.zipRight(operations.streamRun.run({ id }), eventText(id))
}

/** A run that is worked on within the request; going away neither cancels nor restarts it. */
export const inlineRun = {
  mediaType,
  headers,
  status: 200,
  isLive: true,
  event: { schema: RunEvent, examples },
  meaning: "With `stream=inline`: the events of the run as server-sent events, as in its stream.",
  open: (input: Parameters<typeof operations.startRun.run>[0]) =>
    input.stream !== "inline"
      ? Effect.succeed(null)
      : Effect.gen(function* () {
          const run = yield* startInline(input)
          yield* Effect.forkDaemon(driveRun(run.id))
          return yield* eventText(run.id)
        })
} as const
