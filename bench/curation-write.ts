import { curationOperations } from "../core/knowledge/curation/index.js"
import { entityOperations } from "../core/knowledge/entities/index.js"
import { runOperation } from "../core/platform/kernel/index.js"
import { type Bare, type BareRow, openBare } from "./bare.js"
import { compare, costOf, interleaved } from "./measure.js"
import type { RunBench, Size } from "./result.js"
import { syncsEach } from "./slow-sync.js"
import { statementsOf } from "./statements.js"
import { openWorkspace, withFolder } from "./workspace.js"

const pairsWanted: Readonly<Record<Size, number>> = { small: 2, default: 60, full: 200 }
/** Writes of each side before any is measured: what is asked is how a program fares that runs. */
const warmUp: Readonly<Record<Size, number>> = { small: 2, default: 5_000, full: 5_000 }
/** In one window: one is too short for a clock of the processor. */
const writesPerWindow = 5
const entities = 200
/** Number of writes of each side whose syncs are counted. */
const counted: Readonly<Record<Size, number>> = { small: 2, default: 500, full: 500 }

/** Measures the durable verification of an entity beside the three rows that it has to write. */
export const curationWrite: RunBench = async ({ report, size }) => {
  await withFolder(async (folder) => {
    const workspace = await openWorkspace({ data: folder })
    const ids: Array<string> = []
    for (let place = 0; place < entities; place++) {
      const input = { name: `Concept ${place}`, type: "concept", aliases: [`C-${place}`], description: text }
      ids.push((await workspace.run(runOperation(entityOperations.createEntity, input))).id)
    }
    const idAt = (place: number): string => ids[place % ids.length] ?? ""
    const certify = (place: number) =>
      runOperation(curationOperations.certifyEntity, { id: idAt(place), note: "Seen." })
    await workspace.run(certify(0))
    const database = await openBare(folder)
    const floor = await bareWriter(database)
    let [ourPlace, floorPlace] = [0, 0]
    const ours = async () => {
      for (let count = 0; count < writesPerWindow; count++) await workspace.run(certify(ourPlace++))
    }
    const bare = async () => {
      for (let count = 0; count < writesPerWindow; count++) await floor(idAt(floorPlace++))
    }
    for (let count = 0; count < warmUp[size]; count += writesPerWindow) {
      await ours()
      await bare()
    }
    const pairs = await interleaved(
      pairsWanted[size],
      () => costOf(ours),
      () => costOf(bare)
    )
    const peer = "the same three rows in one transaction written by hand, in the same tables"
    const of = (cost: "cpuMs" | "wallMs") => ({
      ...compare(pairs, (one) => one[cost] / writesPerWindow),
      unit: "ms",
      peer
    })
    report({ metric: "certify, wall", ...of("wallMs"), target: "<= 1.2" })
    report({ metric: "certify, CPU", ...of("cpuMs"), target: "<= 6" })
    const times = counted[size]
    const ourSyncs = await syncsEach(times, () => workspace.run(certify(ourPlace++)))
    const theirs = await syncsEach(times, () => floor(idAt(floorPlace++)))
    if (ourSyncs !== null && theirs !== null)
      report({
        metric: "certify, syncs with those of checkpoints",
        ours: ourSyncs,
        floor: theirs,
        n: times,
        unit: "a certify",
        peer
      })
    const asked = await statementsOf(workspace, certify(ourPlace))
    const exact = { n: 1, unit: "a certify", peer: "exact count" }
    for (const [metric, count] of Object.entries(asked))
      report({
        metric,
        ours: count,
        ...exact,
        ...(metric === "commits" ? { floor: 1, ratio: count, target: "<= 1" } : {})
      })
    await database.close()
    await workspace.close()
  })
}

const text =
  "What people mean by it, in as many words as people write of a concept when somebody asks them to."

/** Tables that the floor writes into, copied with the same columns, keys and indexes. */
const tables = ["entity", "entity_revision", "audit"] as const

const copied = async (database: Bare): Promise<void> => {
  for (const table of tables) {
    if (database.kind === "postgres")
      await database.all(`create table floor_${table} (like ${table} including all)`, [])
    else await copiedSqlite(database, table)
    await database.all(`insert into floor_${table} select * from ${table}`, [])
  }
}

/** The words by which a table was made make the same one of another name. */
const copiedSqlite = async (database: Bare, table: string): Promise<void> => {
  const made = await database.all(
    "select type, name, sql from sqlite_schema where tbl_name = ? and type in ('table', 'index') and sql is not null order by type desc",
    [table]
  )
  for (const { name, sql, type } of made) {
    const text = String(sql).replace(new RegExp(`\\b${table}\\b`, "g"), `floor_${table}`)
    await database.all(type === "table" ? text : text.replace(String(name), `floor_${String(name)}`), [])
  }
}

/** Writes a next version of an entity, its revision and an event into copies of the tables, with durable commits. */
const bareWriter = async (database: Bare) => {
  await copied(database)
  const example = async (statement: string): Promise<BareRow> => {
    const [row] = await database.all(statement, [])
    if (row === undefined) throw new Error("There is nothing to write the like of.")
    return row
  }
  const insert = (table: string, row: BareRow) => {
    const names = Object.keys(row)
    return `insert into floor_${table} (${names.join()}) values (${names.map(() => "?").join()})`
  }
  const revision = await example("select * from entity_revision where change_kind = 'certify' limit 1")
  const event = await example("select * from audit order by seq desc limit 1")
  const [putRevision, putEvent] = [insert("entity_revision", revision), insert("audit", event)]
  const update = `update floor_entity set version = version + 1, authority = 'certified', last_reviewed_at = ?,
      next_review_at = ?, updated_at = ? where workspace_id = ? and id = ? returning version`
  const workspace = String(event["workspace_id"])
  let seq = Number(event["seq"])
  return (id: string): Promise<void> =>
    database.together(async () => {
      const at = new Date().toISOString()
      const [updated] = await database.all(update, [at, at, at, workspace, id])
      const version = Number(updated?.["version"])
      const next = { ...revision, entity_id: id, version, created_at: at }
      await database.all(putRevision, Object.values(next))
      seq += 1
      const told = { ...event, seq, id: `aud_${String(seq).padStart(26, "0")}`, subject_id: id, at }
      await database.all(putEvent, Object.values(told))
    })
}
