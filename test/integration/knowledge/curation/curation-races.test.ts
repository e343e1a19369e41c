import { afterAll, beforeAll, describe, expect, it } from "vitest"
import { type Engine, KanonError } from "../../../../adapters/sqlite/index.js"
import { checkRecord } from "../../../support/curation-record.js"
import { createEngine } from "../../../support/database.js"
import { temporaryFolder } from "../../../support/folders.js"
import { isLong } from "../../../support/runs.js"

const vault = temporaryFolder("races")
const engines: Array<Engine> = []
const rounds = Array.from({ length: isLong ? 200 : 2 }, (_, round) => round)
const callers = 16

beforeAll(async () => {
  // One after the other: the first makes the tables.
  for (const _ of [1, 2]) engines.push(await createEngine({ vault, worker: false, thread: false }))
})
afterAll(async () => {
  for (const engine of engines) await engine.close()
})

const engineOf = (caller: number): Engine => {
  const engine = engines[caller % engines.length]
  if (engine === undefined) throw new RangeError("There is no engine.")
  return engine
}

/** All at once, over both engines in turn: what each one gets, or the code of what it meets. */
const race = async <A>(
  tries: ReadonlyArray<(engine: Engine) => Promise<A>>
): Promise<ReadonlyArray<A | KanonError>> => {
  const ended = await Promise.allSettled(tries.map((attempt, caller) => attempt(engineOf(caller))))
  return ended.map((one) => {
    if (one.status === "fulfilled") return one.value
    if (one.reason instanceof KanonError) return one.reason
    throw one.reason
  })
}

const won = <A>(ended: ReadonlyArray<A | KanonError>): ReadonlyArray<A> =>
  ended.filter((one): one is A => !(one instanceof KanonError))
const codes = (ended: ReadonlyArray<unknown>): ReadonlySet<string> =>
  new Set(ended.flatMap((one) => (one instanceof KanonError ? [one.code] : [])))

const enter = async (name: string) => (await engineOf(0).entities.create({ name, type: "thing" })).id
const propose = async (kind: "create" | "update" | "delete", entityId?: string, name?: string) => {
  const asked = {
    kind,
    payload: name === undefined ? {} : { name, ...(kind === "create" ? { type: "thing" } : {}) }
  }
  return (await engineOf(1).changeRequests.propose({ ...asked, ...(entityId ? { entityId } : {}) })).id
}
const versionOf = async (id: string) => (await engineOf(0).entities.get(id)).curation.version
const statusOf = async (id: string) => (await engineOf(1).changeRequests.get(id)).request.status
const times = <A>(make: (caller: number) => A): ReadonlyArray<A> =>
  Array.from({ length: callers }, (_, caller) => make(caller))

