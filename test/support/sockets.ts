import { connect, type Socket } from "node:net"

/** Response over a connection. */
export interface Exchanged {
  readonly text: string
  /** The statuses of the answers, in their order. */
  readonly statuses: ReadonlyArray<number>
  /** Whether the other side ended the connection. */
  readonly isClosed: boolean
}

/** Opens a connection that takes what comes, unless it is paused, and survives being cut off. */
export const openSocket = (port: number): Promise<Socket> =>
  new Promise((resolve, reject) => {
    const socket = connect({ port, host: "127.0.0.1" }, () => {
      socket.off("error", reject)
      // Being cut off is what many of these tests are about.
      socket.on("error", () => undefined)
      resolve(socket)
    })
    socket.once("error", reject)
  })

/**
 * Sends bytes as they are and gives what comes back until the other side closes or, so that a connection which stays
 * open is seen to, until this long after the last byte.
 */
export const exchange = async (
  port: number,
  bytes: string | Uint8Array,
  quietMs = 400
): Promise<Exchanged> => {
  const socket = await openSocket(port)
  socket.write(bytes)
  return received(socket, quietMs)
}

/** Collects everything that a socket receives from now on. */
export const received = (socket: Socket, quietMs: number): Promise<Exchanged> =>
  new Promise((resolve) => {
    let text = ""
    const done = (isClosed: boolean) => () => {
      clearTimeout(timer)
      socket.destroy()
      const statuses = [...text.matchAll(/HTTP\/1\.1 (\d{3})/g)].map(([, status]) => Number(status))
      resolve({ text, statuses, isClosed })
    }
    const timer = setTimeout(done(false), quietMs)
    socket.setEncoding("latin1").on("data", (part: string) => {
      text += part
      timer.refresh()
    })
    socket.once("close", done(true))
    socket.resume()
  })
