import * as Effect from "effect/Effect"
import * as Schedule from "effect/Schedule"
import * as Stream from "effect/Stream"
import type { FileStamp, Vault, VaultEntry, VaultRefusal } from "../../core/documents/index.js"
import type { VaultUnavailable } from "../../core/kernel/index.js"
import { isVaultFile, judgeDiskPath } from "../../core/markdown/index.js"

/** A file of a vault that is no folder, as its store tells of it. */
export interface RemoteFile extends FileStamp {
  readonly path: string
}

/** Whether files at a path are the vault's: names that start with a dot are passed over, like other kinds of files. */
const isOurs = (path: string): boolean =>
  isVaultFile(path) && !path.split("/").some((name) => name.startsWith("."))

/** Judges what a store lists, as a walk of a folder judges what is on a disk. */
export const judged = (
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

/** Staging ahead where what is staged is kept at once. */
export const stagedAhead =
  (stage: Vault["Type"]["stage"]): Vault["Type"]["stageAhead"] =>
  (path, bytes) =>
    Effect.map(stage(path, bytes), (handle) => ({ handle, synced: Effect.void }))

/** How often a store that tells of nothing by itself is looked through. */
const lookMs = 5000

/** Paths whose stamps are other ones than at the last look. */
export const watchByLooking = (
  walk: Vault["Type"]["walk"],
  everyMs = lookMs
): Stream.Stream<ReadonlyArray<string>, VaultUnavailable> =>
  Stream.unwrap(
    Effect.map(walk(""), (first) => {
      let seen = stampsOf(first.entries)
      const look = Effect.map(walk(""), ({ entries }) => {
        const now = stampsOf(entries)
        const changed = [...now].flatMap(([path, stamp]) => (seen.get(path) === stamp ? [] : [path]))
        const gone = [...seen.keys()].filter((path) => !now.has(path))
        seen = now
        return [...changed, ...gone].sort()
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

/** Staged files older than this were left by a process that is gone: no write takes a day. */
export const strayMs = 86_400_000
