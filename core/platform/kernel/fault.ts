import * as Data from "effect/Data"
import type { Scope } from "./caller.js"

/** One thing wrong with an input; `path` leads to it from the root of the input. */
export interface Issue {
  readonly path: ReadonlyArray<string | number>
  readonly code: string
  readonly message: string
}

/** Length of the message that tells all issues, at most: a caller must not make a huge one. */
const messageMaxChars = 1000

/** The input breaks its schema or a rule of form. */
export class InvalidInput extends Data.TaggedError("InvalidInput")<{
  readonly issues: ReadonlyArray<Issue>
}> {
  override get message(): string {
    return this.issues
      .map((issue) => (issue.path.length === 0 ? issue.message : `${issue.path.join(".")}: ${issue.message}`))
      .join("; ")
      .slice(0, messageMaxChars)
  }
}
/**
 * The subject is unknown, soft-deleted or in another workspace. One fault for all three, so that it does not reveal
 * which.
 */
export class NotFound extends Data.TaggedError("NotFound")<{ readonly what: string }> {
  override get message(): string {
    return `No such ${this.what}.`
  }
}
/** A live subject already has the name, path or edge. */
export class Conflict extends Data.TaggedError("Conflict")<{
  readonly message: string
  readonly existingId?: string
}> {}
/** The state machine has no such transition from the subject's present state. */
export class InvalidTransition extends Data.TaggedError("InvalidTransition")<{
  readonly from: string
  readonly to: string
}> {
  override get message(): string {
    return `The transition from ${this.from} to ${this.to} is not allowed.`
  }
}
/** The change request or the approval was already decided. */
export class NotOpen extends Data.TaggedError("NotOpen")<{
  readonly status: string
  /** `change request` by default. */
  readonly what?: string
}> {
  override get message(): string {
    return `The ${this.what ?? "change request"} is ${this.status}.`
  }
}
/**
 * The entity has an owner or stewards, or the document a verifier, and the caller is none of them; `of` says which.
 */
export class ReviewerRequired extends Data.TaggedError("ReviewerRequired")<{ readonly of?: "document" }> {
  override get message(): string {
    return this.of === "document"
      ? "The document is verified: only the member who verified it may do this. Others propose it."
      : "Only the owner or a steward of the entity may decide this."
  }
}
/** No chat model is enabled, and the built-in one is switched off. */
export class NoModelConfigured extends Data.TaggedError("NoModelConfigured")<{ readonly message: string }> {}
/** The agents of the workspace have spent or reserved the whole budget of this month. */
export class SpendCapExceeded extends Data.TaggedError("SpendCapExceeded")<{
  readonly capUsd: string
}> {
  override get message(): string {
    return `Agents and evaluation runs of the workspace may spend ${this.capUsd} USD in a month, and have.`
  }
}
/** The workspace's limit of active agent runs is reached. */
export class RunCapacityFull extends Data.TaggedError("RunCapacityFull")<{
  readonly active: number
  readonly retryAfterSeconds: number
}> {
  override get message(): string {
    return `${this.active} agent runs are active, which is all that the workspace allows.`
  }
}
/** The configured model cannot be reached or returns nothing usable, and fallback is not allowed. */
export class ModelUnavailable extends Data.TaggedError("ModelUnavailable")<{
  readonly message: string
  readonly retryAfterSeconds: number
}> {}
/** The vault folder or one of its files cannot be read or written (permission, disk full, missing). */
export class VaultUnavailable extends Data.TaggedError("VaultUnavailable")<{
  readonly code: string
  readonly message: string
}> {}
/** Credentials cannot be sealed or opened: the host's master key is missing, unusable or a different one. */
export class SecretsUnavailable extends Data.TaggedError("SecretsUnavailable")<{
  readonly message: string
}> {}

