import * as Context from "effect/Context"
import type * as Effect from "effect/Effect"
import type { Option } from "effect/Option"
import { z } from "zod"

/** All kinds of identifiers with their prefixes on the wire (TypeIDs). */
export const prefixes = {
  document: "doc",
  chunk: "chk",
  entity: "ent",
  relation: "rel",
  mention: "men",
  revision: "rev",
  workspace: "ws",
  job: "job",
  audit: "aud",
  merge: "mrg",
  answer: "ans",
  decision: "dec",
  changeRequest: "cr",
  user: "usr",
  key: "key",
  secret: "sec",
  dataConnector: "con",
  dataQuery: "qry",
  dataCall: "dcl",
  agent: "agt",
  agentVersion: "agv",
  run: "run",
  step: "stp",
  approval: "apv",
  feedback: "fbk",
  conversation: "cnv",
  runConfig: "cfg",
  judgment: "qrl",
  evalRun: "evl",
  report: "rep",
  contentConnector: "src",
  syncRun: "syn",
  session: "ses",
  invitation: "inv",
  contradiction: "ctr",
  proposal: "prp"
} as const

const patternOf = (prefix: string): RegExp => new RegExp(`^${prefix}_[0-7][0-9a-hjkmnp-tv-z]{25}$`)
/** The noun for the subject of each kind of id. */
const nouns: ReadonlyMap<string, string> = new Map(
  Object.entries(prefixes).map(([kind, prefix]) => [
    `${patternOf(prefix)}`,
    kind.replace(/[A-Z]/g, (letter) => ` ${letter.toLowerCase()}`)
  ])
)

/** Whether the only problems of a value are malformed ids, so that nothing can have such an id. */
export const isMalformedId = ({ issues }: z.ZodError): boolean => issues.every(isForm)

/** Returns the noun for the subject of a malformed id; "id" when it may name several kinds. */
export const nounOfMalformedId = ({ issues }: z.ZodError): string => {
  const malformedNouns = new Set(
    issues.map((issue) => (issue.code === "invalid_format" ? nouns.get(issue.pattern ?? "") : undefined))
  )
  const [noun, ...others] = malformedNouns
  return others.length === 0 && noun !== undefined ? noun : "id"
}

const isForm = (issue: z.core.$ZodIssue): boolean =>
  issue.code === "invalid_union"
    ? issue.errors.length > 0 && issue.errors.every((either) => either.every(isForm))
    : issue.code === "invalid_format" && nouns.has(issue.pattern ?? "")

const idSchema = <Brand extends string>(prefix: string, brand: Brand) =>
  z
    .string()
    .regex(patternOf(prefix), {
      error: `Expected an id that begins with ${prefix}_.`
    })
    .brand<Brand>()
    .describe(`A ${brand}: opaque, sortable by creation.`)

/** `doc_…`. A document keeps its id through moves, new texts, trash and restore; a new file gets a new id. */
export const DocumentId = idSchema(prefixes.document, "DocumentId")
export type DocumentId = z.infer<typeof DocumentId>
/** Derived from document, heading path, text and occurrence, so equal text in one document keeps its id. */
export const ChunkId = idSchema(prefixes.chunk, "ChunkId")
export type ChunkId = z.infer<typeof ChunkId>
/** `ent_…`. The id of a merged entity resolves to the head that it was merged into. */
export const EntityId = idSchema(prefixes.entity, "EntityId")
export type EntityId = z.infer<typeof EntityId>
/** `rel_…`. Id of one stated relation; several relations of one type between the same heads show as one edge. */
export const RelationId = idSchema(prefixes.relation, "RelationId")
export type RelationId = z.infer<typeof RelationId>
/**
 * `men_…`. Reserved by the contract; mentions have no ids of their own and are shown by entity, document and passage.
 */
