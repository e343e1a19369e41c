import { randomUUID } from "node:crypto"
import { createServer, type IncomingMessage, type Server, type ServerResponse } from "node:http"
import type { AddressInfo } from "node:net"
import type { Duplex } from "node:stream"
import { setImmediate as turn } from "node:timers/promises"
import { H3 } from "h3"
import { toNodeHandler } from "h3/node"
import type { ServerConfig } from "./config.js"

/** A listening server. */
export interface Listening {
  readonly url: string
  readonly port: number
  /**
   * Accepts what the system has accepted already, then listens no more. Serves every request that has been sent, each
   * with `Connection: close`; one that takes longer than `shutdownMs` is answered 503. Connections without a request
   * are ended a moment later, so that one whose client is about to send again gets its answer.
   */
  readonly close: () => Promise<void>
}

/** Keep-alive timeout; longer than that of common proxies, so that they never reuse a closing connection. */
const keepAliveMs = 65_000
/** Interval for checking connections while running, and while stopping. */
const [overdueLookMs, stopLookMs] = [1_000, 50]
const headerBytesMax = 16 * 1024
/** While stopping: the longest time for accepting connections, and how long idle ones may still send a request. */
const [acceptMaxMs, idleMs] = [1_000, 250]
/** The longest time in which a client takes its last answer, or the end of an idle connection. */
const refusalMs = 500
/** The longest time in which a client sends the rest of a body that is not wanted, on a connection that is closed then. */
const lingerMs = 5_000

/** Serves a web-standard handler over HTTP, with timeouts and limits against slow clients. */
export const listen = async (
  fetch: (request: Request) => Promise<Response>,
  config: Pick<
    ServerConfig,
    "host" | "port" | "bodyTimeoutMs" | "headersTimeoutMs" | "sendTimeoutMs" | "shutdownMs"
  >
): Promise<Listening> => {
  // No routes here: the handler answers every path, including ones that cannot be decoded.
  const handle = toNodeHandler(Object.assign(new H3(), { fetch }))
  const state: State = {
    connections: new Set(),
    underWay: new Set(),
    lingering: new WeakSet(),
    accepted: 0,
    isStopping: false
  }
  const { connections, lingering, underWay } = state
  const server = createServer(
    {
      headersTimeout: config.headersTimeoutMs,
      // A body may wait for room as long as it may take to arrive.
      requestTimeout: config.headersTimeoutMs + 2 * config.bodyTimeoutMs,
      keepAliveTimeout: keepAliveMs,
      connectionsCheckingInterval: overdueLookMs,
      maxHeaderSize: headerBytesMax,
      // Rejected below with a reason.
      requireHostHeader: false
    },
    (incoming, outgoing) => {
      outgoing.prependOnceListener("finish", () => lingerOn(incoming, outgoing, lingering))
      // It crossed the end of an idle connection: no answer can be written, so nothing is done.
      if (incoming.socket.writableEnded) return
      if (!namesOneHost(incoming)) {
        refuseRequest(outgoing, 400, "bad_request", "A request names exactly one Host.")
        return
      }
      if (hasAmbiguousPath(incoming.url ?? "")) {
        refuseRequest(outgoing, 400, "bad_request", "A path has no backslashes and no dot segments.")
        return
      }
      underWay.add(outgoing)
      outgoing.once("close", () => underWay.delete(outgoing))
      outgoing.once("finish", () => discardBody(incoming))
      outgoing.on("timeout", () => cutUnread(outgoing, config.sendTimeoutMs))
      // A stopping server closes each connection after its answer.
      if (state.isStopping) outgoing.shouldKeepAlive = false
      // A request that was refused while it was served has no answer left to write.
      Promise.resolve(handle(incoming, outgoing)).catch(() => outgoing.destroy())
    }
  )
  server.on("checkExpectation", (_, outgoing: ServerResponse) =>
    refuseRequest(outgoing, 417, "expectation_failed", "Nothing but 100-continue can be expected.")
  )
  server.timeout = config.sendTimeoutMs
  server.on("connection", (socket) => {
    state.accepted += 1
    connections.add(socket)
    socket.once("close", () => connections.delete(socket))
  })
  server.on("clientError", (error: NodeJS.ErrnoException, socket) => {
    // The connection has had its answer: that its client ends it in the middle of a body needs no other one.
    if (lingering.has(socket)) {
      socket.destroy()
      return
    }
    const isServed = () => [...underWay].some((one) => one.socket === socket)
    const refuseIt = () => refuseConnection(error.code, socket, underWay)
    // A busy event loop may not have read data that has arrived: read it before treating the client as slow.
    if (error.code === tooSlow && !isServed()) setImmediate(() => isServed() || refuseIt())
    else refuseIt()
  })
  await started(server, config)
  const { address, family, port } = addressOf(server)
  const host = family === "IPv6" ? `[${address}]` : address
  return {
    url: `http://${host}:${port}`,
    port,
    close: () => stop(server, state, config.shutdownMs)
  }
}

