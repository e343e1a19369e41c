import { cpSync } from "node:fs"
import { join } from "node:path"
import * as Effect from "effect/Effect"
import pg from "pg"
import { afterAll, beforeAll, describe, expect, it } from "vitest"
import {
  createEngine,
  type Engine,
  migrateDatabase,
  postgresPorts
} from "../../../adapters/postgres/index.js"
import { readersSetting, readerTables } from "../../../adapters/postgres/reader-policies.js"
import {
  hostReadableTables,
  hostTables,
  programTables
} from "../../../adapters/postgres/row-level-security.js"
import { IdentityStore } from "../../../core/platform/identity/index.js"
import { JobStore } from "../../../core/platform/jobs/index.js"
import { WorkspaceStore } from "../../../core/platform/workspace/index.js"
import { temporaryFolder } from "../../support/folders.js"
import { dropDatabase, makeDatabase, makeServedDatabase } from "../../support/postgres.js"
import { runEffect } from "../../support/run.js"
import { root } from "../../support/tree.js"

const other = `ws_01${"z".repeat(24)}`
const folder = temporaryFolder("walls")
const vault = join(folder, "vault")
let owner = ""
let server = ""
let own = ""

const clients = new Map<string, pg.Client>()

/** One connection for each role. */
const connected = async (url: string): Promise<pg.Client> => {
  const known = clients.get(url)
  if (known !== undefined) return known
  const client = new pg.Client(url)
  await client.connect()
  clients.set(url, client)
  return client
}

const rows = async <Row extends pg.QueryResultRow>(
  url: string,
  statement: string,
  values: Array<string> = []
): Promise<ReadonlyArray<Row>> => (await (await connected(url)).query<Row>(statement, values)).rows

/** Runs a statement as the server's role with a workspace in force; gives a count, or the code of its refusal. */
const asServer = async (
  workspace: string | null,
  statement: string,
  values: Array<string> = []
): Promise<number | string> => {
  const client = await connected(server)
  await client.query("begin")
  if (workspace !== null) await client.query("select set_config('kanon.workspace', $1, true)", [workspace])
  const told = await client.query(statement, values).then(
    ({ rowCount, rows: [first] }) => Number(first?.n ?? rowCount ?? 0),
    (error: unknown) => (error instanceof pg.DatabaseError ? (error.code ?? "") : String(error))
  )
  await client.query("rollback")
  return told
}

interface Table {
  readonly name: string
  readonly column: string | null
  readonly walled: boolean
}

const tables = () =>
  rows<Table>(
    owner,
    `select c.relname as name, (select a.attname from pg_attribute a where a.attrelid = c.oid
        and (a.attname = 'workspace_id' or a.attname = 'id' and c.relname = 'workspace')) as column,
      c.relrowsecurity and exists (select 1 from pg_policy p where p.polrelid = c.oid) as walled
      from pg_class c where c.relnamespace = 'public'::regnamespace and c.relkind in ('r', 'p')
        and not c.relispartition order by 1`
  )

const tenantTables = async () =>
  (await tables()).flatMap(({ column, name }) => (column === null ? [] : [{ column, name }]))

/** Whether the server of the tests has pgvector in each new database. */
const hasVectors = async () =>
  (await rows(owner, "select 1 from pg_extension where extname = 'vector'")).length > 0

const opened = (url: string): Promise<Engine> =>
  createEngine({ vault, data: join(folder, "data"), database: url })

beforeAll(async () => {
  ;({ owner, server } = await makeServedDatabase())
  cpSync(join(root, "demo", "vault", "products"), join(vault, "products"), { recursive: true })
  cpSync(join(root, "demo", "vault", "decisions"), join(vault, "decisions"), { recursive: true })
})
afterAll(async () => {
  await Promise.all([...clients.values()].map((client) => client.end()))
  await dropDatabase(owner)
})

