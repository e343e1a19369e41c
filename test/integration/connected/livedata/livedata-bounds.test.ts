import { spawnSync } from "node:child_process"
import { readFileSync, renameSync } from "node:fs"
import { connect, createServer, type Server, type Socket } from "node:net"
import { join } from "node:path"
import Sqlite from "better-sqlite3"
import * as Either from "effect/Either"
import { afterAll, beforeAll, describe, expect, it } from "vitest"
import { mysqlDriver } from "../../../../adapters/livedata/mysql/driver.js"
import { postgresDriver } from "../../../../adapters/livedata/postgres/driver.js"
import { compileStatement, type DataTarget } from "../../../../core/connected/livedata/index.js"
import {
  type LiveWorld,
  notAborted,
  runOn,
  sqliteWorld,
  usualLimits,
  worlds
} from "../../../support/live-databases.js"

const tagOf = (work: Promise<unknown>): Promise<string> =>
  work.then(
    () => "ran",
    (error: { readonly _tag?: string }) => error._tag ?? String(error)
  )

const bombs: Readonly<Record<LiveWorld["kind"], ReadonlyArray<string>>> = {
  postgres: [
    "with recursive n (i) as (select 1 union all select i + 1 from n) select count(*) from n",
    "select count(*) from generate_series(1, 100000) a, generate_series(1, 100000) b"
  ],
  sqlite: ["with recursive n (i) as (select 1 union all select i + 1 from n) select count(*) from n"],
  mysql: ["with recursive n (i) as (select 1 union all select i + 1 from n) select count(*) from n"]
}
const wide: Readonly<Record<LiveWorld["kind"], string>> = {
  postgres: "select repeat('x', 100000) as t from generate_series(1, 100000)",
  sqlite:
    "with recursive n (i) as (select 1 union all select i + 1 from n limit 100000) select printf('%.*c', 100000, 'x') as t from n",
  mysql:
    "with recursive n (i) as (select 1 union all select i + 1 from n where i < 100000) select repeat('x', 100000) as t from n limit 100000"
}
const huge: Readonly<Record<LiveWorld["kind"], string>> = {
  postgres: "select 1 as a, repeat('x', 60000000) as t",
  sqlite: "select 1 as a, printf('%.*c', 60000000, 'x') as t",
  mysql: "select 1 as a, repeat('x', 15000000) as t"
}
const all: Readonly<Record<LiveWorld["kind"], string>> = {
  postgres: "select a.name from artist a, artist b, artist c, artist d, artist e",
  sqlite: "select a.name from artist a, artist b, artist c, artist d, artist e",
  mysql: "select a.name from artist a, artist b, artist c, artist d, artist e limit 7776"
}

