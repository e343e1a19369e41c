import { createHash, randomUUID, webcrypto } from "node:crypto"
import {
  constants,
  type FileHandle,
  mkdir,
  open,
  readdir,
  rename,
  rm,
  stat,
  writeFile
} from "node:fs/promises"
import { basename, join } from "node:path"
import { z } from "zod"
import type { VectorIndexKey } from "../../core/vectors/index.js"
import { visitCrashPoint } from "../host/crash-points.js"
import { isAlive } from "../host/process-owner.js"
import { deadLabel, type GraphFile } from "./graph.js"

const FileStamp = z.object({ sizeBytes: z.int().min(0), sha256: z.string() })

/** The layout of the files. Files of another layout are ignored and built again. */
const format = "kanon-hnsw-5"

/** What stands beside the files and is checked before they are read. */
const Manifest = z.object({
  format: z.literal(format),
  /** Labels and positions of two workspaces look alike. */
  workspace: z.string(),
  model: z.string(),
  dimensions: z.int().min(1),
  metric: z.literal("ip"),
  /** Names the files: they are never written twice, so that who reads them need not fear who writes. */
  generation: z.string().regex(/^[0-9a-f-]{36}$/),
  /** Live vectors, and slots of the graph, dead ones included. */
  count: z.int().min(0),
  slots: z.int().min(0),
  position: z.int().min(0),
  graph: FileStamp,
  labels: FileStamp
})
export type Manifest = z.infer<typeof Manifest>

const OfFormat = z.object({ format: z.string() })

/** The manifest as text with its own digest, so that a flipped digit in it is noticed too. */
const Envelope = z.object({ sha256: z.string(), manifest: z.string() })

/** A verified graph with what its manifest says. */
export interface SavedGraph extends GraphFile {
  readonly manifest: Manifest
}

/** The folder of an index. A workspace id has no character that a path minds; a model's name may. */
const folderOf = (root: string, { dimensions, model, workspace }: VectorIndexKey): string =>
  join(root, workspace, `${digest(model).slice(0, 16)}-${dimensions}`)

const graphFile = (generation: string) => `${generation}.graph`
const labelsFile = (generation: string) => `${generation}.labels`
const manifestFile = "manifest.json"

/**
 * Has a graph written beside its place, then puts it and its labels there, the manifest last. A crash in between
 * leaves files that no manifest names; nothing is lost, since the database holds the truth.
 */
export const writeIndex = async (
  root: string,
  key: VectorIndexKey,
  position: number,
  write: (file: string) => Promise<Int32Array>
): Promise<void> => {
  const folder = folderOf(root, key)
  await clearWay(root, key)
  await mkdir(folder, { recursive: true })
  const generation = randomUUID()
  const made: { labels: Int32Array } = { labels: new Int32Array() }
  const staged: Array<Staged> = []
  let former: string | undefined
  try {
    const graph = await stage(staged, folder, graphFile(generation), async (file) => {
      made.labels = await write(file)
    })
    const labels = await stage(staged, folder, labelsFile(generation), (file) =>
      writeFile(file, bytesOf(made.labels))
    )
    const manifest = JSON.stringify({
      format,
      workspace: key.workspace,
      model: key.model,
      dimensions: key.dimensions,
      metric: "ip",
      generation,
      count: made.labels.reduce((count, label) => (label === deadLabel ? count : count + 1), 0),
      slots: made.labels.length,
      position,
      graph,
      labels
    } satisfies Manifest)
    const envelope = JSON.stringify({ sha256: digest(manifest), manifest })
    await stage(staged, folder, manifestFile, (file) => writeFile(file, envelope))
    for (const { path, temporary } of staged) {
      if (path.endsWith(manifestFile)) former = (await readManifest(root, key).catch(() => null))?.generation
      visitCrashPoint("hnsw.file.beforeRename")
      await rename(temporary, path)
      visitCrashPoint("hnsw.file.afterRename")
    }
  } finally {
    for (const { temporary } of staged) await rm(temporary, { force: true })
  }
  await clear(folder, generation, former)
}

/** What the manifest of this key says, its files unread; null when there is none, an error when it cannot be trusted. */
export const readManifest = async (root: string, key: VectorIndexKey): Promise<Manifest | null> => {
  const text = await reading(join(folderOf(root, key), manifestFile), (file) => file.readFile("utf8")).catch(
    (error: unknown) => {
      if (isAbsent(error)) return null
      throw error
    }
  )
  if (text === null) return null
  const envelope = Envelope.parse(JSON.parse(text))
  if (digest(envelope.manifest) !== envelope.sha256) throw new Error("The manifest is damaged.")
  const said: unknown = JSON.parse(envelope.manifest)
  if (OfFormat.parse(said).format !== format) return null
  const manifest = Manifest.parse(said)
  if (manifest.workspace !== key.workspace) throw new Error("The index is of another workspace.")
  if (manifest.model !== key.model || manifest.dimensions !== key.dimensions)
    throw new Error("The index is of another model.")
  return manifest
}

