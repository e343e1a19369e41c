import * as Data from "effect/Data"
import type { Scope } from "./scope.js"

/** One thing wrong with an input; `path` leads to it from the root of the input. */
export interface Issue {
  readonly path: ReadonlyArray<string | number>
  readonly code: string
  readonly message: string
}

/** The input breaks its schema or a rule of form. */
export class InvalidInput extends Data.TaggedError("InvalidInput")<{
  readonly issues: ReadonlyArray<Issue>
}> {
  override get message(): string {
    return this.issues
      .map((issue) => (issue.path.length === 0 ? issue.message : `${issue.path.join(".")}: ${issue.message}`))
      .join("; ")
  }
}
/** Unknown, soft-deleted and another workspace's: one fault, so that nothing tells which it was. */
export class NotFound extends Data.TaggedError("NotFound")<{ readonly what: string }> {
  override get message(): string {
    return `No such ${this.what}.`
  }
}
/** Something live already holds the name, path or edge. */
export class Conflict extends Data.TaggedError("Conflict")<{
  readonly message: string
  readonly existingId?: string
}> {}
/** The state that the subject is in has no such way out. */
export class InvalidTransition extends Data.TaggedError("InvalidTransition")<{
  readonly from: string
  readonly to: string
}> {
  override get message(): string {
    return `From ${this.from} there is no way to ${this.to}.`
  }
}
/** The change request, or the approval, was decided already. */
export class NotOpen extends Data.TaggedError("NotOpen")<{
  readonly status: string
  /** `change request` by default. */
  readonly what?: string
}> {
  override get message(): string {
    return `The ${this.what ?? "change request"} is ${this.status}.`
  }
}
/** The entity is in somebody's care, and the caller is neither its owner nor one of its stewards. */
export class ReviewerRequired extends Data.TaggedError("ReviewerRequired")<Record<never, never>> {
  override get message(): string {
    return "Only the owner of the entity or one of its stewards may decide this."
  }
}
/** No enabled chat model, and the built-in one is switched off. */
export class NoModelConfigured extends Data.TaggedError("NoModelConfigured")<{ readonly message: string }> {}
/** The agents of the workspace have spent, or reserved, what they may spend in this month. */
export class SpendCapExceeded extends Data.TaggedError("SpendCapExceeded")<{
  readonly capUsd: string
}> {
  override get message(): string {
    return `The agents of the workspace may spend ${this.capUsd} USD in a month, and have.`
  }
}
/** As many agent runs are active as the workspace allows. */
export class RunCapacityFull extends Data.TaggedError("RunCapacityFull")<{
  readonly active: number
  readonly retryAfterSeconds: number
}> {
  override get message(): string {
    return `${this.active} agent runs are active, which is all that the workspace allows.`
  }
}
/** The configured model cannot be reached or gives nothing usable, and no fall-back is allowed. */
export class ModelUnavailable extends Data.TaggedError("ModelUnavailable")<{
  readonly message: string
  readonly retryAfterSeconds: number
}> {}
/** The vault's folder or one of its files cannot be read or written (permission, disk full, gone). */
export class VaultUnavailable extends Data.TaggedError("VaultUnavailable")<{
  readonly code: string
  readonly message: string
}> {}
/** Credentials cannot be sealed or opened: the host's master key is missing, unusable, or another one. */
export class SecretsUnavailable extends Data.TaggedError("SecretsUnavailable")<{
  readonly message: string
}> {}

/** What is known of an execution of a named query that gave no rows. */
interface FailedCall {
  readonly message: string
  /** The data call that records it; absent where nothing was recorded. */
  readonly dataCallId?: string
}
/** The named query or its connector is disabled, archived or deleted. */
export class ConnectorDisabled extends Data.TaggedError("ConnectorDisabled")<FailedCall> {}
/** Parameters of a named query are missing or invalid. */
export class InvalidParams extends Data.TaggedError("InvalidParams")<FailedCall> {}
/** The database of a connector cannot be reached, or went away while a query ran. */
export class ConnectorUnreachable extends Data.TaggedError("ConnectorUnreachable")<FailedCall> {}
/** The database, or the guard in front of it, refused the query when it was run. */
export class QueryFailed extends Data.TaggedError("QueryFailed")<FailedCall> {}
/** The time limit of the connector stopped the query. */
export class QueryTimeout extends Data.TaggedError("QueryTimeout")<FailedCall> {}

/** Why a file is no export that can be taken in, or a workspace none that can be given out. */
export type InvalidExportReason =
  | "not_an_export"
  | "newer_version"
  | "cut_short"
  | "changed"
  | "invalid_record"
  | "damaged_workspace"
