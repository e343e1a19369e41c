import { once } from "node:events"
import type { Socket } from "node:net"
import { setTimeout as pause } from "node:timers/promises"
import { Worker } from "node:worker_threads"
import { afterAll, beforeAll, describe, expect, it } from "vitest"
import { listen } from "../../../server/listen.js"
import { limits, patienceMs, startSocketServer } from "../../support/socket-server.js"
import { openSocket, received } from "../../support/sockets.js"

let world: Awaited<ReturnType<typeof startSocketServer>>
beforeAll(async () => {
  world = await startSocketServer()
})
afterAll(() => world.close())

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
    const socket = await openSocket(world.port)
    void drip(socket, `GET / HTTP/1.1\r\n${"X-Slow: very\r\n".repeat(200)}`)
    expect(await received(socket, patienceMs)).toMatchObject({ isClosed: true, statuses: [408] })
  })

  it("is none whose words have arrived while the process was too busy to read them", async () => {
    const patient = { ...limits, sendTimeoutMs: 60_000 }
    const busy = await listen(world.server.fetch, { host: "127.0.0.1", port: 0, ...patient })
    const socket = await openSocket(busy.port)
    await pause(100)
    socket.write(world.head("GET", "/api/v1/manifest", "Connection: close"))
    // Longer than headers may take and than connections are left alone: nothing else runs in this process meanwhile.
    Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, 2_500)
    expect((await received(socket, patienceMs)).statuses).toEqual([200])
    await busy.close()
  })

  it("cannot hold a connection without a word", async () => {
    expect(await received(await openSocket(world.port), patienceMs)).toMatchObject({ isClosed: true })
  })

  it("cannot hold a request with a body that never ends", async () => {
    const socket = await openSocket(world.port)
    socket.write(world.posted("Content-Length: 5000"))
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
    socket.write(world.head("GET", "/large"))
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
    const { statuses } = await world.send(
      world.asking("Who keeps the secret of home, told patiently?", "Connection: close")
    )
    expect(statuses).toEqual([200])
  })
})

describe("a client that goes away", () => {
  it("has its work stopped, and stands in the log", async () => {
    const before = { ...world.model }
    const socket = await openSocket(world.port)
    socket.write(world.asking("Who keeps the secret of home?"))
    await expect.poll(() => world.model.asked).toBeGreaterThan(before.asked)
    expect(world.model.stopped).toBe(before.stopped)
    socket.destroy()
    await expect.poll(() => world.model.stopped).toBeGreaterThan(before.stopped)
    await expect
      .poll(() => world.server.entries.at(-1))
      .toMatchObject({ route: "/api/v1/query", status: 499, error: "client_closed_request" })
  })

  it("in the middle of its body leaves nothing behind", async () => {
    const told = world.server.entries.length
    const socket = await openSocket(world.port)
    socket.write(
      `${world.head("POST", "/api/v1/documents", "Content-Type: application/json", "Content-Length: 500")}{"title":`
    )
    await pause(50)
    socket.destroy()
    await expect.poll(() => world.server.entries.length).toBeGreaterThan(told)
    expect(world.server.entries.at(-1)).toMatchObject({ status: 499 })
    await world.isWell()
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
    const own = await listen(world.server.fetch, {
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
    const before = world.model.asked
    const idle = open(world.head("GET", "/api/v1/manifest"))
    const half = open("GET /api/v1/manifest HTTP/1.1\r\nHost: ")
    const never = open(world.asking("Who keeps the secret of home?"))
    await expect.poll(() => world.model.asked).toBe(before + 1)
    const working = open(
      `${world.head("POST", "/api/v1/documents", "Content-Type: application/json", "Content-Length: 21")}{"title": "In time" `
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
    await world.isWell()
  })

  it("serves every connection that the system has accepted, also where the process has not read from it yet", async () => {
    const patient = { ...limits, headersTimeoutMs: 60_000, sendTimeoutMs: 60_000, shutdownMs: 60_000 }
    const own = await listen(world.server.fetch, { host: "127.0.0.1", port: 0, ...patient })
    const count = 40
    const shared = new Int32Array(new SharedArrayBuffer(8))
    const client = new Worker(requestsFromThread, {
      eval: true,
      workerData: { shared, port: own.port, count, request: world.head("GET", "/api/v1/manifest") }
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
    const own = await listen(world.server.fetch, {
      host: "127.0.0.1",
      port: 0,
      ...limits,
      shutdownMs: 60_000
    })
    const socket = await openSocket(own.port)
    const before = world.model.asked
    socket.write(world.asking("Who keeps the secret of home, told patiently?"))
    await expect.poll(() => world.model.asked).toBe(before + 1)
    const [{ isClosed, statuses, text }] = await Promise.all([received(socket, patienceMs), own.close()])
    expect({ isClosed, statuses }).toEqual({ isClosed: true, statuses: [200] })
    expect(text.toLowerCase()).toContain("connection: close")
  })
})
