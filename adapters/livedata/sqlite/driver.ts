import { realpath } from "node:fs/promises"
import { isAbsolute, sep } from "node:path"
import {
  type CompiledStatement,
  DatabaseUnreachable,
  type DataLimits,
  type DataTarget,
  type SqliteSettings,
  StatementFailed,
  StatementRefused
} from "../../../core/livedata/index.js"
import { allLayers, connectionsMax, type Driver, graceMs, type Layers, withDeadline } from "../driver.js"
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

/** Folders below which SQLite files may lie. */
export interface FolderRules {
  readonly folders: ReadonlyArray<string>
}

const folderRefusal =
  "SQLite files are read only below folders that the administrator of this host names (KANON_LIVE_DATA_FOLDERS), and the path is below none of them."

/** The file behind a path, links resolved; a sentence where the host does not allow it. */
export const allowedFile = async (
  path: string,
  { folders }: FolderRules
): Promise<{ readonly file: string } | { readonly refusal: string }> => {
  if (!isAbsolute(path) || path.includes("\0")) return { refusal: "The path of a SQLite file is absolute." }
  const roots = await Promise.all(folders.map((folder) => realpath(folder).catch(() => null)))
  // Of a file that is not there, what is there of its folder decides.
  const file = (await realpath(path).catch(() => null)) ?? (await nearestReal(path))
  const isInside = roots.some(
    (root) => root !== null && file.startsWith(root.endsWith(sep) ? root : root + sep)
  )
  return isInside ? { file } : { refusal: folderRefusal }
}

const nearestReal = async (path: string): Promise<string> => {
  const parts = path.split(sep)
  for (let length = parts.length - 1; length > 0; length -= 1) {
    const folder = await realpath(parts.slice(0, length).join(sep) || sep).catch(() => null)
    const rest = parts.slice(length)
    if (folder !== null) return rest.includes("..") ? sep : [folder === sep ? "" : folder, ...rest].join(sep)
  }
  return path
}
