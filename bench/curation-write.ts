import { join } from "node:path"
import Database from "better-sqlite3"
import { curationOperations } from "../core/curation/index.js"
import { entityOperations } from "../core/entities/index.js"
import { runOperation } from "../core/kernel/index.js"
import { compare, costOf, interleaved } from "./measure.js"
import type { RunBench, Size } from "./result.js"
import { statementsOf } from "./statements.js"
import { openWorkspace, withFolder } from "./workspace.js"

const pairsWanted: Readonly<Record<Size, number>> = { small: 2, default: 60, full: 200 }
/** Writes of each side before any is measured: what is asked is how a program fares that runs. */
const warmUp: Readonly<Record<Size, number>> = { small: 2, default: 400, full: 400 }
/** In one window: one is too short for a clock of the processor. */
const writesPerWindow = 5
const entities = 200

/** What vouching for an entity costs, durably, beside the three rows that it has to write. */
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
    const floor = bareWriter(join(folder, "kanon.sqlite"), join(folder, "floor.sqlite"))
    let [ourPlace, floorPlace] = [0, 0]
    const ours = async () => {
      for (let count = 0; count < writesPerWindow; count++) await workspace.run(certify(ourPlace++))
    }
    const bare = () => {
      for (let count = 0; count < writesPerWindow; count++) floor.write(idAt(floorPlace++))
    }
    for (let count = 0; count < warmUp[size]; count += writesPerWindow) {
      await ours()
      bare()
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
    const counted = await statementsOf(workspace, certify(ourPlace))
    const exact = { floor: null, ratio: null, n: 1, unit: "a certify", peer: "exact count", iqr: null }
    for (const [metric, count] of Object.entries(counted))
      report({
        metric,
        ours: count,
        ...exact,
        ...(metric === "commits" ? { floor: 1, ratio: count, target: "<= 1" } : {})
      })
    floor.close()
    await workspace.close()
  })
}

const text =
  "What people mean by it, in as many words as people write of a concept when somebody asks them to."

interface Row {
  readonly [column: string]: string | number | null
}

/** Writes a next version of an entity, its revision and an event into a copy of the database, with durable commits. */
const bareWriter = (file: string, copy: string) => {
  const source = new Database(file, { readonly: true })
  source.prepare("vacuum into ?").run(copy)
  source.close()
  const database = new Database(copy)
  database.pragma("journal_mode = wal")
  database.pragma("synchronous = full")
  const example = (statement: string): Row => {
    const row = database.prepare<[], Row>(statement).get()
    if (row === undefined) throw new Error("There is nothing to write the like of.")
    return row
  }
  const insert = (table: string, row: Row) => {
    const names = Object.keys(row)
    return database.prepare<[Row]>(
      `insert into ${table} (${names.join()}) values (${names.map((name) => `@${name}`).join()})`
    )
  }
  const revision = example("select * from entity_revision where change_kind = 'certify' limit 1")
  const event = example("select * from audit order by seq desc limit 1")
  const [putRevision, putEvent] = [insert("entity_revision", revision), insert("audit", event)]
  const update = database.prepare<[string, string, string, string], { version: number }>(
    `update entity set version = version + 1, authority = 'certified', last_reviewed_at = ?, next_review_at = ?,
      updated_at = ? where id = ? returning version`
  )
  let seq = Number(event["seq"])
  const write = database.transaction((id: string) => {
    const at = new Date().toISOString()
    const version = update.get(at, at, at, id)?.version ?? 0
    putRevision.run({ ...revision, entity_id: id, version, created_at: at })
    seq += 1
    putEvent.run({ ...event, seq, id: `aud_${String(seq).padStart(26, "0")}`, subject_id: id, at })
  })
  return { write, close: () => database.close() }
}
