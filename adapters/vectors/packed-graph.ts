import { randomUUID } from "node:crypto"
import { access, constants, type FileHandle, open, rm } from "node:fs/promises"
import { tmpdir } from "node:os"
import { basename, dirname, join } from "node:path"

/**
 * A graph as it lies on disk: the library's file less what can be told without it. Little-endian: magic `KHNL`, the
 * library's header of 96 bytes, then piece by piece (1,024 nodes; the last has the rest) the node's heads of four bytes
 * (number of links, and the mark of a removed node), and of all links that are in use the two low bytes, then the
 * third; last the upper levels as the library writes them. Vectors are in the database; room for links that is not
 * used, and the nodes' names, which are their places, are left out.
 */
const magic = 0x4c4e484b
const magicBytes = 4
const headerBytes = 96
const nodesPerPiece = 1024
/** Three bytes name so many nodes. */
const nodesMax = 1 << 24
const linkBytes = 3
const nameBytes = 8
const copyBytes = 1 << 20

/** The label of a dead node: its vector was removed or replaced. */
export const dead = -1

/** There is no room for the library's form of a graph: neither beside it nor among temporary files. */
export class NoRoom extends Error {}

/** The vectors of these labels; a label without one is left out. */
export type Lookup = (labels: ReadonlyArray<number>) => Promise<ReadonlyMap<number, Float32Array>>

/** A packed file, and the label of each node. */
export interface Packed {
  readonly file: string
  readonly labels: Int32Array
}

/**
 * Packs a file that the library wrote into another; false, and nothing worth keeping in it, where something would be
 * lost: more than 16 million nodes, or a layout that is not known.
 */
export const packGraph = (from: string, to: string): Promise<boolean> =>
  between(from, to, async (source, target) => {
    const header = await exactly(source, headerBytes, 0)
    const layout = layoutOf(header)
    if (layout === null || layout.nodes > nodesMax) return false
    const { dimensions, linksMax, nodeBytes, nodes } = layout
    const start = new Uint8Array(magicBytes)
    new DataView(start.buffer).setUint32(0, magic, true)
    await put(target, start)
    await put(target, header)
    // Room that every piece uses again: a graph has hundreds of them, and memory of each would wait for the collector.
    const room = Math.min(nodesPerPiece, nodes)
    const cells = new Uint32Array((room * nodeBytes) / 4)
    const heads = new Uint32Array(room)
    const [low, high] = [new Uint16Array(room * linksMax), new Uint8Array(room * linksMax)]
    let at = headerBytes
    for (let first = 0; first < nodes; first += nodesPerPiece) {
      const count = Math.min(nodesPerPiece, nodes - first)
      await fillFrom(source, new Uint8Array(cells.buffer, 0, count * nodeBytes), at)
      at += count * nodeBytes
      let used = 0
      for (let node = 0; node < count; node += 1) {
        const place = (node * nodeBytes) / 4
        const head = cells[place] ?? 0
        const degree = head & 0xffff
        const name = place + 1 + linksMax + dimensions
        if (degree > linksMax || cells[name] !== first + node || cells[name + 1] !== 0) return false
        heads[node] = head
        for (let i = 1; i <= degree; i += 1, used += 1) {
          const link = cells[place + i] ?? 0
          low[used] = link
          high[used] = link >>> 16
        }
      }
      for (const part of [heads.subarray(0, count), low.subarray(0, used), high.subarray(0, used)])
        await put(target, bytesOf(part))
    }
    await copy(source, target, at)
    return true
  })

/**
 * Hands over a graph in the library's form, as a file that is gone afterwards where it had to be made. A file that was
 * never packed is handed over as it is.
 */