/** Details of a failed execution of a named query. */
interface FailedCall {
  readonly message: string
  /** The data call that records it; absent where nothing was recorded. */
  readonly dataCallId?: string
}
/** The named query or its connector is disabled, archived or deleted, or the content connector is disabled. */
export class ConnectorDisabled extends Data.TaggedError("ConnectorDisabled")<FailedCall> {}
/** Parameters of a named query are missing or invalid. */
export class InvalidParams extends Data.TaggedError("InvalidParams")<FailedCall> {}
/** The database of a connector cannot be reached, or the connection was lost while a query ran. */
export class ConnectorUnreachable extends Data.TaggedError("ConnectorUnreachable")<FailedCall> {}
/** The database, or the guard in front of it, rejected the query. */
export class QueryFailed extends Data.TaggedError("QueryFailed")<FailedCall> {}
/** The time limit of the connector stopped the query. */
export class QueryTimeout extends Data.TaggedError("QueryTimeout")<FailedCall> {}

/** Why a file cannot be imported, or a workspace cannot be exported. */
export type InvalidExportReason =
  | "not_an_export"
  | "newer_version"
  | "cut_short"
  | "changed"
  | "invalid_record"
  | "damaged_workspace"
/** The export is incomplete, altered or of a newer version; or the workspace to export is damaged. */
export class InvalidExport extends Data.TaggedError("InvalidExport")<{
  readonly reason: InvalidExportReason
  /** Line of the file, from 1; null when the problem has no single line. */
  readonly line: number | null
  readonly message: string
}> {}

/**
 * An import into the data folder has begun and has committed nothing yet. Creating a workspace there now would block
 * it.
 */
export class ImportUnfinished extends Data.TaggedError("ImportUnfinished")<{
  /** The data folder. */
  readonly folder: string
  /** `unknown`: the import was started on another machine or in a container, where its process cannot be observed. */
  readonly state: "under_way" | "cut_short" | "unknown"
}> {
  override get message(): string {
    const again = `run kanon import FILE again, which takes over what it left, or remove that folder.`
    if (this.state === "under_way")
      return `An import into ${this.folder} is in progress. The workspace will exist when it has finished.`
    return this.state === "cut_short"
      ? `An import into ${this.folder} was interrupted, so there is no workspace yet: ${again}`
      : `An import into ${this.folder} was started on another machine or in a container and has not finished. Wait for it; if it was interrupted, ${again}`
  }
}

/** Another process has held the database for too long. Nothing was changed; the caller may try again. */
export class DataBusy extends Data.TaggedError("DataBusy")<{
  readonly message: string
  readonly retryAfterSeconds: number
}> {}
/** The data folder or the database is read-only now, or was when it was opened. */
export class DataReadOnly extends Data.TaggedError("DataReadOnly") {
  override get message(): string {
    return "The data is read-only because of its permissions or a full disk. It can be searched but not changed."
  }
}
/** The database's disk is full, or a quota or limit is reached. */
export class DataFull extends Data.TaggedError("DataFull")<{
  /** Says which changes were made nevertheless and what to do about them; when absent, nothing was changed. */
  readonly outcome?: string
}> {
  override get message(): string {
    const { outcome = "Nothing was changed; make room and try again." } = this
    return `The database cannot be written: its disk is full, or refuses to write. ${outcome}`
  }
}
/** The database is damaged or belongs to another program. */
export class DataUnreadable extends Data.TaggedError("DataUnreadable")<{ readonly message: string }> {}
/** A newer version of Kanon has changed the database. This version cannot read it and leaves it unchanged. */
export class DataTooNew extends Data.TaggedError("DataTooNew")<{
  /** The schema version found, and the newest one that this program knows. */
  readonly schema: number
  readonly newestKnown: number
  /** The version of Kanon that wrote the schema, if recorded, and this version. */
  readonly madeBy: string | null
  readonly program: string
}> {
  override get message(): string {
    const maker = this.madeBy === null ? "a newer Kanon" : `Kanon ${this.madeBy}`
    return (
      `The database was changed by ${maker} (schema ${this.schema}); this is Kanon ${this.program}, ` +
      `which knows schemas up to ${this.newestKnown}. Nothing was changed; use the newer one.`
    )
  }
}

