import * as Effect from "effect/Effect"
import * as Option from "effect/Option"
import {
  type Chunk,
  ChunkIndex,
  type Document,
  DocumentStore,
  documentsChanged,
  fileBytesMax,
  type ParsedFile,
  passagesOf,
  readContent,
  Vault
} from "../../files/documents/index.js"
import { pathKey } from "../../files/markdown/index.js"
import { AccessStore } from "../../platform/access/index.js"
import { record } from "../../platform/audit/index.js"
import { announce } from "../../platform/jobs/index.js"
import {
  atomically,
  Caller,
  Ids,
  type Inspector,
  inspectCount,
  nameNorm,
  restoreAdvice,
  traced
} from "../../platform/kernel/index.js"
import { WorkspaceStore } from "../../platform/workspace/index.js"

/** Kinds of findings about documents and their derived rows. */
export const documentFindings = {
  content_lost: "difference",
  counter_behind: "difference",
  document_differs: "difference",
  orphan_rows: "difference",
  passages_differ: "difference",
  readers_differ: "difference",
  rule_unused: "remark",
  trash_empty: "remark"
} as const

type DocumentInspector = Inspector<keyof typeof documentFindings>

const documentsPerPage = 64

/**
 * Compares the stored text of each document with its hash, and title, front matter, filing and passages with what the
 * text gives. A rebuild derives them again, and copies a lost text from the file. Returns the number of documents and
 * passages.
 */
export const inspectDocuments = traced("documents.inspect")(function* (inspector: DocumentInspector) {
  const [inspection, store, { workspace }] = [
    (yield* DocumentStore).inspection,
    yield* DocumentStore,
    yield* Caller
  ]
  yield* inspectCount(inspector, "counter_behind", {
    count: inspection.raiseCounters(workspace, { dryRun: true }),
    message: "A counter stands below numbers that are in use.",
    rebuild: Effect.zipRight(
      inspection.raiseCounters(workspace, { dryRun: false }),
      record([{ action: "counters.repair", subjectId: workspace }])
    )
  })
  yield* inspectReaders(inspector)
  const { documents: total } = yield* store.counts(workspace)
  let [documents, passages, after] = [0, 0, ""]
  for (;;) {
    const page = yield* inspection.documentsAfter(workspace, after, documentsPerPage)
    for (const document of page) passages += yield* inspectDocument(inspector, document)
    documents += page.length
    yield* inspector.progress(documents, Math.max(total, documents))
    const last = page.at(-1)
    if (last === undefined || last.id === after) break
    after = last.id
    yield* Effect.sleep(0)
  }
  return { documents, passages }
})

/** Compares the readers of documents with what their lists and the rules give, and names rules that match nothing. */
const inspectReaders = (inspector: DocumentInspector) =>
  Effect.gen(function* () {
    const [access, workspaces, { workspace }] = [yield* AccessStore, yield* WorkspaceStore, yield* Caller]
    const { folders } = (yield* workspaces.get(workspace)).settings.access
    for (const id of yield* access.differing(workspace, folders))
      yield* inspector.report("readers_differ", {
        subject: id,
        message: "Other callers may read the document than its list and the rules of folders say."
      })
    if (inspector.rebuild) yield* atomically(access.applyFolders(workspace, folders))
    for (const path of yield* access.unused(workspace, folders))
      yield* inspector.report("rule_unused", {
        subject: path,
        message: "A rule of settings.access.folders matches no document, or a longer one matches them all."
      })
  })

interface Problem {
  readonly code: keyof typeof documentFindings
  readonly message: string
  readonly count?: number
  /** Whether a rebuild cannot correct it. */
  readonly remains?: true
}

/** The problems of one document at one moment. */
interface Diagnosis {
  readonly problems: ReadonlyArray<Problem>
  readonly reading: ParsedFile | null
  /** The bytes to store in place of damaged ones. */
  readonly bytes: Uint8Array | null
  readonly chunks: ReadonlyArray<Chunk>
}

