import { isDeepStrictEqual } from "node:util"
import { runOperation } from "../core/platform/kernel/index.js"
import { overviewOperations } from "../core/upkeep/overview/index.js"
import { hubConceptsMax } from "../core/upkeep/overview/model.js"
import { type Bare, type BareRow, openBare } from "./bare.js"
import { entityRow, idOf } from "./graph-data.js"
import { compare, costOf, interleaved } from "./measure.js"
import { randomFrom } from "./random.js"
import type { BenchContext, RunBench, Size } from "./result.js"
import { statementsOf } from "./statements.js"
import { openWorkspace, withFolder } from "./workspace.js"

/** Rows in all: passages, relations, entities, documents. */
const rowsWanted: Readonly<Record<Size, number>> = { small: 1_000, default: 100_000, full: 1_000_000 }
const pairsWanted: Readonly<Record<Size, number>> = { small: 2, default: 25, full: 15 }
const shares = { chunk: 0.5, edge: 0.3, entity: 0.15, document: 0.05 }
const kinds = ["person", "place", "product", "concept", "event"]

export const manifest: RunBench = async (context) => {
  const { report, size } = context
  await withFolder(async (folder) => {
    const workspace = await openWorkspace({ data: folder })
    const database = await openBare(folder)
    await fill(context, database, workspace.scope)
    const floor = bare(database, workspace.scope)
    const ours = () => workspace.run(runOperation(overviewOperations.getManifest, {}))
    const { counts, hubConcepts } = await ours()
    const { byAuthority, byLifecycle, documentsByVerification, ...plain } = counts
    const nonZero = (of: Readonly<Record<string, number>>) =>
      Object.fromEntries(Object.entries(of).filter(([, count]) => count > 0))
    const found = {
      ...plain,
      byAuthority: nonZero(byAuthority),
      byLifecycle: nonZero(byLifecycle),
      documentsByVerification: nonZero(documentsByVerification),
      hubs: hubConcepts.map(({ id }) => id)
    }
    const theirs = await floor()
    if (!isDeepStrictEqual(found, theirs))
      throw new Error(`The floor counts otherwise: ${JSON.stringify([found, theirs])}`)
    const pairs = await interleaved(
      pairsWanted[size],
      () => costOf(ours),
      () => costOf(floor)
    )
    const peer = "the same counts as statements written by hand"
    const of = (cost: "cpuMs" | "wallMs") => ({ ...compare(pairs, (one) => one[cost]), unit: "ms", peer })
    const metric = `manifest of ${rowsWanted[size]} rows`
    report({ metric: `${metric}, CPU`, ...of("cpuMs"), target: "<= 1.5" })
    report({ metric: `${metric}, wall`, ...of("wallMs") })
    const statements = await statementsOf(workspace, runOperation(overviewOperations.getManifest, {}))
    const exact = { n: 1, unit: "a manifest", peer: "exact count" }
    for (const [name, count] of Object.entries(statements)) report({ metric: name, ours: count, ...exact })
    await database.close()
    await workspace.close()
  })
}

