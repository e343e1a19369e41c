import { type ChildProcess, spawn } from "node:child_process"
import { fileURLToPath } from "node:url"
import {
  type BoundValue,
  type ColumnInfo,
  type ConnectorProbe,
  DatabaseUnreachable,
  type DataLimits,
  type DataResult
} from "../../../core/connected/livedata/index.js"
import { idleMs } from "../driver.js"

const isSource = import.meta.url.endsWith(".ts")
const program = fileURLToPath(
  new URL(isSource ? "./sqlite-child-main.ts" : "./sqlite-child-main.js", import.meta.url)
)
/** Sources are loaded by the loader that their tests have. */
const loader = isSource ? ["--import", "tsx"] : []

/** Memory of a child at most, in KiB: one value can be as large as a GiB. */
const memoryKib = 384 * 1024

/** Starts a process whose memory the system limits, where there is a shell that can say so. */
const start = (): ChildProcess => {
  const command = [process.execPath, "--max-old-space-size=192", ...loader, program]
  const [file, args] =
    process.platform === "win32"
      ? [process.execPath, command.slice(1)]
      : ["/bin/sh", ["-c", `ulimit -d ${memoryKib} 2>/dev/null; exec "$@"`, "sh", ...command]]
  return spawn(file, args, { stdio: ["ignore", "ignore", "ignore", "ipc"], env: cleanEnvironment() })
}

/** The child needs no secret of this process. */
const cleanEnvironment = (): NodeJS.ProcessEnv => {
  const { HOME, LANG, NODE_PATH, PATH, TMPDIR } = process.env
  return Object.fromEntries(
    Object.entries({ HOME, LANG, NODE_PATH, PATH, TMPDIR }).filter(([, value]) => value !== undefined)
  )
}

/** A process that answers one question at a time. */
export class SqliteChild {
  private readonly process = start()
  private waiting: {
    readonly resolve: (reply: SqliteReply) => void
    readonly reject: (why: Error) => void
  } | null = null
  private ended: Error | null = null
  readonly ready: Promise<SqliteReply>

  constructor() {
    this.ready = this.next()
    this.ready.catch(() => {})
    this.process.on("message", (reply: SqliteReply) => {
      const { waiting } = this
      this.waiting = null
      waiting?.resolve(reply)
    })
    const end = (): void => {
      this.ended ??= new DatabaseUnreachable({
        message: "The process that reads the file ended: the query needs more memory than it may have."
      })
      const { waiting } = this
      this.waiting = null
      waiting?.reject(this.ended)
    }
    this.process.on("exit", end)
    this.process.on("error", end)
  }

  get isAlive(): boolean {
    return this.ended === null
  }

  async ask(request: SqliteRequest): Promise<SqliteReply> {
    await this.ready
    const reply = this.next()
    if (this.ended === null) this.process.send(request, (error) => error !== null && this.kill())
    return reply
  }

  /** A child that nobody asks does not keep this process alive. */
  rest(isResting: boolean): void {
    const [method, channel] = [isResting ? "unref" : "ref", this.process.channel] as const
    this.process[method]()
    channel?.[method]()
  }

  kill(): void {
    this.process.kill("SIGKILL")
  }

  private next(): Promise<SqliteReply> {
    return new Promise((resolve, reject) => {
      if (this.ended !== null) reject(this.ended)
      else this.waiting = { resolve, reject }
    })
  }
}

/** Processes that wait for the next question, at most so many; each ends when nobody asked for a while. */
export class SqliteChildren {
  private readonly idle: Array<{ readonly child: SqliteChild; readonly timer: NodeJS.Timeout }> = []

  constructor(private readonly max: number) {}

  async take(): Promise<SqliteChild> {
    for (let one = this.idle.pop(); one !== undefined; one = this.idle.pop()) {
      clearTimeout(one.timer)
      if (!one.child.isAlive) continue
      one.child.rest(false)
      return one.child
    }
    const child = new SqliteChild()
    await child.ready
    return child
  }

  giveBack(child: SqliteChild): void {
    if (!child.isAlive || this.idle.length >= this.max) {
      child.kill()
      return
    }
    child.rest(true)
    const timer = setTimeout(() => child.kill(), idleMs)
    timer.unref()
    this.idle.push({ child, timer })
  }

  close(): void {
    for (const { child, timer } of this.idle.splice(0)) {
      clearTimeout(timer)
      child.kill()
    }
  }
}

/** Request to the child process, which handles one at a time. */
export type SqliteRequest =
  | { readonly ask: "probe"; readonly path: string }
  | {
      readonly ask: "describe" | "run"
      readonly path: string
      readonly text: string
      readonly values: ReadonlyArray<BoundValue>
      readonly limits: DataLimits
      readonly functions: ReadonlyArray<string> | null
      readonly relations: ReadonlyArray<string> | null
      readonly guard: boolean
      readonly session: boolean
    }

/** Reply of the child process. */
export type SqliteReply =
  | { readonly say: "ready" }
  | { readonly say: "probe"; readonly probe: ConnectorProbe }
  | { readonly say: "description"; readonly columns: ReadonlyArray<ColumnInfo>; readonly plan: string }
  | { readonly say: "result"; readonly result: DataResult }
  | { readonly say: "refused" | "failed" | "unreachable"; readonly message: string }
