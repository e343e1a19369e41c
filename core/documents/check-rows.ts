import * as Effect from "effect/Effect"
import * as Option from "effect/Option"
import { eventsOf, record } from "../audit/index.js"
import { announce } from "../jobs/index.js"
import { atomically, Caller, Ids, nameNorm, numberMax, traced } from "../kernel/index.js"
import { pathKey } from "../markdown/index.js"
import { WorkspaceStore } from "../workspace/index.js"
import type { RowExaminer } from "./check-orphans.js"
import { checkTexts } from "./check-texts.js"
import { checkVersions } from "./check-versions.js"
import { documentsChanged, passagesOf } from "./commit.js"
import { wrongStanding } from "./expected-from-audit.js"
import { DocumentInspection } from "./inspection.js"
import type { Chunk, Document } from "./model.js"
import { fileBytesMax, type ParsedFile, readContent } from "./parse-file.js"
import { ChunkIndex, DocumentStore, Vault } from "./store.js"

/** Documents looked at in one go. */
const documentsPerPage = 64

/**
 * Compares each document's row, kept bytes, filing and passages with what its text gives. Gives how many documents
 * and passages were compared.
 *
 * @param trailHolds Whether the chain of the trail is whole; by a broken one no document loses or gains its standing.
 */
export const checkRows = traced("documents.checkRows")(function* (
  examiner: RowExaminer,
  { trailHolds }: { readonly trailHolds: boolean }
) {
  const [inspection, store, { workspace }] = [yield* DocumentInspection, yield* DocumentStore, yield* Caller]
  yield* checkCounters(examiner)
  const { documents: total } = yield* store.counts(workspace)
  let [documents, passages, after] = [0, 0, ""]
  for (;;) {
    const page = yield* inspection.documentsAfter(workspace, after, documentsPerPage)
    for (const document of page) passages += yield* checkDocument(examiner, document, trailHolds)
    documents += page.length
    yield* examiner.progress(documents, Math.max(total, documents))
    const last = page.at(-1)
    if (last === undefined || last.id === after) break
    after = last.id
    yield* Effect.sleep(0)
  }
  yield* checkVersions(examiner, { trailHolds })
  yield* checkTexts(examiner)
  return { documents, passages }
})

const checkCounters = (examiner: RowExaminer) =>
  Effect.gen(function* () {
    const [inspection, { workspace }] = [yield* DocumentInspection, yield* Caller]
    const look = { dryRun: true }
    const placed = yield* inspection.placeAgain(workspace, look)
    if (placed + (yield* inspection.raiseCounters(workspace, look)) === 0) return
    yield* atomically(
      Effect.gen(function* () {
        const how = { dryRun: !examiner.repair }
        const astray = yield* inspection.placeAgain(workspace, how)
        if (astray > 0)
          yield* examiner.tell("place_impossible", {
            subject: "",
            message: "documents or entities stand at no place, or at that of another, in the feed of changes",
            count: astray
          })
        const count = yield* inspection.raiseCounters(workspace, how)
        if (count > 0)
          yield* examiner.tell("counter_behind", {
            subject: "",
            message: "a counter stands below numbers that it has handed out, or where none can stand",
            count
          })
        if (examiner.repair && astray + count > 0)
          yield* record([{ action: "counters.repair", subjectId: workspace }])
      })
    )
  })

type Code = Parameters<RowExaminer["tell"]>[0]

interface Problem {
  readonly code: Code
  readonly message: string
  readonly count?: number
  /** Whether a repair leaves it as it is. */
  readonly stays?: true
}

/** What is wrong with one document, as of one moment. */
interface Diagnosis {
  readonly problems: ReadonlyArray<Problem>
  readonly reading: ParsedFile | null
  /** What the trail tells of it where its row says something else, if that is to be believed. */
  readonly standing: Partial<Document>
  /** The bytes to keep in place of damaged ones. */
  readonly bytes: Uint8Array | null
  readonly chunks: ReadonlyArray<Chunk>
}

