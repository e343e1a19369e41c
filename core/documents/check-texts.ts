import * as Effect from "effect/Effect"
import * as Option from "effect/Option"
import { atomically, Caller, Ids, traced } from "../kernel/index.js"
import { repaired, type VersionExaminer } from "./check-versions.js"
import { DocumentInspection } from "./inspection.js"
import { bringBack } from "./rescue.js"
import { DocumentStore } from "./store.js"
import { VersionInspection } from "./version-inspection.js"

/** Texts looked at in one go. */
const perPage = 64

/**
 * Compares each text with its hash, and with the versions that have it. One that is damaged or gone is looked for among
 * the present ones, and among those of which no version tells; where it is nowhere, its version is forgotten and the
 * trail says so.
 */
export const checkTexts = traced("documents.checkTexts")(function* (examiner: VersionExaminer) {
  const [inspection, ids, { workspace }] = [yield* VersionInspection, yield* Ids, yield* Caller]
  for (let after = ""; ; ) {
    const page = yield* inspection.texts(workspace, after, perPage)
    const last = page.at(-1)
    // What is no text that could be read and asked for again is never passed.
    if (last === undefined || last.contentHash === after) break
    for (const { bytes, contentHash } of page)
      if (bytes === null || ids.sha256(bytes) !== contentHash) yield* checkText(examiner, contentHash)
      else yield* checkSize(examiner, contentHash, bytes.length)
    after = last.contentHash
    yield* Effect.sleep(0)
  }
  yield* eachOnce(inspection.missingTexts(workspace, perPage), examiner, checkText)
  yield* eachOnce(inspection.unusedTexts(workspace, perPage), examiner, checkUnused)
})

/** Pages of what is wrong: where nothing is mended, the same would be met again. */
const eachOnce = <E, R>(
  page: Effect.Effect<ReadonlyArray<string>>,
  examiner: VersionExaminer,
  check: (examiner: VersionExaminer, contentHash: string) => Effect.Effect<void, E, R>
) =>
  Effect.gen(function* () {
    for (let before = ""; ; ) {
      const found = yield* page
      if (found.length === 0 || found.join() === before) return
      for (const contentHash of found) yield* check(examiner, contentHash)
      if (!examiner.repair) return
      before = found.join()
    }
  })

const checkText = (examiner: VersionExaminer, contentHash: string) =>
  atomically(
    Effect.gen(function* () {
      const [store, inspection, ids, { workspace }] = [
        yield* DocumentStore,
        yield* VersionInspection,
        yield* Ids,
        yield* Caller
      ]
      const there = Option.getOrNull(yield* inspection.text(workspace, contentHash))
      if (there !== null && ids.sha256(there) === contentHash) return
      if (there !== null) yield* refile(examiner, there)
      const versions = yield* inspection.versionsOfText(workspace, contentHash)
      const spare = Option.getOrNull(yield* inspection.spareText(workspace, contentHash))
      const isSpare = spare !== null && ids.sha256(spare) === contentHash
      const near = isSpare || versions.length === 0 ? null : yield* nearText(contentHash)
      for (const { documentId, version } of versions) {
        const path = Option.getOrNull(yield* store.find(workspace, documentId))?.path ?? documentId
        yield* near === null
          ? examiner.tell("version_lost", {
              subject: `version ${version} of ${path}`,
              message: "its text is missing, or not what its hash says"
            })
          : examiner.tell("versions_differ", {
              subject: path,
              message: `version ${version} has another hash than its text`
            })
      }
      if (!examiner.repair) return
      if (isSpare) return yield* inspection.putText(workspace, contentHash, spare)
      yield* inspection.removeText(workspace, contentHash)
      for (const one of versions) {
        const { documentId, version } = one
        if (near !== null) {
          yield* inspection.put(workspace, { ...one, ...near })
          yield* repaired(documentId, { version, ...near })
        } else {
          yield* inspection.remove(workspace, documentId, version)
          yield* repaired(documentId, { removed: "version", of: version, contentHash })
        }
      }
    })
  )

/** A text that lies under the hash of another and that a version lacks comes under its own; a look tells that it is missing. */
const refile = (examiner: VersionExaminer, bytes: Uint8Array) =>
  Effect.gen(function* () {
    const [inspection, ids, { workspace }] = [yield* VersionInspection, yield* Ids, yield* Caller]
    const own = ids.sha256(bytes)
    if (!examiner.repair || Option.isSome(yield* inspection.text(workspace, own))) return
    const [one] = yield* inspection.versionsOfText(workspace, own)
    if (one === undefined) return
    yield* examiner.tell("versions_differ", {
      subject: one.documentId,
      message: `the text of version ${one.version} lies under the hash of another`
    })
    yield* inspection.putText(workspace, own, bytes)
    yield* repaired(one.documentId, { refiled: "text", contentHash: own })
  })

/** Of two hashes not even a quarter is alike by chance: one of which half is was the other before it was damaged. */
const nearText = (contentHash: string) =>
  Effect.gen(function* () {
    const [inspection, ids, { workspace }] = [yield* VersionInspection, yield* Ids, yield* Caller]
    for (const unused of yield* inspection.unusedTexts(workspace, perPage)) {
      const alike = [...unused].filter((digit, place) => digit === contentHash[place]).length
      if (alike * 2 < unused.length) continue
      const bytes = Option.getOrNull(yield* inspection.text(workspace, unused))
      if (bytes !== null && ids.sha256(bytes) === unused)
        return { contentHash: unused, sizeBytes: bytes.length }
    }
    return null
  })

/** Each version that has the text is as long as it. */
const checkSize = (examiner: VersionExaminer, contentHash: string, sizeBytes: number) =>
  Effect.gen(function* () {
    const [inspection, { workspace }] = [yield* VersionInspection, yield* Caller]
    const wrongOnes = Effect.map(inspection.versionsOfText(workspace, contentHash), (versions) =>
      versions.filter((one) => one.sizeBytes !== sizeBytes)
    )
    if ((yield* wrongOnes).length === 0) return
    yield* atomically(
      Effect.gen(function* () {
        const store = yield* DocumentStore
        for (const one of yield* wrongOnes) {
          const document = Option.getOrNull(yield* store.find(workspace, one.documentId))
          yield* examiner.tell("versions_differ", {
            subject: document?.path ?? one.documentId,
            message: `version ${one.version} counts as longer or shorter than its text`
          })
          if (!examiner.repair) continue
          yield* inspection.put(workspace, { ...one, sizeBytes })
          yield* repaired(one.documentId, { version: one.version, sizeBytes })
        }
      })
    )
  })

/** A text of which no version tells comes back as a document in the trash, where nobody else has it. */
const checkUnused = (examiner: VersionExaminer, contentHash: string) =>
  atomically(
    Effect.gen(function* () {
      const [inspection, ids, { workspace }] = [yield* VersionInspection, yield* Ids, yield* Caller]
      const bytes = Option.getOrNull(yield* inspection.text(workspace, contentHash))
      if (bytes === null) return
      if ((yield* inspection.versionsOfText(workspace, contentHash)).length > 0) return
      yield* examiner.tell("orphan_rows", {
        subject: contentHash,
        message: "a text that no version tells of"
      })
      if (!examiner.repair) return
      if (!(yield* (yield* DocumentInspection).isHeld(workspace, contentHash)))
        yield* bringBack(ids.make("document"), bytes)
      yield* inspection.removeText(workspace, contentHash)
      yield* repaired(workspace, { removed: "text", contentHash })
    })
  )
