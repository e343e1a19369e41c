import { mkdirSync, writeFileSync } from "node:fs"
import { join } from "node:path"
import { pathToFileURL } from "node:url"
import * as Cause from "effect/Cause"
import * as Effect from "effect/Effect"
import * as Exit from "effect/Exit"
import * as Layer from "effect/Layer"
import * as Logger from "effect/Logger"
import * as Option from "effect/Option"
import { afterAll, beforeAll, describe, expect, it } from "vitest"
import { hostIds } from "../../../../adapters/host/ids.js"
import { longTextsIn } from "../../../../adapters/host/long-texts.js"
import { type ThreadPool, threadPool } from "../../../../adapters/host/thread-pool.js"
import { relinkedText } from "../../../../core/files/document-moves/long-links.js"
import { DocumentStore, LongTextRenderer, parseContent } from "../../../../core/files/documents/index.js"
import { readContent } from "../../../../core/files/documents/parse-file.js"
import { type Relocation, relinked, relinkingOf } from "../../../../core/files/links/index.js"
import { draftHtml, plainBlocks } from "../../../../core/files/markdown/index.js"
import { syncVault } from "../../../../core/files/vault-sync/index.js"
import { LongFacts, loadTagger, readFacts } from "../../../../core/knowledge/extraction/index.js"
import { DocumentId, forEachYielding, WorkspaceId } from "../../../../core/platform/kernel/index.js"
import { bundled } from "../../../support/bundled.js"
import { documentsLayer, LabelledTexts, withFolder } from "../../../support/documents.js"
import { asCaller, makeWorkspace, runEffect } from "../../../support/run.js"

const sentence = "The Harbour Crane was inspected and its gearbox oil is due again in the spring. "

