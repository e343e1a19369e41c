import * as Effect from "effect/Effect"
import * as Either from "effect/Either"
import fc from "fast-check"
import { afterAll, beforeAll, describe, expect, it } from "vitest"
import type { z } from "zod"
import type { Verification } from "../../../../core/files/documents/index.js"
import { Verification as Verifications } from "../../../../core/files/documents/index.js"
import { Authority, Lifecycle } from "../../../../core/knowledge/entities/index.js"
import { extractGraph } from "../../../../core/knowledge/extraction/index.js"
import { operations } from "../../../../core/operations.js"
import { Caller, runOperation } from "../../../../core/platform/kernel/index.js"
import { atMoment } from "../../../support/clock-at.js"
import { runs } from "../../../support/runs.js"
import { startServer, type TestServer } from "../../../support/server.js"

const dayMs = 24 * 60 * 60 * 1000
const begin = Date.UTC(2026, 0, 1)
const isoOf = (millis: number): string => new Date(millis).toISOString()

let server: TestServer
beforeAll(async () => {
  server = await startServer()
})
afterAll(() => server.close())

const names = ["Heron", "Lantern", "Osprey", "Tern", "Egret", "Curlew"] as const
const anyName = fc.constantFrom(...names)
const place = fc.nat(7)
const anyStep = fc.oneof(
  fc.record({ do: fc.constant("write" as const), at: place, about: fc.array(anyName, { maxLength: 4 }) }),
  fc.record({ do: fc.constant("remove" as const), at: place }),
  fc.record({
    do: fc.constant("verify" as const),
    at: place,
    as: fc.constantFrom<Verification>(...Verifications.options)
  }),
  fc.record({ do: fc.constant("name" as const), name: anyName, type: fc.constantFrom("bird", "hub") }),
  fc.record({ do: fc.constant("merge" as const), at: place, into: place }),
  fc.record({ do: fc.constant("relate" as const), at: place, to: place }),
  fc.record({
    do: fc.constantFrom("certify" as const, "review" as const, "forget" as const, "contest" as const),
    at: place
  }),
  fc.record({ do: fc.constant("own" as const), at: place, owner: fc.constantFrom(null, "ada", "grace") }),
  fc.record({
    do: fc.constant("move" as const),
    at: place,
    to: fc.constantFrom("draft" as const, "pending_review" as const, "published" as const)
  }),
  fc.record({ do: fc.constant("retire" as const), at: place, by: fc.option(place) })
)
type Step = typeof anyStep extends fc.Arbitrary<infer One> ? One : never

/** A workspace at moments of the test's choosing; refusals are a part of the story. */
const open = async () => {
  const workspace = await server.workspace("picture")
  type Any = { readonly name: string }
  const call = async <Output extends z.ZodType>(
    operation: Any & { readonly output: Output },
    input: unknown,
    millis = begin
  ) => {
    const result = await server.as(
      workspace,
      atMoment(millis)(Effect.either(runOperation(operation as never, input)))
    )
    return Either.isRight(result) ? (result.right as z.output<Output>) : null
  }
  const must = async <Output extends z.ZodType>(
    operation: Any & { readonly output: Output },
    input: unknown,
    millis = begin
  ) => {
    const found = await call(operation, input, millis)
    if (found === null) throw new RangeError(`${operation.name} was refused.`)
    return found
  }
  const extract = () =>
    server.as(
      workspace,
      Effect.flatMap(Caller, (caller) => extractGraph(caller.workspace))
    )
  return { call, must, extract }
}
type World = Awaited<ReturnType<typeof open>>

const all = { limit: 200, offset: 0 }
const documentsOf = async ({ must }: World) => (await must(operations.listDocuments, all)).items
const entitiesOf = async ({ must }: World) =>
  Promise.all(
    (await must(operations.listEntities, all)).entities.map(({ id }) => must(operations.getEntity, { id }))
  )

