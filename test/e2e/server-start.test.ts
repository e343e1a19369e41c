import { spawnSync } from "node:child_process"
import { readFileSync } from "node:fs"
import { join } from "node:path"
import { pathToFileURL } from "node:url"
import { afterAll, describe, expect, it } from "vitest"
import { z } from "zod"
import { folder, kanon, start, vault } from "../support/cli.js"
import { startCollector } from "../support/otlp.js"
import { root } from "../support/tree.js"

const collectors: Array<{ readonly close: () => Promise<void> }> = []
afterAll(async () => {
  for (const one of collectors) await one.close()
})

/** Notes of many passages: more than are worked on beside requests. */
const many = Object.fromEntries(
  Array.from({ length: 30 }, (_, file) => [
    `${file}.md`,
    Array.from(
      { length: 20 },
      (_, part) => `## Kiln ${file} ${part}\n\nKept in Hall ${part}. See [[${part}]].\n`
    ).join("\n")
  ])
)

describe("kanon serve on a fresh folder", () => {
  it("says once how to get a key, with a command that makes one which opens it", async () => {
    const notes = vault({ "one.md": "# One\n\nA note.\n" })
    const first = start(["serve", "--vault", notes, "--port", "0", "--no-worker"], { cwd: folder() })
    const line = await first.firstLine
    const hint = /^There is no key yet\. Make one: kanon (keys create .+)$/gm
    await expect.poll(() => [...first.said().stderr.matchAll(hint)].length).toBe(1)
    const [said] = [...first.said().stderr.matchAll(hint)]
    const made = kanon([...(said?.[1]?.split(" ") ?? []), "--json"], { cwd: folder() })
    expect(made.stderr).toBe("")
    const { key } = z.object({ key: z.string() }).parse(JSON.parse(made.stdout))
    const url = / at (http:\S+)$/.exec(line)?.[1]
    const search = await fetch(`${url}/api/v1/search?q=note`, { headers: { authorization: `Bearer ${key}` } })
    expect(search.status).toBe(200)
    first.signal("SIGTERM")
    const ended = await first.ended
    expect(ended.status).toBe(0)
    expect([...ended.stderr.matchAll(hint)]).toHaveLength(1)

    const second = start(["serve", "--vault", notes, "--port", "0", "--no-worker"], { cwd: folder() })
    await second.firstLine
    await expect.poll(() => second.said().stderr).toContain("The interface:")
    second.signal("SIGTERM")
    expect((await second.ended).stderr).not.toContain("no key yet")
  })
})

describe("what a server loads", () => {
  const index = pathToFileURL(join(root, "dist", "server", "index.js")).href
  const recorder = pathToFileURL(join(root, "test", "support", "record-imports.mjs")).href
  const ownFiles = pathToFileURL(join(root, "dist", "/")).href
  const loadedWith = (settings: Readonly<Record<string, string>>) => {
    const data = { vault: vault({ "one.md": "# One\n" }), data: folder() }
    const program = `const { createEngine } = await import(${JSON.stringify(index.replace("server/index", "adapters/sqlite/index"))})
      const { createServer } = await import(${JSON.stringify(index)})
      const place = ${JSON.stringify(data)}
      await (await createEngine({ ...place, worker: false })).close()
      const server = await createServer({ ...place, settings: ${JSON.stringify({ ...settings, worker: false })} })
      await server.fetch(new Request("http://127.0.0.1/api/v1/manifest"))
      await server.close()`
    const { status, stderr, stdout } = spawnSync(
      process.execPath,
      ["--import", recorder, "--input-type=module", "--eval", program],
      { cwd: root, encoding: "utf8", maxBuffer: 64 * 1024 * 1024 }
    )
    expect(status, stderr).toBe(0)
    const files = stdout.split("\n")
    const own = files
      .filter((line) => line.startsWith(ownFiles))
      .map((url) => readFileSync(new URL(url), "utf8"))
    return {
      files: files
        .filter((line) =>
          /opentelemetry|server.telemetry|span-tracer|modelcontextprotocol|prom-client/.test(line)
        )
        .map((line) => line.replace(/^.*\/dist\//, "")),
      // Several modules lie in one file, under their names.
      modules: own.flatMap((text) => text.match(/^\/\/ (server\/telemetry|adapters\/host\/span)\S*$/gm) ?? [])
    }
  }

  it("is nothing of traces where no collector is named, nothing of MCP before a model comes, and no metrics before they are read", () => {
    expect(loadedWith({})).toEqual({ files: [], modules: ["// server/telemetry/environment.js"] })
    const traced = loadedWith({ otlpEndpoint: "http://127.0.0.1:9" })
    expect(traced.files).toEqual(["lib/server.telemetry.tracing.js"])
    expect(traced.modules).toContain("// server/telemetry/exporter.js")
    expect(traced.modules).toContain("// adapters/host/span-tracer.js")
  })
})

describe("traces of jobs", () => {
  it("come from the thread for long work too, each run a whole tree down to SQL", async () => {
    const collector = await startCollector()
    collectors.push(collector)
    const notes = vault(many)
    const server = start(["serve", "--vault", notes, "--port", "0"], {
      env: { OTEL_EXPORTER_OTLP_ENDPOINT: collector.url, OTEL_BSP_SCHEDULE_DELAY: "50" }
    })
    await server.firstLine
    const named = (name: string) => collector.spans.filter((span) => span.name === name)
    await expect.poll(() => named("jobs.extraction").length).toBeGreaterThan(0)
    server.signal("SIGTERM")
    expect((await server.ended).status).toBe(0)
    for (const run of named("jobs.extraction")) {
      const below = collector.spans.filter(({ traceId }) => traceId === run.traceId)
      expect(below.some(({ name }) => name === "sql.execute")).toBe(true)
      const ids = new Set(below.map(({ spanId }) => spanId))
      expect(below.filter(({ parentSpanId }) => !ids.has(parentSpanId ?? ""))).toEqual([run])
    }
    for (const body of collector.bodies) expect(body).not.toMatch(/Kiln|Kept in Hall/)
  })
})
