import { mkdirSync, writeFileSync } from "node:fs"
import { dirname, join } from "node:path"
import { createEngine } from "../../adapters/sqlite/index.js"
import type { Engine, IngestProgress } from "../../core/engine/engine/index.js"
import { setStemming } from "../../core/language/tokenization/index.js"
import { operations } from "../../core/operations.js"
import { rank, type Scored } from "../../core/work/evaluation/index.js"
import { documentsOf } from "./bench-collection.js"
import type { GridRun, IndexSettings } from "./bench-grid.js"
import { depth } from "./bench-grid.js"

/** A collection as a vault. */
export interface WrittenVault {
  readonly vault: string
  readonly documents: number
  readonly folders: number
  /** Documents that were asked for and are not in the corpus. */
  readonly missing: ReadonlyArray<string>
  /** Ids that stand in the corpus again; the first document of each was taken. */
  readonly repeated: ReadonlyArray<string>
}

/** Documents of one folder of the vault. */
const folderSize = 1000

/**
 * Writes every document as a file whose path holds its id, one at a time.
 *
 * @throws Error that names an id that no path can hold.
 */
export const writeVault = async (
  corpus: string,
  vault: string,
  wanted: Iterable<string> = []
): Promise<WrittenVault> => {
  let documents = 0
  const missing = new Set(wanted)
  const known = new Set<string>()
  const repeated: Array<string> = []
  mkdirSync(vault, { recursive: true })
  for await (const { id, text, title } of documentsOf(corpus)) {
    const file = join(vault, `${Math.floor(documents / folderSize)}`, `${pathOf(id)}.md`)
    if (Buffer.byteLength(id) > idBytesMax || id === "")
      throw new Error(
        id === ""
          ? `Document ${documents + 1} of the corpus has no id.`
          : `The id ${id.slice(0, 100)}… has more than ${idBytesMax} bytes.`
      )
    if (known.has(id)) {
      repeated.push(id)
      continue
    }
    known.add(id)
    mkdirSync(dirname(file), { recursive: true })
    writeFileSync(file, title === "" ? `${text}\n` : `# ${title}\n\n${text}\n`)
    missing.delete(id)
    documents += 1
  }
  return { vault, documents, folders: Math.ceil(documents / folderSize), missing: [...missing], repeated }
}

/** Bytes of an id: twice as many digits must fit into a path. */
const idBytesMax = 450
/** Digits of a segment of a path. */
const digitsMax = 200

/**
 * Ids may differ in case alone or hold anything, file names may not: those ids are written in hexadecimal, long ones
 * as folders.
 */
const pathOf = (id: string): string =>
  /^[a-z0-9][a-z0-9-]{0,80}$/u.test(id) && !id.startsWith("x-")
    ? id
    : `x-${(
        Buffer.from(id)
          .toString("hex")
          .match(new RegExp(`.{1,${digitsMax}}`, "gu")) ?? []
      ).join("/")}`
const idOfPath = (path: string): string => {
  const name = path.slice(path.indexOf("/") + 1, -".md".length)
  return name.startsWith("x-") ? Buffer.from(name.slice(2).replaceAll("/", ""), "hex").toString() : name
}

/** Topics that each index is asked. */
export interface Asked {
  readonly topics: ReadonlyArray<readonly [string, ReadonlyMap<string, number>]>
  /** The questions by topic. */
  readonly asked: ReadonlyMap<string, string>
  readonly seed: number
  /** Leaves out of a ranking the document that is the query itself. */
  readonly ignoreIdenticalIds?: boolean
}

/** How far an index or a run is. */
export type BenchProgress = (progress: IngestProgress | TopicProgress) => void
interface TopicProgress {
  readonly phase: "topics"
  readonly done: number
  readonly total: number
}

/** Makes an index of the vault and runs over it; the runs hold the ids of the collection. */
export const runIndex = async (
  { folders, vault }: WrittenVault,
  data: string,
  { index, vectors }: { readonly index: IndexSettings; readonly vectors: boolean },
  { asked, ignoreIdenticalIds = false, seed, topics }: Asked,
  planned: ReadonlyArray<GridRun>,
  note: (text: string) => Promise<void>,
  onProgress: BenchProgress = () => {}
) => {
  // Ids of topics may hold blanks; those of an evaluation may not.
  const topicOf = new Map(topics.map(([topic], at) => [`t${at + 1}`, topic]))
  setStemming(index.stemming)
  try {
    const engine = await withEmbedder(vectors ? index.embedder : "built-in", () =>
      createEngine({
        vault,
        data,
        // A thread would have a setting of stemming of its own.
        thread: false,
        chunking: { maxChars: index.chunkChars },
        // Rankings do not follow the graph, whose names would lie in memory. Without vectors no model is needed.
        extractor: { read: () => noFacts },
        builtInModels: vectors
      })
    )
    try {
      const { errors } = await engine.ingest({ onProgress })
      if (errors[0] !== undefined)
        await note(`${errors.length} documents cannot be read, the first: ${errors[0].message}`)
      await note(`indexed ${JSON.stringify(index)}`)
      await putTopics(engine, folders, topics, asked)
      const found = new Map<string, RunFound["topics"]>()
      const warnings = new Set<string>()
      let fingerprint: string | null = null
      for (const { name, options } of planned) {
        const run = await runOf(engine, name, options, seed, (done) =>
          onProgress({ phase: "topics", done, total: topics.length })
        )
        found.set(
          name,
          new Map([...run.topics].map(([key, ranking]) => [topicOf.get(key) ?? key, ranking] as const))
        )
        for (const warning of run.warnings)
          if (/vectors/u.test(warning) && !warnings.has(warning)) await note(warning)
        for (const warning of run.warnings) warnings.add(warning)
        fingerprint = run.fingerprint
        await note(`ran ${name}`)
      }
      const wanted = new Set(
        [...found.values()].flatMap((run) => [...run.values()].flat().map(({ id }) => id))
      )
      const names = new Map<string, string>()
      await eachDocument(engine, folders, ({ id, name }) => {
        if (wanted.has(id)) names.set(id, name)
      })
      return {
        fingerprint,
        runs: new Map([...found].map(([name, run]) => [name, named(run, names, ignoreIdenticalIds)]))
      }
    } finally {
      await engine.close()
    }
  } finally {
    setStemming(true)
  }
}

