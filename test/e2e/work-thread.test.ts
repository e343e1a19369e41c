import { subscribe, unsubscribe } from "node:diagnostics_channel"
import { once } from "node:events"
import { existsSync, readdirSync, readFileSync, rmSync } from "node:fs"
import { getPriority } from "node:os"
import { join } from "node:path"
import { pathToFileURL } from "node:url"
import type { Worker } from "node:worker_threads"
import * as Effect from "effect/Effect"
import * as Logger from "effect/Logger"
import { afterEach, beforeEach, describe, expect, it } from "vitest"
import type { createEngine, Engine, EngineOptions } from "../../adapters/sqlite/index.js"
import { folder, write } from "../support/cli.js"
import { root } from "../support/tree.js"

// Threads need the built files: a thread has no loader for TypeScript.
const built: { readonly createEngine: typeof createEngine } = await import(
  pathToFileURL(join(root, "dist", "adapters", "sqlite", "index.js")).href
)

/** Threads for long work that were started, by their first word; those that fit vectors say another. */
const started: Array<Worker> = []
const note = (message: unknown) => {
  const { worker } = message as { readonly worker: Worker }
  worker.once("message", (word: object) => {
    if (!("say" in word)) return
    started.push(worker)
    onStart(worker)
  })
}
let onStart: (worker: Worker) => void = () => undefined
beforeEach(() => {
  started.length = 0
  onStart = () => undefined
  subscribe("worker_threads", note)
})
afterEach(() => unsubscribe("worker_threads", note))

const crafts = ["kiln", "glaze", "wheel", "clay", "sail", "keel", "rudder", "anchor"]

/** Notes of several passages each, with words of their own. */
const notes = (count: number, kind = "note") =>
  Object.fromEntries(
    Array.from({ length: count }, (_, place) => [
      `${kind}/${place}.md`,
      crafts
        .map(
          (craft) =>
            `# The ${craft} of workshop ${kind}${place}\n\nIts ${craft} is kept by Workshop ${place % 7} in Hall ${place % 5}. See [[${(place + 1) % count}]].\n`
        )
        .join("\n")
    ])
  )

const using = async <A>(
  options: Omit<EngineOptions, "vault">,
  use: (engine: Engine, vault: string) => Promise<A>
): Promise<A> => {
  const vault = folder()
  const engine = await built.createEngine({ vault, ...options })
  try {
    return await use(engine, vault)
  } finally {
    await engine.close()
    rmSync(vault, { recursive: true, force: true })
  }
}

/** The "nice" of each thread of this process, where the system tells. */
const niceOfTasks = (): ReadonlyArray<number> => {
  const tasks = "/proc/self/task"
  if (!existsSync(tasks)) return []
  const fieldsOf = (task: string) =>
    readFileSync(join(tasks, task, "stat"), "utf8")
      .split(") ")[1]
      ?.split(" ")
  return readdirSync(tasks).map((task) => Number(fieldsOf(task)?.[16]))
}

/** Kinds of jobs that may wait at any moment, whoever asked for none. */
const byItself = new Set(["reconcile", "retention", "staleness"])

/** Returns a workspace as a user sees it, without ids and times. */
const visible = async (engine: Engine) => ({
  documents: (await engine.documents.list({ limit: 200 })).items.map(({ path }) => path),
  entities: (await engine.entities.list({ limit: 200 })).entities
    .map(({ name, type }) => `${name} ${type}`)
    .sort(),
  found: (await engine.search("the rudder of a workshop", { limit: 50 })).total,
  waiting: (await engine.jobs.list({ status: "queued" })).items.filter(({ kind }) => !byItself.has(kind))
    .length,
  dead: (await engine.jobs.list({ status: "dead" })).total
})