export const MentionId = idSchema(prefixes.mention, "MentionId")
export type MentionId = z.infer<typeof MentionId>
/** `rev_…`. Reserved by the contract; a revision is identified by its entity and version. */
export const RevisionId = idSchema(prefixes.revision, "RevisionId")
export type RevisionId = z.infer<typeof RevisionId>
/** `job_…`. Id of a background job, the same for all its attempts. */
export const JobId = idSchema(prefixes.job, "JobId")
export type JobId = z.infer<typeof JobId>
/** `aud_…`. Id of an audit event; as a cursor it marks where the next page starts. */
export const AuditId = idSchema(prefixes.audit, "AuditId")
export type AuditId = z.infer<typeof AuditId>
/** `mrg_…`. Reserved by the contract; a merge is undone in the trash by the id of the merged entity. */
export const MergeId = idSchema(prefixes.merge, "MergeId")
export type MergeId = z.infer<typeof MergeId>
/** `ans_…`. Id of a persisted answer. */
export const AnswerId = idSchema(prefixes.answer, "AnswerId")
export type AnswerId = z.infer<typeof AnswerId>
/** `dec_…`. Id of the gate's decision about one question. */
export const DecisionId = idSchema(prefixes.decision, "DecisionId")
export type DecisionId = z.infer<typeof DecisionId>
/** `cr_…`. Id of a change request; unchanged when it is decided. */
export const ChangeRequestId = idSchema(prefixes.changeRequest, "ChangeRequestId")
export type ChangeRequestId = z.infer<typeof ChangeRequestId>
/** `ws_…`. Id of a workspace; every row belongs to exactly one. */
export const WorkspaceId = idSchema(prefixes.workspace, "WorkspaceId")
export type WorkspaceId = z.infer<typeof WorkspaceId>

/** `usr_…`. Id of a user on this host; the same in all workspaces. */
export const UserId = idSchema(prefixes.user, "UserId")
export type UserId = z.infer<typeof UserId>
/** `ctr_…`. Id of a contradiction; the same two statements keep it. */
export const ContradictionId = idSchema(prefixes.contradiction, "ContradictionId")
export type ContradictionId = z.infer<typeof ContradictionId>
/** `prp_…`. Id of a proposed document; unchanged when it is decided. */
export const ProposalId = idSchema(prefixes.proposal, "ProposalId")
export type ProposalId = z.infer<typeof ProposalId>
/** `key_…`. Id of an API key. It is not the secret and may be shown. */
export const KeyId = idSchema(prefixes.key, "KeyId")
export type KeyId = z.infer<typeof KeyId>
/** `sec_…`. Names a sealed credential; it is not the credential, and may be shown. */
export const SecretId = idSchema(prefixes.secret, "SecretId")
export type SecretId = z.infer<typeof SecretId>

/** `con_…`. Of a live-data connector; its queries go on naming it when it is deleted. */
export const DataConnectorId = idSchema(prefixes.dataConnector, "DataConnectorId")
export type DataConnectorId = z.infer<typeof DataConnectorId>
/** `qry_…`. Of a named query, over all its revisions. */
export const DataQueryId = idSchema(prefixes.dataQuery, "DataQueryId")
export type DataQueryId = z.infer<typeof DataQueryId>
/** `dcl_…`. Of one execution of a named query, refused and failed ones included. */
export const DataCallId = idSchema(prefixes.dataCall, "DataCallId")
export type DataCallId = z.infer<typeof DataCallId>
/** `agt_…`. Names an agent beside its slug; stays when the slug is used in links. */
export const AgentId = idSchema(prefixes.agent, "AgentId")
export type AgentId = z.infer<typeof AgentId>
/** `agv_…`. Names one immutable version of an agent. */
export const AgentVersionId = idSchema(prefixes.agentVersion, "AgentVersionId")
export type AgentVersionId = z.infer<typeof AgentVersionId>
/** `run_…`. Names one run of an agent. */
export const RunId = idSchema(prefixes.run, "RunId")
export type RunId = z.infer<typeof RunId>
/** `stp_…`. Names one step of a run's journal. */
export const StepId = idSchema(prefixes.step, "StepId")
export type StepId = z.infer<typeof StepId>
/** `apv_…`. Names a tool call that waits, or waited, for a decision. */
export const ApprovalId = idSchema(prefixes.approval, "ApprovalId")
export type ApprovalId = z.infer<typeof ApprovalId>
/** `fbk_…`. Names one piece of feedback on a run. */
export const FeedbackId = idSchema(prefixes.feedback, "FeedbackId")
export type FeedbackId = z.infer<typeof FeedbackId>
/** `cnv_…`. Names a conversation: the runs that share it see each other's questions and answers. */
export const ConversationId = idSchema(prefixes.conversation, "ConversationId")
export type ConversationId = z.infer<typeof ConversationId>
/** `cfg_…`. Names the configuration that a run was started with; equal configurations have equal ids. */
export const RunConfigId = idSchema(prefixes.runConfig, "RunConfigId")
export type RunConfigId = z.infer<typeof RunConfigId>
/** `qrl_…`. Names a relevance judgment; it stays when the judgment is changed. */
export const JudgmentId = idSchema(prefixes.judgment, "JudgmentId")
export type JudgmentId = z.infer<typeof JudgmentId>
/** `evl_…`. Names one evaluation run. */
export const EvalId = idSchema(prefixes.evalRun, "EvalId")
export type EvalId = z.infer<typeof EvalId>
/** `rep_…`. Names a report, which never changes once it is generated. */
export const ReportId = idSchema(prefixes.report, "ReportId")
export type ReportId = z.infer<typeof ReportId>
/** `src_…`. Names a content connector; its documents go on naming it when it is deleted. */
export const ContentConnectorId = idSchema(prefixes.contentConnector, "ContentConnectorId")
export type ContentConnectorId = z.infer<typeof ContentConnectorId>
/** `syn_…`. Names one sync run of a content connector. */
export const SyncRunId = idSchema(prefixes.syncRun, "SyncRunId")
export type SyncRunId = z.infer<typeof SyncRunId>

