import * as Effect from "effect/Effect"
import * as Option from "effect/Option"
import { AuditLog, eventOf, eventsOf, isMoment, type ListedEvent, record } from "../audit/index.js"
import {
  atomically,
  Caller,
  DocumentId,
  type Examiner,
  millisOf,
  timestampOf,
  traced
} from "../kernel/index.js"
import { isPossible, numberOf, possibleVersion, toldWithinMs, versionOf } from "./expected-from-audit.js"
import { DocumentInspection } from "./inspection.js"
import type { Document, KeptVersion } from "./model.js"
import { DocumentStore } from "./store.js"
import { VersionInspection } from "./version-inspection.js"

/** The kinds of what may be wrong with the versions of documents; rows of nobody are `orphan_rows`. */
export const versionFindings = {
  version_missing: "difference",
  versions_differ: "difference",
  version_lost: "difference"
} as const

/** Who is told of versions. */
export type VersionExaminer = Examiner<keyof typeof versionFindings | "orphan_rows">

/** Documents and strays looked at in one go. */
const perPage = 64

/**
 * Compares the versions of each document with the document.
 *
 * @param trailHolds Whether the chain of the trail is whole; by a broken one no version is taken for one that never was.
 */
export const checkVersions = traced("documents.checkVersions")(function* (
  examiner: VersionExaminer,
  { trailHolds }: { readonly trailHolds: boolean }
) {
  yield* checkMisfiled(examiner)
  yield* checkStrays(examiner)
  yield* checkDocuments(examiner, trailHolds)
})

const misfiledMax = 200

/**
 * A version that the trail of its document knows nothing of, and that another document lacks of which the trail tells
 * that very version, made by the same at the same time, is that one's.
 */
const checkMisfiled = (examiner: VersionExaminer) =>
  Effect.gen(function* () {
    const [inspection, { workspace }] = [yield* VersionInspection, yield* Caller]
    if ((yield* inspection.untoldVersions(workspace, 1)).length === 0) return
    yield* atomically(
      Effect.gen(function* () {
        for (const one of yield* inspection.untoldVersions(workspace, misfiledMax)) {
          const [owner, ...others] = yield* ownersOf(one)
          if (owner === undefined || others.length > 0) continue
          yield* examiner.tell("versions_differ", {
            subject: owner.path,
            message: `its version ${one.version} is kept under another document`
          })
          if (!examiner.repair) continue
          yield* inspection.put(workspace, { ...one, documentId: owner.id })
          yield* inspection.remove(workspace, one.documentId, one.version)
          yield* repaired(owner.id, { version: one.version, under: one.documentId })
        }
      })
    )
  })

const ownersOf = ({ activity, changedBy, createdAt, documentId, version }: KeptVersion) =>
  Effect.gen(function* () {
    const [store, log, inspection, { workspace }] = [
      yield* DocumentStore,
      yield* AuditLog,
      yield* VersionInspection,
      yield* Caller
    ]
    if (!isMoment(createdAt)) return []
    const events = yield* log.list(workspace, {
      actor: changedBy,
      from: createdAt,
      to: timestampOf(millisOf(createdAt) + toldWithinMs),
      order: "oldest_first",
      limit: misfiledMax
    })
    const subjects = events.flatMap((event) =>
      event.activity === activity && event.subjectId !== documentId && eventVersion(event) === version
        ? (DocumentId.safeParse(event.subjectId).data ?? [])
        : []
    )
    const owners: Array<Document> = []
    for (const id of new Set(subjects)) {
      const lacks = (yield* inspection.versions(workspace, [id])).every((own) => own.version !== version)
      const document = Option.getOrNull(yield* store.find(workspace, id))
      if (lacks && document !== null && document.version >= version) owners.push(document)
    }
    return owners
  })

const eventVersion = (event: ListedEvent): unknown => eventOf(event).details["version"]

const checkStrays = (examiner: VersionExaminer) =>
  Effect.gen(function* () {
    const [inspection, { workspace }] = [yield* VersionInspection, yield* Caller]
    for (let before = ""; ; ) {
      if ((yield* inspection.strayVersions(workspace, 1)).length === 0) return
      const found = yield* atomically(
        Effect.gen(function* () {
          const page = yield* inspection.strayVersions(workspace, perPage)
          for (const { count, documentId } of page) {
            yield* examiner.tell("orphan_rows", {
              subject: documentId,
              message: "versions of a document that is gone",
              count
            })
            if (!examiner.repair) continue
            yield* inspection.remove(workspace, documentId)
            yield* repaired(documentId, { removed: "versions", count })
          }
          return JSON.stringify(page)
        })
      )
      if (!examiner.repair || found === before) return
      before = found
    }
  })

/** A repair of one document, for the trail. */
export const repaired = (subjectId: string, details: Readonly<Record<string, unknown>>) =>
  record([{ action: "document.repair", subjectId, details }])

