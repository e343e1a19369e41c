import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import pg from "pg"
import { inject } from "vitest"
import { postgresClient } from "../../adapters/postgres/client.js"
import { migrateDatabase } from "../../adapters/postgres/index.js"
import { storesOn } from "./run.js"

/** Variables that tell a program started by a test where the servers of the tests are. */
const names = {
  url: "KANON_TEST_POSTGRES_URL",
  servers: "KANON_TEST_POSTGRES_SERVERS",
  template: "KANON_TEST_POSTGRES_TEMPLATE"
}
const server = () => process.env[names.url] ?? inject("postgresUrl")
const servers = () => process.env[names.servers]?.split(" ") ?? inject("postgresServers")
const template = () => process.env[names.template] ?? inject("postgresTemplate")

/** Whether the databases of this run are distributed over the nodes of Citus. */
export const isOnCitus = (): boolean => (servers()?.length ?? 0) > 1

/** The environment of a program that makes databases as its test does. */
export const postgresEnvironment = (): Readonly<Record<string, string>> => ({
  [names.url]: server(),
  [names.servers]: servers().join(" "),
  [names.template]: template()
})

const withServer = async <A>(use: (client: pg.Client) => Promise<A>, at = server()): Promise<A> => {
  const client = new pg.Client(at)
  await client.connect()
  try {
    return await use(client)
  } finally {
    await client.end()
  }
}

/** Runs a statement on every server, because each node of a distributed database is a database of its own. */
const onEachServer = async (statement: string): Promise<void> => {
  for (const at of servers())
    await withServer(async (client) => {
      // Citus would create a role on the other servers too, and creating it there again would fail.
      if (servers().length > 1) await client.query("set citus.enable_create_role_propagation = off")
      await client.query(statement)
    }, at)
}

const urlOf = (name: string): string => {
  const url = new URL(server())
  url.pathname = `/${name}`
  return url.href
}

/** Makes an empty database; gives its URL. */
export const makeDatabase = async (): Promise<string> => {
  const name = `kanon_${crypto.randomUUID().replaceAll("-", "")}`
  await withServer((client) => client.query(`create database ${name}`))
  return urlOf(name)
}

/** Makes a database without what the server gives each new one, as a restore wants it; gives its URL. */
export const makeBare = async (): Promise<string> => {
  const name = `kanon_${crypto.randomUUID().replaceAll("-", "")}`
  await withServer((client) => client.query(`create database ${name} template template0`))
  return urlOf(name)
}

/** Makes an empty database that orders text as an English dictionary does; gives its URL. */
export const makeInLanguage = async (): Promise<string> => {
  const name = `kanon_${crypto.randomUUID().replaceAll("-", "")}`
  await withServer((client) =>
    client.query(`create database ${name} template template0 locale_provider icu icu_locale 'en' locale 'C'`)
  )
  return urlOf(name)
}

/** Makes a database with the newest schema; gives its URL. */
export const makeMigrated = async (): Promise<string> => {
  const name = `kanon_${crypto.randomUUID().replaceAll("-", "")}`
  await onEachServer(`create database ${name} template ${template()} strategy file_copy`)
  // Settings of a database are not copied with it; `kanon database distribute` makes this one.
  if (isOnCitus()) await onEachServer(`alter database ${name} set citus.propagate_set_commands = 'local'`)
  return urlOf(name)
}

/** The URLs by which a distributed database can be entered: that of the coordinator first, then those of workers. */
export const entrancesOf = (url: string): ReadonlyArray<string> =>
  servers().map((at) => {
    const entrance = new URL(url)
    entrance.host = new URL(at).host
    return entrance.href
  })

/** Makes a database that holds what another one does, to which nobody may be connected; gives its URL. */
export const copyDatabase = async (url: string): Promise<string> => {
  const name = `kanon_${crypto.randomUUID().replaceAll("-", "")}`
  await onEachServer(`create database ${name} template ${new URL(url).pathname.slice(1)} strategy file_copy`)
  return urlOf(name)
}

/** Makes a database with the newest schema and a role for servers; gives the URLs of its owner and of that role. */
export const makeServedDatabase = async (): Promise<{ readonly owner: string; readonly server: string }> => {
  const owner = await makeMigrated()
  const url = new URL(owner)
  url.username = roleOf(owner)
  url.password = crypto.randomUUID()
  await onEachServer(`create role ${url.username} login password '${url.password}'`)
  await migrateDatabase({ database: owner, serverRole: url.username })
  return { owner, server: url.href }
}

const roleOf = (url: string): string => `${new URL(url).pathname.slice(1)}_server`

/** Removes a database, whoever is connected to it, and its role for servers. */
export const dropDatabase = async (url: string): Promise<void> => {
  const name = new URL(url).pathname.slice(1)
  // The daemons of Citus would connect from each node to the others again while the database goes.
  if (isOnCitus()) await onEachServer(`alter database ${name} allow_connections false`)
  await onEachServer(`drop database if exists ${name} with (force)`)
  await onEachServer(`drop role if exists ${roleOf(url)}`)
}

/** The URL of a database with the newest schema, which goes with the scope. */
export const migratedDatabase = Effect.acquireRelease(Effect.promise(makeMigrated), (url) =>
  Effect.promise(() => dropDatabase(url))
)

/** A layer over a database of its own, which goes with it. */
export const onPostgres = <A, E>(over: (url: string) => Layer.Layer<A, E>): Layer.Layer<A> =>
  Layer.orDie(Layer.unwrapScoped(Effect.map(migratedDatabase, over)))

/** As `baseLayer`, over a database of its own on Postgres. */
export const postgresBase = () =>
  Layer.orDie(Layer.unwrapScoped(Effect.map(migratedDatabase, (url) => storesOn(postgresClient({ url })))))
