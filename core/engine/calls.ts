import type { z } from "zod"
import type { Caller, FaultTag, Operation } from "../kernel/index.js"
import { operations } from "../operations.js"
import type { Ports } from "../ports.js"
import type { Wired } from "../wiring.js"
import type { EngineCalls } from "./engine-calls.js"

/** Runs an operation as somebody. */
export type Call = <Input extends z.ZodType, Output extends z.ZodType, Tag extends FaultTag>(
  operation: Operation<string, Input, Output, Tag, Ports | Wired | Caller>,
  input: unknown
) => Promise<z.input<Output>>

/** The operations as calls of the embedded engine. */
export const callsOf = (call: Call): EngineCalls => ({
  documents: {
    list: (input = {}) => call(operations.listDocuments, input),
    get: (id) => call(operations.getDocument, { id }),
    getByPath: (path) => call(operations.getDocumentByPath, { path }),
    create: (input) => call(operations.createDocument, input),
    replace: (id, content) => call(operations.replaceDocument, { id, content }),
    move: (id, path, given = {}) => call(operations.moveDocument, { ...given, id, path }),
    versions: (id, given = {}) => call(operations.listDocumentVersions, { ...given, id }),
    verify: (id, verification) => call(operations.verifyDocument, { id, verification }),
    lineage: (id) => call(operations.getDocumentLineage, { id }),
    remove: (id) => call(operations.deleteDocument, { id }),
    restore: (id, path) => call(operations.restoreDocument, { id, path })
  },
  entities: {
    list: (input = {}) => call(operations.listEntities, input),
    get: (id) => call(operations.getEntity, { id }),
    create: (input) => call(operations.createEntity, input),
    update: (id, change) => call(operations.updateEntity, { ...change, id }),
    remove: (id) => call(operations.deleteEntity, { id }),
    resolve: (name, input = {}) => call(operations.resolveEntities, { ...input, q: name }),
    neighborhood: (id, input = {}) => call(operations.getNeighborhood, { ...input, id }),
    mentions: (id, input = {}) => call(operations.listMentions, { ...input, entityId: id }),
    merge: (id, intoId, note, { dryRun } = {}) => call(operations.mergeEntity, { id, intoId, note, dryRun }),
    certify: (id, note) => call(operations.certifyEntity, { id, note }),
    review: (id) => call(operations.reviewEntity, { id }),
    setAuthority: (id, authority) => call(operations.setAuthority, { id, authority }),
    setOwner: (id, ownerId, stewardIds) => call(operations.setOwner, { id, ownerId, stewardIds }),
    setLifecycle: (id, lifecycleStatus, note) =>
      call(operations.setEntityLifecycle, { id, lifecycleStatus, note }),
    deprecate: (id, given = {}) => call(operations.deprecateEntity, { ...given, id }),
    revisions: (id, limit) => call(operations.listRevisions, { id, limit }),
    restoreRevision: (id, version) => call(operations.restoreRevision, { id, version }),
    duplicates: (input = {}) => call(operations.listDuplicates, input)
  },
  stewardship: (input = {}) => call(operations.listStewardship, input),
  changeRequests: {
    list: async (input = {}) => (await call(operations.listChangeRequests, input)).requests,
    get: (id) => call(operations.getChangeRequest, { id }),
    propose: (input) => call(operations.proposeChange, input),
    approve: (id, note) => call(operations.approveChangeRequest, { id, note }),
    reject: (id, note) => call(operations.rejectChangeRequest, { id, note }),
    withdraw: (id) => call(operations.withdrawChangeRequest, { id })
  },
  relations: {
    list: (input = {}) => call(operations.listRelations, input),
    create: (input) => call(operations.createRelation, input),
    remove: (id) => call(operations.deleteRelation, { id })
  },
  trash: {
    list: (input = {}) => call(operations.listTrash, input),
    restore: (id, path) => call(operations.restoreFromTrash, { id, path })
  },
  jobs: {
    list: (input = {}) => call(operations.listJobs, input),
    start: (kind, documentIds) =>
      call(operations.startJob, {
        kind,
        ...(documentIds === undefined ? { all: true } : { subjectIds: documentIds })
      }),
    retry: (ids) =>
      call(operations.startJob, {
        kind: "retry",
        ...(ids === undefined ? { all: true } : { subjectIds: ids })
      })
  }
})
