import * as Effect from "effect/Effect"
import * as Stream from "effect/Stream"
import { driveRun, RunFeed, RunGuard, startInline } from "../../core/agents/index.js"
import { Caller, prefixes, type RunId } from "../../core/kernel/index.js"
import { operations } from "../../core/operations.js"
import { eventStreamHeaders, eventStreamType } from "../http/server-sent-events.js"
import { liveEvents, StreamGuard } from "./live-events.js"

/** A stream is closed after so long; whoever still waits connects again. */
const closeAfter = "10 minutes"
const [mediaType, headers] = [eventStreamType, eventStreamHeaders]

/** The events of a run as server-sent events: `data:` lines and comments, nothing else. */
const eventText = Effect.fnUntraced(function* (id: RunId) {
  const { actor, workspace } = yield* Caller
  const [feed, guard] = [yield* RunFeed, yield* RunGuard]
  const stillAdmitted = yield* StreamGuard
  const ofKey = actor.startsWith(`${prefixes.key}_`) ? guard.isAdmitted(workspace, actor) : null
  return Stream.interruptAfter(liveEvents(feed.watch(workspace, id), stillAdmitted ?? ofKey), closeAfter)
})

/** The stream of a run: 404 before it opens. */
export const runEvents = {
  mediaType,
  headers,
  isLive: true,
  meaning:
    "Server-sent events: each `data:` line is one event (`RunEvent`), and exactly one ends the stream.",
  open: ({ id }: { readonly id: RunId }) => Effect.zipRight(operations.streamRun.run({ id }), eventText(id))
}

/** A run that is worked on within the request; going away neither cancels nor restarts it. */
export const inlineRun = {
  mediaType,
  headers,
  status: 200,
  isLive: true,
  meaning: "With `stream=inline`: the events of the run, as in its stream.",
  open: (input: Parameters<typeof operations.startRun.run>[0]) =>
    input.stream !== "inline"
      ? Effect.succeed(null)
      : Effect.gen(function* () {
          const run = yield* startInline(input)
          yield* Effect.forkDaemon(driveRun(run.id))
          return yield* eventText(run.id)
        })
} as const
