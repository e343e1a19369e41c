import {
  closeSync,
  fdatasyncSync,
  mkdirSync,
  openSync,
  renameSync,
  rmSync,
  writeFileSync,
  writeSync
} from "node:fs"
import { dirname, join } from "node:path"
import { setTimeout as sleep } from "node:timers/promises"
import { randomFrom } from "../../bench/random.js"
import type { Engine } from "../../core/engine.js"
import { KanonError } from "../../core/kernel/index.js"
import {
  type DocumentState,
  type EntityState,
  type Line,
  markOf,
  type RelationState,
  type State,
  textOf
} from "./crash-state.js"

/** What a load does, and with what it begins. */
export interface LoadPlan {
  readonly vault: string
  /** A folder of the vault's disk for files that are on their way into it. */
  readonly side: string
  readonly log: string
  readonly seed: number
  readonly round: number
  readonly lanes: number
  readonly operationsPerLane: number
  /** How often the first lane goes round again: what merges on a slow machine may need more than one load. */
  readonly moreTours: number
  /** Subjects by lane, as they are. */
  readonly states: ReadonlyArray<readonly [string, State]>
}

type Op = (lane: Lane) => Promise<void>

/**
 * Several lanes at once, each with documents and entities of its own, so that each knows what must be there. The
 * first lane begins with one operation of every kind. `onAck` is told of every operation that was acknowledged.
 */
export const runLoad = async (
  engine: Engine,
  plan: LoadPlan,
  onAck: (count: number) => void
): Promise<void> => {
  const log = openSync(plan.log, "a")
  let [n, acknowledged] = [0, 0]
  const write = (line: Line) => {
    writeSync(log, `${JSON.stringify(line)}\n`)
    if (line.tag !== "begin") fdatasyncSync(log)
  }
  const record: Recorder = async (op, subject, to, work) => {
    n += 1
    const own = n
    write({ tag: "begin", n: own, op, subject, to })
    for (let attempt = 1; ; attempt++) {
      try {
        const id = (await work()) ?? null
        write({ tag: "ack", n: own, id })
        acknowledged += 1
        onAck(acknowledged)
        return { ...to, id: id ?? to.id }
      } catch (error) {
        if (!(error instanceof KanonError)) throw error
        // Another lane's ingest may be taking the same file in.
        if (error.code === "conflict" && attempt < 5) await sleep(5 * attempt)
        else {
          write({ tag: "refused", n: own, code: `${op} ${error.code} ${error.message}` })
          return null
        }
      }
    }
  }
  const runLane = async (number: number) => {
    const lane = new Lane(engine, plan, number, record)
    if (number === 0) for (const op of tour) await op(lane)
    for (let count = 0; count < plan.operationsPerLane; count++) {
      const op = mix[Math.floor(lane.random() * mix.length)]
      if (op !== undefined) await op(lane)
    }
  }
  await Promise.all(Array.from({ length: plan.lanes }, (_, number) => runLane(number)))
  await engine.ingest()
  const again = new Lane(engine, plan, plan.lanes, record)
  for (let count = 0; count < plan.moreTours; count++) {
    for (const op of tour) await op(again)
    await engine.ingest()
  }
  closeSync(log)
}

type Recorder = <S extends State>(
  op: string,
  subject: string,
  to: S,
  work: () => Promise<string | null | undefined>
) => Promise<S | null>

/** One line of operations after the other, on subjects that no other lane touches. */
class Lane {
  readonly engine: Engine
  readonly random: () => number
  readonly states: Map<string, State>
  readonly #plan: LoadPlan
  readonly #record: Recorder
  readonly #number: number
  #made = 0

  constructor(engine: Engine, plan: LoadPlan, number: number, record: Recorder) {
    this.engine = engine
    this.#plan = plan
    this.#number = number
    this.#record = record
    this.random = randomFrom(plan.seed * 31 + number)
    this.states = new Map(plan.states.filter(([subject]) => subject.startsWith(`${number}/`)))
  }

  get folder(): string {
    return `lane-${this.#number}`
  }

