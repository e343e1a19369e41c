import * as Effect from "effect/Effect"
import * as Option from "effect/Option"
import type { DocumentId } from "../../platform/kernel/index.js"
import type { DocumentStamp, FileIntent, VaultEntry, VaultRefusal } from "../documents/index.js"
import { pathKey } from "../markdown/index.js"

/** One step of a sync; `sizeBytes` is the size of the file, or of the former file when it is gone. */
export type Step = { readonly sizeBytes: number } & (
  | { readonly kind: "created"; readonly path: string }
  | { readonly kind: "updated"; readonly path: string; readonly stamp: DocumentStamp }
  | { readonly kind: "returned"; readonly path: string; readonly stamp: DocumentStamp }
  | { readonly kind: "moved"; readonly path: string; readonly stamp: DocumentStamp }
  | { readonly kind: "deleted"; readonly stamp: DocumentStamp }
)

/** All steps of a sync, ordered so that paths are freed before they are reused. */
export interface Plan {
  readonly steps: ReadonlyArray<Step>
  readonly unchanged: number
  /** Files with unchanged bytes and a new stamp. */
  readonly touched: ReadonlyArray<Pick<DocumentStamp, "id" | "mtimeMs" | "sizeBytes">>
  readonly refused: ReadonlyArray<VaultRefusal>
  readonly warnings: ReadonlyArray<VaultRefusal>
}

/**
 * Compares the files with the catalog. A file is unchanged when its size and time, or its hash, are as stored. A
 * document without a file was moved when a new file has its bytes (the same name preferred, then path order),
 * otherwise removed. A new file with the path and bytes of a trashed document restores that document: a branch was
 * checked out again, or a folder mounted again. Bytes are hashed only when the stamp is not conclusive. A file whose text
 * an older version of the converters made is read again, whatever its stamp.
 */
export const planSync = <E, R>(input: {
  readonly under: string
  readonly stamps: ReadonlyArray<DocumentStamp>
  /** Pending file operations: their documents, and the files that they remove, are skipped. */
  readonly intents: ReadonlyArray<FileIntent>
  /** Trashed documents, latest deletion first; read only when there are new files. */
  readonly trashed: Effect.Effect<ReadonlyArray<DocumentStamp>, E, R>
  readonly walk: {
    readonly entries: ReadonlyArray<VaultEntry>
    readonly refused: ReadonlyArray<VaultRefusal>
    readonly remarks?: ReadonlyArray<VaultRefusal>
  }
  readonly hash: (entry: VaultEntry) => Effect.Effect<Option.Option<string>, E, R>
}): Effect.Effect<Plan, E, R> =>
  Effect.gen(function* () {
    if (isUnchanged(input)) return unchangedPlan(input.walk)
    const pendingIds = new Set(input.intents.map(({ documentId }) => documentId))
    const leaving = departingHashes(input.intents)
    const { entries, keys, twins } = withoutCaseDuplicates(input.walk.entries)
    const known = new Map(input.stamps.map((stamp) => [pathKey(stamp.path), stamp]))
    const plan = emptyPlan([...input.walk.refused, ...twins], input.walk.remarks)
    const fresh: Array<VaultEntry> = []
    for (const entry of entries) {
      if (entry.warning !== undefined) plan.warnings.push({ path: entry.path, ...entry.warning })
      const stamp = known.get(pathKey(entry.path))
      if (stamp === undefined) {
        const texts = leaving.get(pathKey(entry.path))
        const isLeaving =
          texts !== undefined && Option.exists(yield* input.hash(entry), (hash) => texts.has(hash))
        if (!isLeaving) fresh.push(entry)
      } else if (pendingIds.has(stamp.id) || isUntouched(entry, stamp)) plan.unchanged += 1
      else yield* compare(entry, stamp, input.hash, plan)
    }
    const isEmpty = entries.length + input.walk.refused.length === 0
    if (isEmpty && !input.stamps.some(({ path }) => inScope(input.under, path)))
      plan.warnings.push(...nothingAt(input.under))
    const missing = findMissing(input, pendingIds, keys)
    const moves =
      missing.length === 0 || fresh.length === 0
        ? new Map<string, DocumentStamp>()
        : yield* findMoves(missing, fresh, input.hash)
    const unknown = fresh.filter(({ path }) => !moves.has(path))
    const returned =
      unknown.length === 0
        ? new Map<string, DocumentStamp>()
        : yield* findReturned(input, pendingIds, unknown)
    const movedFrom = new Set([...moves.values()].map((stamp) => stamp.id))
    for (const stamp of missing)
      if (!movedFrom.has(stamp.id)) plan.steps.push({ kind: "deleted", stamp, sizeBytes: stamp.sizeBytes })
    for (const [path, stamp] of moves)
      plan.steps.push({ kind: "moved", path, stamp, sizeBytes: stamp.sizeBytes })
    for (const { path, sizeBytes } of unknown) {
      const stamp = returned.get(path)
      plan.steps.push(
        stamp === undefined
          ? { kind: "created", path, sizeBytes }
          : { kind: "returned", path, stamp, sizeBytes }
      )
    }
    return plan
  })

