import {
  type CompiledStatement,
  DatabaseUnreachable,
  type DataLimits,
  type DataTarget,
  type SqliteSettings,
  StatementFailed,
  StatementRefused
} from "../../../core/connected/livedata/index.js"
import { allLayers, connectionsMax, type Driver, graceMs, type Layers, withDeadline } from "../driver.js"
import { allowedFile, type FolderRules } from "./allowed-file.js"
import { SqliteChildren, type SqliteReply, type SqliteRequest } from "./children.js"

/** SQLite: guarded by the engine's own compile, asked in a child process that can be killed. */
export const sqliteDriver = (rules: FolderRules, layers: Layers = allLayers): Driver => {
  const children = new SqliteChildren(connectionsMax)

  const ask = async (
    target: DataTarget,
    request: (path: string) => SqliteRequest,
    timeoutMs: number,
    signal: AbortSignal
  ): Promise<SqliteReply> => {
    const allowed = await allowedFile((target.settings as SqliteSettings).path, rules)
    if ("refusal" in allowed) throw new DatabaseUnreachable({ message: allowed.refusal })
    const child = await children.take()
    try {
      const reply = await withDeadline(
        timeoutMs,
        signal,
        () => child.kill(),
        () => child.ask(request(allowed.file))
      )
      children.giveBack(child)
      return reply
    } catch (error) {
      child.kill()
      throw error
    }
  }

  const statementRequest =
    (kind: "describe" | "run", target: DataTarget, { text, values }: CompiledStatement, limits: DataLimits) =>
    (path: string): SqliteRequest => ({
      ask: kind,
      path,
      text,
      values,
      limits,
      functions: target.settings.functions ?? null,
      relations: target.settings.relations ?? null,
      ...layers
    })

  return {
    // The file has to be open for it.
    inspect: async () => null,
    probe: async (target, signal) => {
      try {
        const reply = await ask(target, (path) => ({ ask: "probe", path }), 5_000, signal)
        if (reply.say === "probe") return reply.probe
        throw new DatabaseUnreachable({ message: messageOf(reply) })
      } catch (error) {
        const message = error instanceof DatabaseUnreachable ? error.message : "The file cannot be read."
        return { ok: false, readOnlyProven: false, serverVersion: null, message }
      }
    },
    describe: async (target, statement, limits, signal) => {
      const request = statementRequest("describe", target, statement, limits)
      const reply = await ask(target, request, limits.timeoutMs + graceMs, signal)
      if (reply.say === "description") return { columns: reply.columns, plan: reply.plan }
      throw faultOf(reply)
    },
    run: async (target, statement, limits, signal) => {
      const request = statementRequest("run", target, statement, limits)
      const reply = await ask(target, request, limits.timeoutMs, signal)
      if (reply.say === "result") return reply.result
      throw faultOf(reply)
    },
    close: async (id) => {
      if (id === null) children.close()
    }
  }
}

const messageOf = (reply: SqliteReply): string =>
  "message" in reply ? reply.message : "The file cannot be read."

const faultOf = (reply: SqliteReply): Error => {
  if (reply.say === "refused") return new StatementRefused({ message: reply.message })
  if (reply.say === "failed") return new StatementFailed({ detail: reply.message })
  return new DatabaseUnreachable({ message: messageOf(reply) })
}
