import { createRequire } from "node:module"
import type { AddressInfo, Server } from "node:net"
import * as Effect from "effect/Effect"

/** Used part of the server; the package has no types. */
type Hoodiecrow = (options: Readonly<Record<string, unknown>>) => {
  readonly server: Server
  readonly listen: (port: number, done: () => void) => void
  readonly close: (done: () => void) => void
}

/** An IMAP server with one account; gives its address. */
export const mailServer = (username: string, password: string) =>
  Effect.map(
    Effect.acquireRelease(
      Effect.promise(async () => {
        const hoodiecrow: Hoodiecrow = createRequire(import.meta.url)("hoodiecrow-imap")
        const server = hoodiecrow({
          plugins: ["ID", "IDLE", "NAMESPACE", "UNSELECT", "ENABLE", "LITERALPLUS", "UIDPLUS"],
          users: { [username]: { password } },
          storage: { INBOX: {} }
        })
        await new Promise<void>((resolve) => server.listen(0, resolve))
        return server
      }),
      (server) => Effect.promise(() => new Promise<void>((resolve) => server.close(resolve)))
    ),
    ({ server }) => `imap://127.0.0.1:${(server.address() as AddressInfo).port}`
  )
