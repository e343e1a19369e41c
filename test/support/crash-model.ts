import { existsSync, readFileSync } from "node:fs"
import { join } from "node:path"
import { inflateRawSync } from "node:zlib"
import { openRows, type Place, type Rows } from "./crash-database.js"
import { type Line, type State, sha256 } from "./crash-state.js"

/** Possible outcomes of an operation that was not acknowledged. */
interface Pending {
  readonly subject: string
  readonly group: string
  readonly outcomes: ReadonlyArray<State | null>
}

/** Expected state: every acknowledged operation, and all or nothing of the one that a kill cut short. */
export class Expected {
  readonly states = new Map<string, State>()
  #pending: ReadonlyArray<Pending> = []
  /** Groups of which a part was acknowledged, so that the rest must be there, and those of which one was refused. */
  readonly #decided = new Map<string, "done" | "undone">()
  #logs = 0
  /** Operations acknowledged so far. */
  acknowledged = 0
  /** Operations on each subject, for error messages. */
  readonly #history = new Map<string, Array<string>>()

  /** Takes in the log of one load; gives what the engine refused. */
  takeIn(log: string): ReadonlyArray<string> {
    const open = new Map<number, Extract<Line, { tag: "begin" }>>()
    const refused: Array<string> = []
    this.#logs += 1
    const groupOf = (group: string) => `${this.#logs} ${group}`
    for (const line of linesOf(log)) {
      if (line.tag === "begin") open.set(line.n, line)
      const begun = open.get(line.n)
      if (begun !== undefined) this.#note(begun.subject, `${line.tag} ${begun.op}`)
      if (line.tag === "begin" || begun === undefined) continue
      open.delete(line.n)
      this.#decided.set(groupOf(begun.group), line.tag === "ack" ? "done" : "undone")
      if (line.tag === "refused") refused.push(line.code)
      else {
        this.acknowledged += 1
        this.states.set(begun.subject, {
          ...begun.to,
          id: line.id ?? begun.to.id ?? this.#idOf(begun.subject)
        })
      }
    }
    const cutShort = [...open.values()].map(({ group, op, subject, to }) => {
      const before = this.states.get(subject) ?? null
      // The file of this one was taken away first, which by itself is a removal.
      const lost = op === "put back" && to.what === "document" ? [{ ...to, live: false }] : []
      return { subject, group: groupOf(group), outcomes: [before, to, ...lost] }
    })
    // A process that died before anybody looked leaves open what was open.
    this.#pending = [...this.#pending, ...cutShort]
    return refused
  }

  #note(subject: string, what: string): void {
    this.#history.set(subject, [...(this.#history.get(subject) ?? []), what].slice(-6))
  }

  #tell(subject: string, what: string): string {
    return `${what} (${this.#history.get(subject)?.join(", ")})`
  }

  #idOf(subject: string): string | null {
    return this.states.get(subject)?.id ?? null
  }

  /** Compares with what is there; an operation without answer is decided by what is found. */
  async compare(place: Place): Promise<ReadonlyArray<string>> {
    const rows = await openRows(place)
    try {
      const seen = (state: State) => present(place, rows, state)
      const wrong: Array<string> = []
      const fates = new Map<string, Array<Fate>>()
      for (const { group, outcomes, subject } of this.#pending) {
        const fate = await fateOf(
          outcomes,
          async (state) => (await seen(state)).wrong === null,
          (state) => isAbsent(place, rows, state)
        )
        fates.set(group, [...(fates.get(group) ?? []), fate])
        if (fate.settled) this.states.set(subject, fate.settled)
        if (!fate.isDone && !fate.isUndone)
          wrong.push(
            this.#tell(subject, `cut short and neither done nor undone: ${JSON.stringify(outcomes)}`)
          )
      }
      for (const [group, members] of fates) {
        const decided = this.#decided.get(group)
        const isWhole = decided !== "undone" && members.every(({ isDone }) => isDone)
        const isNothing = decided !== "done" && members.every(({ isUndone }) => isUndone)
        if (isWhole || isNothing) continue
        const subjects = this.#pending.filter((one) => one.group === group).map(({ subject }) => subject)
        for (const subject of subjects)
          wrong.push(
            this.#tell(subject, `a part of what was done at once is there (${decided ?? "cut short"})`)
          )
      }
      this.#pending = []
      this.#decided.clear()
      for (const [subject, state] of this.states) {
        const { id, wrong: what } = await seen(state)
        if (what !== null) wrong.push(this.#tell(subject, `${what}: ${JSON.stringify(state)}`))
        else if (state.id === null) this.states.set(subject, { ...state, id })
      }
      return wrong
    } finally {
      await rows.close()
    }
  }
}

/** Observed outcome of an operation on one subject. Both flags are true when it makes no visible change. */
interface Fate {
  readonly isDone: boolean
  readonly isUndone: boolean
  /** As it is now, where it is there. */
  readonly settled: State | null
}