/** The database server cannot be reached, or the connection was lost. */
export class DataUnavailable extends Data.TaggedError("DataUnavailable")<{
  /** `unknown`: the connection was lost while a change was being committed, so it may or may not have been made. */
  readonly outcome: "unchanged" | "unknown"
  readonly retryAfterSeconds: number
  /** Why no connection could be opened (name, permission, certificate); shown to hosts only. */
  readonly reason?: string
}> {
  override get message(): string {
    if (this.reason !== undefined) return `The database cannot be reached: ${this.reason}`
    return this.outcome === "unchanged"
      ? "The database cannot be reached. Nothing was changed; try again."
      : "The connection was lost while the change was being committed. Check whether it was made before you try again."
  }
}

/** A package that the call needs cannot be loaded: it is not installed, or its compiled part was not built. */
export class ModuleMissing extends Data.TaggedError("ModuleMissing")<{
  /** The name of the package. */
  readonly module: string
  readonly reason: string
  /** The command that makes it available. */
  readonly remedy: string
}> {
  override get message(): string {
    return `The package ${this.module} cannot be loaded (${this.reason}). Run: ${this.remedy}`
  }
}

/** The engine was closed: before the call, or while it ran. */
export class EngineClosed extends Data.TaggedError("EngineClosed")<{ readonly message: string }> {}

/**
 * Faults of the data as a whole, independent of the operation. No operation lists them: they are raised as defects,
 * and the outermost layer reports them as faults.
 */
export type DataFault =
  | DataBusy
  | DataFull
  | DataReadOnly
  | DataUnreadable
  | DataTooNew
  | DataUnavailable
  | ModuleMissing
  | EngineClosed

/** The key is missing, unknown, revoked or expired. One fault for all four, so that it does not reveal which. */
export class Unauthorized extends Data.TaggedError("Unauthorized")<Record<never, never>> {
  override get message(): string {
    return "A valid key is needed."
  }
}
/** The key is valid but lacks the scope; any one of `wanted` suffices. */
export class InsufficientScope extends Data.TaggedError("InsufficientScope")<{
  readonly wanted: ReadonlyArray<Scope>
}> {
  override get message(): string {
    return `The key lacks the scope ${this.wanted.join(" or ")}.`
  }
}
/** The workspace is outside the key's grant, or its owner is no longer a member. */
export class WorkspaceForbidden extends Data.TaggedError("WorkspaceForbidden")<Record<never, never>> {
  override get message(): string {
    return "The key gives no access to this workspace."
  }
}
/** The key reaches several workspaces, and the call names none. */
export class WorkspaceRequired extends Data.TaggedError("WorkspaceRequired")<Record<never, never>> {
  override get message(): string {
    return "The key reaches several workspaces: name one in X-Workspace-Id."
  }
}

/** All faults of operations. Any other error is a defect: a bug or broken storage. */
export type Fault =
  | InvalidInput
  | NotFound
  | Conflict
  | InvalidTransition
  | NotOpen
  | ReviewerRequired
  | NoModelConfigured
  | ModelUnavailable
  | SpendCapExceeded
  | RunCapacityFull
  | VaultUnavailable
  | SecretsUnavailable
  | ConnectorDisabled
  | InvalidParams
  | ConnectorUnreachable
  | QueryFailed
  | QueryTimeout
  | InvalidExport
  | ImportUnfinished
  | DataFault
  | Unauthorized
  | InsufficientScope
  | WorkspaceForbidden
  | WorkspaceRequired
/** Tags of the faults, for `catchTag` and an operation's `faults`. */
export type FaultTag = Fault["_tag"]
/** The fault with a given tag. */
export type FaultOf<Tag extends FaultTag> = Extract<Fault, { readonly _tag: Tag }>

/** Returns an input fault with one issue. */
export const invalid = (path: ReadonlyArray<string | number>, code: string, message: string): InvalidInput =>
  new InvalidInput({ issues: [{ path, code, message }] })
