import { mkdirSync, writeFileSync } from "node:fs"
import { type AddressInfo, createServer } from "node:net"
import { join } from "node:path"
import pg from "pg"
import { afterAll, beforeAll, describe, expect, it, vi } from "vitest"
import { createEngine, migrateDatabase } from "../../../adapters/postgres/index.js"
import { selfSigned } from "../../support/certificates.js"
import { temporaryFolder } from "../../support/folders.js"
import { type OwnCluster, startOwnCluster } from "../../support/postgres-cluster.js"

const folder = temporaryFolder("tls")
const password = "opensesame"
let cluster: OwnCluster

/** The URL of the server by its name, with a password that nobody should ever read. */
const urlOf = (settings: Readonly<Record<string, string>>): string => {
  const url = new URL(cluster.url)
  url.hostname = "localhost"
  url.password = password
  for (const [name, value] of Object.entries(settings)) url.searchParams.set(name, value)
  return url.href
}

/** A file with the certificate of one who vouches for others. */
const trusting = (name: string, certificate: string): string => {
  const file = join(folder, name)
  writeFileSync(file, certificate)
  return file
}

const query = async (...statements: ReadonlyArray<string>): Promise<ReadonlyArray<unknown>> => {
  const client = new pg.Client(cluster.url)
  await client.connect()
  try {
    const found: Array<unknown> = []
    for (const statement of statements) found.push(...(await client.query(statement)).rows)
    return found
  } finally {
    await client.end()
  }
}

/** Has the server show a certificate of this name to whoever comes from now on; gives the certificate. */
const serve = async (host: string): Promise<string> => {
  const { certificate, key } = selfSigned(host)
  await query(
    `alter system set ssl_cert_file = '${cluster.write(`${host}.crt`, certificate)}'`,
    `alter system set ssl_key_file = '${cluster.write(`${host}.key`, key)}'`,
    "alter system set ssl = on",
    "select pg_reload_conf()"
  )
  const shown = async () => {
    const client = new pg.Client({
      connectionString: cluster.url,
      ssl: { ca: certificate, servername: host }
    })
    await client.connect().finally(() => client.end())
  }
  // Told at once, heard a moment later.
  await vi.waitFor(shown, { timeout: 50_000 })
  return certificate
}

let trusted = ""

beforeAll(async () => {
  mkdirSync(join(folder, "vault"))
  writeFileSync(join(folder, "vault", "pump.md"), "# Pump\n\nThe pump stands in hall seven.\n")
  cluster = await startOwnCluster()
  trusted = trusting("host.pem", await serve("localhost"))
})
afterAll(() => {
  cluster.stop()
})

describe("a server that asks for a password", () => {
  it("is told of in words where the URL names none", async () => {
    const asked = (code: number, text: string) => {
      const head = Buffer.alloc(9)
      head.write("R")
      head.writeInt32BE(text.length + 8, 1)
      head.writeInt32BE(code, 5)
      return Buffer.concat([head, Buffer.from(text)])
    }
    const server = createServer((socket) => {
      socket.once("data", () => {
        socket.write(asked(10, "SCRAM-SHA-256\0\0"))
        socket.once("data", () => socket.write(asked(11, "r=none,s=bm9uZQ==,i=4096")))
      })
      socket.on("error", () => {})
    })
    await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve))
    const { port } = server.address() as AddressInfo
    await expect(
      migrateDatabase({ database: `postgres://somebody@127.0.0.1:${port}/kanon`, dryRun: true })
    ).rejects.toMatchObject({
      code: "database_unavailable",
      message: expect.stringContaining("asks for a password, and the URL names none")
    })
    server.close()
  })
})

describe("a server that speaks TLS", () => {
  const opened = (settings: Readonly<Record<string, string>>): Promise<unknown> =>
    migrateDatabase({ database: urlOf(settings), dryRun: true }).then(
      () => "opened",
      (error: unknown) => error
    )

  it("is spoken to in nothing else by an engine that requires it", async () => {
    const warned: Array<string> = []
    const hear = (warning: Error) => void warned.push(warning.message)
    process.on("warning", hear)
    const database = urlOf({ sslmode: "require", sslrootcert: trusted })
    const engine = await createEngine({
      vault: join(folder, "vault"),
      data: join(folder, "data"),
      database,
      worker: false
    })
    try {
      await engine.ingest({ wait: false })
      expect((await engine.search("hall seven")).results[0]?.docPath).toBe("pump.md")
      const spoken = () =>
        query(`select a.application_name as name, bool_and(s.ssl) as ssl from pg_stat_activity a
          join pg_stat_ssl s on s.pid = a.pid where a.application_name like 'kanon%' group by 1 order by 1`)
      await expect.poll(spoken).toEqual([
        { name: "kanon", ssl: true },
        { name: "kanon listening", ssl: true }
      ])
    } finally {
      await engine.close()
      process.off("warning", hear)
    }
    expect(await opened({ sslmode: "verify-full", sslrootcert: trusted })).toBe("opened")
    expect(warned).toEqual([])
  })

  it("is refused when nobody who is trusted vouches for it, in plain words and without the password", async () => {
    const other = trusting("other.pem", selfSigned("localhost").certificate)
    for (const sslmode of ["require", "verify-full"])
      for (const settings of [{ sslmode }, { sslmode, sslrootcert: other }]) {
        const refusal = await opened(settings)
        expect(refusal).toMatchObject({
          code: "database_unavailable",
          message: expect.stringMatching(/cannot be reached: .*certificate.*sslrootcert/)
        })
        expect(`${refusal} ${JSON.stringify(refusal)}`).not.toContain(password)
      }
    expect(await opened({ sslmode: "no-verify" })).toBe("opened")
  })

  it("is refused under another name than its own, and so is a server without TLS", async () => {
    const sslrootcert = trusting("elsewhere.pem", await serve("db.example.org"))
    const asked = { sslmode: "verify-full", sslrootcert }
    expect(await opened(asked)).toMatchObject({
      code: "database_unavailable",
      message: expect.stringContaining("does not match certificate's altnames")
    })
    await query("alter system set ssl = off", "select pg_reload_conf()")
    await expect
      .poll(() => opened(asked))
      .toMatchObject({
        code: "database_unavailable",
        message: expect.stringContaining("does not support SSL")
      })
  })
})
