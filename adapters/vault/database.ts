import { randomUUID } from "node:crypto"
import type * as SqlClient from "@effect/sql/SqlClient"
import type { SqlError } from "@effect/sql/SqlError"
import * as Effect from "effect/Effect"
import * as Option from "effect/Option"
import type { Vault } from "../../core/files/documents/index.js"
import { VaultUnavailable, type WorkspaceScope } from "../../core/platform/kernel/index.js"
import { toBytes, toNumber } from "../sql/codec.js"
import { isSqlError } from "../sql/errors.js"
import { WorkspaceInForce } from "../sql/workspace-in-force.js"
import { stagedAhead, strayMs, vaultEntries, watchByPolling } from "./remote.js"
import { idsAmong } from "./trash-names.js"

type Area = "file" | "staged" | "trash"

interface FileRow {
  readonly name: string
  readonly bytes: unknown
  readonly size_bytes: unknown
  readonly changed_ms: unknown
}

/**
 * A vault in the database itself: several servers need no shared file system, and a copy of the database includes the
 * files. A staged file is a row, so it survives a crash.
 */
export const databaseVault = (
  sql: SqlClient.SqlClient,
  workspace: WorkspaceScope,
  lookMs?: number
): Vault["Type"] => {
  const inForce = Effect.provideService(WorkspaceInForce, { workspace, isHost: false })
  const at = (area: Area, name: string) =>
    sql`workspace_id = ${workspace} and area = ${area} and name = ${name}`
  const attempt = <A>(path: string, work: Effect.Effect<A, SqlError | VaultUnavailable>) =>
    Effect.mapError(inForce(work), (error) => (isSqlError(error) ? unavailable(path) : error))

  const expectAt = (path: string) =>
    Effect.flatMap(sql`select 1 from vault_file where ${at("file", path)}`, ({ length }) =>
      length === 0 ? Effect.fail(missing(path)) : Effect.void
    )

  /** Moves a file, overwriting the target; does nothing when the source is missing. */
  const put = (from: readonly [Area, string], to: readonly [Area, string]) =>
    sql.withTransaction(
      Effect.gen(function* () {
        const there = yield* sql`select 1 from vault_file where ${at(...from)}`
        if (there.length === 0 || from.join("/") === to.join("/")) return
        yield* sql`delete from vault_file where ${at(...to)}`
        yield* sql`update vault_file set area = ${to[0]}, name = ${to[1]}, changed_ms = ${moment()}
          where ${at(...from)}`
      })
    )

  const walk: Vault["Type"]["walk"] = (under) =>
    attempt(
      under,
      Effect.map(
        sql<FileRow>`select name, size_bytes, changed_ms from vault_file
          where workspace_id = ${workspace} and area = 'file'`,
        (rows) =>
          vaultEntries(
            rows
              .filter(({ name }) => under === "" || name === under || name.startsWith(`${under}/`))
              .map((row) => ({ path: row.name, ...stampOf(row) }))
          )
      )
    )

  const stage: Vault["Type"]["stage"] = (path, bytes) =>
    attempt(
      path,
      Effect.gen(function* () {
        const name = randomUUID()
        yield* sql`insert into vault_file ${sql.insert({
          workspace_id: workspace,
          area: "staged",
          name,
          bytes,
          size_bytes: bytes.length,
          changed_ms: moment()
        })}`
        return name
      })
    )

  return {
    walk,
    read: (path, limitBytes) =>
      attempt(
        path,
        Effect.gen(function* () {
          const [row] = yield* sql<FileRow>`select size_bytes, changed_ms,
            case when size_bytes <= ${limitBytes} then bytes else null end as bytes
            from vault_file where ${at("file", path)}`
          if (row === undefined) return Option.none()
          if (row.bytes === null) return yield* tooLarge(path, toNumber(row.size_bytes), limitBytes)
          return Option.some({ bytes: toBytes(row.bytes), stamp: stampOf(row) })
        })
      ),
    checkWritable: () => Effect.void,
    stage,
    stageAhead: stagedAhead(stage),
    publish: (path, handle) =>
      attempt(path, Effect.zipRight(put(["staged", handle], ["file", path]), expectAt(path))),
    discard: (handle) =>
      Effect.ignore(attempt("", sql`delete from vault_file where ${at("staged", handle)}`)),
    move: (from, to) => attempt(to, Effect.zipRight(put(["file", from], ["file", to]), expectAt(to))),
    trash: (path, id) => attempt(path, put(["file", path], ["trash", id])),
    readTrash: (id) =>
      attempt(
        id,
        Effect.map(sql<FileRow>`select bytes from vault_file where ${at("trash", id)}`, ([row]) =>
          Option.map(Option.fromNullable(row), ({ bytes }) => toBytes(bytes))
        )
      ),
    dropTrash: (id) => attempt(id, Effect.asVoid(sql`delete from vault_file where ${at("trash", id)}`)),
    trashed: attempt(
      "",
      Effect.map(
        sql<{ name: string }>`select name from vault_file
          where workspace_id = ${workspace} and area = 'trash'`,
        (rows) => idsAmong(rows.map(({ name }) => name))
      )
    ),
    strays: attempt(
      "",
      Effect.map(
        sql<{ name: string }>`select name from vault_file
          where workspace_id = ${workspace} and area = 'staged' and changed_ms < ${Date.now() - strayMs}`,
        (rows) => rows.map(({ name }) => name)
      )
    ),
    watch: watchByPolling(walk, lookMs)
  }
}

/** The present time with a random fraction, so that two changes within a millisecond have different stamps. */
const moment = (): number => Date.now() + Math.random()

const stampOf = (row: Pick<FileRow, "size_bytes" | "changed_ms">) => ({
  sizeBytes: toNumber(row.size_bytes),
  mtimeMs: Number(row.changed_ms)
})

const tooLarge = (path: string, sizeBytes: number, limitBytes: number) =>
  new VaultUnavailable({
    code: "too_large",
    message: `${path}: ${sizeBytes} bytes; a document holds at most ${limitBytes}.`
  })

const missing = (path: string) =>
  new VaultUnavailable({ code: "ENOENT", message: `${path}: There is no such file.` })

const unavailable = (path: string) =>
  new VaultUnavailable({
    code: "database",
    message: `${path === "" ? "" : `${path}: `}The database does not answer.`
  })
