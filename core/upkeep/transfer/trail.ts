import { type ChainHead, chainStart, hashedText, type StoredEvent } from "../../platform/audit/index.js"
import { canonicalJson, type WorkspaceId } from "../../platform/kernel/index.js"
import type { RecordOf } from "./model.js"

/**
 * Validates the audit events of an export: each links to the one before, and the last is the head that the workspace
 * record names.
 */
export class TrailCheck {
  #last: ChainHead

  constructor(
    workspace: WorkspaceId,
    private readonly head: ChainHead | null,
    private readonly options: {
      readonly sha256: (text: string) => string
      /** Accepts a broken chain; it stays marked as broken. */
      readonly acceptsBroken: boolean
    }
  ) {
    this.#last = chainStart(workspace, options.sha256)
  }

  /** Returns the event to store, or a problem as a sentence. */
  next(record: RecordOf<"audit">): RecordOf<"audit"> | string {
    const event = storedOf(record)
    const { position, hash } = this.#last
    this.#last = event
    if (this.options.acceptsBroken) return record
    if (event.position !== position + 1 || event.prevHash !== hash)
      return `It does not follow the event before it. ${broken}`
    return this.options.sha256(hashedText(event)) === event.hash
      ? record
      : `It is not what its hash names. ${broken}`
  }

  /** Returns a problem with the end of the chain as a sentence, or undefined. */
  end(): string | undefined {
    if (this.options.acceptsBroken) return undefined
    const { hash, position } = this.#last
    const isEnd =
      this.head === null ? position === 0 : position === this.head.position && hash === this.head.hash
    return isEnd ? undefined : `The audit trail does not end where the workspace says. ${broken}`
  }
}

const broken = "The audit trail of the workspace was tampered with before the export."

/** Converts an archived event to its stored form. */
export const storedOf = ({ details, kind: _kind, ...event }: RecordOf<"audit">): StoredEvent => ({
  ...event,
  details: canonicalJson(details)
})