/** `ses_…`. Names one session of the console; it is not its token, and may be shown. */
export const SessionId = idSchema(prefixes.session, "SessionId")
export type SessionId = z.infer<typeof SessionId>
/** `inv_…`. */
export const InvitationId = idSchema(prefixes.invitation, "InvitationId")
export type InvitationId = z.infer<typeof InvitationId>

interface IdOf {
  readonly document: DocumentId
  readonly chunk: ChunkId
  readonly entity: EntityId
  readonly relation: RelationId
  readonly mention: MentionId
  readonly revision: RevisionId
  readonly workspace: WorkspaceId
  readonly job: JobId
  readonly audit: AuditId
  readonly merge: MergeId
  readonly answer: AnswerId
  readonly decision: DecisionId
  readonly changeRequest: ChangeRequestId
  readonly user: UserId
  readonly key: KeyId
  readonly secret: SecretId
  readonly dataConnector: DataConnectorId
  readonly dataQuery: DataQueryId
  readonly dataCall: DataCallId
  readonly agent: AgentId
  readonly agentVersion: AgentVersionId
  readonly run: RunId
  readonly step: StepId
  readonly approval: ApprovalId
  readonly feedback: FeedbackId
  readonly conversation: ConversationId
  readonly runConfig: RunConfigId
  readonly judgment: JudgmentId
  readonly evalRun: EvalId
  readonly report: ReportId
  readonly contentConnector: ContentConnectorId
  readonly syncRun: SyncRunId
  readonly session: SessionId
  readonly invitation: InvitationId
  readonly contradiction: ContradictionId
  readonly proposal: ProposalId
}

/** An incremental digest. */
export interface Digest {
  readonly update: (bytes: Uint8Array) => void
  /** Returns the digest in lower-case hexadecimal; no more data may be added afterwards. */
  readonly finish: () => string
}

/** A new secret: the plain text for its holder, the stored hash, and the displayed prefix. */
export interface NewSecret {
  readonly secret: string
  /** SHA-256 in lower-case hexadecimal. */
  readonly hash: string
  readonly prefix: string
}

/** Creates and parses the secrets of keys. */
export interface KeySecrets {
  /** Returns 32 random bytes in base62 after the prefix of the kind, with a checksum over the whole. */
  readonly make: (kind: "workspace" | "user") => Effect.Effect<NewSecret>
  /** Returns the hash of a well-formed secret; none if form or checksum is wrong. Requires no lookup. */
  readonly hashOf: (secret: string) => Option<string>
  /** Returns 256 random bits in base64url with their hash, for a session or the link to one. */
  readonly makeToken: Effect.Effect<{ readonly token: string; readonly hash: string }>
  /** Returns the hash of a well-formed token. */
  readonly hashOfToken: (token: string) => Option<string>
}

/**
 * A host other than Node implements it, because core has no clock, no randomness and no digests. Makes identifiers,
 * digests and secrets.
 */
export class Ids extends Context.Tag("kanon/Ids")<
  Ids,
  {
    /** A new identifier; later ones sort after earlier ones of the same process. */
    readonly make: <Kind extends keyof IdOf>(kind: Kind) => IdOf[Kind]
    /** The identifier that belongs to this text: equal text gives an equal id. */
    readonly derive: <Kind extends keyof IdOf>(kind: Kind, text: string) => IdOf[Kind]
    /** SHA-256 in lower-case hexadecimal; a string is hashed as UTF-8. */
    readonly sha256: (data: string | Uint8Array) => string
    /** Begins a SHA-256 of data that comes in pieces. */
    readonly digest: () => Digest
    /** Secrets of keys and of sessions. */
    readonly secrets: KeySecrets
  }
>() {}
