import * as fc from "fast-check"
import { expect } from "vitest"
import type { Engine, EngineCalls } from "../../core/engine/engine/index.js"
import { KanonError } from "../../core/platform/kernel/index.js"
import * as world from "./curation-world.js"

/** The engine under test, with the ids of what the commands made, by their places in the model. */
export interface Bench {
  readonly engine: Engine
  readonly entities: Array<string>
  readonly requests: Array<string>
}

type Work = (calls: EngineCalls, id: (place: number) => string) => Promise<string | null>

/** A command: what the model says of it, what the engine does, and that both end alike. */
class Step implements fc.AsyncCommand<world.World, Bench> {
  constructor(
    readonly told: string,
    readonly who: string,
    /** Kind of subject that the command needs; it waits until there is one. */
    readonly on: "nothing" | "entities" | "requests",
    readonly model: (now: world.World, restamped: boolean) => world.Outcome,
    readonly work: (bench: Bench) => Work
  ) {}

  check(now: Readonly<world.World>): boolean {
    return this.on === "nothing" || now[this.on].length > 0
  }

  async run(now: world.World, bench: Bench): Promise<void> {
    const before = await stampsOf(bench)
    const calls = this.who === "local" ? bench.engine : bench.engine.as(this.who)
    const ended = await this.work(bench)(calls, (place) => bench.entities[place] ?? "").catch(codeOf)
    const restamped = JSON.stringify(before) !== JSON.stringify(await stampsOf(bench))
    const made = [now.entities.length, now.requests.length]
    const outcome = this.model(now, restamped)
    if (now.entities.length > (made[0] ?? 0)) bench.entities.push(ended ?? "")
    if (now.requests.length > (made[1] ?? 0)) bench.requests.push(ended ?? "")
    expect({ told: this.told, ended: typeof outcome === "string" ? ended : "done" }).toEqual({
      told: this.told,
      ended: typeof outcome === "string" ? outcome : "done"
    })
    if (typeof outcome !== "string") expect(ended ?? "").not.toMatch(/^(?!ent_|cr_).+/)
    await compare(now, bench)
  }

  toString = (): string => `${this.told} as ${this.who}`
}

const codeOf = (error: unknown): string => {
  if (error instanceof KanonError) return error.code
  throw error
}

const stampsOf = ({ engine, entities }: Bench) =>
  Promise.all(
    [...new Set(entities)].map((id) =>
      engine.entities.get(id).then(
        ({ curation }) => [curation.lastReviewedAt, curation.nextReviewAt],
        () => null
      )
    )
  )

/** Every entity and every request, read from the engine, is what the model says. */
export const compare = async (now: world.World, { engine, entities, requests }: Bench): Promise<void> => {
  for (const [place, id] of entities.entries()) {
    const head = world.headAt(now, place)
    const seen = await engine.entities.get(id).catch(codeOf)
    if (head === null || typeof seen === "string") {
      expect([place, seen]).toEqual([place, head === null ? "not_found" : seen === "" ? "" : "live"])
      continue
    }
    const known = world.entityAt(now, head)
    const { aliases, curation, description, name, type } = seen
    expect({ id: seen.id, name, type, aliases, description, ...facts(curation) }).toEqual({
      id: entities[head],
      name: known.name,
      type: known.type,
      aliases: world.namesAt(now, head),
      description: known.description,
      ...facts({
        authority: known.authority,
        lifecycleStatus: known.lifecycle,
        ownerId: known.owner,
        stewardIds: [...known.stewards],
        supersededBy: known.supersededBy === null ? null : (entities[known.supersededBy] ?? ""),
        version: known.version
      })
    })
  }
  const listed = await engine.changeRequests.list()
  expect(listed.map(({ id, status }) => [id, status])).toEqual(
    now.requests.map(({ status }, place) => [requests[place], status]).reverse()
  )
}

