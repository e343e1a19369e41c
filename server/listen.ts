import { createServer, type Server } from "node:http"
import type { AddressInfo } from "node:net"
import { H3 } from "h3"
import { toNodeHandler } from "h3/node"
import type { ServerConfig } from "./config.js"

/** A server that listens. */
export interface Listening {
  readonly url: string
  readonly port: number
  /** Takes no more connections, lets what is being served end, then cuts off the rest. */
  readonly close: () => Promise<void>
}

/** How long a connection stays open without a request in it: longer than proxies keep theirs, so that none meets one that closes. */
const keepAliveMs = 65_000

/** Serves a web-standard handler over HTTP, with limits on everything that a slow client could hold up. */
export const listen = async (
  fetch: (request: Request) => Promise<Response>,
  config: Pick<ServerConfig, "host" | "port" | "bodyTimeoutMs" | "headersTimeoutMs" | "shutdownMs">
): Promise<Listening> => {
  const app = new H3({ silent: true }).all("/**", ({ req }) => fetch(req))
  const server = createServer(
    {
      headersTimeout: config.headersTimeoutMs,
      requestTimeout: config.headersTimeoutMs + config.bodyTimeoutMs,
      keepAliveTimeout: keepAliveMs,
      connectionsCheckingInterval: 1_000,
      maxHeaderSize: 16 * 1024
    },
    toNodeHandler(app)
  )
  await started(server, config)
  const { address, family, port } = addressOf(server)
  const host = family === "IPv6" ? `[${address}]` : address
  return { url: `http://${host}:${port}`, port, close: () => stop(server, config.shutdownMs) }
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

const stop = (server: Server, graceMs: number) =>
  new Promise<void>((resolve) => {
    const late = setTimeout(() => server.closeAllConnections(), graceMs)
    server.close(() => {
      clearTimeout(late)
      resolve()
    })
    server.closeIdleConnections()
  })
