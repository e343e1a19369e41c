import * as Context from "effect/Context"
import * as Effect from "effect/Effect"

/**
 * The crash points, each with what has been done and what has not. Tests stop the process at each of them; nothing
 * else uses them. `npm run crash-points` prints them.
 */
export const crashPoints = {
  "open.migration.insideTransaction": "A migration has changed tables; nothing is committed.",
  "open.afterMigrations": "The tables are as this version wants them; there is no workspace yet.",
  "open.afterWorkspace": "The workspace is there; what the last run left is not mended yet.",

  "vault.stage.beforeSync": "A temporary file is written, but not synced.",
  "vault.rename.beforeFolderSync": "A file was renamed; its folder is not synced.",

  "document.write.beforeStage": "A change of a document is decided; nothing is written.",
  "document.write.afterStage": "The temporary file is written and being synced; nothing is committed.",
  "document.write.insideTransaction": "Row, passages, postings and audit are written; nothing is committed.",
  "document.write.afterTransaction": "The change and what it owes are committed; the old file is in place.",
  "document.write.beforeIntentDone": "The new file is in place; the intent is open.",
  "document.write.afterIntentDone": "All is done; the caller does not know, and the intent may be open.",
  "document.move.insideTransaction": "The row has its new path; nothing is committed.",
  "document.move.afterTransaction": "The new path is committed; the file is at the old one.",
  "document.move.beforeIntentDone": "The file has moved; the intent is open.",
  "document.move.afterIntentDone": "The move is done; the caller does not know, and the intent may be open.",
  "document.relink.afterStage": "Texts whose links a move changes are staged; nothing is committed.",
  "document.relink.insideTransaction":
    "A move and the texts that it changes are written; nothing is committed.",
  "document.relink.afterTransaction":
    "A move and the texts that it changes are committed; no file is touched.",
  "document.relink.afterFile": "One file of a move that changes texts is in its place; others may be owed.",
  "document.relink.beforeIntentsDone":
    "All files of a move that changes texts are in place; it is not noted.",
  "document.trash.insideTransaction": "The row is deleted and its passages are gone; nothing is committed.",
  "document.trash.afterTransaction": "The deletion is committed; the file is in place.",
  "document.trash.beforeIntentDone": "The file is in the trash; the intent is open.",
  "document.trash.afterIntentDone":
    "The deletion is done; the caller does not know, and the intent may be open.",
  "document.notes.insideTransaction": "It is written which file operations are done; nothing is committed.",
  "document.restore.beforeTrashDropped":
    "The file is back in its place; a copy is in the trash, the intent is open.",
  "document.verify.insideTransaction": "A document is verified and audited; nothing is committed.",
  "document.verify.afterTransaction": "A verification is committed; the caller does not know.",
  "document.putBack.afterStage": "A lost file is about to be written anew; only its temporary file is there.",

  "sync.commit.insideTransaction": "A batch of files was taken in; nothing is committed.",
  "sync.commit.afterTransaction": "A batch of files is committed; the rest is to come.",
  "sync.beforeAnnouncement": "All files are taken in; those who follow documents are not called yet.",
  "reconcile.intent.afterFile": "A start-up has finished a file operation; the intent is open.",
  "reconcile.intent.afterDone": "A start-up has closed one intent; others may be open.",
  "reconcile.stray.afterRemoval": "A start-up has removed a temporary file; others may be left.",

  "import.insideTransaction": "All records of an export are written; nothing is committed.",
  "import.afterTransaction": "All records of an export are committed; no file is written.",
  "import.afterFiles": "Records and files of an export are there; the text index is not made.",
  "owed.file.afterPublish": "A file that an import owes is in its place; its intent is open.",
  "owed.files.afterUnit": "Some files that an import owes are in their places; others are still to come.",

  "segment.add.insideTransaction": "A segment of the text index is written; nothing is committed.",
  "segment.remove.insideTransaction": "Passages are marked as removed in a segment; nothing is committed.",
  "segment.merge.beforeReplace": "A merged segment is made; the old ones still stand.",
  "segment.merge.afterReplace": "A merged segment took the place of others; more may be due.",
  "segment.rebuild.insideTransaction": "The text index is made anew; nothing is committed.",

  "vector.rows.insideTransaction":
    "Vectors of a batch are written, the cursor is not moved; nothing is committed.",
  "vector.rows.afterTransaction": "Vectors and cursor of a batch are committed; the rest is to come.",
  "vector.cursor.afterMove": "The cursor is behind a page of documents; more may follow.",
  "vector.fill.afterBatch": "A new model has some of its vectors; searches use the old one.",
  "vector.model.afterBegin": "A new model is noted; it has no vectors.",
  "vector.model.beforeActivate": "A new model is complete; searches use the old one.",
  "vector.model.afterActivate": "A new model answers; the index of the old one is on disk.",
  "vector.sweep.afterBatch": "Some vectors of a dropped model are freed.",
  "hnsw.file.beforeRename": "One file of the vector index is written beside its place.",
  "hnsw.file.afterRename":
    "One file of the vector index is in its place; those that belong to it may not be.",

  "job.enqueue.insideTransaction": "A job is written; nothing is committed.",
  "job.claim.afterTransaction": "Jobs are taken; none has begun.",
  "job.work.afterWork": "The work of a job is done; the queue does not know.",
  "job.end.afterTransaction": "The queue knows that a job has ended.",
  "job.sweep.afterTransaction": "Jobs of a process that is gone are back in the queue.",

  "extraction.unit.insideTransaction": "A unit of extraction has written; nothing is committed.",
  "extraction.read.afterUnit": "Some documents are read; their names are not decided.",
  "extraction.links.afterUnit": "Links of some documents are followed.",
  "extraction.names.afterUnit": "Some names are decided; the documents that hold them are not drawn anew.",
  "extraction.entities.afterUnit": "Some changes of entities are taken in.",
  "extraction.draw.afterUnit": "Mentions and relations of some documents are drawn.",
  "rank.write.insideTransaction": "Ranks are written; nothing is committed.",
  "rank.write.afterUnit": "Some ranks are committed.",

  "answer.keep.insideTransaction": "An answer is written with what it cites; nothing is committed.",

  "run.start.insideTransaction": "A run is queued with its job; nothing is committed.",
  "run.claim.afterTransaction": "A worker has taken a run; nothing of it is done.",
  "run.step.insideTransaction": "A step of a run is journalled; nothing is committed.",
  "run.step.afterTransaction": "A step of a run is journalled; the worker has not gone on.",
  "run.call.afterWork": "A tool of a run has done its work; the journal does not know.",
  "run.model.afterReply": "A model has replied to a run; the journal does not know.",
  "run.decide.insideTransaction": "A waiting call is decided; nothing is committed.",
  "run.end.insideTransaction": "The end of a run is written; nothing is committed.",

  "entity.commit.insideTransaction": "An entity and its revision are written, its audit event is not.",
  "entity.write.afterTransaction": "An entity is committed; the caller does not know.",
  "entity.remove.insideTransaction": "An entity is deleted, its edges are not; nothing is committed.",
  "entity.remove.afterTransaction": "An entity's deletion is committed; the caller does not know.",
  "entity.merge.insideTransaction":
    "Two entities are merged, what hangs on them is not; nothing is committed.",
  "entity.curate.afterTransaction": "A verb of curation is committed; the caller does not know.",
  "entity.merge.afterTransaction": "A merge is committed; the caller does not know.",
  "request.insideTransaction": "A change request is stored or applied; nothing is committed.",
  "request.afterTransaction": "A change request is committed; the caller does not know.",
  "vocabulary.unit.insideTransaction":
    "A unit of an import of a vocabulary is written, and how far it came; nothing is committed.",
  "vocabulary.unit.afterTransaction":
    "A unit of an import of a vocabulary is committed; the rest is to come.",
  "relation.write.insideTransaction": "A relation is written, its audit event is not.",
  "relation.write.afterTransaction": "A relation is committed; the caller does not know.",
  "relation.remove.insideTransaction": "A relation is deleted, its audit event is not written.",
  "relation.remove.afterTransaction": "A relation's deletion is committed; the caller does not know."
} as const

/** Name of a place where a test may kill the process; `crashPoints` describes each. */
export type CrashPointName = keyof typeof crashPoints

/** Called at each crash point. Does nothing unless a host adapter replaces it. */
export class CrashPoints extends Context.Reference<CrashPoints>()("kanon/CrashPoints", {
  defaultValue: (): ((name: CrashPointName) => void) => () => undefined
}) {}

/** Marks a crash point. Costs one context lookup: some tenths of a microsecond. */
export const crashPoint = (name: CrashPointName): Effect.Effect<void> =>
  Effect.map(CrashPoints, (visit) => visit(name))
