import type { AuditId } from "../kernel/index.js"

/** One fact about who did what; never changed, never removed. */
export interface AuditEvent {
  readonly id: AuditId
  /** `<subject>.<verb>`, for example `document.replace`. */
  readonly action: string
  readonly actor: string
  readonly activity: string
  readonly subjectId: string
  readonly at: string
  readonly details: Readonly<Record<string, unknown>>
}
