import { callOperation } from "../api/hooks.js"
import { describeError } from "../components/error.js"
import { uploadText as text } from "../strings/uploads.js"

/** A file with its path below what was chosen or dropped. */
export interface Dropped {
  readonly file: File
  readonly path: string
}

/** What became of a file. */
export type Outcome =
  | { readonly kind: "waiting" | "sending" | "reading" }
  | { readonly kind: "done"; readonly docId: string | null; readonly warnings: ReadonlyArray<string> }
  | { readonly kind: "refused"; readonly why: string; readonly docId?: string }

/** The body of a request holds 10 MiB, and Base64 makes a third more of the bytes. */
const bytesMax = 7_000_000
const textMax = 5 * 1024 * 1024
/** Where uploads lie that are converted. */
const uploadFolder = "uploads"
const [pollMs, pollsMax] = [700, 400]

const isImage = (path: string): boolean => /\.(?:gif|jpe?g|png|tiff?|webp)$/i.test(path)
const isText = (path: string): boolean => /\.(?:md|markdown|txt)$/i.test(path)

/** Files of a drop, those within folders included. */
export const droppedFiles = async (data: DataTransfer): Promise<ReadonlyArray<Dropped>> => {
  const entries = [...data.items].flatMap((item) => item.webkitGetAsEntry() ?? [])
  if (entries.length === 0) return chosenFiles([...data.files])
  return (await Promise.all(entries.map((entry) => filesIn(entry)))).flat()
}

/** Files of a field; those of a chosen folder have their path in it. */
export const chosenFiles = (files: ReadonlyArray<File>): ReadonlyArray<Dropped> =>
  files.map((file) => ({ file, path: file.webkitRelativePath === "" ? file.name : file.webkitRelativePath }))

const filesIn = async (entry: FileSystemEntry): Promise<ReadonlyArray<Dropped>> => {
  // Files of the system, such as .DS_Store, are nobody's documents.
  if (entry.name.startsWith(".")) return []
  const path = entry.fullPath.replace(/^\//, "")
  if (entry instanceof FileSystemFileEntry)
    return [{ path, file: await new Promise<File>((resolve, reject) => entry.file(resolve, reject)) }]
  if (!(entry instanceof FileSystemDirectoryEntry)) return []
  const reader = entry.createReader()
  const found: Array<Dropped> = []
  for (;;) {
    // A reader gives a hundred entries at a time.
    const some = await new Promise<Array<FileSystemEntry>>((resolve, reject) =>
      reader.readEntries(resolve, reject)
    )
    if (some.length === 0) return found
    for (const one of some) found.push(...(await filesIn(one)))
  }
}

/** Sends one file: text becomes a document at once, other formats are converted by the server. */
export const sendFile = async (
  { file, path }: Dropped,
  folder: string,
  tell: (outcome: Outcome) => void
): Promise<Outcome> => {
  try {
    tell({ kind: "sending" })
    if (isText(path)) return await sendText(file, path, folder)
    // A picture is a document only where its text is read, which the connector does.
    return isImage(path) ? await sendImage(file, path, tell) : await sendWhole(file, path, folder, tell)
  } catch (error) {
    return { kind: "refused", why: describeError(error).text }
  }
}

const sendText = async (file: File, path: string, folder: string): Promise<Outcome> => {
  if (file.size > textMax) return { kind: "refused", why: text.tooLarge }
  const wanted = placeIn(folder, path.replace(/\.(?:markdown|txt)$/i, ".md"))
  const taken = await takenAt(wanted)
  if (taken !== null) return taken
  const made = await callOperation("createDocument", { path: wanted, content: await file.text() })
  return { kind: "done", docId: made.docId, warnings: [] }
}

const placeIn = (folder: string, path: string): string => (folder === "" ? path : `${folder}/${path}`)

const takenAt = async (path: string): Promise<Outcome | null> => {
  const known = await callOperation("listDocuments", { pathPrefix: path, limit: 20 })
  const taken = known.items.find((one) => one.path === path)
  return taken === undefined ? null : { kind: "refused", why: text.taken(path), docId: taken.id }
}

/** Sends a file of another format: it is kept as it is, and its text becomes the document. */
const sendWhole = async (
  file: File,
  path: string,
  folder: string,
  tell: (outcome: Outcome) => void
): Promise<Outcome> => {
  if (file.size > bytesMax) return { kind: "refused", why: text.tooLarge }
  const wanted = placeIn(folder, path)
  const taken = await takenAt(wanted)
  if (taken !== null) return taken
  const content = await base64Of(file)
  tell({ kind: "reading" })
  const made = await callOperation("createDocument", { path: wanted, file: content })
  return { kind: "done", docId: made.docId, warnings: made.warnings ?? [] }
}

const sendImage = async (file: File, path: string, tell: (outcome: Outcome) => void): Promise<Outcome> => {
  if (file.size > bytesMax) return { kind: "refused", why: text.tooLarge }
  const { id, pathPrefix } = await uploadConnector()
  const { syncId } = await callOperation("syncContentConnector", {
    id,
    files: [
      {
        path,
        content: await base64Of(file),
        encoding: "base64",
        modifiedAt: new Date(file.lastModified).toISOString()
      }
    ]
  })
  tell({ kind: "reading" })
  for (let poll = 0; poll < pollsMax; poll += 1) {
    await new Promise((resolve) => setTimeout(resolve, pollMs))
    const { syncs } = await callOperation("getContentConnector", { id, limit: 200 })
    const run = syncs.find((one) => one.id === syncId)
    if (run === undefined || run.status === "queued" || run.status === "running") continue
    const [failure] = run.failures
    if (failure !== undefined) return { kind: "refused", why: failure.reason }
    if (run.status !== "succeeded") return { kind: "refused", why: text.unfinished }
    return {
      kind: "done",
      docId: await madeFrom(`${pathPrefix}/${path}`),
      warnings: run.warnings.flatMap(({ messages }) => messages)
    }
  }
  return { kind: "refused", why: text.slow }
}

/** The document that was made of a file: it lies where the file would, with an end of its own. */
const madeFrom = async (path: string): Promise<string | null> => {
  const stem = path.replace(/\.[^./]+$/, "")
  const { items } = await callOperation("listDocuments", { pathPrefix: stem, limit: 50 })
  const found = items.find((one) => one.path.replace(/\.md$/, "") === path || one.path.startsWith(`${stem}.`))
  return found?.id ?? items[0]?.id ?? null
}

let making: Promise<{ readonly id: string; readonly pathPrefix: string }> | undefined

/** The connector that takes what people drop; it is made with the first file, once for all files of a drop. */
const uploadConnector = (): Promise<{ readonly id: string; readonly pathPrefix: string }> => {
  making ??= findOrMake().finally(() => {
    making = undefined
  })
  return making
}

const findOrMake = async () => {
  const { items } = await callOperation("listContentConnectors", {})
  const known = items.find(({ enabled, kind, pathPrefix }) => {
    return enabled && kind === "markdown_upload" && pathPrefix === uploadFolder
  })
  return (
    known ??
    callOperation("createContentConnector", {
      name: text.connector,
      kind: "markdown_upload",
      pathPrefix: uploadFolder
    })
  )
}

/** The bytes of a file in Base64. */
export const base64Of = async (file: File): Promise<string> => {
  const bytes = new Uint8Array(await file.arrayBuffer())
  let binary = ""
  for (let at = 0; at < bytes.length; at += 32_768)
    binary += String.fromCharCode(...bytes.subarray(at, at + 32_768))
  return btoa(binary)
}
