import { mkdirSync, renameSync, writeFileSync } from "node:fs"
import { dirname, join } from "node:path"
import { randomFrom } from "../../bench/random.js"
import type { Engine } from "../../core/engine/engine/index.js"
import {
  type DocumentState,
  type EntityState,
  markOf,
  type RelationState,
  type State,
  textOf
} from "./crash-state.js"

/** Operations of a load, and the state that it begins with. */
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

/** Something that a lane does. */
export type Op = (lane: Lane) => Promise<void>

export type Recorder = <S extends State>(
  op: string,
  subject: string,
  to: S,
  work: () => Promise<string | null | undefined>,
  group: string
) => Promise<S | null>

/** One line of operations after the other, on subjects that no other lane touches. */
export class Lane {
  readonly engine: Engine
  readonly random: () => number
  readonly states: Map<string, State>
  readonly #plan: LoadPlan
  readonly #record: Recorder
  readonly #number: number
  #made = 0
  #groups = 0
  #group: string | null = null

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

  /** Runs an operation. Operations nested in it belong to its group: all of them happen or none. */
  async do<S extends State>(
    op: string,
    subject: string,
    to: S,
    work: () => Promise<string | null | undefined>
  ) {
    const outer = this.#group
    if (outer === null) this.#groups += 1
    const group = outer ?? `${this.#number}/${this.#groups}`
    this.#group = group
    try {
      const state = await this.#record(op, subject, to, work, group)
      if (state !== null) this.states.set(subject, state)
    } finally {
      this.#group = outer
    }
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

export const isLive = (state: State): state is DocumentState & { readonly id: string } =>
  state.what === "document" && state.live && state.id !== null
export const isTrashed = (state: State): state is DocumentState & { readonly id: string } =>
  state.what === "document" && !state.live && state.id !== null
export const isEntity = (state: State): state is EntityState & { readonly id: string } =>
  state.what === "entity" && state.fate === "live" && state.id !== null
export const isRelation = (state: State): state is RelationState & { readonly id: string } =>
  state.what === "relation" && state.live && state.id !== null