/** A plan under construction. */
interface Draft extends Plan {
  readonly steps: Array<Step>
  unchanged: number
  readonly touched: Array<Plan["touched"][number]>
  readonly warnings: Array<VaultRefusal>
}

const emptyPlan = (
  refused: ReadonlyArray<VaultRefusal>,
  remarks: ReadonlyArray<VaultRefusal> = []
): Draft => ({ steps: [], unchanged: 0, touched: [], refused, warnings: [...remarks] })

const isUntouched = (entry: VaultEntry, stamp: DocumentStamp): boolean =>
  stamp.isOutdated !== true &&
  entry.sizeBytes === stamp.sizeBytes &&
  entry.mtimeMs === stamp.mtimeMs &&
  entry.path === stamp.path

/**
 * Whether each document in scope has its untouched file and there is no other file. Compares both sorted lists in one
 * pass, which settles most syncs.
 */
const isUnchanged = ({ intents, stamps, under, walk }: Parameters<typeof planSync>[0]): boolean => {
  const { entries, refused } = walk
  if (refused.length > 0 || intents.length > 0 || entries.length === 0) return false
  let next = 0
  for (const stamp of stamps) {
    if (!inScope(under, stamp.path)) continue
    const entry = entries[next]
    if (entry === undefined || !isUntouched(entry, stamp)) return false
    next += 1
  }
  return next === entries.length
}

/** Returns, by path, the hashes of files that pending operations are about to remove. */
export const departingHashes = (
  intents: ReadonlyArray<FileIntent>
): ReadonlyMap<string, ReadonlySet<string>> => {
  const places = new Map<string, ReadonlySet<string>>()
  for (const { contentHash, documentId, from, kind, path } of intents) {
    const place = kind === "trash" ? path : kind === "move" ? from : null
    if (place === null) continue
    // A moved file may also get a new text, by an operation of its own.
    const replaced = intents.flatMap((other) =>
      other.documentId === documentId && other.kind === "write" ? (other.expects ?? []) : []
    )
    places.set(pathKey(place), new Set([contentHash, ...replaced]))
  }
  return places
}

const unchangedPlan = ({ entries, remarks }: Parameters<typeof planSync>[0]["walk"]): Plan => {
  const plan = emptyPlan([], remarks)
  plan.unchanged = entries.length
  for (const { path, warning } of entries) if (warning !== undefined) plan.warnings.push({ path, ...warning })
  return plan
}

const compare = <E, R>(
  entry: VaultEntry,
  stamp: DocumentStamp,
  hashOf: (entry: VaultEntry) => Effect.Effect<Option.Option<string>, E, R>,
  plan: Draft
) =>
  Effect.gen(function* () {
    const renamed = entry.path !== stamp.path
    const hash = yield* hashOf(entry)
    const isSame = Option.isSome(hash) && hash.value === stamp.contentHash && stamp.isOutdated !== true
    if (isSame && !renamed) {
      plan.unchanged += 1
      plan.touched.push({ id: stamp.id, mtimeMs: entry.mtimeMs, sizeBytes: entry.sizeBytes })
      return
    }
    const { path, sizeBytes } = entry
    plan.steps.push({ kind: renamed ? "moved" : "updated", path, stamp, sizeBytes })
  })

const inScope = (under: string, path: string) =>
  under === "" || path === under || path.startsWith(`${under}/`)

