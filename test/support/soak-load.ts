import { mkdirSync, rmSync, writeFileSync } from "node:fs"
import { join } from "node:path"
import { randomFrom } from "../../core/answers/measures/index.js"
import type { Engine } from "../../core/engine/engine/index.js"

interface LoadOptions {
  readonly engine: Engine
  /** The folder of the vault. */
  readonly vault: string
  readonly seed: number
}

/** Items that a lane created. */
interface Own {
  readonly documents: Array<string>
  readonly entities: Array<string>
  readonly files: Array<string>
}

/** So that the workspace does not grow: what then grows is the process. */
const documentsMax = 30
const entitiesMax = 20
const filesMax = 12

/** More files than an ingest takes in without a thread. */
const batchFiles = 60

const syllables = ["ka", "ro", "mi", "ten", "sul", "ve", "dor", "an", "pli", "gos"]

/** One of a thousand made-up words. */
const word = (chance: () => number): string =>
  Array.from({ length: 3 }, () => syllables[Math.floor(chance() * syllables.length)] ?? "").join("")

/** Writes, reads, searches, questions, curation and ingests from several lanes at once; the same for the same seed. */
export class SoakLoad {
  readonly #options: LoadOptions
  readonly #made: Array<Own> = []
  /** Calls that were answered. */
  calls = 0
  /** Failures that nobody should see: the lanes have nothing in common. */
  readonly odd: Array<string> = []

  constructor(options: LoadOptions) {
    this.#options = options
  }

  /** Each lane takes steps while it is told to go on. */
  async run(lanes: number, goesOn: (step: number) => boolean): Promise<void> {
    await Promise.all(Array.from({ length: lanes }, (_, lane) => this.#lane(lane, goesOn)))
  }

  /** A batch of files that is new to the vault, taken in by a thread, and gone again. */
  async takeInBatch(): Promise<void> {
    const { engine, seed, vault } = this.#options
    const chance = randomFrom(seed)
    const folder = join(vault, "batch")
    mkdirSync(folder, { recursive: true })
    for (let i = 0; i < batchFiles; i += 1) writeFileSync(join(folder, `${i}.md`), note(chance, 8))
    await this.#call("ingest", () => engine.ingest())
    rmSync(folder, { recursive: true })
    await this.#call("ingest", () => engine.ingest())
  }

  /** Removes all that the lanes made, and waits until nothing is owed. */
  async clear(): Promise<void> {
    const { engine } = this.#options
    for (const { documents, entities, files } of this.#made.splice(0)) {
      for (const id of documents) await this.#call("remove", () => engine.documents.remove(id))
      for (const id of entities) await this.#call("remove entity", () => engine.entities.remove(id))
      for (const file of files) rmSync(file)
    }
    await this.#call("ingest", () => engine.ingest())
  }

  async #lane(lane: number, goesOn: (step: number) => boolean): Promise<void> {
    const { seed, vault } = this.#options
    const chance = randomFrom(seed * 1000 + lane)
    const own: Own = { documents: [], entities: [], files: [] }
    this.#made.push(own)
    mkdirSync(join(vault, `outside-${lane}`), { recursive: true })
    for (let step = 0; goesOn(step); step += 1) {
      const dice = chance()
      if (dice < 0.12) await this.#write(own, lane, step, chance)
      else if (dice < 0.22) await this.#curate(own, lane, step, chance)
      else if (dice < 0.25) await this.#outside(own, lane, step, chance)
      else await this.#read(own, chance)
    }
  }

  /** Creates, replaces or deletes. */
  async #write({ documents }: Own, lane: number, step: number, chance: () => number): Promise<void> {
    const { documents: calls } = this.#options.engine
    const [place, dice] = [Math.floor(chance() * documents.length), chance()]
    const id = documents[place]
    if (documents.length >= documentsMax || (id !== undefined && dice < 0.25)) {
      documents.splice(place, 1)
      await this.#call("remove", () => calls.remove(id ?? ""))
    } else if (id !== undefined && dice < 0.6)
      await this.#call("replace", () => calls.replace(id, note(chance)))
    else {
      const path = `lane-${lane}/${this.#options.seed}-${step}.md`
      const saved = await this.#call("create", () => calls.create({ path, content: note(chance) }))
      if (saved !== null) documents.push(saved.docId)
    }
  }

  async #curate({ entities }: Own, lane: number, step: number, chance: () => number): Promise<void> {
    const { entities: calls } = this.#options.engine
    const [place, dice] = [Math.floor(chance() * entities.length), chance()]
    const id = entities[place]
    if (entities.length >= entitiesMax || (id !== undefined && dice < 0.15)) {
      entities.splice(place, 1)
      await this.#call("remove entity", () => calls.remove(id ?? ""))
    } else if (id !== undefined && dice < 0.35)
      await this.#call("update", () => calls.update(id, { description: note(chance) }))
    else if (id !== undefined && dice < 0.5) await this.#call("certify", () => calls.certify(id))
    else if (id !== undefined && dice < 0.7) await this.#call("neighborhood", () => calls.neighborhood(id))
    else {
      const name = `Place ${word(chance)} ${this.#options.seed} ${lane} ${step}`
      const made = await this.#call("create entity", () => calls.create({ name, type: "place" }))
      if (made !== null) entities.push(made.id)
    }
  }

  /** Somebody else writes or removes a file of the vault, which an ingest takes in. */
  async #outside({ files }: Own, lane: number, step: number, chance: () => number): Promise<void> {
    const { engine, vault } = this.#options
    const oldest = files.length >= filesMax ? files.shift() : undefined
    if (oldest === undefined) {
      const file = join(vault, `outside-${lane}`, `${this.#options.seed}-${step}.md`)
      writeFileSync(file, note(chance))
      files.push(file)
    } else rmSync(oldest)
    await this.#call("ingest", () => engine.ingest({ path: `outside-${lane}` }))
  }

  async #read({ documents }: Own, chance: () => number): Promise<void> {
    const { engine } = this.#options
    const [dice, id] = [chance(), documents[Math.floor(chance() * documents.length)]]
    const words = `${word(chance)} ${word(chance)}`
    if (dice < 0.65) await this.#call("search", () => engine.search(words))
    else if (dice < 0.8) await this.#call("ask", () => engine.ask(`What is ${words}?`))
    else if (dice < 0.9) await this.#call("list", () => engine.entities.list({ limit: 20 }))
    else if (id !== undefined) await this.#call("get", () => engine.documents.get(id))
  }

  async #call<A>(name: string, work: () => Promise<A>): Promise<A | null> {
    try {
      const answer = await work()
      this.calls += 1
      return answer
    } catch (error) {
      this.odd.push(`${name}: ${error}`)
      return null
    }
  }
}

const note = (chance: () => number, length = 30): string => {
  const words = () => Array.from({ length }, () => word(chance)).join(" ")
  return `# ${word(chance)}\n\nThe ${words()}.\n\n## ${word(chance)}\n\nIt is ${words()}.\n`
}
