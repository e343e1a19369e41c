import { connect, createServer, type Socket } from "node:net"

/** A pooler in transaction mode before a server of Postgres. */
export interface Pooler {
  readonly url: string
  /** Transactions that were handed to a connection other than the one before. */
  readonly switches: () => number
  readonly close: () => Promise<void>
}

/** A connection to the server: one transaction of whoever at a time. */
interface Backend {
  readonly socket: Socket
  /** Takes what the server says. */
  hear: (message: Buffer) => void
}

/** Splits a stream into messages: a letter, a length and the rest; the first of a client has no letter. */
const framed = (isClient: boolean, each: (message: Buffer) => void) => {
  let [held, hasLetter] = [Buffer.alloc(0), !isClient]
  return (bytes: Buffer) => {
    held = Buffer.concat([held, bytes])
    for (;;) {
      const head = hasLetter ? 1 : 0
      if (held.length < head + 4) return
      const length = head + held.readInt32BE(head)
      if (held.length < length) return
      const message = held.subarray(0, length)
      held = held.subarray(length)
      hasLetter = true
      each(message)
    }
  }
}

const letterOf = (message: Buffer) => String.fromCharCode(message[0] ?? 0)
/** The server waits for the next query, in no transaction. */
const isIdle = (message: Buffer) => letterOf(message) === "Z" && message[5] === "I".charCodeAt(0)

const query = (text: string) => {
  const body = Buffer.from(`${text}\0`)
  const head = Buffer.alloc(5)
  head.write("Q")
  head.writeInt32BE(body.length + 4, 1)
  return Buffer.concat([head, body])
}

/** What PgBouncer answers in statement mode to whoever begins a transaction, before it closes the connection. */
const noTransactions = () => {
  const body = Buffer.from("SERROR\0C08P01\0Mtransaction blocks not allowed in statement pooling mode\0\0")
  const head = Buffer.alloc(5)
  head.write("E")
  head.writeInt32BE(body.length + 4, 1)
  return Buffer.concat([head, body])
}
const begins = (message: Buffer) =>
  /^(?:begin|start transaction)\b/iu.test(message.toString("latin1", 5).replace(/^\0/u, ""))

const startup = (user: string, database: string) => {
  const body = Buffer.from(`user\0${user}\0database\0${database}\0\0`)
  const head = Buffer.alloc(8)
  head.writeInt32BE(body.length + 8, 0)
  head.writeInt32BE(196_608, 4)
  return Buffer.concat([head, body])
}

/**
 * Speaks the protocol of Postgres as PgBouncer does in transaction mode, and more strictly: each transaction gets the
 * connection that rested longest, and whatever a session holds (prepared statements, settings, locks, what is listened
 * to, temporary tables) is thrown away between two.
 */
export const transactionPooler = async (
  serverUrl: string,
  size: number,
  { mode = "transaction" }: { readonly mode?: "transaction" | "statement" } = {}
): Promise<Pooler> => {
  const { hostname, pathname, port, username } = new URL(serverUrl)
  const [free, waiting] = [[] as Backend[], [] as ((backend: Backend) => void)[]]
  const sockets = new Set<Socket>()
  let greeting: Buffer = Buffer.alloc(0)
  let switched = 0

  const open = () =>
    new Promise<Backend>((resolve, reject) => {
      const socket = connect(Number(port), hostname).setNoDelay()
      sockets.add(socket)
      const said: Array<Buffer> = []
      const backend: Backend = {
        socket,
        hear: (message) => {
          said.push(message)
          if (!isIdle(message)) return
          greeting = Buffer.concat(said)
          resolve(backend)
        }
      }
      socket.on("error", reject)
      socket.on(
        "data",
        framed(false, (message) => backend.hear(message))
      )
      socket.on("connect", () => socket.write(startup(username, pathname.slice(1))))
    })
  const give = (backend: Backend) => {
    backend.hear = (message) => {
      if (!isIdle(message)) return
      const next = waiting.shift()
      if (next === undefined) free.push(backend)
      else next(backend)
    }
    backend.socket.write(query("discard all"))
  }
  const take = () =>
    new Promise<Backend>((resolve) => {
      const backend = free.shift()
      if (backend === undefined) waiting.push(resolve)
      else resolve(backend)
    })

  const serve = (client: Socket) => {
    sockets.add(client.setNoDelay())
    let [isKnown, last]: [boolean, Backend | undefined] = [false, undefined]
    let held: Backend | undefined
    let asking: Promise<void> = Promise.resolve()
    const forward = async (message: Buffer) => {
      if (held === undefined) {
        const backend = await take()
        if (last !== undefined && last !== backend) switched += 1
        backend.hear = (answer) => {
          client.write(answer)
          if (!isIdle(answer)) return
          held = undefined
          give(backend)
        }
        held = backend
        last = backend
      }
      held.socket.write(message)
    }
    const end = () => {
      // A transaction that its client left is over.
      held?.socket.write(query("rollback"))
    }
    client.on("error", () => undefined)
    client.on("close", () => {
      asking = asking.then(end)
    })
    client.on(
      "data",
      framed(true, (message) => {
        if (!isKnown) {
          isKnown = true
          client.write(greeting)
        } else if (mode === "statement" && "QP".includes(letterOf(message)) && begins(message))
          client.end(noTransactions())
        else if (letterOf(message) !== "X") asking = asking.then(() => forward(message))
      })
    )
  }
  for (const backend of await Promise.all(Array.from({ length: size }, open))) give(backend)
  const server = createServer(serve)
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve))
  const address = server.address()
  const own = typeof address === "object" && address !== null ? address.port : 0
  return {
    url: `postgres://${username}@127.0.0.1:${own}${pathname}`,
    switches: () => switched,
    close: () =>
      new Promise((resolve) => {
        for (const socket of sockets) socket.destroy()
        server.close(() => resolve())
      })
  }
}
