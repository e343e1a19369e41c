import { once } from "node:events"
import type { Socket } from "node:net"
import { setTimeout as pause } from "node:timers/promises"
import { Worker } from "node:worker_threads"
import * as Effect from "effect/Effect"
import { afterAll, beforeAll, describe, expect, it } from "vitest"
import { type Listening, listen } from "../../../server/listen.js"
import { startServer, type TestServer } from "../../support/server.js"
import { exchange, openSocket, received } from "../../support/sockets.js"
import { type Seed, seedWorkspace } from "../../support/workspace-seed.js"

/** Short, so that a test sees each come to its end. */
const limits = { headersTimeoutMs: 500, bodyTimeoutMs: 700, sendTimeoutMs: 500, shutdownMs: 4_000 }
/** Well over every limit, on a busy machine too: what is open then stays open. */
const patienceMs = 30_000
const bodyBytes = 50_000

/** A model that takes its time, or never ends; it tells when it is asked and when it is stopped. */
const model = { asked: 0, stopped: 0 }
const never = Effect.never.pipe(Effect.onInterrupt(() => Effect.sync(() => (model.stopped += 1))))
const chat = {
  modelId: "test/slow",
  generate: ({ messages }: { readonly messages: ReadonlyArray<{ readonly content: string }> }) =>
    Effect.suspend(() => {
      model.asked += 1
      const text = JSON.stringify({ answerable: false, missing: "all", sentences: [] })
      const usage = { inputTokens: 1, outputTokens: 1, costUsd: "0", estimated: true }
      const reply = { text, modelId: "test/slow", finishReason: "stop" as const, usage }
      const isPatient = messages.some(({ content }) => content.includes("patiently"))
      return isPatient ? Effect.as(Effect.sleep(limits.sendTimeoutMs * 1.5), reply) : never
    })
}

let server: TestServer
let listening: Listening
let seed: Seed
beforeAll(async () => {
  server = await startServer({
    limits: { bodyBytes, bodyMs: limits.bodyTimeoutMs },
    models: { chat }
  })
  // The model of this server answers nobody but the patient.
  seed = await seedWorkspace(server, "home", { asks: false })
  listening = await listen(server.fetch, { host: "127.0.0.1", port: 0, ...limits })
})
afterAll(async () => {
  await listening.close()
  await server.close()
})

const head = (method: string, path: string, ...lines: ReadonlyArray<string>) =>
  [
    `${method} ${path} HTTP/1.1`,
    "Host: kanon.test",
    `Authorization: Bearer ${seed.key}`,
    ...lines,
    "",
    ""
  ].join("\r\n")
const posted = (...lines: ReadonlyArray<string>) =>
  head("POST", "/api/v1/query", "Content-Type: application/json", ...lines)
const asking = (question: string, ...lines: ReadonlyArray<string>) => {
  const body = JSON.stringify({ question })
  return `${posted(`Content-Length: ${Buffer.byteLength(body)}`, ...lines)}${body}`
}
const send = (bytes: string | Uint8Array, quietMs = patienceMs) => exchange(listening.port, bytes, quietMs)
const isWell = async () =>
  expect((await send(head("GET", "/api/v1/manifest", "Connection: close"))).statuses).toEqual([200])

