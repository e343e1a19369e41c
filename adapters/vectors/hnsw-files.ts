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
import type { VectorIndexKey } from "../../core/search/vectors/index.js"
import { visitCrashPoint } from "../host/crash-points.js"
import { makePrivateFile, privateFolderMode } from "../host/private-files.js"
import { isAlive } from "../host/process-owner.js"
import { type GraphFile, type SlotLabels, slotCount, usedSlots } from "./graph.js"

const FileStamp = z.object({ sizeBytes: z.int().min(0), sha256: z.string() })

/** The layout of the files. Files of another layout are ignored and built again. */
const format = "kanon-hnsw-6"

/** The manifest beside the files, checked before they are read. */
const Manifest = z.object({
  format: z.literal(format),
  /** Checked because labels and positions of two workspaces look alike. */
  workspace: z.string(),
  model: z.string(),
  dimensions: z.int().min(1),
  metric: z.literal("ip"),
  /** Names the files. Files are never overwritten, so readers are safe from writers. */
  generation: z.string().regex(/^[0-9a-f-]{36}$/),
  /** Labels, slots of the graph, and those of them that have labels. */
  count: z.int().min(0),
  slots: z.int().min(0),
  usedSlots: z.int().min(0),
  position: z.int().min(0),
  graph: FileStamp,
  labels: FileStamp
})
export type Manifest = z.infer<typeof Manifest>

const FormatHeader = z.object({ format: z.string() })

/** The manifest as text with its own digest, so that damage to it is detected. */
const Envelope = z.object({ sha256: z.string(), manifest: z.string() })

/** A verified graph with what its manifest says. */
export interface SavedGraph extends GraphFile {
  readonly manifest: Manifest
}

/** Returns the folder of an index. A workspace id is safe in a path; a model's name may not be. */
const folderOf = (root: string, { dimensions, model, workspace }: VectorIndexKey): string =>
  join(root, workspace, `${digest(model).slice(0, 16)}-${dimensions}`)

const graphFile = (generation: string) => `${generation}.graph`
const labelsFile = (generation: string) => `${generation}.labels`
const manifestFile = "manifest.json"

/**
 * Writes a graph to temporary files, then moves graph and labels into place, and the manifest last. A crash in between
 * leaves files without a manifest; nothing is lost, because the database holds the vectors.
 */
export const writeIndex = async (
  root: string,
  key: VectorIndexKey,
  position: number,
  write: (file: string) => Promise<SlotLabels>
): Promise<void> => {
  const folder = folderOf(root, key)
  await removeBlockingFile(root, key)
  await mkdir(folder, { recursive: true, mode: privateFolderMode })
  const generation = randomUUID()
  let made: SlotLabels = { starts: new Int32Array(1), labels: new Int32Array() }
  const staged: Array<Staged> = []
  let former: string | undefined
  try {
    const graph = await stage(staged, folder, graphFile(generation), async (file) => {
      made = await write(file)
    })
    const labels = await stage(staged, folder, labelsFile(generation), (file) =>
      writeFile(file, [bytesOf(made.starts), bytesOf(made.labels)])
    )
    const manifest = JSON.stringify({
      format,
      workspace: key.workspace,
      model: key.model,
      dimensions: key.dimensions,
      metric: "ip",
      generation,
      count: made.labels.length,
      slots: slotCount(made),
      usedSlots: usedSlots(made),
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

/** Returns the manifest of a key without reading its files; null when there is none, an error when it is invalid. */
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
  const parsed: unknown = JSON.parse(envelope.manifest)
  if (FormatHeader.parse(parsed).format !== format) return null
  const manifest = Manifest.parse(parsed)
  if (manifest.workspace !== key.workspace) throw new Error("The index belongs to another workspace.")
  if (manifest.model !== key.model || manifest.dimensions !== key.dimensions)
    throw new Error("The index belongs to another model.")
  return manifest
}

/** Returns the files of a manifest after comparing each with its stamp; an error with the reason when one differs. */
export const verifyIndex = async (
  root: string,
  key: VectorIndexKey,
  manifest: Manifest
): Promise<SavedGraph> => {
  const folder = folderOf(root, key)
  const { count, generation, slots } = manifest
  for (const [name, expected] of [
    [graphFile(generation), manifest.graph],
    [labelsFile(generation), manifest.labels]
  ] as const) {
    const found = await stampOf(join(folder, name))
    if (found.sizeBytes !== expected.sizeBytes || found.sha256 !== expected.sha256)
      throw new Error(`${name} does not match its manifest.`)
  }
  const bytes = await reading(join(folder, labelsFile(generation)), (file) => file.readFile())
  if (bytes.byteLength !== 4 * (slots + 1 + count)) throw new Error("The labels are truncated.")
  const numbers = new Int32Array(new Uint8Array(bytes).buffer)
  return {
    manifest,
    file: join(folder, graphFile(generation)),
    starts: numbers.subarray(0, slots + 1),
    labels: numbers.subarray(slots + 1)
  }
}

/** Removes the index on disk. */
export const removeIndex = async (root: string, key: VectorIndexKey): Promise<void> => {
  await removeBlockingFile(root, key)
  await rm(folderOf(root, key), { recursive: true, force: true })
}

/** Removes a file at the path of a folder, which would block the index. */
const removeBlockingFile = async (root: string, key: VectorIndexKey): Promise<void> => {
  for (const path of [root, join(root, key.workspace)]) {
    const found = await stat(path).catch(() => null)
    if (found?.isDirectory() === false) await rm(path)
  }
}

/** A file that is written and not moved into place yet. */
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
  // Random, so that two writers of one process cannot collide.
  const temporary = join(folder, `${name}.${randomUUID()}.${process.pid}.tmp`)
  staged.push({ path: join(folder, name), temporary })
  makePrivateFile(temporary)
  await write(temporary)
  return stampOf(temporary)
}

/** Files without a manifest may belong to a running build elsewhere; after this time they do not. */
const abandonedMs = 6 * 3_600_000

/** Removes the former graph's files and those of dead builds. A reader of removed files starts over. */
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
    // On a system that cannot remove open files, the next build removes it.
    await rm(file, { force: true }).catch(() => undefined)
  }
}

/** Bytes read and hashed at a time. */
const pieceBytes = 1 << 20

/**
 * Returns the size, and the digest of the digests of all pieces; each piece is hashed in the thread pool, off the main
 * thread.
 */
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

/** Opens a regular file only: opening a pipe could block forever. */
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

const bytesOf = (numbers: Int32Array): Uint8Array =>
  new Uint8Array(numbers.buffer, numbers.byteOffset, numbers.byteLength)

const digest = (text: string): string => createHash("sha256").update(text).digest("hex")
