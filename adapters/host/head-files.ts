import { createHash } from "node:crypto"
import { constants } from "node:fs"
import { mkdir, open, readFile, rm } from "node:fs/promises"
import { join } from "node:path"
import * as Effect from "effect/Effect"
import { type ChainHead, KeptHeads } from "../../core/platform/audit/index.js"
import { serviceLayer, type WorkspaceScope } from "../../core/platform/kernel/index.js"
import { privateFileMode, privateFolderMode } from "./private-files.js"

/**
 * A file holds the newest heads in slots of one size, which are overwritten in turn: a write that breaks off damages
 * one of them, and a process that is late overwrites an old one.
 */
const [slots, slotBytes] = [4, 128]

const digest = (workspace: WorkspaceScope, head: string): string =>
  createHash("sha256").update(`${workspace} ${head}`).digest("hex").slice(0, 16)

const slotOf = (workspace: WorkspaceScope, { hash, position }: ChainHead): Buffer => {
  const head = `${position} ${hash}`
  return Buffer.from(`${`${head} ${digest(workspace, head)}`.padEnd(slotBytes - 1)}\n`)
}

/** The newest head of a file; damaged slots are left out. */
const newestOf = (workspace: WorkspaceScope, text: string): ChainHead | null => {
  let newest: ChainHead | null = null
  for (let at = 0; at < text.length; at += slotBytes) {
    const [position = "", hash = "", check] = text
      .slice(at, at + slotBytes)
      .trim()
      .split(" ")
    if (check !== digest(workspace, `${position} ${hash}`)) continue
    if (newest === null || Number(position) > newest.position) newest = { position: Number(position), hash }
  }
  return newest
}

/** Heads of one workspace that wait to be written. */
interface Pending {
  wanted: ChainHead
  written: number
  running: Promise<void> | null
}

/** Keeps the heads of audit trails in a folder, one file for each workspace; nowhere with null. */
export const headFiles = (folder: string | null) =>
  serviceLayer(
    KeptHeads,
    Effect.sync(() => (folder === null ? KeptHeads.defaultValue() : headFilesIn(folder)))
  )

const headFilesIn = (folder: string): KeptHeads["Type"] => {
  const pending = new Map<WorkspaceScope, Pending>()
  const fileOf = (workspace: WorkspaceScope) => join(folder, workspace)
  const put = async (workspace: WorkspaceScope, head: ChainHead): Promise<void> => {
    const flags = constants.O_WRONLY | constants.O_CREAT
    const opened = () => open(fileOf(workspace), flags, privateFileMode)
    const file = await opened().catch(async () => {
      await mkdir(folder, { recursive: true, mode: privateFolderMode })
      return opened()
    })
    try {
      await file.write(slotOf(workspace, head), 0, slotBytes, (head.position % slots) * slotBytes)
      await file.datasync()
    } finally {
      await file.close()
    }
  }
  /** Writes until this head or a later one is kept. Heads of concurrent calls share a write. */
  const write = async (workspace: WorkspaceScope, head: ChainHead): Promise<void> => {
    const one = pending.get(workspace) ?? { wanted: head, written: 0, running: null }
    pending.set(workspace, one)
    if (head.position > one.wanted.position) one.wanted = head
    while (one.written < head.position) {
      const { wanted } = one
      one.running ??= put(workspace, wanted)
        .then(() => {
          one.written = wanted.position
        })
        .finally(() => {
          one.running = null
        })
      await one.running
    }
  }
  return {
    read: (workspace) =>
      Effect.promise(async () => {
        const file = fileOf(workspace)
        const text = await readFile(file, "latin1").catch(() => "")
        const head = newestOf(workspace, text)
        return head === null ? null : { ...head, file }
      }),
    write: (workspace, head) =>
      Effect.tryPromise(() => write(workspace, head)).pipe(
        Effect.catchAll(({ error }) =>
          Effect.logWarning(`The head of the audit trail cannot be kept in ${folder}: ${String(error)}`)
        )
      ),
    forget: (workspace) =>
      Effect.promise(async () => {
        pending.delete(workspace)
        await rm(fileOf(workspace), { force: true })
      })
  }
}