describe.each(worlds)("a runaway query of %s", (kind, open) => {
  let world: LiveWorld
  let driver: ReturnType<LiveWorld["driver"]>
  beforeAll(async () => {
    world = await open()
    driver = world.driver()
  })
  afterAll(async () => {
    await driver.close(null)
    await world.close()
  })
  const isHealthy = async () =>
    expect((await runOn(driver, world.reader, "select count(*) as n from artist")).rows).toEqual([[6]])

  it("is stopped by its time limit, and the connector goes on", async () => {
    for (const sql of bombs[kind])
      expect(await tagOf(runOn(driver, world.reader, sql, new Map(), { timeoutMs: 400 }))).toBe(
        "StatementTimedOut"
      )
    await isHealthy()
  })

  it("is cut off at the row cap", async () => {
    const { rows, truncated } = await runOn(driver, world.reader, all[kind], new Map(), { rowCap: 100 })
    expect([rows.length, truncated]).toEqual([100, true])
    await isHealthy()
  })

  it("is cut off at the byte cap, without reading all", async () => {
    const before = process.memoryUsage().rss
    const { rows, truncated } = await runOn(driver, world.reader, wide[kind], new Map(), {
      rowCap: 100_000,
      maxBytes: 1_000_000,
      timeoutMs: 30_000
    })
    expect(truncated).toBe(true)
    expect(rows.length).toBeGreaterThan(0)
    expect(rows.length).toBeLessThanOrEqual(10)
    expect(process.memoryUsage().rss - before).toBeLessThan(200 * 1024 * 1024)
    await isHealthy()
  })

  it("gives no value that is larger than the cap", async () => {
    const outcome = await runOn(driver, world.reader, huge[kind], new Map(), { timeoutMs: 30_000 }).then(
      ({ rows, truncated }) => [rows.length, truncated],
      (error: { readonly _tag?: string }) => error._tag
    )
    expect([[0, true], "DatabaseUnreachable", "StatementFailed"]).toContainEqual(outcome)
    await isHealthy()
  })

  it("that is given up is gone at the database", async () => {
    const controller = new AbortController()
    const compiled = compileStatement(bombs[kind][0] ?? "", kind, new Map())
    const running = driver.run(world.reader, Either.getOrThrow(compiled), usualLimits, controller.signal)
    setTimeout(() => controller.abort(), 300)
    expect(await tagOf(running)).toBe("StatementTimedOut")
    await isHealthy()
    if (kind !== "postgres") return
    const watching = world.driver({ guard: false })
    const active =
      "select count(*) as n from pg_stat_activity where state = 'active' and query like 'with recursive%'"
    await expect
      .poll(async () => (await runOn(watching, world.owner, active)).rows, { timeout: 10_000 })
      .toEqual([[0]])
    await watching.close(null)
  })
})

/** A way to a server that changes what the server sends; null breaks the connection there. */
const tampering = async (
  { settings }: DataTarget,
  change: (chunk: Buffer, before: number) => Buffer | null
): Promise<{ readonly port: number; readonly close: () => void }> => {
  const { host = "127.0.0.1", port = 0 } = settings as { readonly host?: string; readonly port?: number }
  const server = createServer((near) => {
    const far = connect(port, host)
    let sent = 0
    for (const [one, other] of [
      [near, far],
      [far, near]
    ] as const) {
      one.on("error", () => {})
      one.on("close", () => other.destroy())
    }
    near.pipe(far)
    far.on("data", (chunk) => {
      const changed = change(chunk, sent)
      sent += chunk.length
      if (changed === null) near.destroy()
      else near.write(changed)
    })
  })
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve))
  const address = server.address()
  return {
    port: typeof address === "object" && address !== null ? address.port : 0,
    close: () => server.close()
  }
}

/** Visits each place behind the bytes. */
const behind = (chunk: Buffer, found: Buffer, visit: (at: number) => void): Buffer => {
  for (let place = chunk.indexOf(found); place >= 0; place = chunk.indexOf(found, place + 1))
    visit(place + found.length)
  return chunk
}

/** Changes the type of the column `lie`: text is said to be an integer. */
const lies: Readonly<Record<string, (chunk: Buffer) => Buffer>> = {
  // Row description: name, table (4), column (2), type (4).
  postgres: (chunk) => behind(chunk, Buffer.from("lie\0"), (at) => chunk.writeUInt32BE(23, at + 6)),
  // Column definition: name, original name, length of the rest (12), character set (2), length (4), type (1).
  mysql: (chunk) =>
    behind(chunk, Buffer.from("\x03lie"), (name) => {
      let rest = name + 1 + (chunk[name] ?? 0)
      while (chunk[rest] === 0) rest += 1
      if (chunk[rest] === 12) chunk[rest + 7] = 3
    })
}