/** Gives how many passages the document has. */
const checkDocument = (examiner: RowExaminer, document: Document, trailHolds: boolean) =>
  Effect.gen(function* () {
    const seen = yield* diagnose(document, null, trailHolds)
    if (seen.problems.length === 0) return seen.chunks.length
    const spare = yield* spareBytes(document)
    yield* atomically(
      Effect.gen(function* () {
        const [store, { workspace }] = [yield* DocumentStore, yield* Caller]
        // What has changed since is a write in flight, and another look's business.
        const present = Option.getOrNull(yield* store.find(workspace, document.id))
        if (present === null || present.seq !== document.seq) return
        const diagnosis = yield* diagnose(present, spare, trailHolds)
        for (const { code, stays: _, ...symptom } of diagnosis.problems)
          yield* examiner.tell(code, { subject: document.path, ...symptom })
        const problems = diagnosis.problems.filter(({ stays }) => stays !== true)
        if (examiner.repair && problems.length > 0) yield* mend(present, { ...diagnosis, problems })
      })
      // Where another rightly has its place it stays told, as it was; all others are looked at.
    ).pipe(Effect.catchTag("Conflict", () => Effect.void))
    return seen.chunks.length
  })

/** Bytes from the vault that are the document's by their hash, where the kept ones are not; null otherwise. */
const spareBytes = ({ contentHash, deletedAt, id, path }: Document) =>
  Effect.gen(function* () {
    const [inspection, vault, ids, { workspace }] = [
      yield* DocumentInspection,
      yield* Vault,
      yield* Ids,
      yield* Caller
    ]
    const kept = yield* inspection.content(workspace, id)
    if (kept !== null && Option.isSome(kept) && ids.sha256(kept.value) === contentHash) return null
    const file = yield* (
      deletedAt === null
        ? Effect.map(
            vault.read(path, fileBytesMax(path)),
            Option.map(({ bytes }) => bytes)
          )
        : vault.readTrash(id)
    ).pipe(Effect.orElseSucceed(() => Option.none<Uint8Array>()))
    return Option.getOrNull(Option.filter(file, (bytes) => ids.sha256(bytes) === contentHash))
  })

/** Asks stores alone, so that it may run in a unit of work. */
const diagnose = (document: Document, spare: Uint8Array | null, trailHolds: boolean) =>
  Effect.gen(function* () {
    const [inspection, store, ids, { workspace }] = [
      yield* DocumentInspection,
      yield* DocumentStore,
      yield* Ids,
      yield* Caller
    ]
    const problems: Array<Problem> = []
    const kept = yield* inspection.content(workspace, document.id)
    const sound = kept !== null && Option.isSome(kept) && ids.sha256(kept.value) === document.contentHash
    const bytes = sound ? kept.value : spare
    if (!sound) problems.push(lostContent(document, spare))
    if (!(yield* inspection.isAudited(workspace, document.id)))
      problems.push({ code: "document_unaudited", message: "nothing in the trail tells of the document" })
    const told = wrongStanding(document, yield* eventsOf(document.id))
    const standing = trailHolds ? told : {}
    const fields = Object.keys(told)
    if (fields.length > 0) problems.push(otherThanTold(fields, trailHolds))
    const chunks = document.deletedAt === null ? yield* store.chunks(workspace, document.id) : []
    const reading = bytes === null || document.deletedAt !== null ? null : yield* readAgain(document, bytes)
    if (reading !== null) {
      const { frontMatter, title } = reading.content
      const filing = Option.getOrNull(yield* inspection.filing(workspace, document.id))
      if (
        document.title !== title ||
        JSON.stringify(document.frontMatter) !== JSON.stringify(frontMatter) ||
        filing?.pathKey !== pathKey(document.path) ||
        filing.tags.join("\n") !== tagsOf(document)
      )
        problems.push({ code: "document_differs", message: "its row says something else than its text" })
      const wrong = differing(chunks, passagesOf(ids, document.id, reading.passages))
      if (wrong > 0)
        problems.push({
          code: "passages_differ",
          message: "its passages are not those of its text",
          count: wrong
        })
    }
    return { problems, reading, standing, bytes: sound ? null : spare, chunks } satisfies Diagnosis
  })

const otherThanTold = (fields: ReadonlyArray<string>, trailHolds: boolean): Problem => {
  const [code, message] = [
    "document_differs",
    `its row says something else than the trail: ${fields.join(", ")}`
  ] as const
  if (trailHolds) return { code, message }
  return { code, message: `${message}; the trail is broken, so a repair leaves it as it is`, stays: true }
}

const lostContent = ({ deletedAt }: Document, spare: Uint8Array | null): Problem =>
  deletedAt !== null && spare === null
    ? {
        code: "trash_empty",
        stays: true,
        message:
          "it is in the trash and cannot be brought back: its text is gone, and exports carry it without"
      }
    : { code: "content_lost", message: "the kept copy of its text is missing or damaged" }

