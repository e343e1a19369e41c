import type { Server, WebStandardStreamableHTTPServerTransport } from "@modelcontextprotocol/server"
import type { CallerShape } from "../../core/platform/kernel/index.js"
import type { AppOptions } from "../http/app.js"
import type { addressIn } from "./addresses.js"
import type { Admitted } from "./admission.js"

/** A session, with the key (or the client) and the workspace that it belongs to. */
export interface Session {
  readonly server: Server
  readonly transport: WebStandardStreamableHTTPServerTransport
  readonly holder: Admitted["holder"]
  readonly isGood: Admitted["isGood"]
  readonly workspace: CallerShape["workspace"]
  /** The caller of the current request, with present rights. */
  caller: CallerShape
  /** Gives the address of a document for people. */
  readonly addressOf: ReturnType<typeof addressIn>
  usedAt: number
}

export interface SessionLimits {
  readonly sessionsMax: number
  readonly idleMs: number
  readonly lookMs: number
}

/** Number of ended sessions that are remembered. */
const endedMax = 10_000

/** The sessions of one server; ends those that are idle or whose key is revoked. */
export class Sessions {
  readonly #runtime: AppOptions["runtime"]
  readonly #limits: SessionLimits
  readonly #open = new Map<string, Session>()
  /** Sessions that ended here; they are not accepted again. */
  readonly #ended = new Set<string>()
  readonly #timer: NodeJS.Timeout
  #looking: Promise<void> = Promise.resolve()

  constructor(runtime: AppOptions["runtime"], limits: SessionLimits) {
    this.#runtime = runtime
    this.#limits = limits
    this.#timer = setInterval(() => {
      this.#looking = this.#looking.then(() => this.#check()).catch(() => undefined)
    }, limits.lookMs).unref()
  }

  get(id: string): Session | undefined {
    return this.#open.get(id)
  }

  add(id: string, session: Session): void {
    this.#open.set(id, session)
  }

  /** Whether this server has never seen the session. */
  isUnknown(id: string): boolean {
    return !this.#open.has(id) && !this.#ended.has(id)
  }

  async end(id: string): Promise<void> {
    const session = this.#open.get(id)
    this.#open.delete(id)
    this.#ended.add(id)
    const [oldest] = this.#ended
    if (this.#ended.size > endedMax && oldest !== undefined) this.#ended.delete(oldest)
    await session?.server.close()
  }

  /** Makes room for a session, so that no tenant can push out the sessions of another. */
  makeRoom({ caller, holder }: Admitted): void {
    const { idleMs, sessionsMax } = this.#limits
    const now = performance.now()
    for (const [id, { usedAt }] of this.#open) if (now - usedAt > idleMs) void this.end(id)
    this.#keepBelow(Math.ceil(sessionsMax / 4), (one) => one.holder === holder)
    this.#keepBelow(Math.ceil(sessionsMax / 2), (one) => one.workspace === caller.workspace)
    if (this.#open.size < sessionsMax) return
    const counts = new Map<string, number>()
    for (const { workspace } of this.#open.values()) counts.set(workspace, (counts.get(workspace) ?? 0) + 1)
    const [largest] = [...counts].reduce((most, one) => (one[1] > most[1] ? one : most), ["", 0])
    this.#keepBelow(counts.get(largest) ?? 1, (one) => one.workspace === largest)
  }

  /** Ends all sessions and the checks. */
  async close(): Promise<void> {
    clearInterval(this.#timer)
    await this.#looking
    await Promise.all([...this.#open.keys()].map((id) => this.end(id)))
  }

  /** Ends the longest idle of these sessions until there are fewer. */
  #keepBelow(limit: number, isOne: (session: Session) => boolean): void {
    const among = [...this.#open].filter(([, session]) => isOne(session))
    if (among.length < limit) return
    among.sort(([, a], [, b]) => a.usedAt - b.usedAt)
    for (const [id] of among.slice(0, among.length - limit + 1)) void this.end(id)
  }

  async #check(): Promise<void> {
    for (const [id, { isGood: admitted, usedAt }] of this.#open) {
      const isIdle = performance.now() - usedAt > this.#limits.idleMs
      // An error while checking the key ends no session.
      const isGood = await this.#runtime.runPromise(admitted).catch(() => true)
      if (isIdle || !isGood) await this.end(id)
    }
  }
}
