import { z } from "zod"
import { randomFrom } from "../../core/answers/measures/index.js"

/** The address of a server, the next one to try; null while it is away. */
export type Servers = (place: number) => string | null

interface LoadOptions {
  readonly reach: Servers
  readonly key: string
  readonly seed: number
}

/**
 * State of one document or entity: the one that was acknowledged last, and those that interrupted requests may have
 * left.
 */
interface Known {
  readonly what: "documents" | "entities"
  readonly id: string
  /** A text or a description; null when it was deleted. */
  acknowledged: string | null
  readonly maybe: Array<string | null>
  /** Acknowledged changes of an entity, which each leave a revision. */
  changes: number
}

type Answer = { readonly status: number; readonly body: unknown } | null

const Saved = z.object({ docId: z.string() })
const Made = z.object({ id: z.string() })
const Text = z.object({ content: z.string() })
const Entity = z.object({ description: z.string().nullable() })
const Revisions = z.object({ revisions: z.array(z.object({ version: z.number() })) })

/** How a request ended of which nobody knows what came of it: no answer, or one that says so. */
const isOpen = (answer: Answer): answer is null => answer === null || answer.status === 503

/** Reads, writes, uploads, curation and questions from several lanes at once, and what they were promised. */
export class ChaosLoad {
  readonly #options: LoadOptions
  readonly #known: Array<Known> = []
  #stopped = false
  #counts = { sent: 0, open: 0, refused: 0 }
  acknowledged = 0
  /** Answers that nobody should ever get. */
  readonly odd: Array<unknown> = []

  constructor(options: LoadOptions) {
    this.#options = options
  }

  /** Goes on until `stop`. */
  async run(lanes: number): Promise<void> {
    await Promise.all(Array.from({ length: lanes }, (_, lane) => this.#lane(lane)))
  }

  stop(): void {
    this.#stopped = true
  }

  summary(): string {
    const { open, refused, sent } = this.#counts
    return `${sent} requests, ${this.acknowledged} writes acknowledged, ${open} without an answer, ${refused} refused`
  }

  /** Returns a message for each acknowledged change that is lost. */
  async lost(): Promise<ReadonlyArray<string>> {
    const wrong: Array<string> = []
    for (const known of this.#known) {
      const found = await this.#present(known)
      if (found !== known.acknowledged && !known.maybe.includes(found))
        wrong.push(
          `${known.what} ${known.id}: ${JSON.stringify(known.acknowledged)} was promised, ${JSON.stringify(found)} is there`
        )
      if (known.what === "entities" && found !== null) {
        const answer = await this.#surely("GET", `/entities/${known.id}/revisions?limit=200`)
        const versions = Revisions.parse(answer?.body).revisions.map(({ version }) => version)
        const distinct = new Set(versions).size === versions.length
        if (!distinct || versions.length < known.changes + 1)
          wrong.push(
            `entity ${known.id}: ${known.changes} changes were promised, ${versions.join(",")} are there`
          )
      }
    }
    return wrong
  }

  async #lane(lane: number): Promise<void> {
    const chance = randomFrom(this.#options.seed * 1000 + lane)
    const own: Array<Known> = []
    for (let step = 0; !this.#stopped; step += 1) {
      // Items with an interrupted request are not changed again, since their next state would prove nothing.
      const sure = own.filter(({ acknowledged, maybe }) => maybe.length === 0 && acknowledged !== null)
      const one = sure[Math.floor(chance() * sure.length)]
      const mark = `lane${lane}step${step}`
      const dice = chance()
      if (one === undefined || dice < 0.25) await this.#create(own, lane, mark, chance() < 0.5)
      else if (dice < 0.5) await this.#change(one, mark)
      else if (dice < 0.55) await this.#remove(one)
      else if (dice < 0.65 && one.what === "entities") await this.#curate(one)
      else if (dice < 0.75)
        await this.#send("POST", "/query", { question: "What is availability of a turbine?" }, lane)
      else if (dice < 0.87) await this.#send("GET", `/search?q=${mark}`, undefined, lane)
      else await this.#look(one)
    }
  }

  async #create(own: Array<Known>, lane: number, mark: string, isDocument: boolean): Promise<void> {
    const text = isDocument ? `# ${mark}\n\nA note of ${mark}.\n` : `About ${mark}.`
    const answer = isDocument
      ? await this.#send("POST", "/documents", { path: `lane-${lane}/${mark}.md`, content: text }, lane)
      : await this.#send("POST", "/entities", { name: mark, type: "place", description: text }, lane)
    if (answer?.status !== 201) return
    const id = isDocument ? Saved.parse(answer.body).docId : Made.parse(answer.body).id
    const known: Known = {
      what: isDocument ? "documents" : "entities",
      id,
      acknowledged: text,
      maybe: [],
      changes: 0
    }
    own.push(known)
    this.#known.push(known)
    this.acknowledged += 1
  }

  async #change(known: Known, mark: string): Promise<void> {
    const isDocument = known.what === "documents"
    const text = isDocument ? `# ${mark}\n\nRewritten as ${mark}.\n` : `Now ${mark}.`
    const body = isDocument ? { content: text } : { description: text }
    this.#note(known, await this.#send("PATCH", `/${known.what}/${known.id}`, body), text)
  }