const play = async (world: World, step: Step, millis: number): Promise<void> => {
  const { call } = world
  const documents = await documentsOf(world)
  const entities = (await entitiesOf(world)).map(({ id }) => id).sort()
  const [document, id] =
    "at" in step
      ? [documents[step.at % documents.length]?.id, entities[step.at % entities.length]]
      : [undefined, undefined]
  const other = (at: number) => entities[at % entities.length]
  switch (step.do) {
    case "write": {
      const text = step.about.map((name) => `The ${name} is near the [[${name}]].`).join("\n\n")
      const path = `${names[step.at % names.length]?.toLowerCase()}.md`
      await call(operations.createDocument, { path, content: `# ${path}\n\n${text}\n` }, millis)
      return
    }
    case "remove":
      return void (await call(operations.deleteDocument, { id: document }, millis))
    case "verify":
      return void (await call(operations.verifyDocument, { id: document, verification: step.as }, millis))
    case "name":
      return void (await call(operations.createEntity, { name: step.name, type: step.type }, millis))
    case "merge":
      return void (await call(operations.mergeEntity, { id, intoId: other(step.into) }, millis))
    case "relate":
      return void (await call(
        operations.createRelation,
        { srcEntityId: id, dstEntityId: other(step.to), type: "near" },
        millis
      ))
    case "certify":
      return void (await call(operations.certifyEntity, { id }, millis))
    case "review":
      return void (await call(operations.reviewEntity, { id }, millis))
    case "forget":
      return void (await call(operations.deleteEntity, { id }, millis))
    case "contest":
      return void (await call(
        operations.proposeChange,
        { kind: "update", entityId: id, payload: { description: "Otherwise." } },
        millis
      ))
    case "own":
      return void (await call(operations.setOwner, { id, ownerId: step.owner }, millis))
    case "move":
      return void (await call(operations.setEntityLifecycle, { id, lifecycleStatus: step.to }, millis))
    case "retire": {
      const by = step.by === null ? {} : { supersededBy: other(step.by) }
      return void (await call(operations.deprecateEntity, { id, ...by }, millis))
    }
  }
}

/** How many of each value there are, every value of the enumeration named. */
const tally = <Value extends string>(values: ReadonlyArray<Value>, found: ReadonlyArray<Value>) =>
  Object.fromEntries(values.map((value) => [value, found.filter((one) => one === value).length]))

const relationsOf = async ({ must }: World) => (await must(operations.listRelations, all)).items
const edgesOf = async (world: World) => {
  const relations = (await relationsOf(world)).filter(
    ({ dstEntityId, srcEntityId }) => dstEntityId !== srcEntityId
  )
  return [
    ...new Map(
      relations.map(({ dstEntityId: dst, srcEntityId: src, type }) => [
        JSON.stringify([src, type, dst]),
        { src, type, dst }
      ])
    ).values()
  ]
}

const checkManifest = async (world: World, millis: number) => {
  const { must } = world
  const manifest = await must(operations.getManifest, {}, millis)
  const [entities, documents, edges] = [
    await entitiesOf(world),
    await documentsOf(world),
    await edgesOf(world)
  ]
  const at = isoOf(millis)
  expect(manifest.counts.byAuthority).toEqual(
    tally(
      Authority.options,
      entities.map(({ curation }) => curation.authority)
    )
  )
  expect(manifest.counts.byLifecycle).toEqual(
    tally(
      Lifecycle.options,
      entities.map(({ curation }) => curation.lifecycleStatus)
    )
  )
  expect([manifest.counts.documents, manifest.counts.entities, manifest.counts.relations]).toEqual([
    documents.length,
    entities.length,
    edges.length
  ])
  const verifications = await Promise.all(
    documents.map(
      async ({ id }) => (await must(operations.getDocumentLineage, { id })).governance.verification
    )
  )
  expect(manifest.counts.documentsByVerification).toEqual(tally(Verifications.options, verifications))
  expect(manifest.staleness).toEqual({
    overdueReviews: entities.filter(
      ({ curation: { nextReviewAt } }) => nextReviewAt !== null && nextReviewAt < at
    ).length,
    neverReviewed: entities.filter(({ curation }) => curation.lastReviewedAt === null).length
  })
  const hubs = await Promise.all(
    entities
      .filter(
        ({ curation, id }) => curation.lifecycleStatus === "published" && edges.some(({ dst }) => dst === id)
      )
      .map(async ({ curation, description, id, name, type }) => ({
        id,
        name,
        type,
        summary: description ?? "",
        authority: curation.authority,
        lifecycleStatus: curation.lifecycleStatus,
        version: curation.version,
        inDegree: edges.filter(({ dst }) => dst === id).length,
        outDegree: edges.filter(({ src }) => src === id).length,
        mentionCount: (await must(operations.listMentions, { entityId: id, ...all })).total,
        lastReviewedAt: curation.lastReviewedAt,
        ownerId: curation.ownerId
      }))
  )
  hubs.sort((a, b) => b.inDegree - a.inDegree || b.mentionCount - a.mentionCount || (a.id < b.id ? -1 : 1))
  expect(manifest.hubConcepts).toEqual(hubs.slice(0, 25))
}

