import { afterAll, beforeAll, describe, expect, it } from "vitest"
import { z } from "zod"
import { ChangeRequest, CurationMeta, Revision } from "../../core/knowledge/entities/index.js"
import { MergeResult } from "../../core/knowledge/graph/index.js"
import { SkosDocument, SkosImportResult } from "../../core/knowledge/vocabulary/index.js"
import { RequestOverview } from "../../core/upkeep/overview/index.js"
import { type ClockedServer, clockedServer } from "../support/clocked-server.js"
import { governedCalls } from "../support/governed-calls.js"
import {
  broken,
  byIri,
  certified,
  concepts,
  contested,
  countsIn,
  document,
  doubled,
  kept,
  labelOf,
  links,
  linksAt,
  mentionsOf,
  named,
  planted,
  reports,
  retired,
  reviewed,
  successor,
  superseded,
  sure,
  touched
} from "../support/governed-vocabulary.js"
import { count, manifestOf, tally } from "../support/independent-counts.js"
import { complaintsAbout, skos, statementsOf } from "../support/rdf.js"

const dayMs = 24 * 60 * 60 * 1000
/** How long a review holds when a workspace says nothing else. */
const reviewIntervalDays = 180

let server: ClockedServer
let calls: ReturnType<typeof governedCalls>
beforeAll(async () => {
  server = await clockedServer("Harbour")
  calls = governedCalls(server)
})
afterAll(() => server.close())