const tagsOf = ({ frontMatter }: Document): string =>
  [...new Set(frontMatter.tags.map(nameNorm))]
    .filter((tag) => tag !== "")
    .sort()
    .join("\n")

const readAgain = (document: Document, bytes: Uint8Array) =>
  Effect.gen(function* () {
    const { settings } = yield* (yield* WorkspaceStore).get((yield* Caller).workspace)
    return yield* readContent(document.path, bytes, document, settings.chunking, document)
  }).pipe(Effect.orElseSucceed(() => null))

type Unlabelled = Omit<Chunk, "label">

const bare = ({ documentId, end, headingPath, id, ordinal, page, start, text }: Unlabelled): string =>
  JSON.stringify([id, documentId, ordinal, headingPath, text, start, end, page])

/** One under a number that no passage can have is none of those that a text gives. */
const stored = (chunk: Chunk): string =>
  chunk.label >= 1 && chunk.label <= numberMax ? bare(chunk) : `${chunk.label} ${chunk.id}`

/** Passages that a text does not give, and all but the first of those that are there twice. */
const surplus = (there: ReadonlyArray<Chunk>, right: ReadonlySet<string>): ReadonlyArray<Chunk> => {
  const held = new Set<string>()
  return there.filter((chunk) => {
    const text = stored(chunk)
    if (!right.has(text) || held.has(text)) return true
    held.add(text)
    return false
  })
}

/** How many passages there are too many, or too few where that is more. */
const differing = (there: ReadonlyArray<Chunk>, wanted: ReadonlyArray<Unlabelled>): number => {
  const [have, want] = [new Set(there.map(stored)), new Set(wanted.map(bare))]
  return Math.max(surplus(there, want).length, wanted.filter((chunk) => !have.has(bare(chunk))).length)
}

/**
 * Writes row, filing, kept bytes and passages as the text gives them. The document gets a new place in the feed, so
 * that vectors and graph look at it again.
 */
const mend = (document: Document, { bytes, problems, reading, standing }: Diagnosis) =>
  Effect.gen(function* () {
    const [inspection, store, { workspace }] = [
      yield* DocumentInspection,
      yield* DocumentStore,
      yield* Caller
    ]
    yield* record([
      {
        action: "document.repair",
        subjectId: document.id,
        details: { path: document.path, problems: problems.map(({ code }) => code) }
      }
    ])
    // Of two that stand under each other's path the first is mended before the second.
    if (document.deletedAt === null) yield* inspection.freePath(workspace, document)
    if (bytes !== null) yield* store.keepContent(workspace, [{ id: document.id, bytes }])
    if (reading === null) {
      if (Object.keys(standing).length > 0)
        yield* store.save(workspace, [{ before: document, after: { ...document, ...standing } }])
      return
    }
    const { frontMatter, title } = reading.content
    const after = { ...document, ...standing, title, frontMatter }
    yield* store.save(workspace, [{ before: document, after }])
    yield* inspection.refile(workspace, after)
    yield* mendPassages(after, reading, document.title !== title)
    yield* announce(documentsChanged, {})
  })

const mendPassages = (document: Document, reading: ParsedFile, renamed: boolean) =>
  Effect.gen(function* () {
    const [inspection, store, ids, { workspace }] = [
      yield* DocumentInspection,
      yield* DocumentStore,
      yield* Ids,
      yield* Caller
    ]
    const wanted = passagesOf(ids, document.id, reading.passages)
    const there = yield* store.chunks(workspace, document.id)
    const right = new Set(renamed ? [] : wanted.map(bare))
    const held = new Set(there.map(stored).filter((text) => right.has(text)))
    const missing = wanted.filter((chunk) => !held.has(bare(chunk)))
    // An id that a row of another document took has to be free first.
    const taken = yield* inspection.passagesOfIds(
      workspace,
      missing.map(({ id }) => id)
    )
    const wrong = surplus(there, right)
    const removed = [...new Map([...wrong, ...taken].map((chunk) => [chunk.label, chunk])).values()]
    if (missing.length + removed.length === 0) return
    const label = missing.length === 0 ? 0 : yield* store.takeLabels(workspace, missing.length)
    const added = missing.map((chunk, place) => ({ ...chunk, label: label + place }))
    yield* store.changeChunks(workspace, { removed, added, kept: [] })
    yield* (yield* ChunkIndex).change(workspace, {
      removed: removed.map((chunk) => chunk.label),
      added: added.map((chunk) => ({ chunk, title: document.title }))
    })
  })