export const withUnpacked = async <A>(
  packed: Packed,
  lookup: Lookup,
  use: (file: string) => Promise<A>
): Promise<A> => {
  const { file } = packed
  if (!(await isPacked(file))) return use(file)
  const folder = (await isWritable(dirname(file))) ? dirname(file) : tmpdir()
  // What a crash leaves of it goes with the next build, as all files of this form do.
  const made = join(folder, `${basename(file)}.${randomUUID()}.${process.pid}.tmp`)
  try {
    await unpack(packed, made, lookup)
    return await use(made)
  } finally {
    await rm(made, { force: true })
  }
}

/** Links that are in use, by the heads of their nodes. */
const linksOf = (heads: Uint32Array): number => heads.reduce((sum, head) => sum + (head & 0xffff), 0)

const unpack = ({ file, labels }: Packed, to: string, lookup: Lookup): Promise<void> =>
  between(file, to, async (source, target) => {
    const header = await exactly(source, headerBytes, magicBytes)
    const layout = layoutOf(header)
    if (layout === null) throw new Error("The graph has a header that is not known.")
    const { dimensions, linksMax, nodeBytes, nodes } = layout
    if (nodes !== labels.length) throw new Error("The graph has other nodes than its manifest.")
    await put(target, header)
    // As above: room for every piece, in the packed form and in the library's.
    const room = Math.min(nodesPerPiece, nodes)
    const packed = new Uint8Array(room * linksMax * linkBytes)
    const whole = new Uint8Array(room * nodeBytes)
    const [cells, numbers] = [new Uint32Array(whole.buffer), new Float32Array(whole.buffer)]
    const cellsPerNode = nodeBytes / 4
    let at = magicBytes + headerBytes
    for (let first = 0; first < nodes; first += nodesPerPiece) {
      const count = Math.min(nodesPerPiece, nodes - first)
      const heads = new Uint32Array((await exactly(source, count * 4, at)).buffer)
      at += heads.byteLength
      const used = linksOf(heads)
      if (used > count * linksMax) throw new Error("The graph has more links than its nodes have room for.")
      const rest = packed.subarray(0, used * linkBytes)
      await fillFrom(source, rest, at)
      at += rest.byteLength
      const low = new Uint16Array(packed.buffer, 0, used)
      const high = new Uint8Array(packed.buffer, low.byteLength, used)
      const piece = whole.subarray(0, count * nodeBytes).fill(0)
      let taken = 0
      for (let node = 0; node < count; node += 1) {
        const place = node * cellsPerNode
        const head = heads[node] ?? 0
        const degree = head & 0xffff
        cells[place] = head
        for (let i = 1; i <= degree; i += 1, taken += 1)
          cells[place + i] = ((high[taken] ?? 0) << 16) | (low[taken] ?? 0)
        cells[place + 1 + linksMax + dimensions] = first + node
      }
      const linksFrom = (node: number) =>
        cells.subarray(node * cellsPerNode + 1, node * cellsPerNode + 1 + ((heads[node] ?? 0) & 0xffff))
      const vectors = await vectorsOf(labels, first, count, linksFrom, lookup)
      for (const [node, vector] of vectors) numbers.set(vector, node * cellsPerNode + 1 + linksMax)
      await put(target, piece)
    }
    await copy(source, target, at)
  })

/**
 * The vectors of a piece's nodes, by their places in it. A node that is removed has none any more and still leads from
 * one neighbour to the next: it gets the direction between its neighbours.
 */
const vectorsOf = async (
  labels: Int32Array,
  first: number,
  count: number,
  linksFrom: (node: number) => Uint32Array,
  lookup: Lookup
): Promise<ReadonlyMap<number, Float32Array>> => {
  const labelOf = (slot: number) => labels[slot] ?? dead
  const own = await lookup(
    Array.from(labels.subarray(first, first + count)).filter((label) => label !== dead)
  )
  const vectors = new Map<number, Float32Array>()
  const without: Array<number> = []
  for (let node = 0; node < count; node += 1) {
    const vector = own.get(labelOf(first + node))
    if (vector === undefined) without.push(node)
    else vectors.set(node, vector)
  }
  if (without.length === 0) return vectors
  const near = new Set(without.flatMap((node) => Array.from(linksFrom(node), labelOf)))
  near.delete(dead)
  const others = await lookup([...near])
  for (const node of without) {
    const between = directionOf(Array.from(linksFrom(node), (slot) => others.get(labelOf(slot))))
    if (between !== null) vectors.set(node, between)
  }
  return vectors
}

