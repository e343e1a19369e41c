import * as Context from "effect/Context"
import * as Effect from "effect/Effect"
import * as Stream from "effect/Stream"

/** Rows that the statements of a call may see under row-level security. */
export interface Reach {
  /** The workspace whose rows are visible; null for none. */
  readonly workspace: string | null
  /** Whether rows are visible that are read before the workspace is known: keys, members, the queue. */
  readonly isHost: boolean
}

/** The reach of the running port method. */
export class WorkspaceInForce extends Context.Tag("kanon/WorkspaceInForce")<WorkspaceInForce, Reach>() {}

/** The reach outside of port methods, or in one without a workspace: the host's own work. */
export const hostReach: Reach = { workspace: null, isHost: true }

/**
 * Runs every method of the services with the reach of its workspace, which is or is contained in its first argument
 * by convention of the ports. Methods without a workspace, and all services in `hostPorts`, get the reach of the host.
 * A service is named by the key of its tag, a part of it as `<key>.<part>`.
 */
export const bindWorkspaces =
  (hostPorts: ReadonlySet<string>) =>
  <Services>(services: Context.Context<Services>): Context.Context<Services> =>
    Context.unsafeMake(
      new Map([...services.unsafeMap].map(([key, service]) => [key, bound(service, key, hostPorts)] as const))
    )

const bound = (service: unknown, key: string, hostPorts: ReadonlySet<string>): unknown => {
  if (typeof service !== "object" || service === null) return service
  if (Object.getPrototypeOf(service) !== Object.prototype) return service
  const isHost = hostPorts.has(key)
  return Object.fromEntries(
    Object.entries(service).map(([name, member]) => [
      name,
      typeof member !== "function"
        ? bound(member, `${key}.${name}`, hostPorts)
        : (...given: ReadonlyArray<unknown>) => {
            const workspace = workspaceIn(given[0])
            const made: unknown = member.apply(service, given)
            return workspace === null ? made : within(made, { workspace, isHost })
          }
    ])
  )
}

/** Returns the workspace that an argument is, refers to, or has as its id. */
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