describe("bytes that are no request", () => {
  const bad: Readonly<Record<string, string | Uint8Array>> = {
    "a word": "GARBAGE\r\n\r\n",
    "no version": "GET  HTTP/1.1\r\n\r\n",
    "another protocol": "SSH-2.0-OpenSSH_9.6\r\n",
    "the preface of HTTP/2": "PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n",
    "the hello of TLS": Buffer.from("16030100c8010000c40303", "hex"),
    "no CRLF": "GET /api/v1/manifest HTTP/1.1\nHost: a\n\n",
    "no Host": "GET /api/v1/manifest HTTP/1.1\r\n\r\n",
    "a Host with a port beyond all ports": "GET /api/v1/openapi.json HTTP/1.1\r\nHost: a:99999\r\n\r\n",
    "a Host that is none": "GET /api/v1/openapi.json HTTP/1.1\r\nHost: a b<c>\r\n\r\n",
    "two Hosts": "GET /api/v1/openapi.json HTTP/1.1\r\nHost: a\r\nHost: b\r\n\r\n",
    "a space before a colon": "GET /api/v1/manifest HTTP/1.1\r\nHost : a\r\n\r\n",
    "a folded header": "GET /api/v1/manifest HTTP/1.1\r\nHost: a\r\nX: a\r\n b\r\n\r\n",
    "NUL in the path": "GET /api/v1/\0 HTTP/1.1\r\nHost: a\r\n\r\n",
    "bare UTF-8 in the path": Buffer.from("GET /api/v1/ü HTTP/1.1\r\nHost: a\r\n\r\n"),
    "NUL in a header": "GET /api/v1/manifest HTTP/1.1\r\nHost: a\r\nX: a\0b\r\n\r\n",
    "a negative length": "POST /api/v1/query HTTP/1.1\r\nHost: a\r\nContent-Length: -1\r\n\r\n{}",
    "two lengths":
      "POST /api/v1/query HTTP/1.1\r\nHost: a\r\nContent-Length: 2\r\nContent-Length: 3\r\n\r\n{}",
    "a length and chunks":
      "POST /api/v1/query HTTP/1.1\r\nHost: a\r\nContent-Length: 2\r\nTransfer-Encoding: chunked\r\n\r\n0\r\n\r\n",
    "a chunk without a size":
      "POST /api/v1/query HTTP/1.1\r\nHost: a\r\nTransfer-Encoding: chunked\r\n\r\nzz\r\n{}\r\n0\r\n\r\n"
  }

  it.each(Object.keys(bad))("(%s) are refused, and the connection with them", async (name) => {
    const { isClosed, statuses } = await send(bad[name] ?? "")
    expect({ isClosed, statuses }).toEqual({ isClosed: true, statuses: [400] })
    await isWell()
  })

  it.each([
    "/api/..\\metrics",
    "/api/../metrics",
    "/api/%2e%2e/metrics",
    "/api/.%2E%2fmetrics",
    "/api/v1/./manifest",
    "/api/v1/manifest\\",
    "/api/..",
    "http://kanon.test/api/..\\metrics"
  ])("with a path that proxies could read otherwise are refused: %s", async (path) => {
    const { statuses, text } = await send(head("GET", path))
    expect(statuses).toEqual([400])
    expect(text).toContain("bad_request")
    await isWell()
  })

  it.each([
    ["GARBAGE\r\n\r\n", { error: "bad_request", message: "Bad Request" }],
    [
      "GET /api/v1/manifest HTTP/1.1\r\n\r\n",
      { error: "bad_request", message: "A request names exactly one Host." }
    ],
    [
      "GET /api/v1/openapi.json HTTP/1.1\r\nHost: a\r\nExpect: a miracle\r\n\r\n",
      { error: "expectation_failed", message: "Nothing but 100-continue can be expected." }
    ]
  ])("are answered in JSON and with an id, as everything is: %j", async (bytes, body) => {
    const { text } = await send(bytes)
    const [head = "", said = ""] = text.split("\r\n\r\n")
    expect(JSON.parse(said)).toEqual(body)
    expect(head).toMatch(/^x-request-id: [\w-]{36}\r?$/m)
  })

  it.each([
    ["one enormous header", () => head("GET", "/api/v1/manifest", `X: ${"y".repeat(20_000)}`)],
    [
      "many headers",
      () => head("GET", "/api/v1/manifest", ...Array<string>(3_000).fill("X-Some-Header: value"))
    ],
    ["an enormous address", () => head("GET", `/api/v1/documents/${"a".repeat(100_000)}`)]
  ])("(%s) are cut off at the limit", async (_name, bytes) => {
    const { isClosed, statuses } = await send(bytes())
    expect({ isClosed, statuses }).toEqual({ isClosed: true, statuses: [431] })
    await isWell()
  })
})