/** A text of about so many characters, with front matter, headings and links. */
const long = (chars: number): string =>
  `---\ntitle: Long\ntags: [quay]\n---\n${Array.from(
    { length: Math.ceil(chars / (sentence.length * 8)) },
    (_, place) => `## Part ${place % 50}\n\n${sentence.repeat(8)}See [[Quay ${place % 9}]].\n\n`
  ).join("")}`

const workspaceId = WorkspaceId.parse("ws_01jqz7fb2yfn0r1y8m9c3d4e5f")
const chunking = { maxChars: 1200, overlapChars: 150 }
const document = {
  path: "long.md",
  title: "Long",
  frontMatter: { title: "Long", aliases: [], tags: ["quay"], type: null, other: {} }
}

/** Reads a text through the services, and returns the result with the log. */
const readBy = async (file: URL, source: string) => {
  const said: Array<string> = []
  const logger = Logger.make(({ message }) => void said.push(String(message)))
  let turns = 0
  const turning = setInterval(() => {
    turns += 1
  }, 1)
  const reading = Effect.gen(function* () {
    const bytes = new TextEncoder().encode(source)
    const { passages, warnings } = yield* readContent(
      "long.md",
      bytes,
      { sizeBytes: 1, mtimeMs: 0 },
      chunking
    )
    const facts = yield* (yield* LongFacts).read(document, source)
    return { passages, warnings, facts }
  })
  const read = await runEffect(
    reading.pipe(
      Effect.provide(Layer.merge(hostIds, longTextsIn(file))),
      Effect.provide(Logger.replace(Logger.defaultLogger, logger))
    )
  )
  clearInterval(turning)
  return { read, said, turns }
}

await loadTagger()

describe("a long text", () => {
  const source = long(300_000)
  const { passages, warnings } = parseContent("long.md", source, chunking)
  const wanted = { passages, warnings, facts: readFacts(document, source) }

  it("is taken apart in a thread to the same passages and facts, and the main loop turns meanwhile", async ({
    onTestFinished
  }) => {
    const thread = await bundled("adapters/host/long-texts-main")
    onTestFinished(thread.drop)
    const { read, said, turns } = await readBy(pathToFileURL(thread.file), source)
    expect(said).toEqual([])
    expect(read).toEqual(wanted)
    expect(wanted.passages.length).toBeGreaterThan(200)
    expect(turns).toBeGreaterThan(0)
  })

  it("is taken apart in place where no thread starts, which is told", async () => {
    const { read, said } = await readBy(new URL("file:///nowhere/long-texts-main.js"), source)
    expect(read).toEqual(wanted)
    expect(said).toHaveLength(2)
  })
})

describe("the links of a long text that a move changes", () => {
  const [moved, other] = ["doc_00000000000000000000000001", "doc_00000000000000000000000002"].map((id) =>
    DocumentId.parse(id)
  ) as [DocumentId, DocumentId]
  const relocation: Relocation = {
    documents: [
      { id: moved, path: "quay.md", title: "Quay", aliases: [] },
      { id: other, path: "long.md", title: "Long", aliases: [] }
    ],
    moved: { id: moved, path: "port/north.md", title: "Quay", aliases: [] }
  }
  const source = `${"[the quay](quay.md), ".repeat(3_000)}\n\n${sentence.repeat(100)}`
  const paths = { from: "long.md", to: "long.md" }
  const rewriteBy = (file: URL, linksMs: number) =>
    runEffect(
      relinkedText(source, paths, relinkingOf(relocation)).pipe(
        Effect.provide(longTextsIn(file, { linksMs })),
        Effect.provide(Logger.replace(Logger.defaultLogger, Logger.none))
      )
    )

  it("are rewritten in a thread as in place, and stay where that takes too long", async ({
    onTestFinished
  }) => {
    const thread = await bundled("adapters/host/long-texts-main")
    onTestFinished(thread.drop)
    const here = relinked(source, paths, relinkingOf(relocation))
    expect(here.match(/\]\(port\/north\.md\)/g)).toHaveLength(3_000)
    expect(await rewriteBy(pathToFileURL(thread.file), 60_000)).toBe(here)
    expect(await rewriteBy(pathToFileURL(thread.file), 1)).toBe(source)
    expect(await rewriteBy(new URL("file:///nowhere/long-texts-main.js"), 60_000)).toBe(here)
  })
})

/** Renders through the services; the thread may take so long. */
const renderBy = (file: URL, source: string, htmlMs?: number) =>
  runEffect(
    Effect.flatMap(LongTextRenderer, ({ draft }) => draft(workspaceId, source, "notes/a.md")).pipe(
      Effect.provide(longTextsIn(file, htmlMs === undefined ? {} : { htmlMs })),
      Effect.provide(Logger.replace(Logger.defaultLogger, Logger.none))
    )
  )

describe("a long text that is shown", () => {
  let thread: Awaited<ReturnType<typeof bundled>>
  beforeAll(async () => {
    thread = await bundled("adapters/host/long-texts-main")
  })
  afterAll(() => thread.drop())
  /** Opened brackets take time that grows faster than their number. */
  const brackets = "[a ".repeat(300_000)

  it("is rendered in a thread as in place", async () => {
    const source = long(200_000)
    const there = await renderBy(pathToFileURL(thread.file), source, 60_000)
    expect(Option.getOrNull(there)).toEqual(draftHtml(source, "notes/a.md"))
  })

  it("and is not rendered in time is given up with its thread, and the next one is rendered", async () => {
    let turns = 0
    const turning = setInterval(() => {
      turns += 1
    }, 1)
    expect(Option.isNone(await renderBy(pathToFileURL(thread.file), brackets, 20))).toBe(true)
    clearInterval(turning)
    expect(turns).toBeGreaterThan(0)
    expect(Option.isSome(await renderBy(pathToFileURL(thread.file), "# Short", 60_000))).toBe(true)
  })

  it("is shown as it is written where no thread starts", async () => {
    expect(Option.isNone(await renderBy(new URL("file:///nowhere/long-texts-main.js"), brackets))).toBe(true)
  })

  it("and is given as it is written has each block at its place, with nothing left out", () => {
    const source = `${long(50_000)}\r\n\r\n  <b> & "quotes"\n${"x".repeat(50_000)}\n\n\n`
    const blocks = [...plainBlocks(source)]
    const places = blocks.map((block) => {
      const [, start, end, html = ""] =
        /data-start="(\d+)" data-end="(\d+)"><code>([\s\S]*)<\/code>/.exec(block) ?? []
      const text = html
        .replaceAll("&lt;", "<")
        .replaceAll("&gt;", ">")
        .replaceAll("&quot;", '"')
        .replaceAll("&#39;", "'")
        .replaceAll("&amp;", "&")
      expect(source.slice(Number(start), Number(end))).toBe(text)
      return [Number(start), Number(end)] as const
    })
    const between = places.map(([start], at) => source.slice(places[at - 1]?.[1] ?? 0, start))
    expect(between.join("").trim()).toBe("")
    expect(source.slice(places.at(-1)?.[1]).trim()).toBe("")
    expect(places.length).toBeGreaterThan(10)
  })
})

describe("threads that do one job after the other", () => {
  const program = (text: string) => new URL(`data:text/javascript,${encodeURIComponent(text)}`)
  /** Notes when each job begins and ends; a job is its own duration. */
  const waits = program(`
    import { parentPort } from "node:worker_threads"
    parentPort.on("message", ({ name, ms, fails }) => setTimeout(() =>
      parentPort.postMessage(fails ? { error: "It fails." } : { result: name }), ms))
    parentPort.postMessage({ ready: true })`)
  type Job = { readonly name: string; readonly ms: number; readonly fails?: boolean }
  const withPool = <A>(work: (pool: ThreadPool<Job>) => Effect.Effect<A, unknown>) =>
    runEffect(Effect.scoped(Effect.flatMap(threadPool<Job>(waits, 64), work)))

  it("do one job of each owner at a time, so that many jobs of one keep nobody waiting", async () => {
    const done: Array<string> = []
    await withPool(({ run }) => {
      const job = (owner: string, name: string, ms: number) =>
        Effect.map(run<string>(owner, { name, ms }, 60_000), (result) => done.push(result))
      const many = Array.from({ length: 6 }, (_, at) => job("busy", `busy ${at}`, 150))
      return Effect.all([...many, Effect.delay(job("other", "other", 1), 10)], { concurrency: "unbounded" })
    })
    expect(done).toHaveLength(7)
    expect(done.indexOf("other")).toBeLessThan(4)
  })

  it("end with a job that takes too long, and not with one that fails", async () => {
    const outcomes = await withPool(({ run }) =>
      Effect.all([
        Effect.exit(run("a", { name: "late", ms: 60_000 }, 300)),
        Effect.exit(run("a", { name: "bad", ms: 1, fails: true }, 60_000)),
        Effect.exit(run<string>("a", { name: "good", ms: 1 }, 60_000))
      ])
    )
    const [late, bad, good] = outcomes
    expect(String(late)).toContain("OutOfBounds")
    expect(Exit.isFailure(bad) ? Cause.pretty(bad.cause) : "").toContain("It fails.")
    expect(good).toEqual(Exit.succeed("good"))
  })
})

describe("a text with many link definitions", () => {
  it("is rendered, whatever their labels", () => {
    const source = Array.from({ length: 700 }, (_, at) => `[${at}]: page-${at}.md\n`).join("")
    const { html, references } = draftHtml(`${source}\nSee [one][1] and [[Quay]].\n`, "notes/a.md")
    expect(references).toEqual([
      { kind: "wiki", target: "Quay" },
      { kind: "markdown", target: "page-1.md" }
    ])
    expect(html).toContain("one")
  })
})

describe("work on each of many", () => {
  it("gives everything else its turn when it has lasted, and keeps the order", async () => {
    let turns = 0
    const look = setInterval(() => {
      turns += 1
    }, 0)
    /** Longer than a turn, on any machine. */
    const busy = (item: number) => {
      const until = performance.now() + 12
      while (performance.now() < until);
      return item * 2
    }
    const done = await runEffect(forEachYielding([1, 2, 3, 4, 5, 6], (item) => Effect.sync(() => busy(item))))
    clearInterval(look)
    expect(done).toEqual([2, 4, 6, 8, 10, 12])
    expect(turns).toBeGreaterThanOrEqual(5)
  })
})

describe("a sync of large files", () => {
  /** The documents of each unit of work that it took. */
  const unitsOf = (root: string) =>
    Effect.gen(function* () {
      const [workspace, store] = [yield* makeWorkspace(), yield* DocumentStore]
      const units: Array<number> = []
      const counted: DocumentStore["Type"] = {
        ...store,
        save: (scope, changes) => {
          units.push(changes.length)
          return store.save(scope, changes)
        }
      }
      const left = yield* asCaller(workspace)(syncVault({ bytesMax: 1_000_000 }))
      const { created } = yield* asCaller(workspace)(
        Effect.provideService(syncVault(), DocumentStore, counted)
      )
      return { units, created, left: left.left }
    }).pipe(Effect.provide(documentsLayer(root, new LabelledTexts())), runEffect)

  it("takes in a few at a time, so that nobody waits for a unit of work of many of them", () =>
    withFolder(async (root) => {
      mkdirSync(join(root, "large"))
      for (let place = 0; place < 4; place++)
        writeFileSync(join(root, "large", `${place}.md`), `\`\`\`\n${"x".repeat(400_000)}\n\`\`\`\n${place}`)
      for (let place = 0; place < 20; place++) writeFileSync(join(root, `${place}.md`), `# Note ${place}\n`)
      expect(await unitsOf(root)).toEqual({ units: [22, 2], created: 24, left: 24 })
    }))
})