describe("long work in a thread", () => {
  it("comes to the same as on the main loop, tells how far it is, and searches go on beside it", async () => {
    const here = await using({ thread: false }, async (engine, vault) => {
      write(vault, notes(70))
      const { durationMs: _, ...report } = await engine.ingest()
      expect(started).toEqual([])
      return { report, visible: await visible(engine) }
    })
    await using({}, async (engine, vault) => {
      write(vault, notes(70))
      const phases = new Set<string>()
      let isDone = false
      const ingested = engine.ingest({ onProgress: ({ phase }) => void phases.add(phase) }).finally(() => {
        isDone = true
      })
      let searches = 0
      for (; !isDone; searches++) {
        await engine.search("rudder")
        await new Promise((resolve) => setTimeout(resolve, 5))
      }
      const { durationMs: _, ...report } = await ingested
      expect(started).toHaveLength(1)
      expect([...phases]).toContain("files")
      expect([...phases]).toContain("graph")
      expect(searches).toBeGreaterThan(3)
      expect({ report, visible: await visible(engine) }).toEqual(here)
    })
  })

  it("goes after those who ask, where threads have priorities, and leaves the program its own", () =>
    using({}, async (engine, vault) => {
      const before = getPriority()
      write(vault, notes(70))
      await engine.ingest()
      expect(started).toHaveLength(1)
      expect(getPriority()).toBe(before)
      const others = niceOfTasks().filter((nice) => nice !== before)
      expect(new Set(others)).toEqual(new Set(process.platform === "linux" && before < 5 ? [5] : []))
    }))

  it("is not started for a few files, nor for a question", () =>
    using({}, async (engine, vault) => {
      write(vault, notes(3))
      await engine.ingest()
      await engine.ask("Who keeps the rudder of workshop note1?")
      expect(started).toEqual([])
    }))

  it("ends when it had nothing to do for a while, and is begun anew, with a worker and without", () =>
    using({ worker: true }, (one, oneVault) =>
      using({ worker: false }, async (other, otherVault) => {
        const both = [
          { engine: one, vault: oneVault },
          { engine: other, vault: otherVault }
        ]
        const ended: Array<Promise<unknown>> = []
        const grow = async (kind: string) => {
          for (const { engine, vault } of both) {
            const before = started.length
            write(vault, notes(60, kind))
            await engine.ingest()
            expect(started.length).toBe(before + 1)
            // On a busy machine a thread may have ended before the ingest returned: its id is -1 then.
            for (const worker of started.slice(before))
              if (worker.threadId !== -1) ended.push(once(worker, "exit"))
          }
        }
        await grow("note")
        await Promise.all(ended)
        await grow("other")
        for (const { engine } of both) {
          const { results } = await engine.search("workshop other7", { limit: 3 })
          expect(results[0]?.docPath).toBe("other/7.md")
        }
      })
    ))

  it("works on no jobs where there is to be no worker", () =>
    using({ worker: false }, async (engine, vault) => {
      write(vault, notes(60))
      expect((await engine.ingest()).documents.created).toBe(60)
      expect(started).toHaveLength(1)
      const { items } = await engine.jobs.list()
      expect(new Set(items.map(({ status }) => status))).toEqual(new Set(["queued"]))
    }))

  it("is begun anew when the thread dies, whatever it was doing, and loses nothing", async () => {
    const said: Array<string> = []
    const logger = Logger.make(({ message }) => void said.push(String(message)))
    const alone = await using({ thread: false }, async (engine, vault) => {
      write(vault, notes(70))
      await engine.ingest()
      return visible(engine)
    })
    await using({ logger }, async (engine, vault) => {
      write(vault, notes(70))
      const killed = new Set<Worker>()
      const kill = (worker: Worker | undefined) => {
        if (worker === undefined || killed.has(worker)) return
        killed.add(worker)
        void worker.terminate()
      }
      // The first amid the files, the second soon after it began: what is left may be done before it tells of it.
      onStart = (worker) => {
        if (started.length === 2) setTimeout(() => kill(worker), 30)
      }
      const report = await engine.ingest({
        onProgress: () => {
          if (killed.size === 0) kill(started.at(-1))
        }
      })
      expect(killed.size).toBe(2)
      expect(started.length).toBeGreaterThanOrEqual(3)
      expect(said.filter((line) => line.includes("The thread for long work has died."))).toHaveLength(2)
      expect(report.documents.failed).toBe(0)
      expect(await visible(engine)).toEqual(alone)
    })
  })

  it("asks the main thread for the vectors of an embedder that is an object", () =>
    using(
      {
        models: {
          embedder: {
            modelId: "of-the-test",
            batchMax: 16,
            embed: (texts) =>
              Effect.succeed(texts.map((text) => Float32Array.from([text.length % 2, (text.length + 1) % 2])))
          }
        }
      },
      async (engine, vault) => {
        write(vault, notes(80))
        const report = await engine.ingest()
        expect(started).toHaveLength(1)
        expect(report.errors).toEqual([])
        const { results } = await engine.search("zzz qqq", { limit: 3 })
        expect(results.flatMap(({ channels }) => channels)).toContain("vector")
      }
    ))

  it("ends with the engine, also in the midst of it", async () => {
    const vault = folder()
    write(vault, notes(150))
    const engine = await built.createEngine({ vault, closeTimeoutMs: 0 })
    const broken = engine.ingest({ onProgress: () => void engine.close() })
    await expect(broken).rejects.toThrow()
    await engine.close()
    expect(started).toHaveLength(1)
    const again = await built.createEngine({ vault, thread: false })
    const { documents } = await again.ingest()
    expect(documents.created + documents.unchanged).toBe(150)
    expect((await again.documents.list({ limit: 1 })).total).toBe(150)
    await again.close()
  })
})