describe.each(worlds.filter(([kind]) => kind !== "sqlite"))("a server of %s", (kind, open) => {
  let world: LiveWorld
  let driver: ReturnType<LiveWorld["driver"]>
  beforeAll(async () => {
    world = await open()
    driver = world.driver()
  })
  afterAll(async () => {
    await driver.close(null)
    await world.close()
  })
  const through = (port: number): DataTarget => ({
    ...world.reader,
    version: `proxy-${port}`,
    settings: { ...world.reader.settings, host: "127.0.0.1", port } as DataTarget["settings"]
  })
  const isHealthy = async () =>
    expect((await runOn(driver, world.reader, "select count(*) as n from artist")).rows).toEqual([[6]])

  it("that dies in the middle of a result is told of, and the connector goes on", async () => {
    let isMiddle = false
    const proxy = await tampering(world.reader, (chunk, before) => {
      isMiddle ||= before > 300_000
      return isMiddle ? null : chunk
    })
    const outcome = runOn(driver, through(proxy.port), wide[kind], new Map(), {
      maxBytes: 50_000_000,
      timeoutMs: 20_000
    })
    expect(await tagOf(outcome)).toBe("DatabaseUnreachable")
    expect(isMiddle).toBe(true)
    proxy.close()
    await isHealthy()
  })

  it("that lies about the type of a column is read as one row, and the connector goes on", async () => {
    const proxy = await tampering(world.reader, (chunk) => lies[kind]?.(chunk) ?? chunk)
    const outcome = await runOn(
      driver,
      through(proxy.port),
      "select 'not a number' as lie, 'kept' as other",
      new Map(),
      { timeoutMs: 5_000 }
    ).then(
      ({ columns, rows }) => [columns[0]?.type, rows],
      (error: { readonly _tag?: string }) => error._tag
    )
    // The protocol of MySQL has values in binary form: nothing in it tells a lie from a number.
    expect(outcome).toEqual(
      kind === "postgres"
        ? ["int4", [["not a number", "kept"]]]
        : ["int", [[expect.any(Number), expect.any(String)]]]
    )
    proxy.close()
    await isHealthy()
  })
})

describe("a SQLite file", () => {
  it("that is replaced by another is read anew, and one whose reader is killed is told of", async () => {
    const world = await sqliteWorld()
    const driver = world.driver()
    const count = async () => (await runOn(driver, world.reader, "select count(*) as n from artist")).rows
    expect(await count()).toEqual([[6]])
    const other = join(world.folder, "other.sqlite")
    const made = new Sqlite(other)
    made.exec("create table artist (id integer, name text); insert into artist values (1, 'Only')")
    made.close()
    renameSync(other, join(world.folder, "shop.sqlite"))
    expect(await count()).toEqual([[1]])
    const running = tagOf(runOn(driver, world.reader, bombs.sqlite[0] ?? ""))
    // Again and again: the first one that is found may be the reader of the statement before.
    const killing = setInterval(
      () => spawnSync("pkill", ["-KILL", "-P", `${process.pid}`, "-f", "sqlite-child"]),
      200
    )
    expect(await running.finally(() => clearInterval(killing))).toBe("DatabaseUnreachable")
    await driver.close(null)
    await world.close()
  })
})

describe("a SQLite statement that makes large values", () => {
  let world: LiveWorld
  let driver: ReturnType<LiveWorld["driver"]>
  beforeAll(async () => {
    world = await sqliteWorld()
    driver = world.driver()
  })
  afterAll(async () => {
    await driver.close(null)
    await world.close()
  })
  const doubled =
    "with recursive n (i, t) as (select 1, 'x' union all select i + 1, t || t from n where i < 31)"
  const endless = "with recursive n (i) as (select 1 union all select i + 1 from n limit 100000000)"

  it.each([
    ["printf", "select printf('%1000000000s', 'x') as t"],
    ["printf with a width of its own", "select length(printf('%*s', 900000000, 'x')) as n"],
    ["format", "select length(format('%900000000d', 1)) as n"],
    ["replace", "select length(replace(printf('%.*c', 30000, 'x'), 'x', printf('%.*c', 30000, 'y'))) as n"],
    ["hex", "select length(hex(printf('%.*c', 450000000, 'x'))) as n"],
    ["quote", "select length(quote(printf('%.*c', 900000000, 'x'))) as n"],
    ["concatenation", `${doubled} select max(length(t)) as n from n`],
    ["group_concat", `${endless} select length(group_concat(printf('%.*c', 1000, 'x'))) as n from n`],
    ["json_group_array", `${endless} select length(json_group_array(i)) as n from n`],
    ["sorting", `${endless} select printf('%.*c', 1000, i) as t from n order by t limit 1 offset 5000000`],
    ["zeroblob", "select length(zeroblob(1000000000)) as n"],
    ["randomblob", "select length(randomblob(1000000000)) as n"]
  ])("(%s) ends within its memory, and the connector goes on", async (_, sql) => {
    let most = 0
    const watching = setInterval(() => {
      most = Math.max(most, ...childrenOf(process.pid).map(peakBytes))
    }, 20)
    const tag = await tagOf(runOn(driver, world.reader, sql, new Map(), { timeoutMs: 4_000 })).finally(() =>
      clearInterval(watching)
    )
    // Any of these outcomes is allowed, because SQLite may ignore text beyond its limits instead of failing.
    expect([
      "ran",
      "StatementRefused",
      "StatementFailed",
      "DatabaseUnreachable",
      "StatementTimedOut"
    ]).toContain(tag)
    expect(most).toBeLessThan(700 * 1024 * 1024)
    expect((await runOn(driver, world.reader, "select count(*) as n from artist")).rows).toEqual([[6]])
  })
})

