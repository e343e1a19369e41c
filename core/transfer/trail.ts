import { type ChainHead, chainStart, hashedText, linked, type StoredEvent } from "../audit/index.js"
import { canonicalJson, type WorkspaceId } from "../kernel/index.js"
import { chainedSince } from "./earlier.js"
import type { RecordOf } from "./model.js"

/** Judges the events of an export: each follows the one before, and the last is the head that the workspace told of. */
export class TrailCheck {
  #last: ChainHead
  #lastId = ""

  constructor(
    workspace: WorkspaceId,
    private readonly head: ChainHead | null,
    private readonly options: {
      readonly version: number
      readonly sha256: (text: string) => string
      /** Takes a broken chain as it is, so that it stays known as one. */
      readonly acceptsBroken: boolean
    }
  ) {
    this.#last = chainStart(workspace, options.sha256)
  }

  /** The event as it is to be kept, or what is wrong with it as a sentence. */
  next(record: RecordOf<"audit">): RecordOf<"audit"> | string {
    const { sha256, version } = this.options
    if (version < chainedSince) {
      if (record.id <= this.#lastId) return "It stands out of its order, or twice."
      this.#lastId = record.id
      const { kind, position: _none, hash: _hash, prevHash: _before, ...draft } = record
      const [event] = linked(this.#last, [draft], sha256)
      if (event === undefined) return "It cannot be linked."
      this.#last = event
      return { ...record, kind, position: event.position, prevHash: event.prevHash, hash: event.hash }
    }
    const event = storedOf(record)
    const { position, hash } = this.#last
    this.#last = event
    if (this.options.acceptsBroken) return record
    if (event.position !== position + 1 || event.prevHash !== hash)
      return `It does not follow the event before it. ${broken}`
    return sha256(hashedText(event)) === event.hash ? record : `It is not what its hash tells of. ${broken}`
  }

  /** What is wrong with the end, as a sentence; undefined when nothing is. */
  end(): string | undefined {
    if (this.options.version < chainedSince || this.options.acceptsBroken) return undefined
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
