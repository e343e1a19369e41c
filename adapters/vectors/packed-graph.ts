import { randomUUID } from "node:crypto"
import { access, constants, type FileHandle, open, rm } from "node:fs/promises"
import { basename, dirname, join } from "node:path"
import { temporaryFolder } from "../host/temporary-folder.js"

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

/** A file holds less than it says. */
class CutOff extends Error {
  override readonly message = "The graph is cut off."
}

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
    const upper = followUpperLevels(nodes)
    for await (const piece of stretches(source, at)) {
      upper.follow(piece)
      await put(target, piece)
    }
    if (!upper.isWhole()) throw new CutOff()
    return true
  })

/**
 * Whether the upper levels are all there: node by node how many bytes its links take, and these. The library tells nobody
 * that it could not write the last of them.
 */
const followUpperLevels = (nodes: number) => {
  let [left, toPass] = [nodes, 0]
  return {
    follow: (piece: Uint8Array): void => {
      const view = new DataView(piece.buffer, piece.byteOffset, piece.byteLength)
      for (let at = 0; ; ) {
        const passed = Math.min(toPass, piece.byteLength - at)
        at += passed
        toPass -= passed
        if (left === 0 || at + 4 > piece.byteLength) return
        toPass = view.getUint32(at, true)
        at += 4
        left -= 1
      }
    },
    isWhole: (): boolean => left === 0 && toPass === 0
  }
}

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
  // What a crash leaves of it goes with the next build, as all files of this form do, or with the next such folder.
  const apart = (await isWritable(dirname(file))) ? null : temporaryFolder("vectors")
  const made = join(apart ?? dirname(file), `${basename(file)}.${randomUUID()}.${process.pid}.tmp`)
  try {
    const unpacked = await readPacked(packed, lookup, async (reader) => {
      await unpack(reader, made)
      return made
    })
    return await use(unpacked ?? file)
  } finally {
    await rm(apart ?? made, { recursive: true, force: true })
  }
}

/** Links that are in use, by the heads of their nodes. */
const linksOf = (heads: Uint32Array): number => heads.reduce((sum, head) => sum + degreeOf(head), 0)

/** The number of links in the head of a node. */
export const degreeOf = (head = 0): number => head & 0xffff

/** Some nodes of a packed file, one behind the other; its arrays hold the next piece afterwards. */
interface Piece {
  readonly first: number
  readonly count: number
  /** The number of links of each node, and the mark of a removed one. */
  readonly heads: Uint32Array
  /** The links of all nodes, in their order. */
  readonly links: Uint32Array
  /** By places in the piece; a node whose neighbours have none either has none. */
  readonly vectors: ReadonlyMap<number, Float32Array>
}

/** A packed file that is read from its beginning to its end: first all pieces, then what is left. */
export interface PackedReader {
  readonly header: Uint8Array
  readonly layout: Layout
  readonly pieces: () => AsyncGenerator<Piece>
  /** The upper levels as the library writes them, a stretch at a time. */
  readonly rest: () => AsyncGenerator<Uint8Array>
  /** Links that there can be at most. */
  readonly linksBound: number
}

/** Reads a packed file; null, and nothing read, where it was never packed. */
export const readPacked = async <A>(
  packed: Packed,
  lookup: Lookup,
  use: (reader: PackedReader) => Promise<A>
): Promise<A | null> => {
  const source = await open(packed.file, "r")
  try {
    return (await isPacked(source)) ? await use(await readerOf(source, packed, lookup)) : null
  } finally {
    await source.close()
  }
}

const readerOf = async (source: FileHandle, { labels }: Packed, lookup: Lookup): Promise<PackedReader> => {
  const header = await exactly(source, headerBytes, magicBytes)
  const layout = layoutOf(header)
  if (layout === null) throw new Error("The graph has a header that is not known.")
  const { linksMax, nodes } = layout
  if (nodes !== labels.length) throw new Error("The graph has other nodes than its manifest.")
  let at = magicBytes + headerBytes
  async function* pieces() {
    // As above: room for every piece.
    const room = Math.min(nodesPerPiece, nodes)
    const packed = new Uint8Array(room * linksMax * linkBytes)
    const whole = new Uint32Array(room * linksMax)
    for (let first = 0; first < nodes; first += nodesPerPiece) {
      const count = Math.min(nodesPerPiece, nodes - first)
      const heads = new Uint32Array((await exactly(source, count * 4, at)).buffer)
      at += heads.byteLength
      const used = linksOf(heads)
      if (used > count * linksMax) throw new Error("The graph has more links than its nodes have room for.")
      await fillFrom(source, packed.subarray(0, used * linkBytes), at)
      at += used * linkBytes
      const low = new Uint16Array(packed.buffer, 0, used)
      const high = new Uint8Array(packed.buffer, low.byteLength, used)
      for (let i = 0; i < used; i += 1) whole[i] = ((high[i] ?? 0) << 16) | (low[i] ?? 0)
      const links = whole.subarray(0, used)
      yield { first, count, heads, links, vectors: await vectorsOf(labels, first, heads, links, lookup) }
    }
  }
  const { size } = await source.stat()
  return {
    header,
    layout,
    pieces,
    rest: () => stretches(source, at),
    linksBound: Math.floor(size / linkBytes)
  }
}

