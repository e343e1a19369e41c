import { createHash } from "node:crypto"
import { createReadStream } from "node:fs"
import { mkdir, open, readFile, rename, rm, stat } from "node:fs/promises"
import { join } from "node:path"
import { z } from "zod"
import type { VectorIndexKey } from "../../core/retrieval/index.js"
import { FlatVectors } from "./flat.js"
import { HnswGraph } from "./hnsw-graph.js"
import type { HnswLibrary } from "./hnsw-library.js"

const FileStamp = z.object({ sizeBytes: z.int().min(0), sha256: z.string() })

/** What stands beside the files and is checked before they are read. */
const Manifest = z.object({
  format: z.literal("kanon-hnsw-1"),
  model: z.string(),
  dimensions: z.int().min(1),
  metric: z.literal("ip"),
  /** Live vectors, and slots of the graph, dead ones included. */
  count: z.int().min(0),
  slots: z.int().min(0),
  position: z.int().min(0),
  graph: FileStamp,
  vectors: FileStamp
})

/** The manifest as text with its own digest, so that a flipped digit in it is noticed too. */
const Envelope = z.object({ sha256: z.string(), manifest: z.string() })

export interface SavedIndex {
  readonly position: number
  readonly flat: FlatVectors
  readonly graph: HnswGraph
}

/** The folder of an index. A workspace id has no character that a path minds; a model's name may. */
const folderOf = (root: string, { model, workspace }: VectorIndexKey): string =>
  join(root, workspace, createHash("sha256").update(model).digest("hex").slice(0, 16))

const graphFile = "graph.hnsw"
const vectorsFile = "vectors.bin"
const manifestFile = "manifest.json"

/**
 * Writes each file beside its place and renames it, the manifest last. A crash in between leaves files that do
 * not match the manifest, which is noticed; nothing is lost, since the database holds the truth.
 */
export const writeIndex = async (
  root: string,
  key: VectorIndexKey,
  { flat, graph, position }: SavedIndex
): Promise<void> => {
  const folder = folderOf(root, key)
  await mkdir(folder, { recursive: true })
  const graphStamp = await replace(folder, graphFile, async (path) => void (await graph.write(path)))
  const vectorsStamp = await replace(folder, vectorsFile, (path) =>
    writeParts(path, [flat.labels(), Int32Array.from(graph.labels), flat.cells()])
  )
  const manifest = JSON.stringify({
    format: "kanon-hnsw-1",
    model: key.model,
    dimensions: key.dimensions,
    metric: "ip",
    count: flat.count,
    slots: graph.labels.length,
    position,
    graph: graphStamp,
    vectors: vectorsStamp
  } satisfies z.infer<typeof Manifest>)
  const envelope = JSON.stringify({ sha256: digest(manifest), manifest })
  await replace(folder, manifestFile, (path) => writeParts(path, [new TextEncoder().encode(envelope)]))
}

/** What is on disk for this key; null when there is nothing, an error that says why when it cannot be trusted. */
export const readIndex = async (
  root: string,
  key: VectorIndexKey,
  library: HnswLibrary
): Promise<SavedIndex | null> => {
  const folder = folderOf(root, key)
  const text = await readFile(join(folder, manifestFile), "utf8").catch(() => null)
  if (text === null) return null
  const envelope = Envelope.parse(JSON.parse(text))
  if (digest(envelope.manifest) !== envelope.sha256) throw new Error("The manifest is damaged.")
  const manifest = Manifest.parse(JSON.parse(envelope.manifest))
  const { count, dimensions, model, position, slots } = manifest
  if (model !== key.model || dimensions !== key.dimensions) throw new Error("The index is of another model.")
  for (const [name, expected] of [
    [graphFile, manifest.graph],
    [vectorsFile, manifest.vectors]
  ] as const) {
    const found = await stampOf(join(folder, name))
    if (found.sizeBytes !== expected.sizeBytes || found.sha256 !== expected.sha256) {
      throw new Error(`${name} does not match its manifest.`)
    }
  }
  const bytes = await readFile(join(folder, vectorsFile))
  if (bytes.byteLength !== 4 * (count + slots + count * dimensions))
    throw new Error("The vectors are cut off.")
  const memory = new Uint8Array(bytes).buffer
  const labels = new Int32Array(memory, 0, count)
  const cells = new Float32Array(memory, 4 * (count + slots), count * dimensions)
  const flat = new FlatVectors(dimensions, Math.max(64, count))
  labels.forEach((label, place) => {
    flat.put(label, cells.subarray(place * dimensions, (place + 1) * dimensions))
  })
  const graph = await HnswGraph.read(
    library,
    dimensions,
    join(folder, graphFile),
    Array.from(new Int32Array(memory, 4 * count, slots))
  )
  return { position, flat, graph }
}

/** Forgets what is on disk. */
export const removeIndex = (root: string, key: VectorIndexKey): Promise<void> =>
  rm(folderOf(root, key), { recursive: true, force: true })

const replace = async (folder: string, name: string, write: (path: string) => Promise<void>) => {
  const temporary = join(folder, `${name}.${process.pid}.tmp`)
  try {
    await write(temporary)
    const stamp = await stampOf(temporary)
    await rename(temporary, join(folder, name))
    return stamp
  } finally {
    await rm(temporary, { force: true })
  }
}

const writeParts = async (path: string, parts: ReadonlyArray<ArrayBufferView>): Promise<void> => {
  const file = await open(path, "w")
  try {
    for (const part of parts) {
      const bytes = new Uint8Array(part.buffer, part.byteOffset, part.byteLength)
      for (let at = 0; at < bytes.length; ) {
        at += (await file.write(bytes, at, Math.min(pieceBytes, bytes.length - at))).bytesWritten
      }
    }
  } finally {
    await file.close()
  }
}

/** Bytes written or hashed at a time: a few milliseconds of the main loop. */
const pieceBytes = 1 << 20

const stampOf = async (path: string): Promise<z.infer<typeof FileStamp>> => {
  const { size } = await stat(path)
  const hash = createHash("sha256")
  for await (const piece of createReadStream(path, { highWaterMark: pieceBytes })) hash.update(piece)
  return { sizeBytes: size, sha256: hash.digest("hex") }
}

const digest = (text: string): string => createHash("sha256").update(text).digest("hex")
