import * as Context from "effect/Context"
import * as Effect from "effect/Effect"
import * as Stream from "effect/Stream"

/** What the statements of a call may see, where the database itself is asked to keep workspaces apart. */
export interface Reach {
  /** The workspace whose rows are seen; null sees none. */
  readonly workspace: string | null
  /** Whether rows are seen too that are looked up before the workspace is known: keys, members, the queue. */
  readonly isHost: boolean
}

/** The reach of the port's method that is running. */
export class WorkspaceInForce extends Context.Tag("kanon/WorkspaceInForce")<WorkspaceInForce, Reach>() {}

/** The reach of what runs in no port's method, or in one that names no workspace: the host's own work. */
export const hostReach: Reach = { workspace: null, isHost: true }

/**
 * Has every method of the services run with the reach of the workspace that it is called with, which by the rule of
 * the ports is its first argument, or named in it. What names none, and everything that `hostPorts` lists by the keys
 * of their tags, has the reach of the host.
 */
export const bindWorkspaces =
  (hostPorts: ReadonlySet<string>) =>
  <Services>(services: Context.Context<Services>): Context.Context<Services> =>
    Context.unsafeMake(
      new Map(
        [...services.unsafeMap].map(([key, service]) => [key, bound(service, hostPorts.has(key))] as const)
      )
    )

const bound = (service: unknown, isHost: boolean): unknown => {
  if (typeof service !== "object" || service === null) return service
  if (Object.getPrototypeOf(service) !== Object.prototype) return service
  return Object.fromEntries(
    Object.entries(service).map(([name, member]) => [
      name,
      typeof member !== "function"
        ? member
        : (...given: ReadonlyArray<unknown>) => {
            const workspace = workspaceIn(given[0])
            const made: unknown = member.apply(service, given)
            return workspace === null ? made : within(made, { workspace, isHost })
          }
    ])
  )
}

/** The workspace that an argument is, is of, or has for its own id. */
const workspaceIn = (argument: unknown): string | null => {
  if (typeof argument === "string") return argument.startsWith("ws_") ? argument : null
  if (typeof argument !== "object" || argument === null) return null
  if ("workspace" in argument) return workspaceIn(argument.workspace)
  return "id" in argument && typeof argument.id === "string" ? workspaceIn(argument.id) : null
}

const within = (made: unknown, reach: Reach): unknown => {
  if (Effect.isEffect(made)) return Effect.provideService(made, WorkspaceInForce, reach)
  return isStream(made) ? Stream.provideService(made, WorkspaceInForce, reach) : made
}

const isStream = (made: unknown): made is Stream.Stream<unknown, unknown, unknown> =>
  typeof made === "object" && made !== null && Stream.StreamTypeId in made