const started = (server: Server, { host, port }: Pick<ServerConfig, "host" | "port">) =>
  new Promise<void>((resolve, reject) => {
    server.once("error", reject)
    server.listen({ host, port }, () => {
      server.off("error", reject)
      resolve()
    })
  })

const addressOf = (server: Server): AddressInfo => {
  const address = server.address()
  if (address === null || typeof address === "string") throw new TypeError("The server has no address.")
  return address
}

/** Reads and drops the rest of an unwanted body, so that the client can read the answer. */
const discardBody = (incoming: IncomingMessage): void => {
  if (incoming.complete) return
  incoming.removeAllListeners("data")
  incoming.resume()
}

/**
 * Closes a connection whose client has not sent all of its body only when it has, or after a while: a connection that is
 * closed with unread bytes is reset, and the client then loses the answer. Called before Node closes it.
 */
const lingerOn = (incoming: IncomingMessage, outgoing: ServerResponse, lingering: WeakSet<Duplex>): void => {
  const { socket } = incoming
  if (incoming.complete || outgoing.shouldKeepAlive) return
  lingering.add(socket)
  const closeNow = socket.destroySoon.bind(socket)
  // The end of the connection waits, too: some clients take it for a failure while they write.
  socket.destroySoon = () => {
    const close = () => {
      clearTimeout(timer)
      closeNow()
    }
    const timer = setTimeout(close, lingerMs)
    incoming.once("close", close).once("end", close)
    discardBody(incoming)
  }
}

/**
 * Handles a stalled connection: closes it if the client does not read the answer, keeps it if the client is waiting.
 */
const cutUnread = ({ socket }: ServerResponse, afterMs: number): void => {
  if (socket === null) return
  if (socket.writableLength > 0) socket.destroy()
  else socket.setTimeout(afterMs)
}

const tooSlow = "ERR_HTTP_REQUEST_TIMEOUT"
/** Answers to malformed requests by Node's error code; anything else is not HTTP. */
const refusals: Readonly<Record<string, readonly [status: number, reason: string, error: string]>> = {
  [tooSlow]: [408, "Request Timeout", "request_timeout"],
  HPE_CHUNK_EXTENSIONS_OVERFLOW: [413, "Payload Too Large", "payload_too_large"],
  HPE_HEADER_OVERFLOW: [431, "Request Header Fields Too Large", "headers_too_large"]
}

/**
 * Returns whether the request has exactly one valid Host header, as HTTP/1.1 requires; with two, a proxy and this
 * server could disagree.
 */
const namesOneHost = ({ headers: { host = "" }, httpVersion, rawHeaders }: IncomingMessage): boolean => {
  const count = rawHeaders.filter((name, at) => at % 2 === 0 && name.toLowerCase() === "host").length
  if (count !== 1) return count === 0 && httpVersion === "1.0"
  return host === "" || (/^[\w.~:[\]-]+$/.test(host) && URL.canParse(`http://${host}`))
}

/**
 * Returns whether proxies and this server could read a path differently: it has a backslash, or a segment of one or
 * two dots, plain or encoded.
 */