/** The first outcome is how it was, null for nothing; the others are what may have come of it. */
const fateOf = async (
  [before = null, ...after]: ReadonlyArray<State | null>,
  isThere: (state: State) => Promise<boolean>,
  isAbsent: (state: State) => Promise<boolean>
): Promise<Fate> => {
  let [settled, isDone, isAllAbsent]: [State | null, boolean, boolean] = [null, false, true]
  const wasThere = before !== null && (await isThere(before))
  if (wasThere) settled = before
  for (const state of after) {
    if (state === null) continue
    if (await isThere(state)) [settled, isDone] = [state, true]
    isAllAbsent &&= await isAbsent(state)
  }
  return { settled, isDone, isUndone: before === null ? isAllAbsent : wasThere }
}

const linesOf = (log: string): ReadonlyArray<Line> => {
  if (!existsSync(log)) return []
  // A kill may cut the last line off.
  const whole = readFileSync(log, "utf8").split("\n").slice(0, -1)
  return whole.map((line) => JSON.parse(line))
}

interface Seen {
  readonly id: string | null
  readonly wrong: string | null
}

type Row = Readonly<Record<string, string | null>>

const one = async (
  rows: Rows,
  statement: string,
  ...values: ReadonlyArray<string | null>
): Promise<Row | undefined> => (await rows.all<Row>(statement, ...values))[0]

const present = async (place: Place, rows: Rows, state: State): Promise<Seen> => {
  switch (state.what) {
    case "document":
      return documentIn(place, rows, state)
    case "entity": {
      const id = state.id ?? (await idOfName(rows, state.name))
      const row = await one(rows, "select * from entity where id = ?", id)
      if (row === undefined) return { id: null, wrong: "an entity is lost" }
      const fate = row["deleted_at"] !== null ? "removed" : row["merged_into"] !== null ? "merged" : "live"
      const same =
        row["name"] === state.name &&
        row["description"] === state.description &&
        row["authority"] === state.authority &&
        row["lifecycle"] === state.lifecycle &&
        fate === state.fate &&
        (fate !== "merged" || row["merged_into"] === state.into)
      return { id: row["id"] ?? null, wrong: same ? null : `an entity is ${fate} and ${row["description"]}` }
    }
    case "relation": {
      const row = await one(rows, "select * from relation where type = ?", state.type)
      if (row === undefined) return { id: null, wrong: "a relation is lost" }
      const same =
        (row["deleted_at"] === null) === state.live && (state.id === null || row["id"] === state.id)
      return { id: row["id"] ?? null, wrong: same ? null : "a relation is not as it was left" }
    }
    case "request":
      return requestIn(rows, state)
  }
}

const requestIn = async (
  rows: Rows,
  { id, note, status }: Extract<State, { what: "request" }>
): Promise<Seen> => {
  const row = await one(rows, "select * from change_request where note = ?", note)
  if (row === undefined) return { id: null, wrong: "a change request is lost" }
  const same = row["status"] === status && (id === null || row["id"] === id)
  return { id: row["id"] ?? null, wrong: same ? null : `a change request is ${row["status"]}` }
}

const idOfName = async (rows: Rows, name: string): Promise<string> =>
  (await one(rows, "select id from entity where name = ?", name))?.["id"] ?? ""

const documentIn = async (
  place: Place,
  rows: Rows,
  state: Extract<State, { what: "document" }>
): Promise<Seen> => {
  const row = await one(
    rows,
    "select * from document where id = ? or (cast(? as text) is null and path = ?) order by id desc",
    ...[state.id, state.id, state.path]
  )
  if (row === undefined) return { id: null, wrong: "a document is lost" }
  const id = row["id"] ?? null
  const hash = sha256(state.text)
  if ((row["deleted_at"] === null) !== state.live)
    return { id, wrong: "a document is live or deleted, wrongly" }
  if (row["path"] !== state.path) return { id, wrong: `a document is at ${row["path"]}` }
  if (row["content_hash"] !== hash) return { id, wrong: "a document holds another text" }
  if (state.live) {
    const file = join(place.vault, state.path)
    if (!existsSync(file)) return { id, wrong: "a file is lost" }
    return { id, wrong: sha256(readFileSync(file)) === hash ? null : "a file holds another text" }
  }
  return {
    id,
    wrong: (await canComeBack(place, rows, id, hash)) ? null : "a deleted document cannot come back"
  }
}

const canComeBack = async (place: Place, rows: Rows, id: string | null, hash: string): Promise<boolean> => {
  const trashed = join(place.vault, ".kanon", "trash", `${id}.md`)
  if (existsSync(trashed)) return sha256(readFileSync(trashed)) === hash
  const [kept] = await rows.all<{ bytes: Buffer }>(
    "select bytes from document_content where document_id = ?",
    id
  )
  return kept !== undefined && sha256(inflateRawSync(kept.bytes)) === hash
}

/** No trace of it. */
const isAbsent = async (place: Place, rows: Rows, state: State): Promise<boolean> => {
  switch (state.what) {
    case "document":
      return !existsSync(join(place.vault, state.path)) && (await present(place, rows, state)).id === null
    case "entity":
      return (await idOfName(rows, state.name)) === ""
    case "relation":
    case "request":
      return (await present(place, rows, state)).id === null
  }
}
