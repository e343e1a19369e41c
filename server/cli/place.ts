import { existsSync, readFileSync, realpathSync, statSync } from "node:fs"
import { mkdir, open, rename } from "node:fs/promises"
import { basename, dirname, isAbsolute, join, relative, resolve, sep } from "node:path"
import * as Effect from "effect/Effect"
import { z } from "zod"
import { unfinishedImport } from "../../adapters/engine/import-mark.js"
import { absoluteVault, isPlace, isRemote } from "../../adapters/vault/vault-address.js"
import { type Failure, failed, wrongUsage } from "./failure.js"

/**
 * Settings of the workspace that its data folder stores. The vault is relative to the folder when one holds the other.
 */
const Remembered = z.object({
  format: z.literal(1),
  vault: z.string().min(1),
  name: z.string().min(1).optional(),
  /** Kind of the database that holds the rest; SQLite in the folder itself when absent. */
  database: z.literal("postgres").optional(),
  /** Id of the workspace in that database: its first. */
  workspace: z.string().min(1).optional()
})

/** Location of a workspace. */
export interface Place {
  readonly data: string
  readonly vault: string
  /** The URL of a Postgres database; SQLite in the data folder without one. */
  readonly database: string | undefined
  readonly name: string | undefined
  /** The first workspace of the Postgres database, where the data folder knows it. */
  readonly workspace: string | undefined
  /** Nothing was there before: the vault was only just named. */
  readonly fresh: boolean
  /** The vault differs from what the data folder remembers, since that one is gone. */
  readonly moved: boolean
}

/** The folder for data within a vault. */
const dataFolder = ".kanon"
const memoryFile = "workspace.json"
const database = "kanon.sqlite"

/**
 * Finds the workspace: its data in `--data`, else `KANON_DATA`, else `.kanon` in `--vault`, else the nearest
 * `.kanon` upwards that holds one. Where there is none, one can begin if a vault was named.
 */
export const locate = (
  input: {
    readonly data?: string | undefined
    readonly vault?: string | undefined
    readonly database?: string | undefined
  },
  from: {
    readonly cwd: string
    readonly dataVariable: string | undefined
    readonly databaseVariable: string | undefined
    readonly readVariable?: string | undefined
    readonly makesVault?: boolean
    /** The named vault may be another one than that of the named data, which then says where its own is. */
    readonly takesOtherVault?: boolean
  }
): Effect.Effect<Place, Failure> =>
  Effect.gen(function* () {
    const named = input.vault === undefined ? undefined : absoluteVault(input.vault, from.cwd)
    const chosen = input.data ?? (from.dataVariable === "" ? undefined : from.dataVariable)
    const data =
      chosen !== undefined
        ? resolve(from.cwd, chosen)
        : named !== undefined
          ? isRemote(named)
            ? resolve(from.cwd, dataFolder)
            : join(named, dataFolder)
          : nearest(from.cwd)
    if (data === undefined) {
      return yield* failed(
        "no_workspace",
        `There is no workspace in ${from.cwd} or above. Run 'kanon init' in the folder of your notes, or name it: kanon ask "…" --vault DIR`
      )
    }
    if (existsSync(data) && !isFolder(data)) {
      return yield* failed("data_unavailable", `${data} is not a folder.`)
    }
    const url = yield* databaseUrl(input.database ?? from.databaseVariable)
    yield* requireReplicable(from.readVariable, url)
    const remembered = yield* readMemory(data)
    if (remembered !== undefined) {
      yield* requireSameDatabase(data, remembered, url)
      const own = from.takesOtherVault === true && chosen !== undefined ? undefined : named
      return { ...(yield* checkRemembered(data, own, remembered)), database: url }
    }
    if (named === undefined) {
      const unfinished = unfinishedImport(data)
      if (unfinished !== null) return yield* failed("import_unfinished", unfinished.message)
      return yield* failed(
        "no_workspace",
        `${data} holds no workspace. Say which folder of Markdown files it is for: kanon init --vault DIR --data ${data}`
      )
    }
    if (from.makesVault !== true || existsSync(named) || isRemote(named)) yield* requireVault(named)
    const unknown = { name: undefined, workspace: undefined }
    return { data, vault: named, database: url, ...unknown, fresh: true, moved: false }
  })

/** A URL of Postgres, or none. */
export const databaseUrl = (
  given: string | undefined,
  named = "--database and KANON_DATABASE_URL take"
): Effect.Effect<string | undefined, Failure> => {
  if (given === undefined || given === "") return Effect.succeed(undefined)
  // The address may hold a password, so it is not repeated.
  return URL.canParse(given) && /^postgres(ql)?:$/.test(new URL(given).protocol)
    ? Effect.succeed(given)
    : wrongUsage(
        `${named} postgres://user:password@host:port/database, where signs as @ : / # in user and password are percent-encoded (%40 for @).`
      )
}

/** Fails where replicas are named that cannot be: SQLite has none, and each needs an address. */
const requireReplicable = (
  given: string | undefined,
  url: string | undefined
): Effect.Effect<void, Failure> => {
  const replicas = (given ?? "").split(",").filter((one) => one.trim() !== "")
  if (replicas.length === 0) return Effect.void
  return url === undefined
    ? wrongUsage(
        "KANON_DATABASE_READ_URL names replicas of a Postgres database, and the data are in SQLite: unset it, or name the database with --database URL or KANON_DATABASE_URL."
      )
    : Effect.forEach(replicas, (one) => databaseUrl(one.trim(), "KANON_DATABASE_READ_URL takes"), {
        discard: true
      })
}

