import { type ChainHead, chainStart, hashedText, type StoredEvent } from "../audit/index.js"
import { canonicalJson, type WorkspaceId } from "../kernel/index.js"
import type { RecordOf } from "./model.js"

/** Judges the events of an export: each follows the one before, and the last is the head that the workspace told of. */
export class TrailCheck {
  #last: ChainHead

  constructor(
    workspace: WorkspaceId,
    private readonly head: ChainHead | null,
    private readonly options: {
      readonly sha256: (text: string) => string
      /** Takes a broken chain as it is, so that it stays known as one. */
      readonly acceptsBroken: boolean
    }
  ) {
    this.#last = chainStart(workspace, options.sha256)
  }

  /** The event as it is to be kept, or what is wrong with it as a sentence. */
  next(record: RecordOf<"audit">): RecordOf<"audit"> | string {
    const event = storedOf(record)
    const { position, hash } = this.#last
    this.#last = event
    if (this.options.acceptsBroken) return record
    if (event.position !== position + 1 || event.prevHash !== hash)
      return `It does not follow the event before it. ${broken}`
    return this.options.sha256(hashedText(event)) === event.hash
      ? record
      : `It is not what its hash tells of. ${broken}`
  }

  /** What is wrong with the end, as a sentence; undefined when nothing is. */
  end(): string | undefined {
    if (this.options.acceptsBroken) return undefined
    const { hash, position } = this.#last
    const isEnd =
      this.head === null ? position === 0 : position === this.head.position && hash === this.head.hash
    return isEnd ? undefined : `The audit trail does not end where the workspace says. ${broken}`
  }
}

const broken = "The audit trail of the workspace was tampered with before the export."

/** An archived event as a log keeps it. */
export const storedOf = ({ details, kind: _kind, ...event }: RecordOf<"audit">): StoredEvent => ({
  ...event,
  details: canonicalJson(details)
})
