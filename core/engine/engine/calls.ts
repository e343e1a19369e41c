import * as Effect from "effect/Effect"
import type * as ManagedRuntime from "effect/ManagedRuntime"
import * as Stream from "effect/Stream"
import type { z } from "zod"
import { clearCache } from "../../answers/answer-cache/index.js"
import {
  conceptOf,
  importReport,
  importSkos,
  type RdfSource,
  SkosImportSettings,
  skosText
} from "../../knowledge/vocabulary/index.js"
import { operations } from "../../operations.js"
import { auditHead, type VerifyAuditOptions, verifyAudit } from "../../platform/audit/index.js"
import {
  asInvalid,
  Caller,
  type CallerShape,
  EntityId,
  type Fault,
  type FaultTag,
  JobId,
  NotFound,
  type Operation,
  refuseUnstorable
} from "../../platform/kernel/index.js"
import type { Ports } from "../../ports.js"
import { type CalibrateOptions, calibrate, type JudgedQuestion } from "../../work/evaluation/index.js"
import { streamAsIterable } from "./export-stream.js"
import type { CallOptions } from "./running-calls.js"
import type { Wired } from "./wiring.js"

/** The services of an open engine. */
export type Services = Ports | Wired

/** An operation that an engine can run. */
export type EngineOperation<
  Input extends z.ZodType,
  Output extends z.ZodType,
  Tag extends FaultTag
> = Operation<string, Input, Output, Tag, Services | Caller>

/** Runs an operation in the name of one caller. The operation's schema checks the input. */
export type Call = <Input extends z.ZodType, Output extends z.ZodType, Tag extends FaultTag>(
  operation: EngineOperation<Input, Output, Tag>,
  input: unknown,
  options?: CallOptions
) => Promise<z.input<Output>>

/** Runs an effect in the name of one caller. */
export type Run = <A>(effect: Effect.Effect<A, Fault, Services | Caller>) => Promise<A>

/** The input of an operation as a caller gives it, deeply read-only. */
type Given<T> =
  T extends ReadonlyArray<infer Item>
    ? ReadonlyArray<Given<Item>>
    : T extends object
      ? { readonly [Key in keyof T]: Given<T[Key]> }
      : T

export type InputOf<O extends { readonly input: z.ZodType }> = Given<z.input<O["input"]>>
export type OptionsOf<O extends { readonly input: z.ZodType }, Taken extends string> = Omit<InputOf<O>, Taken>

/**
 * The calls of a member, one per operation; a call with an id takes it first. Malformed ids are rejected as unknown.
 */
