import * as Clock from "effect/Clock"
import * as Effect from "effect/Effect"
import {
  type DatabaseFault,
  DatabaseUnreachable,
  type DataConnectorKind,
  type DataTarget,
  LiveDatabases,
  type ServerSettings,
  type SqliteSettings,
  StatementRefused
} from "../../core/connected/livedata/index.js"
import { serviceLayer } from "../../core/platform/kernel/index.js"
import type { AddressRules } from "../host/addresses.js"
import { admit, type Circuit, closedCircuit, record, release } from "../models/circuit.js"
import { hostRefusal } from "./addresses.js"
import { connectionsMax, type Driver } from "./driver.js"
import type { FolderRules } from "./sqlite/allowed-file.js"

type HostRules = AddressRules & FolderRules

/** How long the list of the server's own folders is used again. */
const ownFoldersTime = "10 seconds"

/** Drivers are loaded when their first database is asked. */
const load = async (kind: DataConnectorKind, rules: HostRules): Promise<Driver> => {
  switch (kind) {
    case "postgres":
      return (await import("./postgres/driver.js")).postgresDriver(rules)
    case "mysql":
      return (await import("./mysql/driver.js")).mysqlDriver(rules)
    case "sqlite":
      return (await import("./sqlite/driver.js")).sqliteDriver(rules)
  }
}

/** State of each connector: free connections, and whether the database answers. */
interface Lane {
  readonly places: Effect.Semaphore
  circuit: Circuit
}

/**
 * Live databases behind their guards, with at most four connections each and a circuit that opens when one is down.
 * `ownFolders` are the data folder and the vaults, which are never read.
 */
export const liveDatabases = <R>(
  given: AddressRules & Pick<FolderRules, "folders">,
  ownFolders: Effect.Effect<ReadonlyArray<string>, never, R>
) =>
  serviceLayer(
    LiveDatabases,
    Effect.gen(function* () {
      const own = yield* Effect.cachedWithTTL(ownFolders, ownFoldersTime)
      const services = yield* Effect.context<R>()
      const rules: HostRules = {
        ...given,
        ownFolders: () => Effect.runPromise(Effect.provide(own, services))
      }
      const drivers = new Map<DataConnectorKind, Promise<Driver>>()
      const driverOf = (kind: DataConnectorKind): Promise<Driver> => {
        const driver = drivers.get(kind) ?? load(kind, rules)
        drivers.set(kind, driver)
        return driver
      }
      yield* Effect.addFinalizer(() =>
        Effect.promise(() =>
          Promise.all([...drivers.values()].map((driver) => driver.then((one) => one.close(null))))
        )
      )
      const lanes = new Map<string, Lane>()
      const laneOf = (key: string): Lane => {
        const lane = lanes.get(key) ?? {
          places: Effect.unsafeMakeSemaphore(connectionsMax),
          circuit: closedCircuit
        }
        lanes.set(key, lane)
        return lane
      }

      /** A database that is down is not asked for a while, and nobody waits longer for a place than a statement may run. */
      const through = <A>(
        workspace: string,
        target: DataTarget,
        waitMs: number,
        work: (driver: Driver, signal: AbortSignal) => Promise<A>
      ): Effect.Effect<A, DatabaseFault> =>
        Effect.gen(function* () {
          const lane = laneOf(`${workspace} ${target.id} ${target.version}`)
          const admission = admit(lane.circuit, yield* Clock.currentTimeMillis)
          if (!admission.admitted)
            return yield* new DatabaseUnreachable({
              message: `The database did not answer before; it is asked again in ${Math.ceil(admission.retryAfterMs / 1000)} s.`
            })
          lane.circuit = admission.circuit
          const attempt = Effect.tryPromise({
            try: async (signal) => work(await driverOf(target.kind), signal),
            catch: asFault
          })
          const placed = lane.places
            .withPermitsIfAvailable(1)(attempt)
            .pipe(
              Effect.flatMap((some) =>
                some._tag === "Some"
                  ? Effect.succeed(some.value)
                  : lane.places
                      .withPermits(1)(attempt)
                      .pipe(
                        Effect.timeoutFail({
                          duration: waitMs * 2 + 2_000,
                          onTimeout: () =>
                            new DatabaseUnreachable({ message: "Too many queries wait for this connector." })
                        })
                      )
              )
            )
          return yield* placed.pipe(
            Effect.tapBoth({
              onSuccess: () => settle(lane, true),
              onFailure: ({ _tag }) => settle(lane, _tag !== "DatabaseUnreachable")
            }),
            Effect.onInterrupt(() =>
              Effect.sync(() => {
                lane.circuit = release(lane.circuit)
              })
            )
          )
        })

      return {
        refusalOf: (kind, settings) =>
          kind === "sqlite"
            ? Effect.promise(async () => {
                const { allowedFile } = await import("./sqlite/allowed-file.js")
                const allowed = await allowedFile((settings as SqliteSettings).path, rules)
                return "refusal" in allowed ? allowed.refusal : null
              })
            : Effect.sync(() => hostRefusal((settings as ServerSettings).host, rules)),
        probe: (_workspace, target) =>
          Effect.tryPromise(async (signal) => (await driverOf(target.kind)).probe(target, signal)).pipe(
            Effect.catchAll(() =>
              Effect.succeed({
                ok: false,
                readOnlyProven: false,
                serverVersion: null,
                message: "The database cannot be reached."
              })
            )
          ),
        inspect: (_workspace, target, statement) =>
          Effect.promise(async () => (await driverOf(target.kind)).inspect(target, statement)).pipe(
            Effect.flatMap((refusal) =>
              refusal === null ? Effect.void : new StatementRefused({ message: refusal })
            )
          ),
        describe: (workspace, target, statement, limits) =>
          through(workspace, target, limits.timeoutMs, (driver, signal) =>
            driver.describe(target, statement, limits, signal)
          ),
        run: (workspace, target, statement, limits) =>
          through(workspace, target, limits.timeoutMs, (driver, signal) =>
            driver.run(target, statement, limits, signal)
          ),
        close: (workspace, id) =>
          Effect.promise(async () => {
            for (const key of lanes.keys()) if (key.startsWith(`${workspace} ${id} `)) lanes.delete(key)
            await Promise.all([...drivers.values()].map(async (driver) => (await driver).close(id)))
          })
      }
    })
  )

const settle = (lane: Lane, isUp: boolean): Effect.Effect<void> =>
  Effect.map(Clock.currentTimeMillis, (now) => {
    lane.circuit = record(lane.circuit, isUp, now)
  })

const faultTags = ["StatementRefused", "DatabaseUnreachable", "StatementFailed", "StatementTimedOut"]

/** Converts an error of a driver to a fault; an unknown error counts as a broken connection. */
const asFault = (error: unknown): DatabaseFault =>
  typeof error === "object" && error !== null && "_tag" in error && faultTags.includes(String(error._tag))
    ? (error as DatabaseFault)
    : new DatabaseUnreachable({ message: "The connection broke." })