const fill = async ({ seed, size }: BenchContext, database: Bare, workspace: string): Promise<void> => {
  const random = randomFrom(seed)
  const many = (share: number) => Math.max(20, Math.round(rowsWanted[size] * share))
  const pick = <A>(values: ReadonlyArray<A>, fallback: A): A =>
    values[Math.floor(random() * values.length)] ?? fallback
  const documents = Array.from({ length: many(shares.document) }, (_, place) => ({
    workspace_id: workspace,
    id: `doc_${String(place).padStart(26, "0")}`,
    seq: place,
    path: `${place}.md`,
    path_key: `${place}.md`,
    title: `Document ${place}`,
    verification: pick(["unverified", "verified", "certified"], "unverified"),
    version: 1
  }))
  await database.insert("document", documents)
  await database.insert(
    "chunk",
    Array.from({ length: many(shares.chunk) }, (_, place) => ({
      workspace_id: workspace,
      id: `chk_${String(place).padStart(26, "0")}`,
      document_id: documents[place % documents.length]?.id ?? "",
      ordinal: Math.floor(place / documents.length),
      label: place,
      heading_path: "[]",
      text: `Passage ${place}`
    }))
  )
  const entities = many(shares.entity)
  await database.insert(
    "entity",
    Array.from({ length: entities }, (_, node) => ({
      ...entityRow(workspace, node),
      type: pick(kinds, "concept"),
      lifecycle: pick(["draft", "published", "pending_review"], "draft"),
      authority: pick(["machine_extracted", "asserted", "curated"], "asserted")
    }))
  )
  const edges = new Map<string, BareRow>()
  for (let place = 0; place < many(shares.edge); place++) {
    const [src, dst] = [Math.floor(random() * entities), Math.floor(random() ** 3 * entities)]
    const type = pick(["references", "works_on", "part_of"], "references")
    const ends = { src_id: idOf(src), dst_id: idOf(dst) }
    edges.set(`${src} ${type} ${dst}`, { workspace_id: workspace, ...ends, type, mention_count: 1 })
  }
  await database.insert("edge", edges.values())
}

/** Every count of the manifest and its hubs, as plain statements. */
const bare = (database: Bare, workspace: string) => {
  const counted = async (text: string): Promise<Readonly<Record<string, number>>> =>
    Object.fromEntries(
      (await database.all(text, [workspace])).map(({ n, value }) => [String(value), Number(n)])
    )
  const documents = () =>
    counted(
      "select verification as value, count(*) as n from document where workspace_id = ? and deleted_at is null group by 1"
    )
  const chunks = () => counted("select 'chunks' as value, count(*) as n from chunk where workspace_id = ?")
  const entities = () =>
    database.all(
      `select type, authority, lifecycle, count(*) as n,
         sum(case when next_review_at < '2026' then 1 else 0 end) as overdue,
         sum(case when last_reviewed_at is null then 1 else 0 end) as never
       from entity where workspace_id = ? and deleted_at is null and merged_into is null group by 1, 2, 3`,
      [workspace]
    )
  const relations = () =>
    counted("select type as value, count(*) as n from edge where workspace_id = ? group by type")
  const hubs = () =>
    database.all(
      `select e.*, d.n, (select count(*) from edge o where o.workspace_id = e.workspace_id and o.src_id = e.id) as out,
       (select count(*) from id_number i cross join mention m
         where i.workspace_id = e.workspace_id and i.id = e.id
           and m.workspace_id = i.workspace_id and m.entity_no = i.number) as mentions
     from (select dst_id, count(*) as n from edge where workspace_id = ? group by dst_id) d
       join entity e on e.workspace_id = ? and e.id = d.dst_id
     where e.lifecycle = 'published' and e.deleted_at is null and e.merged_into is null
     order by d.n desc, mentions desc, e.id limit ${hubConceptsMax}`,
      [workspace, workspace]
    )
  const sum = (of: Readonly<Record<string, number>>) => Object.values(of).reduce((all, one) => all + one, 0)
  return async () => {
    const rows = await entities()
    const tally = (field: "type" | "authority" | "lifecycle") => {
      const counts: Record<string, number> = {}
      for (const row of rows)
        counts[String(row[field])] = (counts[String(row[field])] ?? 0) + Number(row["n"])
      return counts
    }
    const [byVerification, byType] = [await documents(), await relations()]
    return {
      documents: sum(byVerification),
      chunks: (await chunks())["chunks"] ?? 0,
      entities: rows.reduce((all, { n }) => all + Number(n), 0),
      relations: sum(byType),
      entitiesByType: tally("type"),
      relationsByType: byType,
      byAuthority: tally("authority"),
      byLifecycle: tally("lifecycle"),
      documentsByVerification: byVerification,
      hubs: (await hubs()).map(({ id }) => id)
    }
  }
}
