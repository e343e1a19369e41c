import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import pg from "pg"
import { inject } from "vitest"
import { postgresClient } from "../../adapters/postgres/client.js"
import { storesOn } from "./run.js"

const server = () => inject("postgresUrl")

const withServer = async <A>(use: (client: pg.Client) => Promise<A>): Promise<A> => {
  const client = new pg.Client(server())
  await client.connect()
  try {
    return await use(client)
  } finally {
    await client.end()
  }
}

const urlOf = (name: string): string => {
  const url = new URL(server())
  url.pathname = `/${name}`
  return url.href
}

/** The URL of an empty database, which goes with the scope. */
export const emptyDatabase = Effect.map(
  Effect.acquireRelease(
    Effect.promise(async () => {
      const name = `kanon_${crypto.randomUUID().replaceAll("-", "")}`
      await withServer((client) => client.query(`create database ${name}`))
      return name
    }),
    (name) =>
      Effect.promise(() =>
        withServer((client) => client.query(`drop database if exists ${name} with (force)`))
      )
  ),
  urlOf
)

/** As `baseLayer`, over a database of its own on Postgres. */
export const postgresBase = () =>
  Layer.unwrapScoped(Effect.map(emptyDatabase, (url) => storesOn(postgresClient({ url })))).pipe(Layer.orDie)
