import { randomUUID } from "node:crypto"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import pg from "pg"
import type { TestProject } from "vitest/node"
import { postgresClient } from "../../adapters/postgres/client.js"
import { citusServers, distributeTemplate, joinCitus } from "./citus.js"
import { citusUrl } from "./citus-url.js"
import { startCluster } from "./postgres-cluster.js"

declare module "vitest" {
  interface ProvidedContext {
    /** A server of Postgres for this run, with a role that may make databases. */
    readonly postgresUrl: string
    /** All servers on which a database is made; more than that one if it is the coordinator of Citus. */
    readonly postgresServers: ReadonlyArray<string>
    /** A database there with the newest schema and nothing in it, which others are copied from. */
    readonly postgresTemplate: string
  }
}

/** Starts Postgres once a run, for all tests; those on Citus have the cluster that is named for them. */
export default async (project: TestProject): Promise<() => Promise<void>> => {
  const citus = project.name === "citus" ? citusUrl() : null
  const cluster = citus === null ? await startCluster() : { url: citus, stop: () => {} }
  const servers = citus === null ? [cluster.url] : await citusServers(citus)
  const template = `kanon_template_${randomUUID().replaceAll("-", "")}`
  await onServer(cluster.url, `create database ${template}`)
  if (citus !== null) await joinCitus(servers, template)
  const url = new URL(cluster.url)
  url.pathname = `/${template}`
  await Effect.runPromise(Effect.scoped(Layer.build(postgresClient({ url: url.href, connectionsMax: 1 }))))
  if (citus !== null) await distributeTemplate(servers, template)
  project.provide("postgresUrl", cluster.url)
  project.provide("postgresServers", servers)
  project.provide("postgresTemplate", template)
  return async () => {
    for (const server of servers) await onServer(server, `drop database ${template} with (force)`)
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
