import * as Context from "effect/Context"
import type * as Effect from "effect/Effect"
import type { WorkspaceScope } from "../kernel/index.js"
import type { AuditEvent } from "./model.js"

/** The append-only trail. */
export class AuditLog extends Context.Tag("kanon/AuditLog")<
  AuditLog,
  {
    /** Appends in the caller's unit of work, in the order given. */
    readonly append: (workspace: WorkspaceScope, events: ReadonlyArray<AuditEvent>) => Effect.Effect<void>
    /** The newest events of one subject, newest first. */
    readonly ofSubject: (
      workspace: WorkspaceScope,
      subjectId: string,
      limit: number
    ) => Effect.Effect<ReadonlyArray<AuditEvent>>
  }
>() {}