const childrenOf = (pid: number): ReadonlyArray<string> =>
  readFileSync(`/proc/${pid}/task/${pid}/children`, "utf8").split(" ").filter(Boolean)

/** The most memory that a reader of SQLite files has had; 0 where it is gone. */
const peakBytes = (pid: string): number => {
  try {
    const command = readFileSync(`/proc/${pid}/cmdline`, "utf8")
    const peak = /VmHWM:\s*(\d+) kB/.exec(readFileSync(`/proc/${pid}/status`, "utf8"))?.[1]
    return command.includes("sqlite-child") ? Number(peak ?? 0) * 1024 : 0
  } catch {
    return 0
  }
}

describe("a server that misbehaves", () => {
  const servers: Array<Server> = []
  const sockets: Array<Socket> = []
  const serve = (answer: (socket: Socket) => void): Promise<number> =>
    new Promise((resolve) => {
      const server = createServer((socket) => {
        sockets.push(socket)
        socket.on("error", () => {})
        answer(socket)
      }).listen(0, "127.0.0.1", () => {
        const address = server.address()
        resolve(typeof address === "object" && address !== null ? address.port : 0)
      })
      servers.push(server)
    })
  afterAll(() => {
    for (const socket of sockets) socket.destroy()
    for (const server of servers) server.close()
  })
  const target = (kind: "postgres" | "mysql", port: number): DataTarget => ({
    id: "con_00000000000000000000000000" as DataTarget["id"],
    version: String(port),
    kind,
    settings: { host: "127.0.0.1", port, database: "d", user: "u" },
    credential: null
  })
  const drivers = {
    postgres: postgresDriver({ privateAddresses: true }),
    mysql: mysqlDriver({ privateAddresses: true })
  }

  it.each(["postgres", "mysql"] as const)("is given up when it is %s and never answers", async (kind) => {
    const port = await serve(() => {})
    // At once: each waits until its driver gives up.
    const [probe, tag] = await Promise.all([
      drivers[kind].probe(target(kind, port), notAborted()),
      tagOf(runOn(drivers[kind], target(kind, port), "select 1"))
    ])
    expect(probe).toMatchObject({ ok: false, readOnlyProven: false })
    expect(tag).toBe("DatabaseUnreachable")
  })

  it.each(["postgres", "mysql"] as const)(
    "is told of when it is %s and hangs up or speaks nonsense",
    async (kind) => {
      for (const answer of [
        (socket: Socket) => socket.destroy(),
        (socket: Socket) => socket.end("nonsense".repeat(1000))
      ]) {
        const port = await serve(answer)
        expect(await tagOf(runOn(drivers[kind], target(kind, port), "select 1"))).toBe("DatabaseUnreachable")
      }
    }
  )
})
