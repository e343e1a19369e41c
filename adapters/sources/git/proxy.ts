import { randomBytes } from "node:crypto"
import { createServer, request as httpRequest, type IncomingMessage } from "node:http"
import { type AddressInfo, connect, type Socket } from "node:net"
import * as Effect from "effect/Effect"
import type * as Scope from "effect/Scope"
import { type AddressRules, guardedLookup } from "../../host/addresses.js"
import { refusalOf } from "../../models/guarded-fetch.js"
import { addressRefusal } from "../http.js"

/** A proxy on this machine for programs whose connections must obey our rules, redirects included. */
export interface GuardedProxy {
  /** The address with a password that only our programs know. */
  readonly url: string
  /** Whether it has refused an address. */
  readonly hasRefused: () => boolean
}

/** Starts a proxy; it stops with the scope. */
export const guardedProxy = (rules: AddressRules): Effect.Effect<GuardedProxy, Error, Scope.Scope> =>
  Effect.acquireRelease(
    Effect.async<GuardedProxy & { readonly close: () => void }, Error>((resume) => {
      const password = randomBytes(24).toString("base64url")
      const authorization = `Basic ${Buffer.from(`kanon:${password}`).toString("base64")}`
      const sockets = new Set<Socket>()
      let refused = false
      const lookup = guardedLookup(rules, () => {
        refused = true
        return new Error(addressRefusal)
      })
      const isAllowed = (request: IncomingMessage, address: string): boolean => {
        if (request.headers["proxy-authorization"] !== authorization) return false
        if (!URL.canParse(address) || refusalOf(address, rules) !== null) refused = true
        else return true
        return false
      }
      const server = createServer((request, response) => {
        const address = request.url ?? ""
        if (!isAllowed(request, address)) {
          response.writeHead(403).end()
          return
        }
        const { "proxy-authorization": _, "proxy-connection": __, ...headers } = request.headers
        const outgoing = httpRequest(address, { method: request.method, headers, lookup }, (incoming) => {
          response.writeHead(incoming.statusCode ?? 502, incoming.headers)
          incoming.pipe(response)
          incoming.on("error", () => response.destroy())
        })
        outgoing.on("error", () => {
          if (response.headersSent) response.destroy()
          else response.writeHead(refused ? 403 : 502).end()
        })
        request.pipe(outgoing)
      })
      server.on("connect", (request: IncomingMessage, client: Socket, head: Buffer) => {
        const target = URL.parse(`https://${request.url ?? ""}`)
        if (target === null || !isAllowed(request, target.href)) {
          client.end("HTTP/1.1 403 Forbidden\r\n\r\n")
          return
        }
        const host = target.hostname.replace(/^\[|\]$/gu, "")
        const upstream = connect({ host, port: Number(target.port || 443), lookup }, () => {
          client.write("HTTP/1.1 200 Connection established\r\n\r\n")
          upstream.write(head)
          upstream.pipe(client).pipe(upstream)
        })
        upstream.on("error", () => client.end(`HTTP/1.1 ${refused ? 403 : 502} Failed\r\n\r\n`))
        client.on("error", () => upstream.destroy())
        client.on("close", () => upstream.destroy())
      })
      server.on("connection", (socket) => {
        sockets.add(socket)
        socket.on("close", () => sockets.delete(socket))
      })
      server.on("error", (error) => resume(Effect.fail(error)))
      server.listen(0, "127.0.0.1", () => {
        const { port } = server.address() as AddressInfo
        resume(
          Effect.succeed({
            url: `http://kanon:${password}@127.0.0.1:${port}`,
            hasRefused: () => refused,
            close: () => {
              server.close()
              for (const socket of sockets) socket.destroy()
            }
          })
        )
      })
    }),
    ({ close }) => Effect.sync(close)
  )
