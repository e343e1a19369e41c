import type { AuditId } from "../kernel/index.js"
import { hashedText, type Sha256 } from "./chain.js"
import type { ChainHead, StoredEvent } from "./model.js"

/** An event as far as its links go. `rank` counts the events as they stand, from 1, whatever they say of themselves. */
export interface Link {
  readonly rank: number
  readonly position: number
  readonly id: AuditId | null
  readonly hash: string
  /** Whether its content is not that of its hash. */
  readonly isChanged: boolean
}

/** Two neighbours of which the later one follows another event than the earlier one. */
export interface Break {
  readonly before: Link
  /** Null behind the last event: then it is the head that names another one. */
  readonly after: Link | null
  readonly wanted: string
  /** Places between the two that nobody has. */
  readonly holes: number
}

/** Neighbours that do not fit are remembered up to here; a chain with more of them is beyond telling what happened. */
const breaksMax = 1000

/**
 * Goes along a chain and notes what does not fit: events that are not what their hash says, neighbours that are not
 * linked, places that are not counted on. Holds nothing but that and the last event.
 */
export class ChainWalk {
  readonly changed: Array<Link> = []
  readonly misnumbered: Array<Link> = []
  readonly breaks: Array<Break> = []
  /** What was met and not remembered any more. */
  untold = 0
  /** The place of the hash that was kept elsewhere, once it is met. */
  keptPosition: number | null = null
  #last: Link
  #expected: number
  #computed: string

  constructor(
    start: ChainHead,
    private readonly sha256: Sha256,
    private readonly kept: string | undefined
  ) {
    this.#last = { rank: 0, position: 0, id: null, hash: start.hash, isChanged: false }
    this.#computed = start.hash
    this.#expected = 1
    if (kept === start.hash) this.keptPosition = 0
  }

  get events(): number {
    return this.#last.rank
  }

  get last(): Link {
    return this.#last
  }

  next(event: StoredEvent): void {
    const computed = this.sha256(hashedText(event))
    const { hash, id, position } = event
    const link: Link = { rank: this.#last.rank + 1, position, id, hash, isChanged: computed !== hash }
    if (link.isChanged) this.#note(this.changed, link)
    else if (hash === this.kept) this.keptPosition = position
    if (this.#follows(event.prevHash)) this.#count(link)
    else {
      const holes = Math.max(0, position - this.#last.position - 1)
      this.#note(this.breaks, { before: this.#last, after: link, wanted: event.prevHash, holes })
      this.#expected = position + 1
    }
    this.#last = link
    this.#computed = computed
  }

  /** What the log says of its end must be where the events end. */
  end(head: ChainHead | null): "fits" | "differs" {
    if (head === null) return this.events === 0 ? "fits" : "differs"
    if (this.#follows(head.hash)) return head.position === this.#expected - 1 ? "fits" : "differs"
    const holes = Math.max(0, head.position - this.#last.position)
    this.#note(this.breaks, { before: this.#last, after: null, wanted: head.hash, holes })
    return "fits"
  }

  /** Where the hash alone was changed, what follows still names the right one. */
  #follows(prevHash: string): boolean {
    return prevHash === this.#last.hash || prevHash === this.#computed
  }

  #count(link: Link): void {
    const isCounted = link.position === this.#expected || link.position === this.#last.position + 1
    if (!isCounted) this.#note(this.misnumbered, link)
    this.#expected = isCounted ? link.position + 1 : this.#expected + 1
  }

  #note<Item>(list: Array<Item>, item: Item): void {
    if (list.length < breaksMax) list.push(item)
    else this.untold += 1
  }
}

/** Looks for the events that broken links are about, in a second walk. */
export class ChainTrace {
  /** Where the events stand that somebody says to follow, with what stands behind each now. */
  readonly places = new Map<string, { readonly link: Link; next: Link | null }>()
  /** Hashes that somebody follows. */
  readonly followed = new Set<string>()
  readonly #wanted: ReadonlySet<string>
  readonly #asked: ReadonlySet<string>
  #open: { next: Link | null } | undefined
  #rank = 0

  constructor(start: ChainHead, breaks: ReadonlyArray<Break>, head: ChainHead | null) {
    this.#wanted = new Set(breaks.map(({ wanted }) => wanted))
    this.#asked = new Set(
      breaks.flatMap(({ after, before }) => [before.hash, ...(after === null ? [] : [after.hash])])
    )
    if (head !== null) this.#follow(head.hash)
    this.#place({ rank: 0, position: 0, id: null, hash: start.hash, isChanged: false })
  }

  next({ hash, id, position, prevHash }: StoredEvent): void {
    this.#rank += 1
    const link: Link = { rank: this.#rank, position, id, hash, isChanged: false }
    this.#follow(prevHash)
    if (this.#open !== undefined) this.#open.next = link
    this.#open = undefined
    this.#place(link)
  }

  #follow(hash: string): void {
    if (this.#asked.has(hash)) this.followed.add(hash)
  }

  #place(link: Link): void {
    if (!this.#wanted.has(link.hash) || this.places.has(link.hash)) return
    const place = { link, next: null }
    this.places.set(link.hash, place)
    this.#open = place
  }
}