describe("requests that are odd", () => {
  it.each([
    ["percent signs before nothing", "/api/v1/documents/%zz", 404],
    ["percent signs before what is no UTF-8", "/api/v1/documents/%c0%ae%c0%ae", 404],
    ["an encoded NUL", `/api/v1/documents/%00`, 400],
    ["an encoded way up", "/api/v1/%2e%2e/%2e%2e/etc/passwd", 400],
    ["a long address", `/api/v1/documents/${"a".repeat(12_000)}`, 404],
    ["two slashes", "//elsewhere.example/api/v1/manifest", 404],
    ["another host in the line", "http://elsewhere.example/api/v1/manifest", 200],
    ["a host that is none in the line", "http://[::1/api/v1/manifest", 404]
  ])("(%s) are answered", async (_name, path, status) => {
    const { isClosed, statuses, text } = await send(head("GET", path, "Connection: close"))
    expect({ isClosed, statuses }).toEqual({ isClosed: true, statuses: [status] })
    expect(text).toContain("x-request-id: ")
  })

  it("are answered in their order when they come at once", async () => {
    const paths = ["/api/v1/manifest", "/api/v1/nothing", "/api/v1/documents"]
    const { statuses } = await send(
      [...paths.map((path) => head("GET", path)), head("PUT", "/api/v1/manifest", "Connection: close")].join(
        ""
      )
    )
    expect(statuses).toEqual([200, 404, 200, 405])
  })

  it("need no length and no type where there is no body", async () => {
    const { statuses } = await send(head("POST", "/api/v1/query", "Connection: close"))
    expect(statuses).toEqual([400])
  })
})

describe("a body", () => {
  it("that is cut short is waited for, and then no longer", async () => {
    for (const bytes of [
      `${posted("Transfer-Encoding: chunked")}5\r\n{"que`,
      `${posted("Content-Length: 100")}{"question":`
    ]) {
      const { isClosed, statuses, text } = await send(bytes)
      expect({ isClosed, statuses }).toEqual({ isClosed: true, statuses: [408] })
      expect(text).toContain('"error":"request_timeout"')
    }
  })

  it("that is longer than its length smuggles nothing in", async () => {
    const hidden = head("DELETE", `/api/v1/documents/${seed.ids["doc"]}`)
    const { statuses } = await send(`${posted("Content-Length: 2")}{}X${hidden}`)
    expect(statuses).toEqual([400])
    const { status } = await server.call("GET", `/api/v1/documents/${seed.ids["doc"]}`, { key: seed.key })
    expect(status).toBe(200)
  })

  it.each([
    ["by its length", () => `${posted(`Content-Length: ${bodyBytes * 4}`)}${"x".repeat(bodyBytes * 4)}`],
    [
      "as it comes",
      () => {
        const chunk = `${(1_000).toString(16)}\r\n${"x".repeat(1_000)}\r\n`
        return `${posted("Transfer-Encoding: chunked")}${chunk.repeat((bodyBytes * 4) / 1_000)}0\r\n\r\n`
      }
    ]
  ])("that is too large is refused %s, and the connection serves on", async (_name, large) => {
    const { statuses, text } = await send(`${large()}${head("GET", "/api/v1/manifest", "Connection: close")}`)
    expect(statuses).toEqual([413, 200])
    expect(text).toContain('"error":"payload_too_large"')
  })

  it("of another type is refused, whether its length is told or not", async () => {
    const other = (line: string) => head("POST", "/api/v1/query", "Content-Type: text/plain", line)
    const after = head("GET", "/api/v1/manifest", "Connection: close")
    expect((await send(`${other("Content-Length: 2")}{}${after}`)).statuses).toEqual([415, 200])
    expect(
      (await send(`${other("Transfer-Encoding: chunked")}2\r\n{}\r\n0\r\n\r\n${after}`)).statuses
    ).toEqual([415, 200])
  })

  it("that is compressed is refused as such, whatever is in it", async () => {
    const packed = (coding: string) => {
      const body = '{"question": "What?"}'
      return `${head("POST", "/api/v1/query", "Content-Type: application/json", `Content-Encoding: ${coding}`, `Content-Length: ${body.length}`)}${body}`
    }
    const after = head("GET", "/api/v1/manifest", "Connection: close")
    for (const coding of ["gzip", "br", "Identity, gzip", "unheard-of"]) {
      const { statuses, text } = await send(`${packed(coding)}${after}`)
      expect(statuses).toEqual([415, 200])
      expect(text).toContain('"error":"unsupported_media_type"')
    }
    expect((await send(`${packed("identity")}${after}`)).statuses).toEqual([200, 200])
  })
})

