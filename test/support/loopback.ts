import { createServer, type IncomingMessage, type ServerResponse } from "node:http"
import type { AddressInfo } from "node:net"

/** Answers a request whose body has come whole; where it fails, the status is 500. */
type Handle = (request: IncomingMessage, response: ServerResponse, body: Buffer) => unknown

/** A web server on loopback, at an address without a slash at the end. */
export interface LoopbackServer {
  readonly url: string
  readonly port: number
  /** Ends open connections too. */
  readonly close: () => Promise<void>
}

export const listenOnLoopback = async (handle: Handle): Promise<LoopbackServer> => {
  const server = createServer(async (request, response) => {
    try {
      const parts: Array<Buffer> = []
      for await (const part of request) parts.push(part)
      await handle(request, response, Buffer.concat(parts))
    } catch (error) {
      // A client that leaves before its request is whole gets nothing.
      if (!response.headersSent) response.writeHead(500).end(String(error))
    }
  })
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve))
  const { port } = server.address() as AddressInfo
  return {
    url: `http://127.0.0.1:${port}`,
    port,
    close: () =>
      new Promise((resolve) => {
        server.close(() => resolve())
        server.closeAllConnections()
      })
  }
}

/** A port on which nothing listens. */
export const freePort = async (): Promise<number> => {
  const { close, port } = await listenOnLoopback(() => undefined)
  await close()
  return port
}
