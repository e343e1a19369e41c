import { fork } from "node:child_process"
import { mkdirSync, mkdtempSync, realpathSync, rmSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { type CrashPointName, crashPoints } from "../../core/platform/kernel/index.js"
import type { ChildPlan, Said, StartTimes, Told } from "./crash-child.js"
import { emptyTables, type Place } from "./crash-database.js"
import { Expected } from "./crash-model.js"
import { owedIn, wrongsOf } from "./crash-rows.js"
import { testDatabase } from "./runs.js"

const isName = (name: string): name is CrashPointName => name in crashPoints
const isOfImport = (name: string): boolean => /^(import|owed)\./.test(name)
const pointNames = Object.keys(crashPoints).filter(isName)

/** Points that an import visits, and who finishes one. */
export const importPoints = pointNames.filter(isOfImport)

/** Points that a load of operations visits: agents-kills.test.ts has those of runs. */
export const loadPoints = pointNames.filter((name) => !isOfImport(name) && !name.startsWith("run."))

/** How the load of a round ends. */
export type End =
  | {
      readonly at: CrashPointName
      /** Number of the visit at which the process dies; 1 by default. */
      readonly visit?: number
      /** Armed from the first moment on, for what only a start does. */
      readonly fromStart?: boolean
      /** The load begins with another embedding model. */
      readonly newModel?: boolean
    }
  /** Killed by the parent after so many acknowledged operations and so many milliseconds. */
  | { readonly afterAcks: number; readonly delayMs: number; readonly newModel?: boolean }

export interface Round {
  /** Problems in the state that the round before left; empty when all is well. */
  readonly wrong: ReadonlyArray<string>
  /** Null where it did not come to be ready. */
  readonly start: StartTimes | null
  readonly repairs: ReadonlyArray<{ readonly code: string; readonly message: string }>
  /** Whether the process died of the crash point, or of the parent's signal. */
  readonly killed: boolean
  readonly stderr: string
}

/** A workspace that is killed again and again; every round looks first at what the one before left. */
export class Chain {
  readonly #child: string
  readonly #base = realpathSync(mkdtempSync(join(tmpdir(), "kanon-crash-")))
  readonly #seed: number
  readonly #database: string | null
  readonly expected = new Expected()
  #round = 0
  #model = "proof-0"
  #marks: ReadonlyArray<string> = []

  private constructor(child: string, seed: number, database: string | null) {
    this.#child = child
    this.#seed = seed
    this.#database = database
    for (const folder of ["vault", "data", "side"]) mkdirSync(join(this.#base, folder))
  }

  /**
   * One on the database that this run of the tests is about, in which there is nothing yet, not even a table. Only
   * databases with tables can be distributed.
   */
  static async begin(child: string, seed: number): Promise<Chain> {
    if (testDatabase === "sqlite") return new Chain(child, seed, null)
    const { isOnCitus, makeDatabase, makeMigrated } = await import("./postgres.js")
    return new Chain(child, seed, await (isOnCitus() ? makeMigrated() : makeDatabase()))
  }

  get place(): Place {
    return {
      vault: join(this.#base, "vault"),
      data: join(this.#base, "data"),
      database: this.#database
    }
  }

  async drop(): Promise<void> {
    rmSync(this.#base, { recursive: true, force: true })
    if (this.#database !== null) await (await import("./postgres.js")).dropDatabase(this.#database)
  }

  /** Empties the text index, as a change of its format does. */
  async loseTextIndex(): Promise<void> {
    await emptyTables(this.place, ["posting_segment", "posting_directory", "posting_dead", "posting_block"])
  }

  /** Looks at what is there; then, if asked, loads the workspace until it is killed. */
  async run(end: End | null): Promise<Round> {
    this.#round += 1
    const owed = await owedIn(this.place)
    const log = join(this.#base, `log-${this.#round}.jsonl`)
    const plan = this.#plan(log, end)
    const fromStart = end !== null && "at" in end && end.fromStart === true
    const child = fork(this.#child, [], {
      execArgv: [],
      stdio: ["ignore", "ignore", "pipe", "ipc"],
      env: {
        PATH: process.env["PATH"] ?? "",
        KANON_TEST: "1",
        ...(fromStart && "at" in end ? { KANON_CRASH_AT: armedText(end) } : {})
      }
    })
    const round = {
      wrong: [] as string[],
      start: null as Round["start"],
      repairs: [] as Round["repairs"],
      stderr: ""
    }
    child.stderr?.setEncoding("utf8").on("data", (text: string) => {
      round.stderr += text
    })
    const tell = (told: Told | ChildPlan) => child.connected && child.send(told)
    let judged = Promise.resolve()
    child.on("message", (said: Said) => {
      if (said.tag === "ready") {
        round.start = said.start
        round.repairs = said.repairs
        const told = said.repairs.filter(({ code }) => code !== "text_index_rebuilt").length
        if (told !== owed && !fromStart) round.wrong.push(`${owed} to mend, but ${told} repairs told`)
      }
      if (said.tag === "settled")
        judged = this.#judge(said)
          .catch((error: unknown) => [`it could not be judged: ${error}`])
          .then((wrong) => {
            round.wrong.push(...wrong)
            tell(end === null ? "stop" : { states: [...this.expected.states] })
          })
      if (said.tag === "ack" && end !== null && "afterAcks" in end && said.count === end.afterAcks)
        setTimeout(() => child.kill("SIGKILL"), end.delayMs)
    })
    tell(plan)
    const stuck = setTimeout(() => {
      round.wrong.push(`the process neither died nor ended within ${lifeMaxMs} ms`)
      child.kill("SIGKILL")
    }, lifeMaxMs)
    const signal = await new Promise<string | null>((resolve) =>
      child.once("close", (_, name) => resolve(name))
    )
    clearTimeout(stuck)
    await judged
    round.wrong.push(...this.expected.takeIn(log).filter((code) => !code.includes(" conflict ")))
    if (end !== null) this.#model = plan.loadModel
    const reached = end !== null && (!("at" in end) || round.stderr.includes(`crash point ${end.at}\n`))
    return { ...round, killed: signal === "SIGKILL" && reached }
  }

  #plan(log: string, end: End | null): ChildPlan {
    const live = [...this.expected.states.values()].flatMap((state) =>
      state.what === "document" && state.live ? [state.mark] : []
    )
    const asked = live.slice(-searchesMax)
    const gone = this.#marks.filter((mark) => !live.includes(mark)).slice(-searchesMax)
    this.#marks = asked
    return {
      ...this.place,
      side: join(this.#base, "side"),
      log,
      seed: this.#seed + this.#round,
      round: this.#round,
      lanes: 3,
      operationsPerLane: 40,
      // Enough for a late visit wherever several units are done at once; the point itself ends the load.
      moreTours: end !== null && "at" in end ? 20 : 0,
      states: [],
      calmModel: this.#model,
      loadModel: end?.newModel === true ? `proof-${this.#round}` : this.#model,
      crashAt: end !== null && "at" in end && end.fromStart !== true ? armedText(end) : null,
      asksDoctor: end === null,
      marks: [...asked, ...gone]
    }
  }

  async #judge({
    differences,
    failed,
    found
  }: Extract<Said, { tag: "settled" }>): Promise<ReadonlyArray<string>> {
    const compared = await this.expected.compare(this.place)
    const wrong = [...failed, ...differences, ...compared, ...(await wrongsOf(this.place))]
    const paths = new Map(
      [...this.expected.states.values()].flatMap((state) =>
        state.what === "document" && state.live ? [[state.mark, state.path] as const] : []
      )
    )
    for (const [mark, results] of found) {
      const path = paths.get(mark)
      // Not always the first: what was deprecated stands behind its equals.
      if (path !== undefined && !results.some(([found]) => found === path))
        wrong.push(`${mark} is in ${path}, search says ${results.map(([found]) => found).join(", ")}`)
      if (path === undefined && results.some(([, snippet]) => snippet.includes(mark)))
        wrong.push(`${mark} is gone, but search found it`)
    }
    return wrong
  }
}

/** The slowest of some starts, by each measure. */
export class SlowestStart {
  #processorMs = 0
  #wallMs = 0
  #ownMs = 0

  take({ start }: Round): void {
    this.#processorMs = Math.max(this.#processorMs, start?.processorMs ?? 0)
    this.#wallMs = Math.max(this.#wallMs, start?.wallMs ?? 0)
    this.#ownMs = Math.max(this.#ownMs, start?.ownMs ?? 0)
  }

  /** Returns the times that were exceeded. Waiting for a separate database server includes waiting for its cores. */
  tooLong(): ReadonlyArray<string> {
    const ownMaxMs = testDatabase === "sqlite" ? readyMaxMs : wallMaxMs
    return [
      ...(this.#processorMs > readyMaxMs ? ["processor time"] : []),
      ...(this.#ownMs > ownMaxMs ? ["time without waits for a core"] : []),
      ...(this.#wallMs > wallMaxMs ? ["time by the clock"] : [])
    ].map((what) => `${what}: ${this}`)
  }

  toString(): string {
    const [own, wall, processor] = [this.#ownMs, this.#wallMs, this.#processorMs].map(Math.round)
    return `slowest start ${own} ms without waits for a core, ${wall} ms by the clock, ${processor} ms of processor time`
  }
}

/** Start-up limits in ms: the one that docs/reliability.md states, and one that holds even on a busy machine. */
const [readyMaxMs, wallMaxMs] = [5000, 30_000]

/** No round takes nearly as long, whatever else the machine does. */
const lifeMaxMs = 200_000

/** Searches of what is there, and as many of what is gone, in each round. */
const searchesMax = 6

const armedText = ({ at, visit = 1 }: Extract<End, { at: unknown }>): string => `${at}:${visit}`

/** A line for people: what was mended, which seed replays a run. */
export const say = (line: string): void => console.log(line)
