import type { TestProject } from "vitest/node"
import { startCluster } from "./postgres-cluster.js"

declare module "vitest" {
  interface ProvidedContext {
    /** A server of Postgres for this run, with a role that may make databases. */
    readonly postgresUrl: string
  }
}

/** Starts Postgres once a run, for all tests. */
export default async (project: TestProject): Promise<() => void> => {
  const cluster = await startCluster()
  project.provide("postgresUrl", cluster.url)
  return cluster.stop
}