describe("the role of a server, behind the second wall", () => {
  it("does all the work of an engine", async () => {
    const engine = await opened(server)
    try {
      own = engine.workspace.id
      expect((await engine.ingest()).documents).toMatchObject({ failed: 0, unchanged: 0 })
      expect((await engine.search("lantern warranty")).results[0]?.docPath).toBe("products/warranty.md")
      expect((await engine.ask("Which decision superseded ADR-0003?")).claims.length).toBeGreaterThan(0)
      const { id } = await engine.entities.create({ name: "Winter store", type: "place" })
      await engine.entities.update(id, { description: "Where lanterns wait." })
      await engine.entities.remove(id)
      const { findings, ok } = await engine.doctor({ repair: true })
      const remarks = (await hasVectors()) ? [] : ["vectors_in_process"]
      expect([ok, findings.map(({ code }) => code)]).toEqual([true, remarks])
      let exported = 0
      for await (const bytes of engine.export()) exported += bytes.length
      expect(exported).toBeGreaterThan(10_000)
    } finally {
      await engine.close()
    }
  })

  it("sees and changes rows of the workspace in force alone, on every table", async () => {
    // The rows of another workspace: those of this one under its id. A table that refers to another comes after it.
    const copied = (column: string, name: string) =>
      rows(
        owner,
        `insert into ${name} select (jsonb_populate_record(t, jsonb_build_object('${column}', $1::text))).* from ${name} t
          where ${column} = $2 on conflict do nothing`,
        [other, own]
      ).then(
        () => true,
        (error: unknown) => {
          if (error instanceof pg.DatabaseError && error.code === "23503") return false
          throw error
        }
      )
    if (await hasVectors()) await rows(owner, "select kanon_nearest_hold($1)", [other])
    const left = [...(await tenantTables())]
    for (let tries = left.length * 2; left.length > 0 && tries > 0; tries -= 1) {
      const [table] = left.splice(0, 1)
      if (table !== undefined && !(await copied(table.column, table.name))) left.push(table)
    }
    expect(left).toEqual([])
    for (const { column, name } of await tenantTables()) {
      const [there] = await rows<{ n: string }>(
        owner,
        `select count(*) as n from ${name} where ${column} = $1`,
        [own]
      )
      const count = `select count(*) as n from ${name}`
      expect([name, await asServer(own, count)]).toEqual([name, Number(there?.n)])
      expect([name, await asServer(null, count)]).toEqual([name, 0])
      expect([name, await asServer(own, `${count} where ${column} = $1`, [other])]).toEqual([name, 0])
      const refused = await asServer(own, `update ${name} set ${column} = ${column} where ${column} = $1`, [
        other
      ])
      expect([0, "42501"]).toContain(refused)
      const removed = await asServer(own, `delete from ${name} where ${column} = $1`, [other])
      expect([0, "42501"]).toContain(removed)
      const copy = `insert into ${name} select (jsonb_populate_record(null::${name}, to_jsonb(t)
        || jsonb_build_object('${column}', $1::text))).* from ${name} t limit 1`
      expect([name, Number(there?.n) === 0 ? "42501" : await asServer(own, copy, [other])]).toEqual([
        name,
        "42501"
      ])
    }
  })

  it("sees rows of documents that its readers may read, whatever a statement asks for", async () => {
    const engine = await opened(server)
    try {
      await engine.updateWorkspace({ access: { folders: [{ path: "decisions", read: ["group:board"] }] } })
      const board = await engine.as({ principals: ["group:board"] }).documents.list({ limit: 200 })
      const others = await engine.as({ principals: ["group:sales"] }).documents.list({ limit: 200 })
      const hidden = board.items.filter(({ path }) => path.startsWith("decisions/")).length
      expect(hidden).toBeGreaterThan(0)
      expect(others.items).toHaveLength(board.items.length - hidden)
    } finally {
      await engine.close()
    }
    const lists = await rows<{ id: string }>(owner, "select id from access_list where workspace_id = $1", [
      own
    ])
    expect(lists).toHaveLength(1)
    const isOpen = (document: string) =>
      `not exists (select 1 from document_access a where a.workspace_id = $1 and a.document_id = ${document}
        and a.list_id is not null)`
    const number = "(select n.id from id_number n where n.workspace_id = $1 and n.number = t.document_no)"
    const client = await connected(server)
    const seen = async (table: string, readers: string | null) => {
      await client.query("begin")
      await client.query("select set_config('kanon.workspace', $1, true)", [own])
      if (readers !== null) await client.query("select set_config('kanon.readers', $1, true)", [readers])
      const { rows: found } = await client.query<{ n: string }>(`select count(*) as n from ${table}`)
      await client.query("rollback")
      return Number(found[0]?.n)
    }
    for (const table of readerTables) {
      const column = table === "mention" ? number : table === "document" ? "t.id" : "t.document_id"
      const [all, open] = await Promise.all(
        ["1 = 1", isOpen(column)].map((condition) =>
          rows<{ n: string }>(
            owner,
            `select count(*) as n from ${table} t where t.workspace_id = $1 and ${condition}`,
            [own]
          ).then(([found]) => Number(found?.n))
        )
      )
      if (table !== "document_content") expect([table, (all ?? 0) > (open ?? 0)]).toEqual([table, true])
      expect([table, await seen(table, null)]).toEqual([table, all])
      expect([table, await seen(table, readersSetting(lists.map(({ id }) => id)))]).toEqual([table, all])
      expect([table, await seen(table, readersSetting([]))]).toEqual([table, open])
    }
  })

  it("does the host's work too: keys, users, workspaces, the queue and the clock of all of them", () =>
    runEffect(
      Effect.gen(function* () {
        const identity = yield* IdentityStore
        expect(yield* identity.allKeys).toEqual([])
        expect(yield* identity.users).toEqual([])
        const workspaces = yield* WorkspaceStore
        expect((yield* workspaces.list).map(({ id }) => id)).toContain(own)
        const jobs = yield* JobStore
        expect(yield* jobs.recur([{ kind: "walls", everyMs: 60_000 }])).toBe(0)
        expect(yield* jobs.sweep).toBe(0)
        yield* jobs.promote
        yield* jobs.prune({ succeeded: "2000-01-01T00:00:00.000Z", dead: "2000-01-01T00:00:00.000Z" }, 10)
        const known = yield* Effect.promise(() =>
          rows<{ workspace: string }>(
            owner,
            "select workspace_id as workspace from job_cron where kind = 'walls'"
          )
        )
        expect(known.map(({ workspace }) => workspace)).toContain(own)
      }).pipe(
        Effect.provide(postgresPorts({ vault, data: join(folder, "data"), database: server })),
        Effect.orDie
      )
    ))

  it("can change no history, and make no tables", async () => {
    // With pgvector, partitions have no policy of their own, so the server's role may read none of them.
    for (const { name } of await rows<{ name: string }>(
      owner,
      "select relname as name from pg_class where relispartition and relkind = 'r'"
    ))
      expect(await asServer(own, `select count(*) as n from ${name}`)).toBe("42501")
    for (const name of ["audit", "entity_revision"]) {
      expect(await asServer(own, `update ${name} set workspace_id = workspace_id`)).toBe("42501")
      expect(await asServer(own, `delete from ${name}`)).toBe("42501")
    }
    expect(await asServer(own, "delete from audit_head")).toBe("42501")
    expect(await asServer(own, "create table mine (id text)")).toBe("42501")
  })

  it("is told that it has no rights, and that nothing is to migrate where that is so", async () => {
    expect(await migrateDatabase({ database: server })).toMatchObject({ migrations: [], repairs: [] })
    const role = new URL(server).username
    await rows(owner, `revoke all on effect_sql_migrations from ${role}`)
    await expect(opened(server)).rejects.toMatchObject({
      code: "data_unreadable",
      message: expect.stringContaining("kanon migrate --server-role")
    })
    await migrateDatabase({ database: owner, serverRole: role })
    const empty = await makeDatabase()
    const there = new URL(server)
    there.pathname = new URL(empty).pathname
    await expect(migrateDatabase({ database: there.href })).rejects.toMatchObject({
      code: "data_unreadable",
      message: expect.stringContaining("may make no tables")
    })
    await dropDatabase(empty)
  })

  it("is told when the database has to be migrated first", async () => {
    await rows(
      owner,
      "delete from effect_sql_migrations where migration_id = (select max(migration_id) from effect_sql_migrations)"
    )
    await expect(opened(server)).rejects.toMatchObject({
      code: "data_unreadable",
      message: expect.stringContaining("kanon migrate")
    })
  })
})

describe("the schema on Postgres", () => {
  it("has a wall on every table whose rows belong to a workspace, and knows the others by name", async () => {
    const found = await tables()
    const without = found.filter(({ column }) => column === null).map(({ name }) => name)
    expect(without.sort()).toEqual([...hostTables, ...programTables].sort())
    expect(found.filter(({ column, walled }) => column !== null && !walled)).toEqual([])
    for (const name of hostReadableTables) expect(found.map((table) => table.name)).toContain(name)
  })
})