describe("a slow client", () => {
  /** Sends on and on, a byte at a time. */
  const drip = async (socket: Socket, bytes: string) => {
    for (const byte of bytes) {
      if (socket.destroyed) return
      socket.write(byte)
      await pause(40)
    }
  }

  it("cannot hold a connection with headers that never end", async () => {
    const socket = await openSocket(listening.port)
    void drip(socket, `GET / HTTP/1.1\r\n${"X-Slow: very\r\n".repeat(200)}`)
    expect(await received(socket, patienceMs)).toMatchObject({ isClosed: true, statuses: [408] })
  })

  it("is none whose words have arrived while the process was too busy to read them", async () => {
    const patient = { ...limits, sendTimeoutMs: 60_000 }
    const busy = await listen(server.fetch, { host: "127.0.0.1", port: 0, ...patient })
    const socket = await openSocket(busy.port)
    await pause(100)
    socket.write(head("GET", "/api/v1/manifest", "Connection: close"))
    // Longer than headers may take and than connections are left alone: nothing else runs in this process meanwhile.
    Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, 2_500)
    expect((await received(socket, patienceMs)).statuses).toEqual([200])
    await busy.close()
  })

  it("cannot hold a connection without a word", async () => {
    expect(await received(await openSocket(listening.port), patienceMs)).toMatchObject({ isClosed: true })
  })

  it("cannot hold a request with a body that never ends", async () => {
    const socket = await openSocket(listening.port)
    socket.write(posted("Content-Length: 5000"))
    void drip(socket, " ".repeat(5_000))
    const { isClosed, statuses, text } = await received(socket, patienceMs)
    expect({ isClosed, statuses }).toEqual({ isClosed: true, statuses: [408] })
    expect(text).toContain("x-request-id: ")
  })

  it("cannot hold answers that it does not take", async () => {
    const large = new Uint8Array(64 * 1024 * 1024)
    const serve = async () => new Response(large)
    const own = await listen(serve, { host: "127.0.0.1", port: 0, ...limits })
    const socket = await openSocket(own.port)
    socket.pause()
    socket.write(head("GET", "/large"))
    // A client that reads nothing notices the closed connection only by writing; Node checks twice whether anything has
    // moved.
    const isCut = () => {
      // Between requests an empty line is nothing.
      socket.write("\r\n")
      return socket.destroyed
    }
    await expect.poll(isCut, { interval: limits.sendTimeoutMs * 5 }).toBe(true)
    expect(socket.bytesRead).toBeLessThan(large.length)
    await own.close()
  })

  it("is let be while it is the server that takes its time", async () => {
    const { statuses } = await send(
      asking("Who keeps the secret of home, told patiently?", "Connection: close")
    )
    expect(statuses).toEqual([200])
  })
})

describe("a client that goes away", () => {
  it("has its work stopped, and stands in the log", async () => {
    const before = { ...model }
    const socket = await openSocket(listening.port)
    socket.write(asking("Who keeps the secret of home?"))
    await expect.poll(() => model.asked).toBeGreaterThan(before.asked)
    expect(model.stopped).toBe(before.stopped)
    socket.destroy()
    await expect.poll(() => model.stopped).toBeGreaterThan(before.stopped)
    await expect
      .poll(() => server.entries.at(-1))
      .toMatchObject({ route: "/api/v1/query", status: 499, error: "client_closed_request" })
  })

  it("in the middle of its body leaves nothing behind", async () => {
    const told = server.entries.length
    const socket = await openSocket(listening.port)
    socket.write(
      `${head("POST", "/api/v1/documents", "Content-Type: application/json", "Content-Length: 500")}{"title":`
    )
    await pause(50)
    socket.destroy()
    await expect.poll(() => server.entries.length).toBeGreaterThan(told)
    expect(server.entries.at(-1)).toMatchObject({ status: 499 })
    await isWell()
  })
})