export const makeEngineCalls = (call: Call) => {
  const withInput =
    <Input extends z.ZodType, Output extends z.ZodType, Tag extends FaultTag>(
      operation: EngineOperation<Input, Output, Tag>
    ) =>
    (input: Given<z.input<Input>>) =>
      call(operation, input)
  const withOptions =
    <Input extends z.ZodType, Output extends z.ZodType, Tag extends FaultTag>(
      operation: EngineOperation<Input, Output, Tag>
    ) =>
    (options?: Given<z.input<Input>>) =>
      call(operation, options ?? {})
  const withId =
    <Input extends z.ZodType, Output extends z.ZodType, Tag extends FaultTag>(
      operation: EngineOperation<Input, Output, Tag>
    ) =>
    (id: string, options?: Omit<Given<z.input<Input>>, "id">) =>
      call(operation, { ...options, id })
  const withNote =
    <Input extends z.ZodType, Output extends z.ZodType, Tag extends FaultTag>(
      operation: EngineOperation<Input, Output, Tag>
    ) =>
    (id: string, note?: string) =>
      call(operation, { id, note })
  const { listMentions, setAuthority, setEntityLifecycle, settleContradiction, startJob, verifyDocument } =
    operations

  return {
    /** Runs any operation of the catalog, those without a method of their own included. */
    call,
    documents: {
      list: withOptions(operations.listDocuments),
      /** With `asOf`, a day or a timestamp, returns the version that was current then. */
      get: withId(operations.getDocument),
      /** Returns the live document at a vault path, compared without regard to case. */
      getByPath: (path: string) => call(operations.getDocumentByPath, { path }),
      create: withInput(operations.createDocument),
      replace: (id: string, content: string) => call(operations.replaceDocument, { id, content }),
      /** Rewrites links that would break, here and in other documents, unless `rewriteLinks` is false. */
      move: (id: string, path: string, options?: OptionsOf<typeof operations.moveDocument, "id" | "path">) =>
        call(operations.moveDocument, { ...options, id, path }),
      /** Lists versions, newest first; with `version` returns that one alone, with its text. */
      versions: withId(operations.listDocumentVersions),
      /** `verified` and `certified` hold until the workspace's review interval is over. */
      verify: (id: string, verification: InputOf<typeof verifyDocument>["verification"]) =>
        call(verifyDocument, { id, verification }),
      /** Returns the document's origin, its verification, its audit events, and what depends on it. */
      lineage: (id: string) => call(operations.getDocumentLineage, { id }),
      remove: (id: string) => call(operations.deleteDocument, { id }),
      restore: (id: string, path?: string) => call(operations.restoreDocument, { id, path })
    },
    entities: {
      list: withOptions(operations.listEntities),
      /** With `asOf` returns the entity as it stood then. */
      get: withId(operations.getEntity),
      create: withInput(operations.createEntity),
      update: withId(operations.updateEntity),
      remove: (id: string) => call(operations.deleteEntity, { id }),
      /** Lists the entities that a name may mean, best first. */
      resolve: (name: string, options?: OptionsOf<typeof operations.resolveEntities, "q">) =>
        call(operations.resolveEntities, { ...options, q: name }),
      neighborhood: withId(operations.getNeighborhood),
      mentions: (entityId: string, options?: OptionsOf<typeof listMentions, "entityId">) =>
        call(listMentions, { ...options, entityId }),
      /** With `dryRun` only reports what the merge would change. */
      merge: (id: string, intoId: string, note?: string, options: { readonly dryRun?: boolean } = {}) =>
        call(operations.mergeEntity, { id, intoId, note, dryRun: options.dryRun }),
      /** Certifies the entity as it stands; its next review is due after the workspace's review interval. */
      certify: withNote(operations.certifyEntity),
      /** Records a review; an entity that was only extracted becomes curated. */
      review: (id: string) => call(operations.reviewEntity, { id }),
      setAuthority: (id: string, authority: InputOf<typeof setAuthority>["authority"]) =>
        call(setAuthority, { id, authority }),
      /** Sets the owner, or none with null. Stewards that are left out stay as they are. */
      setOwner: (id: string, ownerId: string | null, stewardIds?: ReadonlyArray<string>) =>
        call(operations.setOwner, { id, ownerId, stewardIds }),
      setLifecycle: (
        id: string,
        lifecycleStatus: InputOf<typeof setEntityLifecycle>["lifecycleStatus"],
        note?: string
      ) => call(setEntityLifecycle, { id, lifecycleStatus, note }),
      /** Retires the entity, in favour of a published successor if one is named. */
      deprecate: withId(operations.deprecateEntity),
      /** Lists its versions, newest first: 1 to 200, 50 by default. */
      revisions: (id: string, limit?: number) => call(operations.listRevisions, { id, limit }),
      /** Restores name, type, aliases, description and note of an earlier version, as a new version. */
      restoreRevision: (id: string, version: number) => call(operations.restoreRevision, { id, version }),
      /** Lists pairs that may be duplicates, each with a score (0.5 and more by default) and its reasons. */
      duplicates: withOptions(operations.listDuplicates)
    },
    /** Lists what needs a steward: by default what is overdue for review. */
    stewardship: withOptions(operations.listStewardship),
    changeRequests: {
      /** Newest first. */
      list: async (options?: InputOf<typeof operations.listChangeRequests>) =>
        (await call(operations.listChangeRequests, options ?? {})).requests,
      /** Returns the request with its difference to the present state, its discussion and its impact. */
      get: (id: string) => call(operations.getChangeRequest, { id }),
      propose: withInput(operations.proposeChange),
      approve: withNote(operations.approveChangeRequest),
      reject: withNote(operations.rejectChangeRequest),
      withdraw: (id: string) => call(operations.withdrawChangeRequest, { id })
    },
    contradictions: {
      /** Lists statements that contradict each other, oldest first; those of one status with `status`. */
      list: withOptions(operations.listContradictions),
      /** Ends an open one: both statements are true, or it is settled; `reason` says why or how. */
      settle: (id: string, status: InputOf<typeof settleContradiction>["status"], reason: string) =>
        call(settleContradiction, { id, status, reason }),
      /** Compares the documents that changed since the last time with all others. */
      find: () => call(operations.findContradictions, {})
    },
    proposals: {
      /** Compiles a page about a topic or an entity and proposes it; nothing is written before it is approved. */
      compile: withInput(operations.compileTopic),
      /** Proposes another text, another path or the removal of a document. */
      propose: withInput(operations.proposeDocument),
      /** Lists proposed documents, newest first. */
      list: withOptions(operations.listProposals),
      /** Returns a proposed document with the text that it replaces. */
      get: (id: string) => call(operations.getProposal, { id }),
      /** Writes the page. Rejected with `conflict`, the proposal open, when its path is taken or the page changed. */
      approve: withNote(operations.approveProposal),
      reject: withNote(operations.rejectProposal),
      withdraw: (id: string) => call(operations.withdrawProposal, { id })
    },
    relations: {
      list: withOptions(operations.listRelations),
      create: withInput(operations.createRelation),
      remove: (id: string) => call(operations.deleteRelation, { id })
    },
    trash: {
      /** Lists what was deleted or merged away, newest first, with what prevents a restore. */
      list: withOptions(operations.listTrash),
      /** Restores under the old id; a document may get another path, a merged entity is split out again. */
      restore: (id: string, path?: string) => call(operations.restoreFromTrash, { id, path })
    },
    jobs: {
      list: withOptions(operations.listJobs),
      /**
       * Starts background work over documents, or over the whole workspace when none are named. An equal job that
       * waits is returned instead of a second one. `reindex`, `reembed` and `reextract` rebuild passages with their
       * text index, vectors and the graph; searches miss nothing meanwhile.
       */
      start: (
        kind: Exclude<InputOf<typeof startJob>["kind"], "retry">,
        documentIds?: ReadonlyArray<string>
      ) => call(startJob, { kind, ...subjectsOf(documentIds) }),
      /** Puts dead jobs back into the queue: these, or all. */
      retry: (ids?: ReadonlyArray<string>) => call(startJob, { kind: "retry", ...subjectsOf(ids) })
    }
  } as const
}