const checkDocuments = (examiner: VersionExaminer, trailHolds: boolean) =>
  Effect.gen(function* () {
    const [documents, inspection, { workspace }] = [
      yield* DocumentInspection,
      yield* VersionInspection,
      yield* Caller
    ]
    for (let after = ""; ; ) {
      const page = yield* documents.documentsAfter(workspace, after, perPage)
      const last = page.at(-1)
      if (last === undefined || last.id === after) return
      const ids = page.map(({ id }) => id)
      const versions = yield* inspection.versions(workspace, ids)
      for (const document of page)
        if (wrongOf(document, ofDocument(versions, document.id), { told: [], trailHolds }).length > 0)
          yield* checkDocument(examiner, document, trailHolds)
      after = last.id
      yield* Effect.sleep(0)
    }
  })

const ofDocument = (versions: ReadonlyArray<KeptVersion>, id: DocumentId) =>
  versions.filter(({ documentId }) => documentId === id)

/** One thing that is wrong with the versions of a document, and what puts it right. */
interface Wrong {
  readonly code: "version_missing" | "versions_differ"
  readonly message: string
  /** The row as it should be; null for one that should not be. */
  readonly mended: KeptVersion | null
  readonly version: number
  /** Whether a repair leaves it as it is. */
  readonly stays?: true
}

type Told = Parameters<typeof possibleVersion>[1]

const wrongOf = (
  document: Document,
  versions: ReadonlyArray<KeptVersion>,
  { told, trailHolds }: { readonly told: Told; readonly trailHolds: boolean }
): ReadonlyArray<Wrong> => {
  // Which version the document has by now is to be put right first.
  if (document.version !== versionOf(document, told)) return []
  const beyond = versions.findLast(({ version }) => version > document.version)
  if (beyond !== undefined && !trailHolds)
    return [
      {
        code: "versions_differ",
        message: `it stands at version ${document.version} and has a version ${beyond.version}; the trail is broken, so a repair leaves both as they are`,
        mended: null,
        version: beyond.version,
        stays: true
      }
    ]
  const present = versions.find(({ version }) => version === document.version)
  const missing: ReadonlyArray<Wrong> =
    present === undefined
      ? [
          {
            code: "version_missing",
            message: `its present version ${document.version} is not among its versions`,
            mended: null,
            version: document.version
          }
        ]
      : []
  const isFree = (number: number) =>
    number <= document.version && versions.every(({ version }) => version !== number)
  return [...missing, ...versions.flatMap((one) => wrongRow(document, one, { told, isFree }) ?? [])]
}

const wrongRow = (
  document: Document,
  given: KeptVersion,
  { isFree, told }: { readonly isFree: (version: number) => boolean; readonly told: Told }
): Wrong | undefined => {
  const { version } = given
  const one = isPossible(given) ? given : possibleVersion(given, told)
  const differs = (message: string, mended: KeptVersion | null): Wrong => ({
    code: "versions_differ",
    message,
    mended,
    version
  })
  if (version < 1 || version > document.version) {
    const number = numberOf(one, told, isFree)
    return differs(
      `there never was a version ${version}`,
      number === null
        ? null
        : { ...one, version: number, verification: number === document.version ? null : one.verification }
    )
  }
  if (version < document.version && one.verification === null)
    return differs(`version ${version} counts as the present one`, { ...one, verification: "unverified" })
  if (version < document.version)
    return one === given ? undefined : differs(`version ${version} says what cannot be`, one)
  const { contentHash, sizeBytes } = document
  return one.verification !== null || one.contentHash !== contentHash
    ? differs(`version ${version} is not the text that the document has`, {
        ...one,
        contentHash,
        sizeBytes,
        verification: null
      })
    : one === given
      ? undefined
      : differs(`version ${version} says what cannot be`, one)
}

const checkDocument = (examiner: VersionExaminer, seen: Document, trailHolds: boolean) =>
  atomically(
    Effect.gen(function* () {
      const [store, inspection, { workspace }] = [
        yield* DocumentStore,
        yield* VersionInspection,
        yield* Caller
      ]
      const document = Option.getOrNull(yield* store.find(workspace, seen.id))
      // What has changed since is a write in flight, and another look's business.
      if (document === null || document.seq !== seen.seq) return
      const versions = yield* inspection.versions(workspace, [document.id])
      const found = wrongOf(document, versions, { told: yield* eventsOf(document.id), trailHolds })
      for (const { code, message } of found) yield* examiner.tell(code, { subject: document.path, message })
      const wrong = found.filter(({ stays }) => stays !== true)
      if (!examiner.repair || wrong.length === 0) return
      for (const { code, mended, version } of wrong) {
        if (mended !== null) yield* inspection.put(workspace, mended)
        if (code === "versions_differ" && mended?.version !== version)
          yield* inspection.remove(workspace, document.id, version)
      }
      // Where the row is there by now this does nothing.
      yield* inspection.note(workspace, document.id)
      const problems = [...new Set(wrong.map(({ code }) => code))]
      yield* repaired(document.id, { path: document.path, problems })
    })
  )
