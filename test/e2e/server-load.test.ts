import { spawnSync } from "node:child_process"
import { cpSync } from "node:fs"
import { Agent, request as httpRequest, type IncomingMessage } from "node:http"
import { join } from "node:path"
import { setTimeout as pause } from "node:timers/promises"
import { afterAll, beforeAll, describe, expect, it } from "vitest"
import { z } from "zod"
import { kanon, start as startCommand } from "../support/cli.js"
import { DoctorResult, serverShapes } from "../support/cli-shapes.js"
import { commandEnvironment } from "../support/database.js"
import { temporaryFolder } from "../support/folders.js"
import { isLong } from "../support/runs.js"
import { openSocket, received } from "../support/sockets.js"

/** Files that a process may have open: each connection is one, here and in the server. */
const openFilesMax = Number(
  spawnSync("bash", ["-c", "ulimit -n"], { encoding: "utf8" }).stdout.replace("unlimited", "1000000")
)
const wanted = isLong ? 1_000 : 100
const connections = Math.min(wanted, openFilesMax - 100)
/**
 * How long the headers of a request may take here: longer than a thousand connections, which come at one moment, wait
 * for their turn on a busy machine. A stop may take ten seconds.
 */
const [headersTimeoutMs, stopMs] = [isLong ? 12_000 : 3_000, 10_000]

const folder = temporaryFolder("load")
const notes = join(folder, "notes")
const data = join(notes, ".kanon")
const children: Array<ReturnType<typeof startCommand>> = []
let key = ""
let database: Readonly<Record<string, string>> = {}

const serve = async () => {
  const env = { ...database, KANON_HEADERS_TIMEOUT_MS: String(headersTimeoutMs), KANON_LOG_LEVEL: "warning" }
  const started = startCommand(["serve", "--data", data, "--port", "0", "--json"], { cwd: folder, env })
  children.push(started)
  const { url } = serverShapes.serve.parse(JSON.parse(await started.firstLine))
  return { started, url, port: Number(new URL(url).port) }
}
type Serving = Awaited<ReturnType<typeof serve>>

interface Answer {
  readonly status: number
  readonly body: unknown
}

/** One connection that asks one thing after the other. */
const connection = ({ port }: Serving, bearer = key) => {
  const agent = new Agent({ keepAlive: true, maxSockets: 1 })
  const call = (method: string, path: string, body?: unknown, slowlyMs = 0): Promise<Answer> =>
    new Promise((resolve, reject) => {
      const bytes = body === undefined ? "" : JSON.stringify(body)
      const headers = {
        authorization: `Bearer ${bearer}`,
        ...(body === undefined
          ? {}
          : { "content-type": "application/json", "content-length": Buffer.byteLength(bytes) })
      }
      const outgoing = httpRequest({
        agent,
        port,
        host: "127.0.0.1",
        method,
        path: `/api/v1${path}`,
        headers
      })
      outgoing.once("error", reject).once("response", (incoming) => {
        readAll(incoming).then((text) => {
          resolve({ status: incoming.statusCode ?? 0, body: JSON.parse(text) })
        }, reject)
      })
      outgoing.write(bytes.slice(0, 1))
      setTimeout(() => outgoing.end(bytes.slice(1)), slowlyMs)
    })
  return { call, close: () => agent.destroy() }
}

const readAll = async (incoming: IncomingMessage): Promise<string> => {
  let text = ""
  for await (const part of incoming.setEncoding("utf8")) text += String(part)
  return text
}

const Saved = z.object({ docId: z.string() })

/** A text of 4 MB, with as many headings, links and tags as a text of its length can have. */
const large = Array.from(
  { length: 40_000 },
  (_, part) =>
    `## Part ${part}\n\nThe crane ${part} lifts [[load ${part % 900}]] and [more](p${part}.md) #tag${part % 500} at the quay.\n\n`
).join("")

beforeAll(async () => {
  cpSync("demo/vault", notes, { recursive: true })
  database = await commandEnvironment()
  const made = kanon(["init", "--vault", notes, "--json"], { cwd: folder, env: database })
  key = z.object({ key: z.string() }).parse(JSON.parse(made.stdout)).key
  expect(kanon(["ingest", "--vault", notes], { cwd: folder, env: database }).status).toBe(0)
})

afterAll(() => {
  for (const one of children) one.signal("SIGKILL")
})