const unpack = (reader: PackedReader, to: string): Promise<void> =>
  writing(to, async (target) => {
    const { dimensions, linksMax, nodeBytes, nodes } = reader.layout
    await put(target, reader.header)
    const whole = new Uint8Array(Math.min(nodesPerPiece, nodes) * nodeBytes)
    const [cells, numbers] = [new Uint32Array(whole.buffer), new Float32Array(whole.buffer)]
    const cellsPerNode = nodeBytes / 4
    for await (const { count, first, heads, links, vectors } of reader.pieces()) {
      const piece = whole.subarray(0, count * nodeBytes).fill(0)
      let taken = 0
      for (let node = 0; node < count; node += 1) {
        const place = node * cellsPerNode
        const degree = degreeOf(heads[node])
        cells[place] = heads[node] ?? 0
        cells.set(links.subarray(taken, taken + degree), place + 1)
        taken += degree
        cells[place + 1 + linksMax + dimensions] = first + node
      }
      for (const [node, vector] of vectors) numbers.set(vector, node * cellsPerNode + 1 + linksMax)
      await put(target, piece)
    }
    for await (const piece of reader.rest()) await put(target, piece)
  })

/**
 * The vectors of a piece's nodes, by their places in it. A node that is removed has none any more and still leads from
 * one neighbour to the next: it gets the direction between its neighbours.
 */
const vectorsOf = async (
  labels: Int32Array,
  first: number,
  heads: Uint32Array,
  links: Uint32Array,
  lookup: Lookup
): Promise<ReadonlyMap<number, Float32Array>> => {
  const labelOf = (slot: number) => labels[slot] ?? dead
  const own = await lookup(
    Array.from(labels.subarray(first, first + heads.length)).filter((label) => label !== dead)
  )
  const vectors = new Map<number, Float32Array>()
  const without = new Map<number, ReadonlyArray<number>>()
  let taken = 0
  heads.forEach((head, node) => {
    const vector = own.get(labelOf(first + node))
    if (vector === undefined)
      without.set(node, Array.from(links.subarray(taken, taken + degreeOf(head)), labelOf))
    else vectors.set(node, vector)
    taken += degreeOf(head)
  })
  if (without.size === 0) return vectors
  const near = new Set([...without.values()].flat())
  near.delete(dead)
  const others = await lookup([...near])
  for (const [node, neighbours] of without) {
    const between = directionOf(neighbours.map((label) => others.get(label)))
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

interface Layout {
  readonly nodes: number
  readonly nodeBytes: number
  /** Links that a node has room for on the ground. */
  readonly linksMax: number
  readonly dimensions: number
  readonly topLevel: number
  /** Where a search begins. */
  readonly entry: number
  /** Bytes of a node's links on a level above the ground: their number, and room for them. */
  readonly upperBytes: number
}

/** What the library's header tells of a file; null when it is laid out in another way. */
const layoutOf = (header: Uint8Array): Layout | null => {
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
  if (!isKnown) return null
  const [topLevel, entry] = [view.getInt32(48, true), view.getUint32(52, true)]
  const upperBytes = 4 + 4 * Number(view.getBigUint64(56, true))
  return { nodes, nodeBytes, linksMax, dimensions, topLevel, entry, upperBytes }
}

const isPacked = async (source: FileHandle): Promise<boolean> => {
  const start = new DataView(new ArrayBuffer(magicBytes))
  await source.read(start, 0, magicBytes, 0)
  return start.getUint32(0, true) === magic
}

const writing = async <A>(to: string, use: (target: FileHandle) => Promise<A>): Promise<A> => {
  const target = await open(to, "w").catch(noRoom)
  try {
    return await use(target)
  } finally {
    await target.close()
  }
}

const between = async <A>(
  from: string,
  to: string,
  use: (source: FileHandle, target: FileHandle) => Promise<A>
): Promise<A> => {
  const source = await open(from, "r")
  try {
    return await writing(to, (target) => use(source, target))
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
  if (bytesRead !== bytes.byteLength) throw new CutOff()
}

const put = (target: FileHandle, bytes: Uint8Array): Promise<unknown> => target.write(bytes).catch(noRoom)

/** What a file holds from a place on, in memory that the next stretch uses again. */
async function* stretches(source: FileHandle, from: number): AsyncGenerator<Uint8Array> {
  const piece = new Uint8Array(copyBytes)
  for (let at = from; ; ) {
    const { bytesRead } = await source.read(piece, 0, copyBytes, at)
    if (bytesRead === 0) return
    yield piece.subarray(0, bytesRead)
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
