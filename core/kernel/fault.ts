import * as Data from "effect/Data"

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
/** No enabled chat model, and the built-in one is switched off. */
export class NoModelConfigured extends Data.TaggedError("NoModelConfigured")<{ readonly message: string }> {}
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

/** All that an operation may fail with. Anything else is a defect: a bug, or broken storage. */
export type Fault =
  | InvalidInput
  | NotFound
  | Conflict
  | InvalidTransition
  | NoModelConfigured
  | ModelUnavailable
  | VaultUnavailable
export type FaultTag = Fault["_tag"]
export type FaultOf<Tag extends FaultTag> = Extract<Fault, { readonly _tag: Tag }>

/** An input fault with one issue. */
export const invalid = (path: ReadonlyArray<string | number>, code: string, message: string): InvalidInput =>
  new InvalidInput({ issues: [{ path, code, message }] })