describe("a vocabulary that is governed", () => {
  it("is taken in whole, and every link that leads nowhere is named", async () => {
    const started = await calls.post("/import/skos", { document, mode: "apply" }, SkosImportResult, 202)
    const { jobId, ...foreseen } = started
    await calls.settled()
    expect(await server.engine.skosImport(jobId ?? "")).toEqual(foreseen)
    expect(concepts.length).toBeGreaterThan(1_000)
    expect(foreseen).toMatchObject({
      created: concepts.length,
      matched: 0,
      skipped: 0,
      conflicts: [],
      relations: links.length
    })
    expect(foreseen.problems.map(({ reason, targetId }) => [reason, targetId]).sort()).toEqual(
      broken.map((iri) => ["broken_link", iri]).sort()
    )
    for (const { iri, id } of server.rows<{ iri: string; id: string }>(
      "select iri, entity_id as id from concept"
    ))
      calls.ids.set(iri, id)
    const { counts, staleness } = await manifestOf(server)
    expect([counts.entities, counts.relations, counts.byAuthority.asserted]).toEqual([
      concepts.length,
      links.length,
      concepts.length
    ])
    expect(staleness).toEqual({ overdueReviews: 0, neverReviewed: concepts.length })
  })

  it("is found in the documents that are read afterwards, as often as it stands there", async () => {
    for (const { path, text } of reports) server.write(path, text)
    await calls.post("/jobs", { kind: "ingest", all: true }, z.unknown(), 202)
    await calls.settled()
    calls.seen.touchedId = sure(
      server.rows<{ id: string }>("select id from document where title = ?", touched.title)[0]
    ).id
    const { counts } = await manifestOf(server)
    expect([counts.documents, counts.entities]).toEqual([reports.length, concepts.length + reports.length])
    expect(counts.relationsByType["links_to"]).toBe(reports.flatMap((report) => report.links).length)
    for (const report of reports) {
      const found = `select c.iri as value, count(*) as n from mention m
        join id_number e on e.number = m.entity_no join concept c on c.entity_id = e.id
        join id_number n on n.number = m.document_no join document d on d.id = n.id where d.title = ? group by 1`
      expect([report.title, tally(server, found, report.title)]).toEqual([report.title, countsIn(report)])
    }
    const Found = z.object({ items: z.array(z.object({ runId: z.string().nullable() })) })
    const { items } = await calls.read(`/mentions?docId=${calls.seen.touchedId}&limit=200`, Found)
    const runs = server
      .rows<{ id: string }>("select id from job where kind = 'extraction'")
      .map(({ id }) => id)
    const refs = (await calls.entity(contested)).curation.sourceRefs
    expect([items.length > 0, refs.length > 0]).toEqual([true, true])
    for (const { runId } of [...items, ...refs]) expect(runs).toContain(runId)
  })

  it("shows what stands in it twice, and merges nothing by itself", async () => {
    const { items, total } = await server.engine.entities.duplicates({ limit: 50 })
    const found = items.map(({ duplicate, head, reasons }) => ({
      pair: [head.id, duplicate.id].sort(),
      reason: reasons[0]?.code
    }))
    const wanted = planted.map((one) => ({
      pair: [calls.idOf(named(one.kept)), calls.idOf(named(one.doubled))].sort(),
      reason: one.reason
    }))
    const byPair = (a: { pair: ReadonlyArray<string> }, b: { pair: ReadonlyArray<string> }) =>
      String(a.pair) < String(b.pair) ? -1 : 1
    expect(found.sort(byPair)).toEqual(wanted.sort(byPair))
    expect([total, (await manifestOf(server)).counts.entities]).toEqual([
      planted.length,
      concepts.length + reports.length
    ])
  })

  it("merges what is the same, takes the merge back to the last rank, and merges again", async () => {
    const path = `/entities/${calls.idOf(doubled)}/merge`
    const before = await calls.pictureOf(kept, doubled)
    const brings = {
      canonicalId: calls.idOf(kept),
      mergedId: calls.idOf(doubled),
      movedMentions: mentionsOf(doubled),
      movedRelations: linksAt(doubled),
      // Both stand below the same concept.
      droppedDuplicateEdges: 1,
      aliasesAdded: [labelOf(doubled)]
    }
    const foreseen = await calls.post(path, { intoId: calls.idOf(kept), dryRun: true }, MergeResult)
    expect(foreseen).toMatchObject(brings)
    await calls.settled()
    expect(await calls.pictureOf(kept, doubled)).toEqual(before)
    expect(
      await calls.post(path, { intoId: calls.idOf(kept), note: "One crane." }, MergeResult)
    ).toMatchObject(brings)
    await calls.settled()
    expect((await calls.entity(doubled)).id).toBe(calls.idOf(kept))
    const merged = await manifestOf(server)
    expect([merged.counts.entities, merged.counts.relationsByType["broader"]]).toEqual([
      concepts.length + reports.length - 1,
      concepts.flatMap(({ broader }) => broader).length - 1
    ])
    await calls.post(`/trash/${calls.idOf(doubled)}/restore`, {}, z.unknown())
    await calls.settled()
    expect(await calls.pictureOf(kept, doubled)).toEqual(before)
    await calls.post(path, { intoId: calls.idOf(kept) }, MergeResult)
    await calls.settled()
  })

  it("is vouched for, with one version, one revision and one event for each time", async () => {
    for (const concept of certified) {
      const { version } = (await calls.entity(concept)).curation
      const meta = await calls.post(
        `/entities/${calls.idOf(concept)}/certify`,
        { note: "Seen on the quay." },
        CurationMeta
      )
      expect([meta.authority, meta.version]).toEqual(["certified", version + 1])
      expect(Date.parse(meta.nextReviewAt ?? "") - Date.parse(meta.lastReviewedAt ?? "")).toBe(
        reviewIntervalDays * dayMs
      )
    }
    const looked = await calls.post(`/entities/${calls.idOf(reviewed)}/review`, undefined, CurationMeta)
    expect([looked.authority, looked.version]).toEqual(["asserted", 2])
    const { counts, staleness } = await manifestOf(server)
    expect(counts.byAuthority.certified).toBe(certified.length)
    expect(staleness.neverReviewed).toBe(concepts.length - 1 + reports.length - certified.length - 1)
    expect(count(server, "select count(*) as n from audit where action = 'entity.certify'")).toBe(
      certified.length
    )
  })

  it("settles a contested definition by change request, in the hands of those who answer for it", async () => {
    const path = `/entities/${calls.idOf(contested)}`
    const before = (await calls.entity(contested)).description
    await calls.post(`${path}/owner`, { ownerId: "ann", stewardIds: ["bob"] }, CurationMeta)
    const answers = await calls.ask(`${sure(touched.text.split("\n\n")[3])}`)
    // In shadow, as by default, the cache keeps an answer without a doubt, until the entity changes.
    const cached = async () => (await calls.read("/cache/stats", z.object({ entries: z.number() }))).entries
    expect(await cached()).toBe(1)
    const propose = (description: string) =>
      calls.post(
        "/change-requests",
        { kind: "update", entityId: calls.idOf(contested), payload: { description } },
        ChangeRequest,
        201
      )
    const [wide, narrow] = [await propose("Whatever lifts."), await propose("What lifts and turns.")]
    const disputed = await server.engine.stewardship({ view: "contested" })
    expect(disputed.items).toMatchObject([{ id: calls.idOf(contested), ownerId: "ann", openRequests: 2 }])
    const { impact, preview } = await calls.read(`/change-requests/${narrow.id}`, RequestOverview)
    // To the key it tells beforehand that an approval would be refused.
    expect(preview).toMatchObject({
      applicable: false,
      blockedBy: "reviewer_required",
      diff: { description: { from: before, to: "What lifts and turns." } }
    })
    expect(impact).toEqual({
      // One of those below it was merged away.
      relations: linksAt(contested),
      answers,
      cacheEntries: await cached()
    })
    expect(answers).toBe(1)
    await calls.refused(`/change-requests/${narrow.id}/approve`, {}, 409, "reviewer_required")
    const { as } = server.engine
    expect((await as("bob").changeRequests.get(narrow.id)).preview.applicable).toBe(true)
    await expect(as("dave").changeRequests.approve(narrow.id)).rejects.toMatchObject({
      code: "reviewer_required"
    })
    expect((await calls.entity(contested)).description).toBe(before)
    const approved = await as("bob").changeRequests.approve(narrow.id, "That is the word.")
    expect(approved).toMatchObject({
      request: { status: "approved", reviewedBy: "bob" },
      appliedEntityId: calls.idOf(contested)
    })
    await calls.post(`/change-requests/${wide.id}/reject`, { note: "Too wide." }, ChangeRequest)
    await calls.refused(`/change-requests/${wide.id}/approve`, {}, 409, "not_open")
    expect((await calls.entity(contested)).description).toBe("What lifts and turns.")
    expect(await cached()).toBe(0)
    const { revisions } = await calls.read(`${path}/revisions`, z.object({ revisions: z.array(Revision) }))
    expect(
      revisions.map(({ activity, changeKind, changedBy }) => [changeKind, activity, changedBy])
    ).toMatchObject([
      ["update", `change_request:${narrow.id}`, "bob"],
      ["set_owner", "api", expect.stringMatching(/^key_/)],
      ["create", expect.anything(), expect.anything()]
    ])
    expect((await server.engine.stewardship({ view: "contested" })).total).toBe(0)
    await manifestOf(server)
  })

  it("gives way to a successor", async () => {
    const path = `/entities/${calls.idOf(superseded)}/deprecate`
    await calls.refused(path, { supersededBy: calls.idOf(superseded) }, 400, "invalid_body")
    const after = await calls.post(
      path,
      { supersededBy: calls.idOf(successor), note: "See there." },
      CurationMeta
    )
    expect(after).toMatchObject({ lifecycleStatus: "superseded", supersededBy: calls.idOf(successor) })
    await calls.refused(path, {}, 409, "invalid_transition")
    await calls.post(`/entities/${calls.idOf(retired)}/deprecate`, undefined, CurationMeta)
    await calls.settled()
    const { counts } = await manifestOf(server)
    expect(counts.byLifecycle).toEqual({
      draft: 0,
      pending_review: 0,
      published: concepts.length - 1 + reports.length - 2,
      deprecated: 1,
      superseded: 1
    })
  })

  it("is due for review when the time has come, and not a day before", async () => {
    await calls.post(`/documents/${calls.seen.touchedId}/verify`, { verification: "verified" }, z.unknown())
    server.moveClock((reviewIntervalDays - 1) * dayMs)
    expect((await manifestOf(server)).staleness.overdueReviews).toBe(0)
    expect((await calls.lineage()).governance).toMatchObject({ verification: "verified", reviewDue: false })
    server.moveClock(2 * dayMs)
    const due = [...certified, reviewed].map(calls.idOf).sort()
    expect((await manifestOf(server)).staleness.overdueReviews).toBe(due.length)
    const { items, total } = await server.engine.stewardship({ view: "overdue", limit: 200 })
    expect([total, items.map(({ id }) => id).sort()]).toEqual([due.length, due])
    expect((await server.engine.stewardship({ view: "documents_due" })).items).toMatchObject([
      { id: calls.seen.touchedId }
    ])
    await calls.post(`/entities/${calls.idOf(reviewed)}/review`, undefined, CurationMeta)
    expect((await manifestOf(server)).staleness.overdueReviews).toBe(due.length - 1)
  })

  it("tells of a document what came of it, and what was done to that", async () => {
    const { audit, derived, downstream, governance, origin } = await calls.lineageOverdue()
    expect(origin).toMatchObject({ kind: "vault", connectorId: null })
    expect(governance).toMatchObject({ verification: "verified", reviewDue: true })
    expect(audit.map(({ action }) => action)).toEqual([
      "document.overdue",
      "document.verify",
      "document.create"
    ])
    const standing = new Map<string, number>()
    for (const [iri, n] of Object.entries(countsIn(touched))) {
      const head = iri === doubled.iri ? kept.iri : iri
      standing.set(head, (standing.get(head) ?? 0) + n)
    }
    const retiredAs = new Map([
      [superseded.iri, "superseded"],
      [retired.iri, "deprecated"]
    ])
    const vouched = new Set(certified.map(({ iri }) => iri))
    const expected = [...standing].map(([iri, mentionCount]) => ({
      name: labelOf(named(iri)),
      authority: vouched.has(iri) ? "certified" : "asserted",
      lifecycleStatus: retiredAs.get(iri) ?? "published",
      mentionCount
    }))
    // A report names itself and those to which it links.
    const titles = [touched.title, ...touched.links].map((name) => ({
      name,
      authority: "machine_extracted",
      lifecycleStatus: "published",
      mentionCount: 1
    }))
    const byName = (a: { name: string }, b: { name: string }) => (a.name < b.name ? -1 : 1)
    expect(
      derived.concepts
        .map(({ authority, lifecycleStatus, mentionCount, name }) => ({
          name,
          authority,
          lifecycleStatus,
          mentionCount
        }))
        .sort(byName)
    ).toEqual([...expected, ...titles].sort(byName))
    expect(derived.chunkCount).toBe(
      count(server, "select count(*) as n from chunk where document_id = ?", calls.seen.touchedId)
    )
    expect(derived.relationCount).toBe(touched.links.length)
    expect(downstream).toEqual({
      answerCount: calls.seen.asked,
      cacheEntryCount: 0,
      groundedEntityCount: expected.length + titles.length
    })
  })

  it("leaves as a vocabulary that keeps every condition of SKOS, and that is known again", async () => {
    const out = await calls.read("/export/skos", SkosDocument)
    const told = await statementsOf(out)
    expect(await complaintsAbout(told)).toEqual([])
    const ofType = (type: string) => out["@graph"].filter((node) => node["@type"] === type)
    const byConcept = new Map(ofType("Concept").map((node) => [node["@id"], node]))
    expect(byConcept.size).toBe(concepts.length - 1 + reports.length)
    const counted = (word: string) => told.countQuads(null, `${skos}${word}`, null, null)
    const broader = concepts.flatMap((concept) => concept.broader).length - 1
    expect([counted("broader"), counted("narrower")]).toEqual([broader, broader])
    const related = concepts.flatMap((concept) => concept.related.filter((iri) => byIri.has(iri))).length
    const linked = new Set(
      reports.flatMap((report) => report.links.map((link) => [report.title, link].sort().join("\n")))
    )
    expect(counted("related")).toBe(2 * (related + linked.size))
    expect(byConcept.get(superseded.iri)).toMatchObject({ deprecated: true, isReplacedBy: successor.iri })
    expect(byConcept.get(kept.iri)).toMatchObject({ replaces: [doubled.iri] })
    expect(byConcept.has(doubled.iri)).toBe(false)
    expect(byConcept.get(contested.iri)?.definition).toMatchObject({ en: ["What lifts and turns."] })
    const again = await calls.post(
      "/import/skos",
      { document: out, mode: "apply", dryRun: true },
      SkosImportResult
    )
    expect(again).toMatchObject({
      created: 0,
      matched: byConcept.size,
      relations: 0,
      conflicts: [],
      problems: []
    })
  })

  it("has a trail without a gap: a revision and an event for every version", async () => {
    expect(await server.engine.audit.verify()).toMatchObject({ ok: true, findings: [] })
    const versions = count(server, "select sum(version) as n from entity")
    expect(count(server, "select count(*) as n from entity_revision")).toBe(versions)
    // Events that only time causes make no version.
    const made = "select count(*) as n from audit where action like 'entity.%' and action <> 'entity.overdue'"
    expect(count(server, made)).toBe(versions)
    expect(
      count(
        server,
        `select count(*) as n from entity e where e.version <>
          (select count(*) from entity_revision r where r.entity_id = e.id and r.version <= e.version)`
      )
    ).toBe(0)
  })
})
