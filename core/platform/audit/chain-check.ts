import type { AuditId } from "../kernel/index.js"
import { hashedText, type Sha256 } from "./chain.js"
import type { ChainHead, StoredEvent } from "./model.js"

/** The links of an event. `rank` is its position by count, from 1, regardless of its stored position. */
export interface Link {
  readonly rank: number
  readonly position: number
  readonly id: AuditId | null
  readonly hash: string
  /** Whether its content does not match its hash. */
  readonly isChanged: boolean
}

/** Two adjacent events of which the later one does not link to the earlier one. */
export interface Break {
  readonly before: Link
  /** Null behind the last event: then the stored head names another event. */
  readonly after: Link | null
  readonly wanted: string
  /** Missing positions between the two. */
  readonly holes: number
}

/** Maximum number of breaks held in memory; with more, the chain is not diagnosed. */
const breaksMax = 1000

/**
 * Walks along a chain and collects faults: content that does not match its hash, broken links, and wrong positions.
 * Memory is bounded: it holds the breaks and the last event.
 */
export class ChainWalk {
  readonly changed: Array<Link> = []
  readonly misnumbered: Array<Link> = []
  readonly breaks: Array<Break> = []
  /** Number of breaks beyond the limit. */
  untold = 0
  /** Position of the externally stored hash, once found. */
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

  /** Returns whether the stored head matches the last event. */
  end(head: ChainHead | null): "fits" | "differs" {
    if (head === null) return this.events === 0 ? "fits" : "differs"
    if (this.#follows(head.hash)) return head.position === this.#expected - 1 ? "fits" : "differs"
    const holes = Math.max(0, head.position - this.#last.position)
    this.#note(this.breaks, { before: this.#last, after: null, wanted: head.hash, holes })
    return "fits"
  }

  /** Returns whether the link still holds when only the stored hash was changed. */
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

/** Finds the events that broken links refer to, in a second walk. */
export class ChainTrace {
  /** Positions of referenced events, with the event that now follows each. */
  readonly places = new Map<string, { readonly link: Link; next: Link | null }>()
  /** Hashes that some event links to. */
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