const hasAmbiguousPath = (url: string): boolean => {
  const [path = ""] = url.split(/[?#]/, 1)
  return path.includes("\\") || /(?:^|\/|%2f|%5c)(?:\.|%2e){1,2}(?:$|\/|%2f|%5c)/i.test(path)
}

/** Returns the headers of a rejection, the same as of every other answer. */
const refusalHeaders = (body: string) => ({
  connection: "close",
  "cache-control": "no-store",
  "content-type": "application/json; charset=utf-8",
  "content-length": String(Buffer.byteLength(body)),
  "x-content-type-options": "nosniff",
  "x-request-id": randomUUID()
})

/** Rejects a complete request and closes the connection. */
const refuseRequest = (
  outgoing: ServerResponse,
  status: number,
  error: string,
  message: string,
  headers: Readonly<Record<string, string>> = {}
): void => {
  const body = JSON.stringify({ error, message })
  outgoing.writeHead(status, { ...refusalHeaders(body), ...headers }).end(body)
}

/** Rejects a malformed request and closes the connection. */
const refuseConnection = (
  code: string | undefined,
  socket: Duplex,
  underWay: ReadonlySet<ServerResponse>
): void => {
  const answers = [...underWay].some((one) => one.socket === socket && one.headersSent)
  if (!socket.writable || answers) {
    socket.destroy()
    return
  }
  const [status, reason, error] = refusals[code ?? ""] ?? [400, "Bad Request", "bad_request"]
  const body = JSON.stringify({ error, message: reason })
  const headers = Object.entries(refusalHeaders(body)).map(([name, value]) => `${name}: ${value}`)
  const head = [`HTTP/1.1 ${status} ${reason}`, ...headers]
  socket.end(`${head.join("\r\n")}\r\n\r\n${body}`, () => socket.destroy())
}

interface State {
  readonly connections: Set<Duplex>
  readonly underWay: Set<ServerResponse>
  /** Connections that are answered and closed as soon as their clients have sent the rest of a body. */
  readonly lingering: WeakSet<Duplex>
  /** Number of connections so far. */
  accepted: number
  isStopping: boolean
}

const stop = async (server: Server, state: State, graceMs: number): Promise<void> => {
  const { connections, underWay } = state
  state.isStopping = true
  for (const response of underWay) response.shouldKeepAlive = false
  await acceptWaiting(state)
  // Node would cut connections that are kept alive at once, also those on which a request is on its way.
  server.closeIdleConnections = () => undefined
  const closed = new Promise<void>((resolve) => server.close(() => resolve()))
  const idleUntil = performance.now() + idleMs
  const looking = setInterval(() => {
    if (performance.now() < idleUntil) return
    // Two turns later what arrived while the process was busy has been read.
    setImmediate(() =>
      setImmediate(() => {
        const busy = new Set<Duplex | null>([...underWay].map(({ req }) => req.socket))
        for (const socket of connections) if (!busy.has(socket)) endIdle(socket)
      })
    )
  }, stopLookMs)
  const late = setTimeout(() => {
    for (const response of underWay)
      if (!response.headersSent)
        refuseRequest(response, 503, "shutting_down", "The server is stopping. Try again.", {
          "retry-after": "1"
        })
    setTimeout(() => server.closeAllConnections(), refusalMs).unref()
  }, graceMs)
  await closed
  clearInterval(looking)
  clearTimeout(late)
}

/** Ends a connection without a reset: closed with unread bytes, it would be one. */
const endIdle = (socket: Duplex): void => {
  if (socket.writableEnded) return
  socket.end()
  setTimeout(() => socket.destroy(), refusalMs)
}

/**
 * Waits until the system has no more connections for this server: those that wait in the backlog of a listener are
 * reset when it is closed. The event loop accepts at least one in each turn.
 */
const acceptWaiting = async (state: State): Promise<void> => {
  const until = performance.now() + acceptMaxMs
  for (let quietTurns = 0; quietTurns < 3 && performance.now() < until; ) {
    const before = state.accepted
    await turn()
    quietTurns = state.accepted === before ? quietTurns + 1 : 0
  }
}