describe("many callers at once, in two engines on one data folder", () => {
  it.each(rounds)("approve a request: one does it, the others find it decided (%i)", async (round) => {
    const id = await enter(`Approved ${round}`)
    const request = await propose("update", id, `Renamed ${round}`)
    const ended = await race(times(() => (engine) => engine.changeRequests.approve(request)))
    expect(won(ended)).toHaveLength(1)
    expect(codes(ended)).toEqual(new Set(["not_open"]))
    expect(await versionOf(id)).toBe(2)
  })

  it.each(rounds)("approve, reject and withdraw a request: one of them decides (%i)", async (round) => {
    const id = await enter(`Decided ${round}`)
    const request = await propose("update", id, `Changed ${round}`)
    const verbs = ["approve", "reject", "withdraw"] as const
    const ended = await race(
      times((caller) => async (engine) => {
        const verb = verbs[caller % verbs.length] ?? "approve"
        await engine.changeRequests[verb](request)
        return { approve: "approved", reject: "rejected", withdraw: "withdrawn" }[verb]
      })
    )
    expect(won(ended)).toEqual([await statusOf(request)])
    expect(codes(ended)).toEqual(new Set(["not_open"]))
    expect(await versionOf(id)).toBe(won(ended)[0] === "approved" ? 2 : 1)
  })

  it.each(rounds)(
    "approve requests for one new name: one makes it, the others stay open (%i)",
    async (round) => {
      const requests = await Promise.all(times(() => propose("create", undefined, `Wanted ${round}`)))
      const ended = await race(requests.map((request) => (engine) => engine.changeRequests.approve(request)))
      const [first, ...others] = won(ended)
      expect(others).toEqual([])
      expect(codes(ended)).toEqual(new Set(["conflict"]))
      for (const one of ended)
        if (one instanceof KanonError) expect(one.fault).toMatchObject({ existingId: first?.appliedEntityId })
      const statuses = await Promise.all(requests.map(statusOf))
      expect(statuses.filter((status) => status === "open")).toHaveLength(callers - 1)
    }
  )

  it.each(rounds)("merge two entities, either way: one does it (%i)", async (round) => {
    const [a, b] = [await enter(`Left ${round}`), await enter(`Right ${round}`)]
    const ended = await race(
      times(
        (caller) => (engine) => (caller % 4 < 2 ? engine.entities.merge(a, b) : engine.entities.merge(b, a))
      )
    )
    const [first, ...others] = won(ended)
    expect(others).toEqual([])
    // They are one entity by then: the documented answer is that of a merge with itself.
    expect(codes(ended)).toEqual(new Set(["invalid_body"]))
    const heads = await Promise.all([a, b].map(async (id) => (await engineOf(0).entities.get(id)).id))
    expect(heads).toEqual([first?.canonicalId, first?.canonicalId])
    expect(await versionOf(a)).toBe(2)
  })

  it.each(rounds)("take one name: one gets it (%i)", async (round) => {
    const ids = await Promise.all(times((caller) => enter(`Taker ${round} ${caller}`)))
    const ended = await race(
      ids.map(
        (id, caller) => (engine) =>
          engine.entities.update(id, { name: `${caller % 2 === 0 ? "The" : "THE"} name ${round}` })
      )
    )
    expect(won(ended)).toHaveLength(1)
    expect(codes(ended)).toEqual(new Set(["conflict"]))
    const holder = won(ended)[0]?.id
    for (const one of ended)
      if (one instanceof KanonError) expect(one.fault).toMatchObject({ existingId: holder })
    for (const id of ids) expect(await versionOf(id)).toBe(id === holder ? 2 : 1)
  })

  it.each(rounds)(
    "delete what others approve a change of: each at most once, in some order (%i)",
    async (round) => {
      const id = await enter(`Contested ${round}`)
      const request = await propose("update", id, `Settled ${round}`)
      const ended = await race<"deleted" | "approved">(
        times((caller) => async (engine) => {
          if (caller % 4 < 2) return engine.entities.remove(id).then(() => "deleted" as const)
          return engine.changeRequests.approve(request).then(() => "approved" as const)
        })
      )
      const done = won(ended)
      expect(done.filter((one) => one === "deleted")).toHaveLength(1)
      const wasApproved = done.includes("approved")
      expect(done).toHaveLength(wasApproved ? 2 : 1)
      for (const code of codes(ended)) expect(["not_found", "not_open", "conflict"]).toContain(code)
      expect(await statusOf(request)).toBe(wasApproved ? "approved" : "open")
      await expect(engineOf(1).entities.get(id)).rejects.toMatchObject({ code: "not_found" })
    }
  )

  it.each(rounds)(
    "retire what others name as a successor: whoever is second learns of it (%i)",
    async (round) => {
      const [a, b] = [await enter(`Old ${round}`), await enter(`New ${round}`)]
      const ended = await race(
        times(
          (caller) => (engine) =>
            caller % 4 < 2
              ? engine.entities.deprecate(a, { supersededBy: b })
              : engine.entities.deprecate(b, { supersededBy: a })
        )
      )
      expect(won(ended)).toHaveLength(1)
      for (const code of codes(ended)) expect(["invalid_body", "invalid_transition"]).toContain(code)
    }
  )

  it("leave a history and an audit in which nothing is missing or twice", async () => {
    await checkRecord(engineOf(0))
    expect(await engineOf(1).doctor()).toMatchObject({ differences: 0 })
  })
})
