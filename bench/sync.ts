import * as Context from "effect/Context"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import { z } from "zod"
import {
  type ChangePage,
  type Crawler,
  Crawlers,
  crawlerProvider,
  sourcesOperations,
  syncHandler
} from "../core/connected/sources/index.js"
import { JobStore, jobKinds } from "../core/platform/jobs/index.js"
import { ContentConnectorId, runOperation } from "../core/platform/kernel/index.js"
import { type Cost, costOf } from "./measure.js"
import type { RunBench, Size } from "./result.js"
import { quantile } from "./statistics.js"
import { openWorkspace, withFolder } from "./workspace.js"

const itemsWanted: Readonly<Record<Size, number>> = { small: 50, default: 10_000, full: 10_000 }
const runsWanted: Readonly<Record<Size, number>> = { small: 1, default: 15, full: 30 }
const pageSize = 500
const Position = z.object({ after: z.number() })

/** A library in memory whose listing names every item with its version. */
const library = (count: number): Crawler => ({
  traits: { changes: "listing", deletions: "ids" },
  check: Effect.void,
  changes: (checkpoint) =>
    Effect.sync(() => {
      const { after } = Position.catch({ after: 0 }).parse(checkpoint)
      const end = Math.min(count, after + pageSize)
      const isLast = end >= count
      const changes = Array.from({ length: end - after }, (_, at) => ({
        op: "upsert" as const,
        externalId: `item-${after + at}`,
        version: "1",
        path: null
      }))
      return { changes, failures: [], checkpoint: { after: isLast ? 0 : end }, isLast, total: count }
    }),
  listIds: () => Effect.succeed({ ids: [], failures: [], next: null }),
  fetch: (externalId) =>
    Effect.succeed({
      externalId,
      version: "1",
      path: `${externalId.slice(-2)}/${externalId}.md`,
      title: null,
      url: `https://library.example/${externalId}`,
      author: null,
      createdAt: null,
      modifiedAt: null,
      labels: [],
      body: { markdown: `# ${externalId}\n\nAn item of the library.\n` },
      attachments: [],
      warnings: []
    })
})

const names = { wallMs: "wall", cpuMs: "CPU" } as const

/** The first sync of a library, and syncs in which nothing changed, beside walking its listing alone. */
export const syncBench: RunBench = ({ report, size }) =>
  withFolder(async (folder) => {
    const count = itemsWanted[size]
    const crawler = library(count)
    const provider = crawlerProvider({
      provider: "library",
      kind: "document_library",
      config: z.object({ provider: z.literal("library") }),
      credential: "none",
      open: () => Effect.succeed(crawler)
    })
    const workspace = await openWorkspace({
      vault: folder,
      around: (ports) =>
        Layer.map(ports, (services) =>
          Context.add(services, Crawlers, new Map([[provider.provider, provider]]))
        )
    })
    const { createContentConnector, syncContentConnector } = sourcesOperations
    const { id } = await workspace.run(
      runOperation(createContentConnector, {
        name: "Library",
        kind: "document_library",
        config: { provider: "library" }
      })
    )
    const sync = () =>
      workspace.run(
        Effect.gen(function* () {
          yield* runOperation(syncContentConnector, { id: ContentConnectorId.parse(id) })
          const filter = { kind: jobKinds.sync, subjectId: id }
          const { items } = yield* (yield* JobStore).list(workspace.scope, { limit: 1, offset: 0 }, filter)
          const [job] = items
          const tools = {
            progress: () => Effect.void,
            fenced: <A, E, R>(work: Effect.Effect<A, E, R>) => work
          }
          if (job !== undefined) yield* syncHandler.run(job, tools)
        })
      )
    const walk = async (): Promise<void> => {
      for (let checkpoint: Parameters<Crawler["changes"]>[0] = null; ; ) {
        const page: ChangePage = await Effect.runPromise(crawler.changes(checkpoint))
        if (page.isLast) return
        checkpoint = page.checkpoint
      }
    }
    const common = { unit: "ms", peer: "walking the listing alone", ratio: null }
    const first = await costOf(sync)
    for (const of of ["wallMs", "cpuMs"] as const)
      report({
        ...common,
        metric: `first sync of ${count} items, ${names[of]}`,
        ours: first[of],
        floor: null,
        n: 1
      })
    const [ours, floors]: [Array<Cost>, Array<Cost>] = [[], []]
    for (let run = 0; run < runsWanted[size]; run++) {
      ours.push(await costOf(sync))
      floors.push(await costOf(walk))
    }
    const middle = (all: ReadonlyArray<Cost>, of: keyof Cost) =>
      quantile(
        all.map((one) => one[of]),
        0.5
      )
    for (const of of ["wallMs", "cpuMs"] as const)
      report({
        ...common,
        metric: `unchanged sync of ${count} items, ${names[of]}`,
        ours: middle(ours, of),
        floor: middle(floors, of),
        n: ours.length
      })
    await workspace.close()
  })