const facts = (meta: {
  readonly authority: string
  readonly lifecycleStatus: string
  readonly ownerId: string | null
  readonly stewardIds: ReadonlyArray<string>
  readonly supersededBy: string | null
  readonly version: number
}) => {
  const { authority, lifecycleStatus, ownerId, stewardIds, supersededBy, version } = meta
  return { authority, lifecycleStatus, ownerId, stewardIds, supersededBy, version }
}

const at = <Item>(all: ReadonlyArray<Item>, n: number): number => n % Math.max(all.length, 1)
const place = fc.nat({ max: 40 })
const name = fc.constantFrom("Ada", "ADA", "Bo", "Cy", "Di")
const type = fc.constantFrom("person", "thing")
const aliases = fc.uniqueArray(fc.constantFrom("Ada", "bo", "Bo", "Eve", "Zed"), { maxLength: 3 })
const description = fc.constantFrom("One.", "Two.")
const fields = fc
  .record({ name, type, aliases, description }, { requiredKeys: [] })
  .filter((some) => Object.keys(some).length > 0)
const lifecycle = fc.constantFrom("draft" as const, "pending_review" as const, "published" as const)
const authority = fc.constantFrom(
  "machine_extracted" as const,
  "asserted" as const,
  "curated" as const,
  "certified" as const
)
const who = fc.constantFrom("local", "local", "ann", "bob")
const owner = fc.constantFrom(null, null, "ann")
const stewards = fc.constantFrom(undefined, [], ["bob"], ["ann", "bob"])

/** One command on some entity. */
const onEntity = (
  told: string,
  by: string,
  n: number,
  model: (now: world.World, target: number, restamped: boolean) => world.Outcome,
  work: (calls: EngineCalls, id: string, bench: Bench) => Promise<unknown>
): Step =>
  new Step(
    `${told} ${n}`,
    by,
    "entities",
    (now, restamped) => model(now, at(now.entities, n), restamped),
    (bench) => async (calls) => {
      await work(calls, bench.entities[at(bench.entities, n)] ?? "", bench)
      return null
    }
  )

const entityCommands: ReadonlyArray<fc.Arbitrary<Step>> = [
  fc.record({ name, type, aliases, description }).map(
    (given) =>
      new Step(
        `create ${JSON.stringify(given)}`,
        "local",
        "nothing",
        (now) => world.create(now, given),
        () => async (calls) => (await calls.entities.create(given)).id
      )
  ),
  fc.tuple(place, fields).map(([n, given]) =>
    onEntity(
      `update ${JSON.stringify(given)}`,
      "local",
      n,
      (now, target) => world.update(now, target, given),
      (calls, id) => calls.entities.update(id, given)
    )
  ),
  fc.tuple(place, fc.constantFrom("certify" as const, "review" as const)).map(([n, how]) =>
    onEntity(
      how,
      "ann",
      n,
      (now, target, restamped) => world.vouch(now, target, how, restamped),
      (calls, id) => calls.entities[how](id)
    )
  ),
  fc.tuple(place, authority).map(([n, to]) =>
    onEntity(
      `authority ${to}`,
      "local",
      n,
      (now, target) => world.setAuthority(now, target, to),
      (calls, id) => calls.entities.setAuthority(id, to)
    )
  ),
  fc.tuple(place, owner, stewards).map(([n, of, others]) =>
    onEntity(
      `owner ${of} ${others}`,
      "local",
      n,
      (now, target) => world.setOwner(now, target, of, others),
      (calls, id) => calls.entities.setOwner(id, of, others)
    )
  ),
  fc.tuple(place, lifecycle).map(([n, to]) =>
    onEntity(
      `lifecycle ${to}`,
      "local",
      n,
      (now, target) => world.setLifecycle(now, target, to),
      (calls, id) => calls.entities.setLifecycle(id, to, "moved")
    )
  ),
  fc.tuple(place, fc.option(place)).map(([n, by]) =>
    onEntity(
      `deprecate by ${by}`,
      "local",
      n,
      (now, target) => world.deprecate(now, target, by === null ? null : at(now.entities, by)),
      (calls, id, { entities }) =>
        calls.entities.deprecate(id, by === null ? {} : { supersededBy: entities[at(entities, by)] ?? "" })
    )
  ),
  fc.tuple(place, place, who).map(([n, into, by]) =>
    onEntity(
      `merge into ${into}`,
      by,
      n,
      (now, target) => world.merge(now, target, at(now.entities, into), by),
      (calls, id, { entities }) => calls.entities.merge(id, entities[at(entities, into)] ?? "")
    )
  ),
  place.map((n) => onEntity("remove", "local", n, world.remove, (calls, id) => calls.entities.remove(id))),
  place.map((n) =>
    onEntity("bring back", "local", n, world.bringBack, (calls, id) => calls.trash.restore(id))
  ),
  fc.tuple(place, fc.integer({ min: 1, max: 9 })).map(([n, version]) =>
    onEntity(
      `restore revision ${version}`,
      "local",
      n,
      (now, target) => world.restoreRevision(now, target, version),
      (calls, id) => calls.entities.restoreRevision(id, version)
    )
  )
]

