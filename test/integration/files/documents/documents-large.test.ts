import { mkdirSync, writeFileSync } from "node:fs"
import { join } from "node:path"
import { pathToFileURL } from "node:url"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import * as Logger from "effect/Logger"
import { describe, expect, it } from "vitest"
import { hostIds } from "../../../../adapters/host/ids.js"
import { longTextsIn } from "../../../../adapters/host/long-texts.js"
import { DocumentStore, parseContent } from "../../../../core/files/documents/index.js"
import { readContent } from "../../../../core/files/documents/parse-file.js"
import { syncVault } from "../../../../core/files/vault-sync/index.js"
import { LongFacts, loadTagger, readFacts } from "../../../../core/knowledge/extraction/index.js"
import { forEachYielding } from "../../../../core/platform/kernel/index.js"
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