const noFacts = {
  self: { name: "", type: "document", aliases: [], qualifier: "" },
  tags: [],
  references: [],
  terms: [],
  named: [],
  hidden: [],
  words: new Uint32Array(0),
  small: new Uint32Array(0)
}

/** The environment names the embedding model while an engine is opened; it is as it was afterwards. */
const withEmbedder = async <A>(embedder: string, open: () => Promise<A>): Promise<A> => {
  const [address, model] = ["KANON_EMBEDDING_BASE_URL", "KANON_EMBEDDING_MODEL"]
  const before = { [address]: process.env[address], [model]: process.env[model] }
  const set = (values: Readonly<Record<string, string | undefined>>): void => {
    for (const [name, value] of Object.entries(values)) {
      if (value === undefined) delete process.env[name]
      else process.env[name] = value
    }
  }
  if (embedder === "built-in") set({ [address]: undefined, [model]: undefined })
  else if (embedder !== "auto") set({ [model]: embedder })
  try {
    return await open()
  } finally {
    set(before)
  }
}

/** Visits the documents folder by folder: a page deep in a long list costs as much as all before it. */
const eachDocument = async (
  engine: Engine,
  folders: number,
  visit: (document: { readonly id: string; readonly name: string }) => void
): Promise<void> => {
  for (let folder = 0; folder < folders; folder += 1) {
    for (let offset = 0; ; offset += 200) {
      const { items } = await engine.documents.list({ pathPrefix: `${folder}/`, limit: 200, offset })
      for (const { id, path } of items) visit({ id, name: idOfPath(path) })
      if (items.length < 200) break
    }
  }
}

/** Stores the judgments of documents that the corpus has. */
const putTopics = async (
  engine: Engine,
  folders: number,
  topics: Asked["topics"],
  asked: ReadonlyMap<string, string>
): Promise<void> => {
  const wanted = new Set(topics.flatMap(([, judged]) => [...judged.keys()]))
  const ids = new Map<string, string>()
  await eachDocument(engine, folders, ({ id, name }) => {
    if (wanted.has(name)) ids.set(name, id)
  })
  const judgments = topics.flatMap(([topic, judged], at) =>
    [...judged].flatMap(([name, grade]) => {
      const docId = ids.get(name)
      const query = (asked.get(topic) ?? "").slice(0, 4000)
      return docId === undefined
        ? []
        : [{ set: "bench", queryId: `t${at + 1}`, query, docId, grade: Math.min(4, Math.max(0, grade)) }]
    })
  )
  for (let from = 0; from < judgments.length; from += 1000)
    await engine.call(operations.putQrels, { judgments: judgments.slice(from, from + 1000) })
}

interface RunFound {
  readonly topics: ReadonlyMap<string, ReadonlyArray<Scored>>
  readonly fingerprint: string | null
  readonly warnings: ReadonlyArray<string>
}

const runOf = async (
  engine: Engine,
  name: string,
  options: object,
  seed: number,
  onDone: (done: number) => void
): Promise<RunFound> => {
  let warnings: ReadonlyArray<string> = []
  const { id } = await engine.call(operations.startEval, {
    name,
    suite: "retrieval",
    set: "bench",
    seed,
    options
  })
  for (;;) {
    const shown = await engine.call(operations.getEval, { id, limit: 1 })
    onDone(shown.eval.done)
    warnings = shown.eval.warnings
    if (shown.eval.status === "succeeded") break
    if (shown.eval.status !== "queued" && shown.eval.status !== "running")
      throw new Error(`The run ${name} is ${shown.eval.status}: ${shown.eval.error ?? ""}`)
    await new Promise((wake) => setTimeout(wake, 200))
  }
  const topics = new Map<string, ReadonlyArray<Scored>>()
  let fingerprint: string | null = null
  for (let offset = 0; ; offset += 200) {
    const page = await engine.call(operations.getEval, { id, limit: 200, offset })
    fingerprint = page.eval.corpusFingerprint
    for (const { queryId, ranking, scores } of page.results)
      topics.set(
        queryId,
        ranking.map((docId, at) => ({ id: docId, score: scores[at] ?? 0 }))
      )
    if (page.results.length < 200) break
  }
  return { topics, fingerprint, warnings }
}

/** The same with the ids of the collection, in trec_eval's order. */
const named = (
  run: RunFound["topics"],
  names: ReadonlyMap<string, string>,
  ignoreIdenticalIds: boolean
): ReadonlyMap<string, ReadonlyArray<Scored>> =>
  new Map(
    [...run].map(([topic, ranking]) => {
      const found = ranking
        .map(({ id, score }) => ({ id: names.get(id) ?? id, score }))
        .filter(({ id }) => !ignoreIdenticalIds || id !== topic)
      const scoreOf = new Map(found.map(({ id, score }) => [id, score]))
      return [
        topic,
        rank(found)
          .slice(0, depth)
          .map((id) => ({ id, score: scoreOf.get(id) ?? 0 }))
      ]
    })
  )
