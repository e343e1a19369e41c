import { type AddressInfo, createServer, type Socket } from "node:net"
import { createInterface } from "node:readline"
import * as Effect from "effect/Effect"

/** Output of the server for a command before its OK; a handler that writes nothing more leaves the socket open. */
export type MailScript = Readonly<Record<string, (socket: Socket) => Promise<void> | void>>

/** An IMAP server that lets everybody in and says of a mailbox whatever the script says; gives its address. */
export const scriptedMailServer = (script: MailScript) =>
  Effect.map(
    Effect.acquireRelease(
      Effect.promise(async () => {
        const sockets = new Set<Socket>()
        const server = createServer((socket) => {
          sockets.add(socket)
          // Being cut off is what its tests are about.
          socket.on("error", () => undefined)
          socket.write("* OK ready\r\n")
          createInterface({ input: socket }).on("line", async (line) => {
            const [tag, first = "", second = ""] = line.split(" ")
            const command = first === "UID" ? second : first
            await (script[command] ?? usual[command])?.(socket)
            if (!socket.destroyed) socket.write(`${tag} OK done\r\n`)
          })
        })
        await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve))
        return { server, sockets }
      }),
      ({ server, sockets }) =>
        Effect.promise(async () => {
          for (const socket of sockets) socket.destroy()
          await new Promise((resolve) => server.close(resolve))
        })
    ),
    ({ server }) => `imap://127.0.0.1:${(server.address() as AddressInfo).port}`
  )

const usual: MailScript = {
  CAPABILITY: (socket) => void socket.write("* CAPABILITY IMAP4rev1\r\n"),
  LIST: (socket) => void socket.write('* LIST (\\HasNoChildren) "/" INBOX\r\n'),
  EXAMINE: (socket) =>
    void socket.write("* FLAGS ()\r\n* 3 EXISTS\r\n* OK [UIDVALIDITY 1] v\r\n* OK [UIDNEXT 4] n\r\n"),
  SEARCH: (socket) => void socket.write("* SEARCH 1 2 3\r\n")
}
