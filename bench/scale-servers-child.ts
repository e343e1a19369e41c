import { once } from "node:events"
import { mkdirSync } from "node:fs"
import { join } from "node:path"
import * as Layer from "effect/Layer"
import * as ManagedRuntime from "effect/ManagedRuntime"
import { z } from "zod"
import { createEngineOn, postgresPorts } from "../adapters/postgres/index.js"
import { wiring } from "../core/engine/engine/index.js"
import { createWorkspace } from "../core/platform/identity/index.js"

/** One server of the load on several: it makes its workspaces, waits for a message, and sends how much it has done. */
const plan = z
  .object({
    database: z.string(),
    listen: z.string(),
    folder: z.string(),
    workspaces: z.number(),
    documents: z.number(),
    seconds: z.number(),
    queries: z.array(z.string())
  })
  .parse(JSON.parse(process.argv[2] ?? ""))

const { database, documents, folder, listen, queries } = plan
const query = (place: number): string => queries[place % queries.length] ?? ""
const runtime = ManagedRuntime.make(
  Layer.provideMerge(wiring, postgresPorts({ vault: folder, data: join(folder, "data"), database, listen }))
)

const openWorkspace = async (name: string) => {
  const vault = join(folder, name)
  mkdirSync(vault, { recursive: true })
  const { id } = await runtime.runPromise(createWorkspace(name, () => vault))
  const engine = await createEngineOn(runtime, { vault, workspace: id, worker: false })
  const write = (place: number) =>
    engine.documents.create({ path: `${place}.md`, content: `# Note ${place}\n\n${query(place)}\n` })
  for (let place = 0; place < documents; place++) await write(place)
  /** Four searches, then a write, and so on. */
  return { work: (turn: number) => (turn % 5 === 4 ? write(documents + turn) : engine.search(query(turn))) }
}

const opened = await Promise.all(
  Array.from({ length: plan.workspaces }, (_, number) => openWorkspace(`workspace-${number}`))
)
process.send?.("ready")
await once(process, "message")
const until = performance.now() + plan.seconds * 1000
const done = await Promise.all(
  opened.map(async ({ work }) => {
    let turn = 0
    while (performance.now() < until) await work(turn++)
    return turn
  })
)
process.send?.(done.reduce((all, turns) => all + turns, 0))
await runtime.dispose()
process.disconnect()