const checkLineage = async (world: World, millis: number) => {
  const { must } = world
  const [entities, relations] = [await entitiesOf(world), await relationsOf(world)]
  for (const { id } of await documentsOf(world)) {
    const lineage = await must(operations.getDocumentLineage, { id }, millis)
    const concepts = await Promise.all(
      entities.map(async ({ curation, id: entityId, name, type }) => ({
        id: entityId,
        name,
        type,
        authority: curation.authority,
        lifecycleStatus: curation.lifecycleStatus,
        mentionCount: (await must(operations.listMentions, { entityId, docId: id, ...all })).total
      }))
    )
    const mentioned = concepts.filter(({ mentionCount }) => mentionCount > 0)
    const byId = (a: { readonly id: string }, b: { readonly id: string }) => (a.id < b.id ? -1 : 1)
    expect([...lineage.derived.concepts].sort(byId)).toEqual(mentioned.sort(byId))
    const counts = lineage.derived.concepts.map(({ mentionCount }) => mentionCount)
    expect(counts).toEqual([...counts].sort((a, b) => b - a))
    const grounded = relations.filter(({ evidence }) => evidence.some(({ docId }) => docId === id))
    expect(lineage.derived.relationCount).toBe(grounded.length)
    const ends = grounded.flatMap(({ dstEntityId, srcEntityId }) => [dstEntityId, srcEntityId])
    const known = new Set<string>([...mentioned.map((one) => one.id), ...ends])
    expect(lineage.downstream.groundedEntityCount).toBeGreaterThanOrEqual(known.size)
    expect(lineage.downstream.groundedEntityCount).toBeLessThanOrEqual(known.size + 1)
    const { nextVerifyAt, verification, verifiedAt } = lineage.governance
    const isVouchedFor = verification === "verified" || verification === "certified"
    expect([verifiedAt !== null, nextVerifyAt !== null]).toEqual([isVouchedFor, isVouchedFor])
    expect(lineage.governance.reviewDue).toBe(nextVerifyAt !== null && nextVerifyAt < isoOf(millis))
    expect(lineage.audit.at(-1)?.action).toBe("document.create")
    expect(lineage.audit.every(({ action }) => action.startsWith("document."))).toBe(true)
    expect(lineage.origin.kind).toBe("upload")
  }
}

const checkStewardship = async (world: World, millis: number) => {
  const { must } = world
  const [entities, at] = [await entitiesOf(world), isoOf(millis)]
  const { requests } = await must(operations.listChangeRequests, { status: "open" })
  const heads = new Map(
    await Promise.all(
      requests.map(async ({ entityId, id }) => {
        const head = entityId === null ? null : await world.call(operations.getEntity, { id: entityId })
        return [id, head?.id ?? null] as const
      })
    )
  )
  const wanted = {
    overdue: entities.filter(({ curation: { nextReviewAt } }) => nextReviewAt !== null && nextReviewAt < at),
    never_reviewed: entities.filter(({ curation }) => curation.lastReviewedAt === null),
    ownerless: entities.filter(
      ({ curation }) => curation.ownerId === null && curation.stewardIds.length === 0
    ),
    contested: entities.filter(({ id }) => [...heads.values()].includes(id))
  }
  for (const ownerId of [undefined, "ada"] as const)
    for (const [view, expected] of Object.entries(wanted)) {
      const input = { view, ...all, ...(ownerId === undefined ? {} : { ownerId }) }
      const found = await world.call(operations.listStewardship, input, millis)
      if (view === "ownerless" && ownerId !== undefined) {
        expect(found).toBeNull()
        continue
      }
      const mine = expected.filter(({ curation }) => ownerId === undefined || curation.ownerId === ownerId)
      expect([view, found?.items.map(({ id }) => id).sort()]).toEqual([view, mine.map(({ id }) => id).sort()])
      expect(found?.total).toBe(mine.length)
      for (const item of found?.items ?? [])
        if (item.kind === "entity")
          expect(item.openRequests).toBe([...heads.values()].filter((head) => head === item.id).length)
    }
  const due = await must(operations.listStewardship, { view: "documents_due", ...all }, millis)
  const documents = await Promise.all(
    (await documentsOf(world)).map(({ id }) => must(operations.getDocumentLineage, { id }, millis))
  )
  expect(due.total).toBe(documents.filter(({ governance }) => governance.reviewDue).length)
  expect(due.items).toHaveLength(due.total)
}

describe("the picture of a workspace", () => {
  it("agrees with an independent count, whatever was done and whatever day it is", async () => {
    await fc.assert(
      fc.asyncProperty(
        fc.array(fc.tuple(anyStep, fc.nat(40)), { minLength: 6, maxLength: 24 }),
        fc.nat(400),
        async (steps, laterDays) => {
          const world = await open()
          let millis = begin
          for (const [step, days] of steps) {
            millis += days * dayMs
            await play(world, step, millis)
            if (days % 5 === 0) await world.extract()
          }
          await world.extract()
          const later = millis + laterDays * dayMs + 1
          await checkManifest(world, later)
          await checkLineage(world, later)
          await checkStewardship(world, later)
        }
      ),
      { numRuns: runs(8) }
    )
  })
})