/** Fails where the folder belongs to data elsewhere than was said: another database would begin beside them. */
const requireSameDatabase = (
  data: string,
  { database: kind }: Remembered,
  url: string | undefined
): Effect.Effect<void, Failure> => {
  if (kind === "postgres" && url === undefined)
    return failed(
      "database_required",
      `The data of ${data} are in a Postgres database. Name it with --database URL or KANON_DATABASE_URL.`
    )
  if (kind === undefined && url !== undefined)
    return failed(
      "database_mismatch",
      `The data in ${data} are in SQLite, not in the database that is named. Move them with kanon export and kanon import, into another --data.`
    )
  return Effect.void
}

/** Notes in the data folder which vault it belongs to; whole or not at all. */
export const remember = (place: Place, name: string): Effect.Effect<void, Failure> =>
  Effect.tryPromise({
    try: async () => {
      await mkdir(place.data, { recursive: true, mode: 0o700 })
      const between = relative(place.data, place.vault)
      const nested =
        !isRemote(place.vault) &&
        !isAbsolute(between) &&
        (/^[.\\/]*$/.test(between) || !between.startsWith(".."))
      const vault = nested ? between.split(sep).join("/") || "." : place.vault
      const target = join(place.data, memoryFile)
      const temporary = `${target}.${process.pid}`
      const file = await open(temporary, "w", 0o600)
      try {
        await file.writeFile(
          `${JSON.stringify({ format: 1, vault, name, ...(place.database === undefined ? {} : { database: "postgres", workspace: place.workspace }) }, null, 2)}\n`
        )
        await file.sync()
      } finally {
        await file.close()
      }
      await rename(temporary, target)
    },
    catch: (error) =>
      failed(
        "data_unavailable",
        `${place.data} cannot be written: ${error instanceof Error ? error.message : error}`
      )
  })

/** Whether the data folder says that it holds a workspace. */
export const isRemembered = ({ data }: Place): boolean => existsSync(join(data, memoryFile))

type Remembered = {
  readonly vault: string
  readonly name: string | undefined
  readonly database: "postgres" | undefined
  readonly workspace: string | undefined
}

const readMemory = (data: string): Effect.Effect<Remembered | undefined, Failure> =>
  Effect.suspend(() => {
    const file = join(data, memoryFile)
    if (!existsSync(file)) {
      // A program that embeds the engine leaves a database only; its vault then is the folder around it.
      const embedded = basename(data) === dataFolder && existsSync(join(data, database))
      return Effect.succeed(
        embedded
          ? { vault: dirname(data), name: undefined, database: undefined, workspace: undefined }
          : undefined
      )
    }
    const unreadable = failed("data_unavailable", `${file} cannot be read as what Kanon writes there.`)
    // A pipe would be waited for, for ever.
    if (!statSync(file).isFile()) return unreadable
    return Effect.try({
      try: () => {
        const { database, name, vault, workspace } = Remembered.parse(JSON.parse(readFileSync(file, "utf8")))
        return { vault: absoluteVault(vault, data), name, database, workspace }
      },
      catch: () => unreadable
    })
  })

const checkRemembered = (
  data: string,
  named: string | undefined,
  { name, vault, workspace }: Remembered
): Effect.Effect<Omit<Place, "database">, Failure> =>
  Effect.gen(function* () {
    if (named === undefined) {
      if (isRemote(vault) || isFolder(vault))
        return { data, vault, name, workspace, fresh: false, moved: false }
      return yield* failed(
        "vault_unavailable",
        `The vault ${vault} is gone. If it is elsewhere now, say where: kanon ingest --data ${data} --vault DIR`
      )
    }
    yield* requireVault(named)
    const isThere = isRemote(vault) || isFolder(vault)
    if (isThere && !isSameVault(vault, named)) {
      return yield* failed(
        "vault_mismatch",
        `The data in ${data} belongs to the vault ${vault}, not to ${named}. Use another --data for another vault.`
      )
    }
    return { data, vault: named, name, workspace, fresh: false, moved: !isThere }
  })

/** Whether two names are of one place, whatever links lead there. */
export const isSameVault = (a: string, b: string): boolean => realPathOf(a) === realPathOf(b)

/** One name for one folder; a folder that is not there has the name that it has. */
const realPathOf = (vault: string): string =>
  isRemote(vault) || !existsSync(vault) ? vault : realpathSync(vault)

const requireVault = (folder: string): Effect.Effect<void, Failure> => {
  if (isRemote(folder))
    return isPlace(folder)
      ? Effect.void
      : wrongUsage("--vault takes a folder, database:, or s3://bucket/prefix.")
  return isFolder(folder)
    ? Effect.void
    : failed("vault_unavailable", `${folder} is ${existsSync(folder) ? "not a folder" : "not there"}.`)
}

const nearest = (cwd: string): string | undefined => {
  for (let folder = cwd; ; folder = dirname(folder)) {
    const data = join(folder, dataFolder)
    // The vault of a workspace whose data is elsewhere has such a folder too, but neither of these in it.
    if (existsSync(join(data, memoryFile)) || existsSync(join(data, database))) return data
    if (folder === dirname(folder)) return undefined
  }
}

const isFolder = (path: string): boolean => statSync(path, { throwIfNoEntry: false })?.isDirectory() === true

/** Makes the folder of a vault, with those above it; one that is there stays as it is. */
export const makeFolder = (folder: string): Effect.Effect<void, Failure> =>
  Effect.tryPromise({
    try: () => mkdir(folder, { recursive: true }),
    catch: (error) =>
      failed(
        "vault_unavailable",
        `${folder} cannot be made: ${error instanceof Error ? error.message : error}`
      )
  })