/** A requested path without any file is reported as an error; an empty vault is not. */
const nothingAt = (under: string): ReadonlyArray<VaultRefusal> =>
  under === ""
    ? []
    : [{ path: under, code: "nothing_there", message: "There is no Markdown file at or under this path." }]

/** Returns documents in scope without a file; a rejected file counts as unreadable, not as removed. */
const findMissing = (
  { stamps, under, walk }: Parameters<typeof planSync>[0],
  pendingIds: ReadonlySet<DocumentId>,
  present: ReadonlyMap<string, unknown>
): ReadonlyArray<DocumentStamp> => {
  const refused = walk.refused.map((refusal) => pathKey(refusal.path))
  const unreadable = new Set(refused)
  return stamps.filter(
    ({ id, path }) =>
      inScope(under, path) &&
      !present.has(pathKey(path)) &&
      !pendingIds.has(id) &&
      !unreadable.has(pathKey(path)) &&
      !refused.some((folder) => pathKey(path).startsWith(`${folder}/`))
  )
}

/** Pairs new files with missing documents of the same bytes. */
const findMoves = <E, R>(
  missing: ReadonlyArray<DocumentStamp>,
  fresh: ReadonlyArray<VaultEntry>,
  hash: (entry: VaultEntry) => Effect.Effect<Option.Option<string>, E, R>
) =>
  Effect.gen(function* () {
    const byHash = new Map<string, Array<DocumentStamp>>()
    for (const stamp of missing)
      byHash.set(stamp.contentHash, [...(byHash.get(stamp.contentHash) ?? []), stamp])
    const sizes = new Set(missing.map((stamp) => stamp.sizeBytes))
    const moves = new Map<string, DocumentStamp>()
    for (const entry of fresh) {
      if (!sizes.has(entry.sizeBytes)) continue
      const found = yield* hash(entry)
      const candidates = Option.isSome(found) ? byHash.get(found.value) : undefined
      if (candidates === undefined || candidates.length === 0) continue
      const sameName = candidates.findIndex((stamp) => baseName(stamp.path) === baseName(entry.path))
      const [stamp] = candidates.splice(Math.max(sameName, 0), 1)
      if (stamp !== undefined) moves.set(entry.path, stamp)
    }
    return moves
  })

/** Returns the trashed documents whose file is at its former path again, with the same bytes. */
const findReturned = <E, R>(
  { hash, trashed }: Pick<Parameters<typeof planSync<E, R>>[0], "hash" | "trashed">,
  pendingIds: ReadonlySet<DocumentId>,
  fresh: ReadonlyArray<VaultEntry>
) =>
  Effect.gen(function* () {
    const returned = new Map<string, DocumentStamp>()
    const byPath = new Map<string, Array<DocumentStamp>>()
    for (const stamp of yield* trashed)
      if (!pendingIds.has(stamp.id)) byPath.set(stamp.path, [...(byPath.get(stamp.path) ?? []), stamp])
    for (const entry of fresh) {
      const candidates =
        byPath.get(entry.path)?.filter(({ sizeBytes }) => sizeBytes === entry.sizeBytes) ?? []
      if (candidates.length === 0) continue
      const found = Option.getOrNull(yield* hash(entry))
      const stamp = candidates.find(({ contentHash }) => contentHash === found)
      if (stamp !== undefined) returned.set(entry.path, stamp)
    }
    return returned
  })

const baseName = (path: string) => path.slice(path.lastIndexOf("/") + 1)

/**
 * Keeps the first path, in path order, of those that differ only in case, and rejects the others. Returns the keys of
 * all.
 */
const withoutCaseDuplicates = (all: ReadonlyArray<VaultEntry>) => {
  const seen = new Map<string, string>()
  const entries: Array<VaultEntry> = []
  const twins: Array<VaultRefusal> = []
  for (const entry of all) {
    const twin = seen.get(pathKey(entry.path))
    if (twin === undefined) {
      seen.set(pathKey(entry.path), entry.path)
      entries.push(entry)
    } else
      twins.push({
        path: entry.path,
        code: "path_conflict",
        message: `Differs from ${twin} only in case or Unicode form.`
      })
  }
  return { entries, keys: seen, twins }
}
