import { type AddressInfo, connect, createServer, type Socket } from "node:net"
import { setTimeout } from "node:timers/promises"

/** A way to a server of this machine that can be cut. */
export interface CutProxy {
  /** The URL of the server by this way. */
  readonly url: string
  /** Breaks every connection and takes none for a while. */
  readonly cut: (ms: number) => Promise<void>
  readonly close: () => Promise<void>
}

/** Puts a proxy before the server of a URL. */
export const cutProxy = async (target: string): Promise<CutProxy> => {
  const { hostname, port } = new URL(target)
  const sockets = new Set<Socket>()
  let isCut = false
  const track = (socket: Socket, other: () => Socket) => {
    sockets.add(socket)
    socket.on("error", () => socket.destroy())
    socket.on("close", () => {
      sockets.delete(socket)
      other().destroy()
    })
  }
  const server = createServer((near) => {
    if (isCut) {
      near.destroy()
      return
    }
    const far = connect(Number(port), hostname)
    track(near, () => far)
    track(far, () => near)
    near.pipe(far)
    far.pipe(near)
  })
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve))
  const url = new URL(target)
  url.hostname = "127.0.0.1"
  url.port = String((server.address() as AddressInfo).port)
  const breakAll = () => {
    for (const socket of sockets) socket.destroy()
  }
  return {
    url: url.href,
    cut: async (ms) => {
      isCut = true
      breakAll()
      await setTimeout(ms)
      isCut = false
    },
    close: () =>
      new Promise((resolve) => {
        breakAll()
        server.close(() => resolve())
      })
  }
}
