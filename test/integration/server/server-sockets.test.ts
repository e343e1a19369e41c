import { setTimeout } from "node:timers/promises"
import { afterAll, beforeAll, describe, expect, it } from "vitest"
import { bodyBytes, patienceMs, startSocketServer } from "../../support/socket-server.js"
import { openSocket, received } from "../../support/sockets.js"

let world: Awaited<ReturnType<typeof startSocketServer>>
beforeAll(async () => {
  world = await startSocketServer()
})
afterAll(() => world.close())

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
    const { isClosed, statuses } = await world.send(bad[name] ?? "")
    expect({ isClosed, statuses }).toEqual({ isClosed: true, statuses: [400] })
    await world.isWell()
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
    const { statuses, text } = await world.send(world.head("GET", path))
    expect(statuses).toEqual([400])
    expect(text).toContain("bad_request")
    await world.isWell()
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
    const { text } = await world.send(bytes)
    const [head = "", said = ""] = text.split("\r\n\r\n")
    expect(JSON.parse(said)).toEqual(body)
    expect(head).toMatch(/^x-request-id: [\w-]{36}\r?$/m)
  })

  it.each([
    ["one enormous header", () => world.head("GET", "/api/v1/manifest", `X: ${"y".repeat(20_000)}`)],
    [
      "many headers",
      () => world.head("GET", "/api/v1/manifest", ...Array<string>(3_000).fill("X-Some-Header: value"))
    ],
    ["an enormous address", () => world.head("GET", `/api/v1/documents/${"a".repeat(100_000)}`)]
  ])("(%s) are cut off at the limit", async (_name, bytes) => {
    const { isClosed, statuses } = await world.send(bytes())
    expect({ isClosed, statuses }).toEqual({ isClosed: true, statuses: [431] })
    await world.isWell()
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
    ["two slashes before an operation", "//api/v1/documents", 404],
    ["another host in the line", "http://elsewhere.example/api/v1/manifest", 200],
    ["a host that is none in the line", "http://[::1/api/v1/manifest", 404]
  ])("(%s) are answered", async (_name, path, status) => {
    const { isClosed, statuses, text } = await world.send(world.head("GET", path, "Connection: close"))
    expect({ isClosed, statuses }).toEqual({ isClosed: true, statuses: [status] })
    expect(text).toContain("x-request-id: ")
  })

  it("are answered in their order when they come at once", async () => {
    const paths = ["/api/v1/manifest", "/api/v1/nothing", "/api/v1/documents"]
    const { statuses } = await world.send(
      [
        ...paths.map((path) => world.head("GET", path)),
        world.head("PUT", "/api/v1/manifest", "Connection: close")
      ].join("")
    )
    expect(statuses).toEqual([200, 404, 200, 405])
  })

  it("need no length and no type where there is no body", async () => {
    const { statuses } = await world.send(world.head("POST", "/api/v1/query", "Connection: close"))
    expect(statuses).toEqual([400])
  })
})

describe("a body", () => {
  it("that is cut short is waited for, and then no longer", async () => {
    for (const bytes of [
      `${world.posted("Transfer-Encoding: chunked")}5\r\n{"que`,
      `${world.posted("Content-Length: 100")}{"question":`
    ]) {
      const { isClosed, statuses, text } = await world.send(bytes)
      expect({ isClosed, statuses }).toEqual({ isClosed: true, statuses: [408] })
      expect(text).toContain('"error":"request_timeout"')
    }
  })

  it("that is longer than its length smuggles nothing in", async () => {
    const hidden = world.head("DELETE", `/api/v1/documents/${world.seed.ids["doc"]}`)
    const { statuses } = await world.send(`${world.posted("Content-Length: 2")}{}X${hidden}`)
    expect(statuses).toEqual([400])
    const { status } = await world.server.call("GET", `/api/v1/documents/${world.seed.ids["doc"]}`, {
      key: world.seed.key
    })
    expect(status).toBe(200)
  })

  it.each([
    [
      "by its length",
      () => `${world.posted(`Content-Length: ${bodyBytes * 4}`)}${"x".repeat(bodyBytes * 4)}`
    ],
    [
      "as it comes",
      () => {
        const chunk = `${(1_000).toString(16)}\r\n${"x".repeat(1_000)}\r\n`
        return `${world.posted("Transfer-Encoding: chunked")}${chunk.repeat((bodyBytes * 4) / 1_000)}0\r\n\r\n`
      }
    ]
  ])("that is too large is refused %s, and the connection serves on", async (_name, large) => {
    const { statuses, text } = await world.send(
      `${large()}${world.head("GET", "/api/v1/manifest", "Connection: close")}`
    )
    expect(statuses).toEqual([413, 200])
    expect(text).toContain('"error":"payload_too_large"')
  })

  it("that is too large is refused readably on a connection that closes, while the client still writes", async () => {
    const rest = "x".repeat(4096)
    const socket = await openSocket(world.port)
    const answer = received(socket, patienceMs)
    socket.write(world.posted(`Content-Length: ${bodyBytes * 400}`, "Connection: close"))
    const refused = new Promise((resolve) => socket.once("data", resolve))
    socket.write(rest)
    await refused
    let broken: unknown = null
    socket.once("error", (error) => {
      broken = error
    })
    for (let written = 0; written < 50; written++) {
      socket.write(rest)
      await setTimeout(10)
    }
    expect(broken).toBeNull()
    socket.end()
    expect(await answer).toMatchObject({ isClosed: true, statuses: [413] })
  })

  it("of another type is refused, whether its length is told or not", async () => {
    const other = (line: string) => world.head("POST", "/api/v1/query", "Content-Type: text/plain", line)
    const after = world.head("GET", "/api/v1/manifest", "Connection: close")
    expect((await world.send(`${other("Content-Length: 2")}{}${after}`)).statuses).toEqual([415, 200])
    expect(
      (await world.send(`${other("Transfer-Encoding: chunked")}2\r\n{}\r\n0\r\n\r\n${after}`)).statuses
    ).toEqual([415, 200])
  })

  it("that is compressed is refused as such, whatever is in it", async () => {
    const packed = (coding: string) => {
      const body = '{"question": "What?"}'
      return `${world.head("POST", "/api/v1/query", "Content-Type: application/json", `Content-Encoding: ${coding}`, `Content-Length: ${body.length}`)}${body}`
    }
    const after = world.head("GET", "/api/v1/manifest", "Connection: close")
    for (const coding of ["gzip", "br", "Identity, gzip", "unheard-of"]) {
      const { statuses, text } = await world.send(`${packed(coding)}${after}`)
      expect(statuses).toEqual([415, 200])
      expect(text).toContain('"error":"unsupported_media_type"')
    }
    expect((await world.send(`${packed("identity")}${after}`)).statuses).toEqual([200, 200])
  })
})