  async #remove(known: Known): Promise<void> {
    this.#note(known, await this.#send("DELETE", `/${known.what}/${known.id}`), null)
  }

  /**
   * Reviews an entity. The result is not recorded: a review without an answer leaves the same state with or without one
   * more revision.
   */
  async #curate({ id }: Known): Promise<void> {
    await this.#send("POST", `/entities/${id}/review`)
  }

  #note(known: Known, answer: Answer, to: string | null): void {
    if (isOpen(answer)) known.maybe.push(to)
    else if (answer.status === 200) {
      known.acknowledged = to
      known.changes += 1
      this.acknowledged += 1
    }
  }

  /** Checks that the next read, by whichever server, returns what was acknowledged. */
  async #look(known: Known): Promise<void> {
    const promised = known.acknowledged
    const answer = await this.#send("GET", `/${known.what}/${known.id}`)
    if (isOpen(answer)) return
    const found = answer.status === 200 ? textOf(known, answer.body) : null
    if (found !== promised) this.odd.push({ id: known.id, promised, found })
  }

  async #present(known: Known): Promise<string | null> {
    const answer = await this.#surely("GET", `/${known.what}/${known.id}`)
    return answer?.status === 200 ? textOf(known, answer.body) : null
  }

  async #surely(method: string, path: string): Promise<Answer> {
    for (let tries = 0; tries < 200; tries += 1) {
      const answer = await this.#send(method, path)
      if (!isOpen(answer)) return answer
      await new Promise((resolve) => setTimeout(resolve, 100))
    }
    throw new Error(`Nobody answers ${path}.`)
  }

  async #send(method: string, path: string, body?: unknown, from = this.#counts.sent): Promise<Answer> {
    const url = this.#options.reach(from) ?? this.#options.reach(from + 1)
    if (url === null) {
      await new Promise((resolve) => setTimeout(resolve, 50))
      return { status: 503, body: null }
    }
    this.#counts.sent += 1
    try {
      const response = await fetch(`${url}/api/v1${path}`, {
        method,
        headers: { authorization: `Bearer ${this.#options.key}`, "content-type": "application/json" },
        ...(body === undefined ? {} : { body: JSON.stringify(body) })
      })
      const answer = { status: response.status, body: await response.json() }
      if (answer.status === 503) this.#counts.refused += 1
      // 409 is somebody else's change at the same moment, or the first try of what got no answer.
      else if (answer.status >= 400 && answer.status !== 404 && answer.status !== 409)
        this.odd.push({ method, path, ...answer })
      return answer
    } catch {
      this.#counts.open += 1
      return null
    }
  }
}

const textOf = ({ what }: Known, body: unknown): string | null =>
  what === "documents" ? Text.parse(body).content : Entity.parse(body).description
