import { fork, type StdioOptions } from "node:child_process"
import { once } from "node:events"
import { mkdirSync } from "node:fs"
import { join } from "node:path"
import { fileURLToPath } from "node:url"
import { bundled } from "./bundle.js"
import { readQueries } from "./data.js"
import type { BenchContext } from "./result.js"
import { makeDistributed, send } from "./scale-citus.js"

/** Workspaces under load at once, shared out among the servers. */
const workspaces = 6
const [documents, seconds] = [20, 10]

/**
 * Measures searches and writes of several workspaces at once over one, two and three servers: of Kanon each, at an
 * entrance of its own of a distributed database, and as many at one plain server.
 */
export const measureServers = async (
  { report }: BenchContext,
  cluster: string,
  plain: string,
  folder: string
): Promise<void> => {
  const child = new URL("scale-servers-child.js", await bundled("scale", ["bench/scale-servers-child.ts"]))
  const [name, queries] = ["scale_servers", readQueries("eips").map(({ text }) => text)]
  const start = async (database: string, listen: string, place: string, count: number) => {
    mkdirSync(place, { recursive: true })
    const plan = { database, listen, folder: place, workspaces: count, documents, seconds, queries }
    // The log of the engine is dropped, because standard output carries the results.
    const stdio: StdioOptions = ["ignore", "ignore", "inherit", "ipc"]
    const server = fork(fileURLToPath(child), [JSON.stringify(plan)], { stdio, execArgv: [] })
    const told = () =>
      Promise.race([
        once(server, "message"),
        once(server, "exit").then(() => Promise.reject(new Error("A server under load has ended early.")))
      ])
    await told()
    return async () => {
      const done = told()
      server.send("go")
      const [[count]] = await Promise.all([done, once(server, "exit")])
      return Number(count)
    }
  }
  /** Operations a second of servers at these entrances. */
  const load = async (entrances: ReadonlyArray<string>, what: string) => {
    const [listen = ""] = entrances
    const servers: Array<() => Promise<number>> = []
    for (const [place, url] of entrances.entries())
      servers.push(
        await start(url, listen, join(folder, `${what}-${place}`), Math.round(workspaces / entrances.length))
      )
    const done = await Promise.all(servers.map((go) => go()))
    return done.reduce((all, count) => all + count, 0) / seconds
  }
  await send(plain, [`create database ${name}`])
  const beside = new URL(plain)
  beside.pathname = `/${name}`
  const made = await makeDistributed(cluster, name)
  try {
    for (let count = 1; count <= Math.min(3, made.server.length); count++) {
      const floor = await load(Array(count).fill(beside.href), `plain-${count}`)
      const ours = await load(made.server.slice(0, count), `citus-${count}`)
      report({
        metric: `searches and writes of ${workspaces} workspaces, servers of Kanon: ${count}, each at its own server of Citus`,
        n: count,
        unit: "operations/s",
        ours,
        floor,
        ratio: ours / floor,
        iqr: null,
        peer: "as many at one plain Postgres"
      })
    }
  } finally {
    await made.drop()
  }
}