/** An export is not whole, not unchanged, or of a newer program; or the workspace to export is damaged. */
export class InvalidExport extends Data.TaggedError("InvalidExport")<{
  readonly reason: InvalidExportReason
  /** The line of the file, from 1; null where no single line is to blame. */
  readonly line: number | null
  readonly message: string
}> {}

/**
 * An import into a data folder has begun and has committed nothing yet: a workspace that was made there now would be in
 * its way.
 */
export class ImportUnfinished extends Data.TaggedError("ImportUnfinished")<{
  /** The data folder. */
  readonly folder: string
  /** `unknown`: it was begun in another machine or container, which nobody here can see. */
  readonly state: "under_way" | "cut_short" | "unknown"
}> {
  override get message(): string {
    const again = `run kanon import FILE again, which takes over what it left, or remove that folder.`
    if (this.state === "under_way")
      return `An import into ${this.folder} is under way: the workspace is there when it has ended.`
    return this.state === "cut_short"
      ? `An import into ${this.folder} was cut short, so there is no workspace yet: ${again}`
      : `An import into ${this.folder} was begun in another machine or container and has not ended: wait for it; if it was cut short, ${again}`
  }
}

/** Other processes hold the database for longer than anybody should wait: nothing was changed, try again. */
export class DataBusy extends Data.TaggedError("DataBusy")<{
  readonly message: string
  readonly retryAfterSeconds: number
}> {}
/** The data folder, or the database, can be read and not be written, or was not when it was opened. */
export class DataReadOnly extends Data.TaggedError("DataReadOnly") {
  override get message(): string {
    return "The data are read-only, by permissions or as the disk is full: they can be searched and not be changed."
  }
}
/** The disk of the database takes no more: it is full, or a quota or a limit is reached. */
export class DataFull extends Data.TaggedError("DataFull")<{
  /** What was done all the same, and what to do; without it nothing was. */
  readonly outcome?: string
}> {
  override get message(): string {
    const { outcome = "Nothing was changed; make room and try again." } = this
    return `The database cannot be written: its disk is full, or refuses to write. ${outcome}`
  }
}
/** The database is damaged, or another program's. */
export class DataUnreadable extends Data.TaggedError("DataUnreadable")<{ readonly message: string }> {}
/** A newer Kanon has changed the database; this one does not know how to read it, and leaves it as it is. */
export class DataTooNew extends Data.TaggedError("DataTooNew")<{
  /** The schema that was found, and the newest that this program knows. */
  readonly schema: number
  readonly newestKnown: number
  /** Versions of Kanon: the one that made the schema, if it said so, and this one. */
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

/** The database server cannot be reached, or went away. */
export class DataUnavailable extends Data.TaggedError("DataUnavailable")<{
  /** `unknown`: it went away while a change was being confirmed, so nobody knows whether that was made. */
  readonly outcome: "unchanged" | "unknown"
  readonly retryAfterSeconds: number
  /** Why no connection came about, where it is the host who asks: a name, a right, a certificate. */
  readonly reason?: string
}> {
  override get message(): string {
    if (this.reason !== undefined) return `The database cannot be reached: ${this.reason}`
    return this.outcome === "unchanged"
      ? "The database cannot be reached: nothing was changed, try again."
      : "The database went away while the change was being confirmed: look whether it was made before you try again."
  }
}

/**
 * What is wrong with the data as a whole, whatever was asked. No operation lists these: they come as defects, and
 * whoever faces a caller tells them as faults.
 */
export type DataFault = DataBusy | DataFull | DataReadOnly | DataUnreadable | DataTooNew | DataUnavailable

/** No key, one that was never made, or one that is revoked or has expired: nothing tells which. */
export class Unauthorized extends Data.TaggedError("Unauthorized")<Record<never, never>> {
  override get message(): string {
    return "A valid key is needed."
  }
}
/** The key is good, but lacks the right; any one of `wanted` would do. */
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

/** All that an operation may fail with. Anything else is a defect: a bug, or broken storage. */
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
/** The tags by which faults are told apart, in `catchTag` and in an operation's `faults`. */
export type FaultTag = Fault["_tag"]
/** The fault of a tag, with the facts that it carries. */
export type FaultOf<Tag extends FaultTag> = Extract<Fault, { readonly _tag: Tag }>

/** An input fault with one issue. */
export const invalid = (path: ReadonlyArray<string | number>, code: string, message: string): InvalidInput =>
  new InvalidInput({ issues: [{ path, code, message }] })