/** The unit vector between some; null where there are none, or they cancel out. */
const directionOf = (vectors: ReadonlyArray<Float32Array | undefined>): Float32Array | null => {
  const there = vectors.filter((vector) => vector !== undefined)
  const sum = new Float32Array(there[0]?.length ?? 0)
  for (const vector of there)
    for (let i = 0; i < sum.length; i += 1) sum[i] = (sum[i] ?? 0) + (vector[i] ?? 0)
  const length = Math.hypot(...sum)
  return length > 0 ? sum.map((value) => value / length) : null
}

/** What the library's header tells of a file; null when it is laid out in another way. */
const layoutOf = (header: Uint8Array) => {
  const view = new DataView(header.buffer, header.byteOffset)
  const [offset, , nodes, nodeBytes, nameAt, vectorAt] = Array.from({ length: 6 }, (_, i) =>
    Number(view.getBigUint64(8 * i, true))
  )
  if (nodes === undefined || nodeBytes === undefined || nameAt === undefined || vectorAt === undefined)
    return null
  const linksMax = vectorAt / 4 - 1
  const dimensions = (nameAt - vectorAt) / 4
  const isKnown =
    offset === 0 &&
    Number(view.getBigUint64(64, true)) === linksMax &&
    Number.isInteger(dimensions) &&
    dimensions > 0 &&
    nameAt + nameBytes === nodeBytes
  return isKnown ? { nodes, nodeBytes, linksMax, dimensions } : null
}

const isPacked = async (file: string): Promise<boolean> => {
  const source = await open(file, "r")
  try {
    const start = new DataView(new ArrayBuffer(magicBytes))
    await source.read(start, 0, magicBytes, 0)
    return start.getUint32(0, true) === magic
  } finally {
    await source.close()
  }
}

const between = async <A>(
  from: string,
  to: string,
  use: (source: FileHandle, target: FileHandle) => Promise<A>
): Promise<A> => {
  const source = await open(from, "r")
  try {
    const target = await open(to, "w").catch(noRoom)
    try {
      return await use(source, target)
    } finally {
      await target.close()
    }
  } finally {
    await source.close()
  }
}

const exactly = async (source: FileHandle, size: number, at: number): Promise<Uint8Array<ArrayBuffer>> => {
  const bytes = new Uint8Array(size)
  await fillFrom(source, bytes, at)
  return bytes
}

const fillFrom = async (source: FileHandle, bytes: Uint8Array, at: number): Promise<void> => {
  const { bytesRead } = await source.read(bytes, 0, bytes.byteLength, at)
  if (bytesRead !== bytes.byteLength) throw new Error("The graph is cut off.")
}

const put = (target: FileHandle, bytes: Uint8Array): Promise<unknown> => target.write(bytes).catch(noRoom)

const copy = async (source: FileHandle, target: FileHandle, from: number): Promise<void> => {
  const piece = new Uint8Array(copyBytes)
  for (let at = from; ; ) {
    const { bytesRead } = await source.read(piece, 0, copyBytes, at)
    if (bytesRead === 0) return
    await put(target, piece.subarray(0, bytesRead))
    at += bytesRead
  }
}

const noRoom = (cause: unknown): never => {
  throw new NoRoom(cause instanceof Error ? cause.message : String(cause))
}

const isWritable = (folder: string): Promise<boolean> =>
  access(folder, constants.W_OK).then(
    () => true,
    () => false
  )

const bytesOf = (array: Uint32Array | Uint16Array | Uint8Array): Uint8Array =>
  new Uint8Array(array.buffer, array.byteOffset, array.byteLength)
