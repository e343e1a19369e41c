import * as Effect from "effect/Effect"
import * as Schedule from "effect/Schedule"
import * as Stream from "effect/Stream"
import type { FileStamp, Vault, VaultEntry, VaultRefusal } from "../../core/files/documents/index.js"
import { judgeDiskPath } from "../../core/files/markdown/index.js"
import type { VaultUnavailable } from "../../core/platform/kernel/index.js"
import { isTakenIn } from "./taken-in.js"

/** A file of a vault that is not a folder, as listed by its store. */
export interface RemoteFile extends FileStamp {
  readonly path: string
}

/** Whether a path belongs to the vault: hidden names and files other than Markdown are skipped. */
const isOurs = (path: string): boolean =>
  isTakenIn(path) && !path.split("/").some((name) => name.startsWith("."))

/** Judges listed files like a walk of a folder does. */
export const vaultEntries = (
  files: ReadonlyArray<RemoteFile>
): { readonly entries: ReadonlyArray<VaultEntry>; readonly refused: ReadonlyArray<VaultRefusal> } => {
  const entries: Array<VaultEntry> = []
  const refused: Array<VaultRefusal> = []
  for (const { mtimeMs, path, sizeBytes } of files) {
    if (!isOurs(path)) continue
    const verdict = judgeDiskPath(path)
    if (verdict.kind === "refuse") refused.push({ path, code: verdict.code, message: verdict.message })
    if (verdict.kind !== "index") continue
    const entry = { path: verdict.path, sizeBytes, mtimeMs }
    entries.push(verdict.warning === undefined ? entry : { ...entry, warning: verdict.warning })
  }
  const byPath = (a: { path: string }, b: { path: string }) =>
    a.path < b.path ? -1 : a.path > b.path ? 1 : 0
  return { entries: entries.sort(byPath), refused: refused.sort(byPath) }
}

/** Staging for stores that persist a staged file at once. */
export const stagedAhead =
  (stage: Vault["Type"]["stage"]): Vault["Type"]["stageAhead"] =>
  (path, bytes) =>
    Effect.map(stage(path, bytes), (handle) => ({ handle, synced: Effect.void }))

/** Polling interval of stores without notifications. */
const pollMs = 5000

/** Emits the paths whose stamps have changed since the last poll. */
export const watchByPolling = (
  walk: Vault["Type"]["walk"],
  everyMs = pollMs
): Stream.Stream<ReadonlyArray<string>, VaultUnavailable> =>
  Stream.unwrap(
    Effect.map(walk(""), (first) => {
      let seen = stampsOf(first.entries)
      const look = Effect.map(walk(""), ({ entries }) => {
        const now = stampsOf(entries)
        const changed = [...now].flatMap(([path, stamp]) => (seen.get(path) === stamp ? [] : [path]))
        const removedPaths = [...seen.keys()].filter((path) => !now.has(path))
        seen = now
        return [...changed, ...removedPaths].sort()
      })
      return Stream.concat(
        Stream.make([]),
        Stream.repeatEffectWithSchedule(Effect.delay(look, everyMs), Schedule.forever).pipe(
          Stream.filter((paths) => paths.length > 0)
        )
      )
    })
  )

const stampsOf = (entries: ReadonlyArray<RemoteFile>): ReadonlyMap<string, string> =>
  new Map(entries.map(({ mtimeMs, path, sizeBytes }) => [path, `${sizeBytes}/${mtimeMs}`]))

/** Staged files older than this belong to an ended process: no write takes a day. */
export const strayMs = 86_400_000