/** The calls on a workspace as one caller. */
export type EngineCalls = ReturnType<typeof makeEngineCalls>

const subjectsOf = (ids: ReadonlyArray<string> | undefined) =>
  ids === undefined ? { all: true } : { subjectIds: ids }

/** The calls that only the local user makes: inspection and measures of the workspace. */
export const makeHostCalls = (call: Call, run: Run) => ({
  audit: {
    /** Lists audit events, newest first. Times are timestamps or days; the cursor is the `nextCursor` of a page. */
    list: (options?: Omit<InputOf<typeof operations.listAuditEvents>, "format">) =>
      call(operations.listAuditEvents, options ?? {}),
    /**
     * Verifies the whole hash chain and reports every event that was changed, inserted, moved or removed. With `head`,
     * a hash that was stored elsewhere, it also tells whether the chain still contains it.
     */
    verify: (options?: VerifyAuditOptions) => run(verifyAudit(options ?? {})),
    /** Returns the hash of the newest event. Stored elsewhere, it makes a rewrite of earlier events detectable. */
    head: () => run(auditHead)
  },
  cache: {
    stats: () => call(operations.getCacheStats, {}),
    /** Removes every cached answer; the counters stay. */
    clear: () => run(clearCache())
  },
  decisions: {
    /** Newest first; `from` and `to` are timestamps, or days in UTC. */
    list: (options?: InputOf<typeof operations.listPolicyDecisions>) =>
      call(operations.listPolicyDecisions, options ?? {}),
    /** Returns the decision with its features, the trace of the question, the answer, and the state of citations. */
    get: (id: string) => call(operations.getPolicyDecision, { id }),
    /** Statistics of the last thirty days. */
    stats: () => call(operations.getPolicyStats, {})
  },
  evaluation: {
    /**
     * Asks questions whose answers are known, fits the confidence calibration of this workspace to the outcome, and
     * uses it from then on. Rejected with `invalid_body`, nothing stored, when there are too few questions.
     */
    calibrate: (questions: ReadonlyArray<JudgedQuestion>, options?: CalibrateOptions) =>
      run(calibrate(questions, options))
  },
  grounding: {
    /** Checks a text against the workspace, or against these documents and entities, statement by statement. */
    check: (text: string, options?: OptionsOf<typeof operations.checkGrounding, "text">) =>
      call(operations.checkGrounding, { ...options, text })
  }
})

export type HostCalls = ReturnType<typeof makeHostCalls>

/** The calls for vocabularies. */
export const makeVocabularyCalls = <E>(
  runtime: ManagedRuntime.ManagedRuntime<Services, E>,
  caller: CallerShape,
  run: Run
) => ({
  /**
   * Streams the published, deprecated and superseded concepts as a SKOS document in JSON-LD. Each loop over the result
   * reads one consistent snapshot and blocks nobody.
   */
  exportSkos: (): AsyncIterable<Uint8Array> =>
    streamAsIterable(runtime, Stream.encodeText(Stream.provideService(skosText, Caller, caller))),
  /**
   * Imports a SKOS vocabulary: JSON-LD as a parsed document, Turtle or N-Triples as text. Returns what will happen; a
   * job does it, except in a dry run. Rejected with a KanonError `invalid_body` when it is no SKOS.
   */
  importSkos: (source: RdfSource, options: z.input<typeof SkosImportSettings> = {}) => {
    const settings = SkosImportSettings.safeParse(options)
    if (!settings.success) return run(asInvalid(settings.error))
    const document = source.format === "json-ld" ? source.document : source.text
    return run(Effect.zipRight(refuseUnstorable({ document }), importSkos(source, settings.data)))
  },
  /** Returns the progress of an import by the id of its job, until another import starts after its end. */
  skosImport: (jobId: string) => run(findById("import", JobId.safeParse(jobId), importReport)),
  /** Returns the IRI of an entity's concept and its texts by language; null when it was not imported. */
  conceptOf: (entityId: string) => run(findById("entity", EntityId.safeParse(entityId), conceptOf))
})

/** The calls for SKOS vocabularies: import, export and single concepts. */
export type VocabularyCalls = ReturnType<typeof makeVocabularyCalls>

/** Finds an item by id; a malformed id is not found. */
const findById = <Id, A, E, R>(
  what: string,
  id: z.ZodSafeParseResult<Id>,
  find: (id: Id) => Effect.Effect<A, E, R>
): Effect.Effect<A, E | NotFound, R> => (id.success ? find(id.data) : Effect.fail(new NotFound({ what })))