describe(`${connections} connections at once`, () => {
  let serving: Serving
  const saved = new Map<string, string>()
  beforeAll(async () => {
    serving = await serve()
  })

  it("are served, readers, writers and slow ones", async () => {
    const odd: Array<Answer> = []
    const expectStatus = (answer: Answer, status: number) => {
      if (answer.status !== status) odd.push(answer)
      return answer
    }
    const reads = [
      "/documents?limit=20",
      "/search?q=gearbox%20oil",
      "/manifest",
      "/entities?limit=20",
      "/search?q=project%20manager"
    ]
    const reader = async (place: number) => {
      const { call, close } = connection(serving)
      for (let turn = 0; turn < 3; turn++)
        expectStatus(await call("GET", reads[(place + turn) % reads.length] ?? ""), 200)
      close()
    }
    const writer = (slowlyMs: number) => async (place: number) => {
      const { call, close } = connection(serving)
      const path = `load/${place}.md`
      const content = `# Load ${place}\n\nWritten over connection ${place}.\n`
      const answer = expectStatus(await call("POST", "/documents", { path, content }, slowlyMs), 201)
      const id = Saved.safeParse(answer.body).data?.docId
      if (id !== undefined) {
        saved.set(id, content)
        const read = expectStatus(await call("GET", `/documents/${id}`), 200)
        expect(read.body).toMatchObject({ content, path })
      }
      close()
    }
    const halfSaid = async () => {
      const socket = await openSocket(serving.port)
      socket.write("GET /api/v1/manifest HTTP/1.1\r\nHost: kanon.test\r\nX-Half: ")
      expect(await received(socket, headersTimeoutMs * 30)).toMatchObject({ isClosed: true, statuses: [408] })
    }
    const kinds = [reader, writer(0), reader, writer(1_000), halfSaid]
    await Promise.all(
      Array.from({ length: connections }, (_, place) => (kinds[place % kinds.length] ?? reader)(place))
    )
    expect(odd).toEqual([])
    expect(saved.size).toBe(
      Array.from({ length: connections }).filter((_, i) => i % 5 === 1 || i % 5 === 3).length
    )
  })

  it("lose nothing that was acknowledged when the server is killed between them", async () => {
    const before = saved.size
    const writers = Array.from({ length: 40 }, async (_, writer) => {
      const { call, close } = connection(serving)
      for (let turn = 0; turn < 1_000; turn++) {
        const path = `killed/${writer}-${turn}.md`
        const content = `# ${path}\n`
        const answer = await call("POST", "/documents", { path, content }).catch(() => null)
        if (answer === null) break
        saved.set(Saved.parse(answer.body).docId, content)
      }
      close()
    })
    await expect.poll(() => saved.size).toBeGreaterThan(before + 60)
    serving.started.signal("SIGKILL")
    await Promise.all(writers)
    await serving.started.ended
    const again = await serve()
    const { call, close } = connection(again)
    for (const [id, content] of saved)
      expect(await call("GET", `/documents/${id}`)).toMatchObject({
        status: 200,
        body: { content, missing: false }
      })
    close()
    expect(again.started.said().stderr).toBe("")
    again.started.signal("SIGTERM")
    expect((await again.started.ended).status).toBe(0)
    const { stdout } = kanon(["doctor", "--data", data, "--json"], { cwd: folder, env: database })
    expect(DoctorResult.parse(JSON.parse(stdout))).toMatchObject({ ok: true, differences: 0 })
  })
})

describe("a large document of one tenant", () => {
  it("holds up no small one of another", async () => {
    const other = kanon(
      ["workspaces", "create", "--name", "Other", "--vault", join(folder, "other"), "--data", data, "--json"],
      { cwd: folder, env: database }
    )
    const { id } = z.object({ id: z.string() }).parse(JSON.parse(other.stdout))
    const minted = kanon(
      ["keys", "create", "--workspaces", id, "--scopes", "kb:read,kb:write", "--data", data, "--json"],
      { cwd: folder, env: database }
    )
    const serving = await serve()
    const [slow, quick] = [
      connection(serving),
      connection(serving, z.object({ key: z.string() }).parse(JSON.parse(minted.stdout)).key)
    ]
    let isDone = false
    const saved = slow.call("POST", "/documents", { path: "large.md", content: large }).then((answer) => {
      isDone = true
      return answer
    })
    for (let place = 0; place < 5; place++) {
      const content = `# Small ${place}\n\nThe heron ${place} stands still.\n`
      expect((await quick.call("POST", "/documents", { path: `${place}.md`, content })).status).toBe(201)
      expect((await quick.call("GET", "/search?q=heron")).status).toBe(200)
      // How many of them are served meanwhile is a matter of the machine.
      if (place === 0) expect(isDone).toBe(false)
    }
    expect((await saved).status).toBe(201)
    slow.close()
    quick.close()
    // Remaining work on the large document does not delay a stop either.
    serving.started.signal("SIGTERM")
    const left = await Promise.race([serving.started.ended, pause(stopMs).then(() => null)])
    expect(left?.status).toBe(0)
  })
})

describe("a stop", () => {
  it("takes ten seconds at most, lets requests end, and waits for no slow client longer", async () => {
    const serving = await serve()
    const body = JSON.stringify({ path: "at-the-end.md", content: "# Saved while the server stops\n" })
    const head = (length: number) =>
      [
        "POST /api/v1/documents HTTP/1.1",
        "Host: kanon.test",
        `Authorization: Bearer ${key}`,
        "Content-Type: application/json",
        `Content-Length: ${length}`,
        "Expect: 100-continue",
        "",
        ""
      ].join("\r\n")
    const begin = async (bytes: string) => {
      const socket = await openSocket(serving.port)
      socket.write(bytes)
      return socket
    }
    const inTime = await begin(head(Buffer.byteLength(body)))
    const tooLate = await begin(head(500))
    // The server says that it goes on: both requests are under way.
    for (const socket of [inTime, tooLate]) await new Promise((resolve) => socket.once("data", resolve))
    const silent = await Promise.all(Array.from({ length: 20 }, () => begin("GET /")))
    await Promise.all(silent.map((socket) => new Promise((resolve) => socket.write("a", resolve))))
    const ends = [inTime, tooLate, ...silent].map((socket) => received(socket, stopMs * 2))
    serving.started.signal("SIGTERM")
    await pause(500)
    inTime.write(body)
    const left = await Promise.race([serving.started.ended, pause(stopMs).then(() => null)])
    expect(left?.status).toBe(0)
    const [saved, cut, ...others] = await Promise.all(ends)
    expect(saved).toMatchObject({ isClosed: true, statuses: [201] })
    expect(cut).toMatchObject({ isClosed: true, statuses: [503] })
    expect(others.filter(({ isClosed }) => !isClosed)).toEqual([])
    const again = await serve()
    const { call, close } = connection(again)
    const { body: found } = await call("GET", "/search?q=saved%20while%20the%20server%20stops&limit=1")
    expect(found).toMatchObject({ results: [{ docPath: "at-the-end.md" }] })
    close()
    again.started.signal("SIGTERM")
    expect((await again.started.ended).status).toBe(0)
  })
})
