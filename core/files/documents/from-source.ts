import * as Effect from "effect/Effect"
import * as Option from "effect/Option"
import {
  atomically,
  Caller,
  type Conflict,
  type DocumentId,
  NotFound,
  now,
  traced,
  VaultUnavailable
} from "../../platform/kernel/index.js"
import { type Change, changeTo, commitChanges } from "./commit.js"
import { liveDocument, publishChange, syncBeforeWrite, unsyncableChange } from "./file-write.js"
import { create, decide } from "./machine.js"
import type { Document, SourceMetadata } from "./model.js"
import type { ParsedFile } from "./parse-file.js"
import { DocumentStore } from "./store.js"
import { noPreviousFile, read, refuseTakenPath } from "./write-checks.js"

/** A text that a connector brings, with what its source says about it. */
export interface SourcedText {
  readonly path: string
  readonly text: string
  readonly source: SourceMetadata
}

/** Work in the unit of a write, such as the state of the connector's item; its failure undoes the write. */
type Alongside = Effect.Effect<void, Conflict>

const readSourced = ({ path, source, text }: SourcedText) =>
  read(path, new TextEncoder().encode(text), { source })

const sourced = (change: Change, alongside: Alongside): Change => ({
  ...change,
  origin: "connector",
  details: { by: "connector" },
  alongside
})

/** Creates a document with this id. Conflict when the path is taken by a document or a file. */
export const createFromSource = traced("documents.createFromSource")(function* (
  id: DocumentId,
  given: SourcedText,
  alongside: Alongside
) {
  yield* refuseTakenPath(given.path)
  const reading = yield* readSourced(given)
  const after = create({ id, path: given.path, content: reading.content, at: yield* now })
  const change = sourced(changeTo(null, after, reading, "document.create"), alongside)
  yield* publishChange(change, reading.bytes, noPreviousFile)
})

/** A live document whose file is indexed as it is now, and whether the file is there. */
export interface CurrentDocument {
  readonly document: Document
  readonly file: "same" | "missing"
}

/** Indexes changes of the file from outside and returns the document; none when it is not live. */
export const currentDocument = traced("documents.current")(function* (id: DocumentId) {
  const [store, { workspace }] = [yield* DocumentStore, yield* Caller]
  const found = Option.getOrNull(yield* store.find(workspace, id))
  if (found === null || found.deletedAt !== null) return Option.none<CurrentDocument>()
  const file = yield* syncBeforeWrite(id)
  if (file instanceof VaultUnavailable) return yield* file
  if (file === "changed") return yield* unsyncableChange(id)
  return Option.some<CurrentDocument>({ document: yield* liveDocument(id), file })
})

/** Replaces text and metadata; the path stays. An equal text makes no new version. */
export const replaceFromSource = traced("documents.replaceFromSource")(function* (
  { document: before, file }: CurrentDocument,
  given: Omit<SourcedText, "path">,
  alongside: Alongside
) {
  const reading = yield* readSourced({ ...given, path: before.path })
  const after = yield* decided(before, { _tag: "ReplaceContent", content: reading.content }, yield* now)
  if (after !== before) {
    const change = sourced(changeTo(before, after, reading, "document.replace"), alongside)
    const expects = file === "missing" ? noPreviousFile : before.contentHash
    return yield* publishChange(change, reading.bytes, expects)
  }
  const { workspace } = yield* Caller
  const described: Document = { ...before, title: reading.content.title, source: given.source }
  const change = sourced(changeTo(before, described, null, "document.describe"), alongside)
  yield* atomically(commitChanges(workspace, [change]))
})

/** Restores a document from the trash with a new text, at this path. */
export const restoreFromSource = traced("documents.restoreFromSource")(function* (
  before: Document,
  given: SourcedText,
  alongside: Alongside
) {
  yield* refuseTakenPath(given.path)
  const reading: ParsedFile = yield* readSourced(given)
  const command = { _tag: "Restore", path: given.path, content: reading.content } as const
  const after = yield* decided(before, command, yield* now)
  const change = sourced(changeTo(before, after, reading, "document.restore"), alongside)
  yield* publishChange(change, reading.bytes, noPreviousFile)
})

const decided = (...[before, command, at]: Parameters<typeof decide>) =>
  Effect.mapError(decide(before, command, at), () => new NotFound({ what: "document" }))