/** Returns the number of passages of the document. */
const inspectDocument = (inspector: DocumentInspector, document: Document) =>
  Effect.gen(function* () {
    const first = yield* diagnose(document, null)
    if (first.problems.length === 0) return first.chunks.length
    const fileBytes = yield* bytesOfFile(document)
    yield* atomically(
      Effect.gen(function* () {
        const [store, { workspace }] = [yield* DocumentStore, yield* Caller]
        const present = Option.getOrNull(yield* store.find(workspace, document.id))
        // The document has changed since: a write was in progress.
        if (present === null || present.seq !== document.seq) return
        const diagnosis = yield* diagnose(present, fileBytes)
        for (const { code, remains: _, ...detail } of diagnosis.problems)
          yield* inspector.report(code, { subject: document.path, ...detail })
        const problems = diagnosis.problems.filter(({ remains }) => remains !== true)
        if (inspector.rebuild && problems.length > 0)
          yield* rebuildDocument(present, { ...diagnosis, problems })
      })
      // Another document has its path: the problem stays reported, and the inspection continues.
    ).pipe(Effect.catchTag("Conflict", () => Effect.void))
    return first.chunks.length
  })

/** Returns the bytes of the file, live or in the trash, if they have the hash of the document; null otherwise. */
const bytesOfFile = ({ contentHash, deletedAt, id, path }: Document) =>
  Effect.gen(function* () {
    const [vault, ids] = [yield* Vault, yield* Ids]
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

/** Calls only stores, because it may run in a transaction. */
const diagnose = (document: Document, fileBytes: Uint8Array | null) =>
  Effect.gen(function* () {
    const [inspection, store, ids, { workspace }] = [
      (yield* DocumentStore).inspection,
      yield* DocumentStore,
      yield* Ids,
      yield* Caller
    ]
    const problems: Array<Problem> = []
    const kept = yield* inspection.content(workspace, document.id)
    const isSound = kept !== null && Option.isSome(kept) && ids.sha256(kept.value) === document.contentHash
    const bytes = isSound ? kept.value : fileBytes
    if (!isSound) problems.push(lostContent(document, fileBytes))
    const chunks = document.deletedAt === null ? yield* store.chunks(workspace, document.id) : []
    const reading = bytes === null || document.deletedAt !== null ? null : yield* parseAgain(document, bytes)
    if (reading !== null) {
      const { frontMatter, title } = reading.content
      const filing = Option.getOrNull(yield* inspection.filing(workspace, document.id))
      if (
        document.title !== title ||
        JSON.stringify(document.frontMatter) !== JSON.stringify(frontMatter) ||
        filing?.pathKey !== pathKey(document.path) ||
        filing.tags.join("\n") !== tagsOf(document)
      )
        problems.push({
          code: "document_differs",
          message: "Title, front matter, tags or path key of the row differ from the text."
        })
      const wrong = differing(chunks, passagesOf(ids, document.id, reading.passages))
      if (wrong > 0)
        problems.push({
          code: "passages_differ",
          message: "The passages are not those that the text gives.",
          count: wrong
        })
    }
    return { problems, reading, bytes: isSound ? null : fileBytes, chunks } satisfies Diagnosis
  })

const lostContent = ({ deletedAt, id }: Document, fileBytes: Uint8Array | null): Problem => {
  const row = `document_content ${id}`
  if (fileBytes !== null)
    return { code: "content_lost", message: `The kept text (${row}) is missing or does not match its hash.` }
  return deletedAt === null
    ? {
        code: "content_lost",
        remains: true,
        message: `The kept text (${row}) is missing or does not match its hash, and no file has it. ${restoreAdvice}`
      }
    : {
        code: "trash_empty",
        remains: true,
        message: `The text of the deleted document (${row}) is missing: it cannot be restored, and exports carry it without a text.`
      }
}

const tagsOf = ({ frontMatter }: Document): string =>
  [...new Set(frontMatter.tags.map(nameNorm))]
    .filter((tag) => tag !== "")
    .sort()
    .join("\n")

const parseAgain = (document: Document, bytes: Uint8Array) =>
  Effect.gen(function* () {
    const { settings } = yield* (yield* WorkspaceStore).get((yield* Caller).workspace)
    return yield* readContent(document.path, bytes, document, settings.chunking, document)
  }).pipe(Effect.orElseSucceed(() => null))

const passageKey = ({
  documentId,
  end,
  headingPath,
  id,
  ordinal,
  page,
  start,
  text
}: Omit<Chunk, "label">): string =>
  JSON.stringify([id, documentId, ordinal, headingPath, text, start, end, page])

/** Returns stored passages that the text does not give, and duplicates of those that it gives. */
const surplus = (stored: ReadonlyArray<Chunk>, expected: ReadonlySet<string>): ReadonlyArray<Chunk> => {
  const seen = new Set<string>()
  return stored.filter((chunk) => {
    const key = passageKey(chunk)
    if (!expected.has(key) || seen.has(key)) return true
    seen.add(key)
    return false
  })
}

/** Returns the number of surplus or missing passages, whichever is larger. */
const differing = (stored: ReadonlyArray<Chunk>, expected: ReadonlyArray<Omit<Chunk, "label">>): number => {
  const [have, want] = [new Set(stored.map(passageKey)), new Set(expected.map(passageKey))]
  return Math.max(
    surplus(stored, want).length,
    expected.filter((chunk) => !have.has(passageKey(chunk))).length
  )
}

/** Writes derived columns, filing and passages again. The document changes, so vectors and graph follow it. */
const rebuildDocument = (document: Document, { bytes, problems, reading }: Diagnosis) =>
  Effect.gen(function* () {
    const [inspection, store, { workspace }] = [
      (yield* DocumentStore).inspection,
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
    if (bytes !== null) yield* store.keepContent(workspace, [{ id: document.id, bytes }])
    if (reading === null) return
    const { frontMatter, title } = reading.content
    const after = { ...document, title, frontMatter }
    yield* inspection.refile(workspace, after)
    yield* store.save(workspace, [{ before: document, after }])
    yield* rebuildPassages(after, reading, document.title !== title)
    yield* announce(documentsChanged, {})
  })

const rebuildPassages = (document: Document, reading: ParsedFile, isRetitled: boolean) =>
  Effect.gen(function* () {
    const [inspection, store, ids, { workspace }] = [
      (yield* DocumentStore).inspection,
      yield* DocumentStore,
      yield* Ids,
      yield* Caller
    ]
    const expected = passagesOf(ids, document.id, reading.passages)
    const stored = yield* store.chunks(workspace, document.id)
    const keepable = new Set(isRetitled ? [] : expected.map(passageKey))
    const kept = new Set(stored.map(passageKey).filter((key) => keepable.has(key)))
    const missing = expected.filter((chunk) => !kept.has(passageKey(chunk)))
    // Ids are unique: a row of another document with one of them is removed first.
    const conflicting = yield* inspection.passagesOfIds(
      workspace,
      missing.map(({ id }) => id)
    )
    const wrong = surplus(stored, keepable)
    const removed = [...new Map([...wrong, ...conflicting].map((chunk) => [chunk.label, chunk])).values()]
    if (missing.length + removed.length === 0) return
    const label = missing.length === 0 ? 0 : yield* store.takeLabels(workspace, missing.length)
    const added = missing.map((chunk, place) => ({ ...chunk, label: label + place }))
    yield* store.changeChunks(workspace, { removed, added, kept: [] })
    yield* (yield* ChunkIndex).change(workspace, {
      removed: removed.map((chunk) => chunk.label),
      added: added.map((chunk) => ({ chunk, title: document.title }))
    })
  })