/** Sends one request on each of many connections, wakes the main thread, and reports what came back. */
const requestsFromThread = `
  const { parentPort, workerData } = require("node:worker_threads")
  const { connect } = require("node:net")
  const { shared, port, count, request } = workerData
  let sent = 0
  const one = () => new Promise((resolve) => {
    let text = ""
    const socket = connect(port, "127.0.0.1", () => {
      socket.write(request, () => {
        if (++sent < count) return
        Atomics.store(shared, 0, 1)
        Atomics.notify(shared, 0)
      })
    })
    socket.setEncoding("latin1").on("data", (part) => { text += part })
    socket.on("error", () => undefined)
    socket.on("close", () => resolve(text))
  })
  Promise.all(Array.from({ length: count }, one)).then((texts) => parentPort.postMessage(texts))
`

describe("a stop", () => {
  it("waits for work, for no idle or half-said connection, and for a slow client only so long", async () => {
    const own = await listen(server.fetch, {
      host: "127.0.0.1",
      port: 0,
      ...limits,
      headersTimeoutMs: 60_000
    })
    const open = (bytes: string) =>
      openSocket(own.port).then((socket) => {
        socket.write(bytes)
        return received(socket, patienceMs)
      })
    const before = model.asked
    const idle = open(head("GET", "/api/v1/manifest"))
    const half = open("GET /api/v1/manifest HTTP/1.1\r\nHost: ")
    const never = open(asking("Who keeps the secret of home?"))
    await expect.poll(() => model.asked).toBe(before + 1)
    const working = open(
      `${head("POST", "/api/v1/documents", "Content-Type: application/json", "Content-Length: 21")}{"title": "In time" `
    )
    await pause(100)
    const stopped = own.close()
    // Connections that the system had already accepted are served; further ones are refused.
    await expect.poll(() => openSocket(own.port).then(() => "open", String)).toContain("ECONNREFUSED")
    expect(await Promise.all([idle, half])).toMatchObject([
      { isClosed: true, statuses: [200] },
      { isClosed: true, statuses: [] }
    ])
    expect(await working).toMatchObject({ isClosed: true, statuses: [408] })
    const refused = await never
    expect(refused).toMatchObject({ isClosed: true, statuses: [503] })
    expect(refused.text).toContain("connection: close")
    expect(refused.text).toContain('"error":"shutting_down"')
    await stopped
    await isWell()
  })

  it("serves every connection that the system has accepted, also where the process has not read from it yet", async () => {
    const patient = { ...limits, headersTimeoutMs: 60_000, sendTimeoutMs: 60_000, shutdownMs: 60_000 }
    const own = await listen(server.fetch, { host: "127.0.0.1", port: 0, ...patient })
    const count = 40
    const shared = new Int32Array(new SharedArrayBuffer(8))
    const client = new Worker(requestsFromThread, {
      eval: true,
      workerData: { shared, port: own.port, count, request: head("GET", "/api/v1/manifest") }
    })
    const replies = once(client, "message")
    await once(client, "online")
    // The thread connects and sends while this process, in which the server is, does nothing else.
    Atomics.wait(shared, 0, 0, patienceMs)
    const stopped = own.close()
    const [texts]: Array<ReadonlyArray<string>> = await replies
    expect(texts).toHaveLength(count)
    for (const text of texts ?? []) {
      expect(text).toMatch(/^HTTP\/1\.1 (?:200|503) /)
      expect(text.toLowerCase()).toContain("connection: close")
    }
    await Promise.all([stopped, client.terminate()])
  })

  it("lets a request end that has come whole, and closes its connection with the answer", async () => {
    const own = await listen(server.fetch, { host: "127.0.0.1", port: 0, ...limits, shutdownMs: 60_000 })
    const socket = await openSocket(own.port)
    const before = model.asked
    socket.write(asking("Who keeps the secret of home, told patiently?"))
    await expect.poll(() => model.asked).toBe(before + 1)
    const [{ isClosed, statuses, text }] = await Promise.all([received(socket, patienceMs), own.close()])
    expect({ isClosed, statuses }).toEqual({ isClosed: true, statuses: [200] })
    expect(text.toLowerCase()).toContain("connection: close")
  })
})
