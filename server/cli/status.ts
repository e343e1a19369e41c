import type { Engine, EngineStatus, Timings } from "../../core/engine/engine/index.js"
import { command, noInput } from "./command.js"
import { call, withWorkspace } from "./session.js"
import { paint } from "./terminal.js"
import { cleanLine, counted } from "./text.js"

/** Searches that the timing asks: the titles of so many documents. */
const probes = 20

export const statusCommand = command("status", {
  description: "Show what the workspace holds, the background work, and how fast searches are.",
  input: noInput,
  run: (input) =>
    withWorkspace(input, function* ({ engine, place }) {
      const now = yield* call(() => engine.status())
      const search = yield* call(() => timedSearches(engine))
      const shown = { ...now, vault: place.vault, data: place.data, search }
      const { vectorPassagesMin } = yield* call(() => import("../../core/search/retrieval/index.js"))
      return { output: shown, text: () => page(now, search, place, vectorPassagesMin) }
    })
})

/** How long searches take here and now: the titles of the first documents in path order, each asked once. */
const timedSearches = async (engine: Engine): Promise<Timings> => {
  const { items } = await engine.documents.list({ limit: probes })
  const [first] = items
  // The first search reads the index into memory, which is no part of the others.
  if (first !== undefined) await engine.search(first.title)
  // Loaded here: it brings the whole engine along, which help does without.
  const { collectMetrics } = await import("../../core/engine/engine/index.js")
  const metrics = collectMetrics(engine)
  for (const { title } of items) await engine.search(title)
  metrics.close()
  return metrics.snapshot().search
}

const page = (
  { counts, queue, textIndex, vectors, workspace }: EngineStatus,
  search: Timings,
  place: { readonly vault: string; readonly data: string },
  passagesMin: number
): string =>
  [
    `${paint.bold(cleanLine(workspace.name))}  ${paint.dim(workspace.id)}`,
    row("vault", cleanLine(place.vault)),
    row("data", cleanLine(place.data)),
    row(
      "holds",
      [
        counted(counts.documents, "document"),
        counted(counts.chunks, "passage"),
        counted(counts.entities, "entity", "entities"),
        counted(counts.relations, "relation")
      ].join(", ")
    ),
    row("queue", queueLine(queue)),
    ...queue.work.map(({ kind, progress }) =>
      row(
        "",
        `${kind} ${progress === null ? "started" : `${progress.done} of ${progress.total} ${progress.note}`}`
      )
    ),
    row(
      "words",
      `${counted(textIndex.segments, "segment")}, ${megabytes(textIndex.sizeBytes)}, ${counted(textIndex.removed, "removed passage")} to merge away`
    ),
    row(
      "vectors",
      vectors.model === null
        ? `none ${vectors.upToDate ? `(built-in ones need ${passagesMin} passages: the words alone rank)` : "yet"}`
        : `${cleanLine(vectors.model)}, ${vectors.dimensions} dimensions, ${vectors.upToDate ? "up to date" : "behind the documents"}`
    ),
    row(
      "search",
      search.p50Ms === null || search.p95Ms === null
        ? "nothing to search"
        : `half of ${search.count} searches within ${milliseconds(search.p50Ms)}, 95 of 100 within ${milliseconds(search.p95Ms)}`
    )
  ].join("\n")

const queueLine = ({ dead, oldestQueuedAt, running, waiting }: EngineStatus["queue"]): string =>
  waiting + running + dead === 0
    ? "empty"
    : [
        `${waiting} waiting`,
        `${running} running`,
        dead === 0 ? "none dead" : paint.red(`${dead} dead`),
        ...(oldestQueuedAt === null ? [] : [`the oldest since ${oldestQueuedAt}`])
      ].join(", ")

const row = (title: string, text: string): string => `  ${paint.dim(title.padEnd(8))} ${text}`

const megabytes = (sizeBytes: number): string => `${(sizeBytes / 1e6).toFixed(1)} MB`

const milliseconds = (durationMs: number): string => `${durationMs.toFixed(1)} ms`
