import * as Clock from "effect/Clock"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import { beforeEach, describe, expect, it } from "vitest"
import { type EngineEventName, eventHub, openEngine, reported } from "../../../../core/engine/engine/index.js"
import { JobStore } from "../../../../core/platform/jobs/index.js"
import { NotFound } from "../../../../core/platform/kernel/index.js"
import { portsOf } from "../../../support/database.js"
import { temporaryFolder } from "../../../support/folders.js"

const quietHub = () => eventHub({ onThrow: () => undefined, onHeard: () => undefined })

/** Counts the overhead of a call: how often the clock is read, and how often its result is described. */
const effort = (hub: ReturnType<typeof quietHub>, work: Effect.Effect<number, NotFound>) => {
  const real = Clock.make()
  let looks = 0
  let described = 0
  const looked = <A>(time: () => A): A => {
    looks += 1
    return time()
  }
  const counting: Clock.Clock = {
    [Clock.ClockTypeId]: real[Clock.ClockTypeId],
    sleep: real.sleep,
    unsafeCurrentTimeMillis: () => looked(() => real.unsafeCurrentTimeMillis()),
    unsafeCurrentTimeNanos: () => looked(() => real.unsafeCurrentTimeNanos()),
    currentTimeMillis: Effect.sync(() => looked(() => real.unsafeCurrentTimeMillis())),
    currentTimeNanos: Effect.sync(() => looked(() => real.unsafeCurrentTimeNanos()))
  }
  const describe = (results: number, durationMs: number) => {
    described += 1
    return { durationMs, results, total: results }
  }
  Effect.runSyncExit(
    Effect.withClock(reported(hub, { operation: "search", name: "search", describe }, work), counting)
  )
  return { looks, described }
}

describe("a call that nobody listens to", () => {
  const works = [Effect.succeed(1), Effect.fail(new NotFound({ what: "document" }))]

  it("is not measured and not described, before the first listener and after the last", () => {
    const hub = quietHub()
    const listened: ReadonlyArray<EngineEventName> = ["search", "failure"]
    for (const work of works) expect(effort(hub, work)).toEqual({ looks: 0, described: 0 })
    for (const name of listened) {
      const off = hub.on(name, () => undefined)
      for (const work of works) expect(effort(hub, work).looks).toBe(2)
      off()
      for (const work of works) expect(effort(hub, work)).toEqual({ looks: 0, described: 0 })
    }
  })

  it("is not measured for listeners of something else", () => {
    const hub = quietHub()
    hub.on("queue", () => undefined)
    hub.on("ask", () => undefined)
    for (const work of works) expect(effort(hub, work)).toEqual({ looks: 0, described: 0 })
  })
})

describe("the queue of an engine", () => {
  let vault = ""
  beforeEach(() => {
    vault = temporaryFolder("unheard")
  })

  it("is watched once while anybody listens, and by nobody before and after", async () => {
    let [now, ever] = [0, 0]
    const watched = Layer.effect(
      JobStore,
      Effect.map(JobStore, (store) => ({
        ...store,
        watch: Effect.zipRight(
          Effect.acquireRelease(
            Effect.sync(() => {
              now += 1
              ever += 1
            }),
            () =>
              Effect.sync(() => {
                now -= 1
              })
          ),
          store.watch
        )
      }))
    )
    const engine = await openEngine(
      Layer.provideMerge(watched, portsOf({ vault, data: ":memory:", thread: false })),
      { name: "Notes", worker: false, owner: "test" }
    )
    await engine.search("pottery")
    const offOther = engine.on("search", () => undefined)
    await engine.search("pottery")
    expect(ever).toBe(0)
    for (let round = 0; round < 3; round++) {
      const offs = [engine.on("queue", () => undefined), engine.on("queue", () => undefined)]
      await expect.poll(() => now).toBe(1)
      offs[0]?.()
      await engine.search("pottery")
      await expect.poll(() => now).toBe(1)
      offs[1]?.()
      await expect.poll(() => now).toBe(0)
    }
    engine.on("queue", () => undefined)
    await expect.poll(() => now).toBe(1)
    await engine.close()
    expect(now).toBe(0)
    offOther()
  })
})