/** The files of a manifest, each compared with its stamp; an error that says why when one cannot be trusted. */
export const verifyIndex = async (
  root: string,
  key: VectorIndexKey,
  manifest: Manifest
): Promise<SavedGraph> => {
  const folder = folderOf(root, key)
  const { generation, slots } = manifest
  for (const [name, expected] of [
    [graphFile(generation), manifest.graph],
    [labelsFile(generation), manifest.labels]
  ] as const) {
    const found = await stampOf(join(folder, name))
    if (found.sizeBytes !== expected.sizeBytes || found.sha256 !== expected.sha256)
      throw new Error(`${name} does not match its manifest.`)
  }
  const bytes = await reading(join(folder, labelsFile(generation)), (file) => file.readFile())
  if (bytes.byteLength !== 4 * slots) throw new Error("The labels are cut off.")
  return {
    manifest,
    file: join(folder, graphFile(generation)),
    labels: new Int32Array(new Uint8Array(bytes).buffer)
  }
}

/** Forgets what is on disk. */
export const removeIndex = async (root: string, key: VectorIndexKey): Promise<void> => {
  await clearWay(root, key)
  await rm(folderOf(root, key), { recursive: true, force: true })
}

/** Removes what is no folder where a folder has to be: no index could ever be kept there. */
const clearWay = async (root: string, key: VectorIndexKey): Promise<void> => {
  for (const path of [root, join(root, key.workspace)]) {
    const found = await stat(path).catch(() => null)
    if (found?.isDirectory() === false) await rm(path)
  }
}

/** A file that is written and not in its place yet. */
interface Staged {
  readonly path: string
  readonly temporary: string
}

const stage = async (
  staged: Array<Staged>,
  folder: string,
  name: string,
  write: (path: string) => Promise<void>
) => {
  // Two writers of one process must not take each other's file away.
  const temporary = join(folder, `${name}.${randomUUID()}.${process.pid}.tmp`)
  staged.push({ path: join(folder, name), temporary })
  await write(temporary)
  return stampOf(temporary)
}

/** What no manifest names may belong to a build that goes on elsewhere; after so long it does not. */
const abandonedMs = 6 * 3_600_000

/** Removes the files of the graph before, and what dead builds left. Who still reads one begins anew. */
const clear = async (folder: string, generation: string, former: string | undefined): Promise<void> => {
  for (const name of await readdir(folder)) {
    if (name === manifestFile || name.startsWith(generation)) continue
    const file = join(folder, name)
    const isRecent = async () => {
      const found = await stat(file).catch(() => null)
      return found !== null && Date.now() - found.mtimeMs < abandonedMs
    }
    const [, pid] = /\.(\d+)\.tmp$/.exec(name) ?? []
    const isFormer = former !== undefined && name.startsWith(former)
    const isLeft = pid === undefined ? isFormer : !isAlive(Number(pid))
    if (!isLeft && (await isRecent())) continue
    // A system that keeps open files from being removed leaves this one to the next build.
    await rm(file, { force: true }).catch(() => undefined)
  }
}

/** Bytes read and hashed at a time. */
const pieceBytes = 1 << 20

/** Size, and the digest of the digests of all pieces: each is hashed in a thread of the pool, not on the main loop. */
const stampOf = (path: string): Promise<z.infer<typeof FileStamp>> =>
  reading(path, async (file) => {
    const hash = createHash("sha256")
    const piece = new Uint8Array(pieceBytes)
    let sizeBytes = 0
    while (true) {
      const { bytesRead } = await file.read(piece, 0, pieceBytes)
      if (bytesRead === 0) return { sizeBytes, sha256: hash.digest("hex") }
      hash.update(new Uint8Array(await webcrypto.subtle.digest("SHA-256", piece.subarray(0, bytesRead))))
      sizeBytes += bytesRead
    }
  })

/** Opens what must be a file: to open a pipe would wait for somebody who writes, without end. */
const reading = async <A>(path: string, use: (file: FileHandle) => Promise<A>): Promise<A> => {
  const file = await open(path, constants.O_RDONLY | constants.O_NONBLOCK)
  try {
    if (!(await file.stat()).isFile()) throw new Error(`${basename(path)} is no file.`)
    return await use(file)
  } finally {
    await file.close()
  }
}

const isAbsent = (error: unknown): boolean =>
  error instanceof Error && "code" in error && error.code === "ENOENT"

const bytesOf = (labels: Int32Array): Uint8Array =>
  new Uint8Array(labels.buffer, labels.byteOffset, labels.byteLength)

const digest = (text: string): string => createHash("sha256").update(text).digest("hex")