type Wanted = Pick<world.Asked, "kind"> & { readonly payload: world.Payload; readonly by: number }

const wanted: fc.Arbitrary<Wanted> = fc.oneof(
  fc.record({
    kind: fc.constant("create" as const),
    payload: fc.record({ name, type, aliases, lifecycle }, { requiredKeys: ["name", "type"] }),
    by: place
  }),
  fc.record({ kind: fc.constant("update" as const), payload: fields, by: place }),
  fc.record({
    kind: fc.constantFrom("deprecate" as const, "supersede" as const, "delete" as const),
    payload: fc.constant({}),
    by: place
  })
)

const propose = fc.tuple(place, wanted, who).map(
  ([n, { by, kind, payload }, proposer]) =>
    new Step(
      `propose ${kind} ${JSON.stringify(payload)} of ${n} by ${by}`,
      proposer,
      kind === "create" ? "nothing" : "entities",
      (now) =>
        world.propose(now, {
          kind,
          target: kind === "create" ? null : at(now.entities, n),
          payload: kind === "supersede" ? { successor: at(now.entities, by) } : payload
        }),
      ({ entities }) =>
        async (calls) => {
          const supersededBy = entities[at(entities, by)] ?? ""
          const request = await calls.changeRequests.propose({
            kind,
            ...(kind === "create" ? {} : { entityId: entities[at(entities, n)] ?? "" }),
            payload: kind === "supersede" ? { supersededBy } : { ...payload }
          })
          return request.id
        }
    )
)

const decide = fc
  .tuple(
    place,
    fc.constantFrom("approve" as const, "approve" as const, "reject" as const, "withdraw" as const),
    who
  )
  .map(
    ([n, how, by]) =>
      new Step(
        `${how} ${n}`,
        by,
        "requests",
        (now) => {
          const request = at(now.requests, n)
          return how === "approve"
            ? world.approve(now, request, by)
            : world.close(now, request, how === "reject" ? "rejected" : "withdrawn")
        },
        ({ requests }) =>
          async (calls) => {
            const id = requests[at(requests, n)] ?? ""
            const told = await calls.changeRequests.get(id)
            if (how !== "approve") {
              await calls.changeRequests[how](id)
              return null
            }
            const done = await calls.changeRequests.approve(id).catch((error: unknown) => {
              // The result must be the one that the preview told the same caller.
              expect([codeOf(error), false]).toEqual([told.preview.blockedBy, told.preview.applicable])
              throw error
            })
            expect(told.preview).toMatchObject({ applicable: true, blockedBy: null })
            return done.appliedEntityId
          }
      )
  )

/** Sequences of everything that can be done to entities and change requests. */
export const curationCommands = (most: number) =>
  fc.commands([...entityCommands, propose, propose, propose, decide, decide, decide, decide], {
    maxCommands: most
  })