  mark(): string {
    this.#made += 1
    return markOf((this.#plan.round * 8 + this.#number) * 1000 + this.#made)
  }

  newSubject(): string {
    return `${this.#number}/${this.mark()}`
  }

  /** Some subject that fits. */
  some<S extends State>(fits: (state: State) => state is S): readonly [string, S] | undefined {
    const all = [...this.states].flatMap(([subject, state]) =>
      fits(state) ? [[subject, state] as const] : []
    )
    return all[Math.floor(this.random() * all.length)]
  }

  text(mark: string): string {
    const entity = this.some(isEntity)?.[1].name ?? "Main Pump"
    return textOf(mark, entity, this.some(isLive)?.[1].path ?? `${this.folder}/nowhere.md`)
  }

  async do<S extends State>(
    op: string,
    subject: string,
    to: S,
    work: () => Promise<string | null | undefined>
  ) {
    const state = await this.#record(op, subject, to, work)
    if (state !== null) this.states.set(subject, state)
  }

  /** Writes a file as an editor does: beside, then into its place. */
  writeOutside(path: string, text: string): void {
    const beside = join(this.#plan.side, `${this.#number}.tmp`)
    writeFileSync(beside, text)
    mkdirSync(dirname(this.file(path)), { recursive: true })
    renameSync(beside, this.file(path))
  }

  file(path: string): string {
    return join(this.#plan.vault, path)
  }
}

const isLive = (state: State): state is DocumentState & { readonly id: string } =>
  state.what === "document" && state.live && state.id !== null
const isTrashed = (state: State): state is DocumentState & { readonly id: string } =>
  state.what === "document" && !state.live && state.id !== null
const isEntity = (state: State): state is EntityState & { readonly id: string } =>
  state.what === "entity" && state.fate === "live" && state.id !== null
const isRelation = (state: State): state is RelationState & { readonly id: string } =>
  state.what === "relation" && state.live && state.id !== null

const create: Op = async (lane) => {
  const [subject, mark] = [lane.newSubject(), lane.mark()]
  const [path, text] = [`${lane.folder}/${mark}.md`, lane.text(mark)]
  await lane.do("create", subject, { what: "document", id: null, path, text, mark, live: true }, async () => {
    return (await lane.engine.documents.create({ path, content: text })).docId
  })
}

const replace: Op = async (lane) => {
  const [subject, state] = lane.some(isLive) ?? []
  if (subject === undefined || state === undefined) return create(lane)
  const mark = lane.mark()
  const text = lane.text(mark)
  await lane.do("replace", subject, { ...state, text, mark }, async () => {
    return (await lane.engine.documents.replace(state.id, text)).docId
  })
}

const putBack: Op = async (lane) => {
  const [subject, state] = lane.some(isLive) ?? []
  if (subject === undefined || state === undefined) return create(lane)
  // What was written from outside is taken in first: else it would be lost with the file.
  await ingest(lane)
  await lane.do("put back", subject, state, async () => {
    const beside = `${lane.file(state.path)}.lost`
    renameSync(lane.file(state.path), beside)
    const saved = await lane.engine.documents.replace(state.id, state.text)
    rmSync(beside)
    return saved.docId
  })
}

const move: Op = async (lane) => {
  const [subject, state] = lane.some(isLive) ?? []
  if (subject === undefined || state === undefined) return create(lane)
  const path = `${lane.folder}/${lane.random() < 0.5 ? "deep/" : ""}${lane.mark()}.md`
  await lane.do("move", subject, { ...state, path }, async () => {
    return (await lane.engine.documents.move(state.id, path)).docId
  })
}

const remove: Op = async (lane) => {
  const [subject, state] = lane.some(isLive) ?? []
  if (subject === undefined || state === undefined) return create(lane)
  await lane.do("remove", subject, { ...state, live: false }, async () => {
    return (await lane.engine.documents.remove(state.id)).id
  })
}

const restore: Op = async (lane) => {
  const [subject, state] = lane.some(isTrashed) ?? []
  if (subject === undefined || state === undefined) return remove(lane)
  await lane.do("restore", subject, { ...state, live: true }, async () => {
    return (await lane.engine.documents.restore(state.id)).docId
  })
}

const outsideCreate: Op = async (lane) => {
  const [subject, mark] = [lane.newSubject(), lane.mark()]
  const [path, text] = [`${lane.folder}/${mark}.md`, lane.text(mark)]
  await lane.do(
    "outside create",
    subject,
    { what: "document", id: null, path, text, mark, live: true },
    async () => {
      lane.writeOutside(path, text)
      return null
    }
  )
  await ingest(lane)
}

const outsideEdit: Op = async (lane) => {
  const [subject, state] = lane.some(isLive) ?? []
  if (subject === undefined || state === undefined) return create(lane)
  const mark = lane.mark()
  const text = lane.text(mark)
  await lane.do("outside edit", subject, { ...state, text, mark }, async () => {
    lane.writeOutside(state.path, text)
    return null
  })
}

const outsideRemove: Op = async (lane) => {
  const [subject, state] = lane.some(isLive) ?? []
  if (subject === undefined || state === undefined) return create(lane)
  await ingest(lane)
  await lane.do("outside remove", subject, { ...state, live: false }, async () => {
    rmSync(lane.file(state.path))
    return null
  })
  await ingest(lane)
}

const outsideMove: Op = async (lane) => {
  const [subject, state] = lane.some(isLive) ?? []
  if (subject === undefined || state === undefined) return create(lane)
  await ingest(lane)
  const path = `${dirname(state.path)}/${lane.mark()}.md`
  await lane.do("outside move", subject, { ...state, path }, async () => {
    renameSync(lane.file(state.path), lane.file(path))
    return null
  })
  await ingest(lane)
}

/** Takes in the files of the lane: afterwards each of its documents can be called by its id. */
const ingest: Op = async (lane) => {
  await lane.engine.ingest({ path: lane.folder, wait: false })
  for (const [subject, state] of lane.states) {
    if (state.what !== "document" || !state.live || state.id !== null) continue
    lane.states.set(subject, { ...state, id: (await lane.engine.documents.getByPath(state.path)).id })
  }
}

const createEntity: Op = async (lane) => {
  const [subject, mark] = [lane.newSubject(), lane.mark()]
  const [name, description] = [`Plant ${mark}`, `Made as ${mark}.`]
  await lane.do(
    "create entity",
    subject,
    { what: "entity", id: null, name, description, fate: "live" },
    async () => {
      return (await lane.engine.entities.create({ name, type: "System", description })).id
    }
  )
}

const updateEntity: Op = async (lane) => {
  const [subject, state] = lane.some(isEntity) ?? []
  if (subject === undefined || state === undefined) return createEntity(lane)
  const description = `Now ${lane.mark()}.`
  await lane.do("update entity", subject, { ...state, description }, async () => {
    return (await lane.engine.entities.update(state.id, { description })).id
  })
}

const mergeEntities: Op = async (lane) => {
  const [subject, state] = lane.some(isEntity) ?? []
  const [other, into] = lane.some(isEntity) ?? []
  if (subject === undefined || state === undefined || into === undefined || other === subject)
    return createEntity(lane)
  await lane.do("merge", subject, { ...state, fate: "merged" }, async () => {
    await lane.engine.entities.merge(state.id, into.id)
    return state.id
  })
}

const removeEntity: Op = async (lane) => {
  const [subject, state] = lane.some(isEntity) ?? []
  if (subject === undefined || state === undefined) return createEntity(lane)
  await lane.do("remove entity", subject, { ...state, fate: "removed" }, async () => {
    await lane.engine.entities.remove(state.id)
    return state.id
  })
}

const createRelation: Op = async (lane) => {
  const [, src] = lane.some(isEntity) ?? []
  const [, dst] = lane.some(isEntity) ?? []
  if (src === undefined || dst === undefined || src.id === dst.id) return createEntity(lane)
  const type = `feeds ${lane.mark()}`
  const to: RelationState = { what: "relation", id: null, srcId: src.id, dstId: dst.id, type, live: true }
  await lane.do("create relation", lane.newSubject(), to, async () => {
    const asked = { srcEntityId: src.id, dstEntityId: dst.id, type, evidence: "The manual." }
    return (await lane.engine.relations.create(asked)).relationId
  })
}

const removeRelation: Op = async (lane) => {
  const ends = new Set([...lane.states.values()].flatMap((state) => (isEntity(state) ? [state.id] : [])))
  const standing = (state: State): state is RelationState & { readonly id: string } =>
    isRelation(state) && ends.has(state.srcId) && ends.has(state.dstId)
  const [subject, state] = lane.some(standing) ?? []
  if (subject === undefined || state === undefined) return createRelation(lane)
  await lane.do("remove relation", subject, { ...state, live: false }, async () => {
    await lane.engine.relations.remove(state.id)
    return state.id
  })
}

const search: Op = async (lane) => {
  const [, state] = lane.some(isLive) ?? []
  await lane.engine.search(state?.mark ?? "battery")
}

const tour: ReadonlyArray<Op> = [
  ...[create, create, createEntity, createEntity, createEntity, createEntity, createRelation, createRelation],
  ...[create, create, replace, move, outsideCreate, outsideEdit, ingest, putBack, replace, remove, restore],
  ...[updateEntity, removeRelation, removeRelation, outsideMove, create, create, create, replace, replace],
  ...[mergeEntities, mergeEntities, mergeEntities, removeEntity, outsideRemove, remove, create, search]
]

const often = (op: Op, times: number): ReadonlyArray<Op> => Array.from({ length: times }, () => op)
const mix: ReadonlyArray<Op> = [
  ...[often(create, 4), often(replace, 5), often(move, 3), often(remove, 2), often(restore, 2)],
  ...[often(outsideCreate, 1), often(outsideEdit, 3), often(outsideRemove, 1), often(outsideMove, 1)],
  ...[often(putBack, 1), often(ingest, 2), often(createEntity, 3), often(updateEntity, 2)],
  ...[often(mergeEntities, 1), often(removeEntity, 1), often(createRelation, 2), often(removeRelation, 1)],
  ...[often(search, 2)]
].flat()
