import { randomUUID } from "node:crypto"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import pg from "pg"
import type { TestProject } from "vitest/node"
import { postgresClient } from "../../adapters/postgres/client.js"
import { startCluster } from "./postgres-cluster.js"

declare module "vitest" {
  interface ProvidedContext {
    /** A server of Postgres for this run, with a role that may make databases. */
    readonly postgresUrl: string
    /** A database there with the newest schema and nothing in it, which others are copied from. */
    readonly postgresTemplate: string
  }
}

/** Starts Postgres once a run, for all tests. */
export default async (project: TestProject): Promise<() => Promise<void>> => {
  const cluster = await startCluster()
  const template = `kanon_template_${randomUUID().replaceAll("-", "")}`
  await onServer(cluster.url, `create database ${template}`)
  const url = new URL(cluster.url)
  url.pathname = `/${template}`
  await Effect.runPromise(Effect.scoped(Layer.build(postgresClient({ url: url.href, connectionsMax: 1 }))))
  project.provide("postgresUrl", cluster.url)
  project.provide("postgresTemplate", template)
  return async () => {
    await onServer(cluster.url, `drop database ${template}`)
    cluster.stop()
  }
}

const onServer = async (url: string, statement: string): Promise<void> => {
  const client = new pg.Client(url)
  await client.connect()
  try {
    await client.query(statement)
  } finally {
    await client.end()
  }
}
