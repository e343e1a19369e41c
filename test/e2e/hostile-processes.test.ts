import { spawn } from "node:child_process"
import { cpSync } from "node:fs"
import { join } from "node:path"
import { pathToFileURL } from "node:url"
import { describe, expect, it } from "vitest"
import { folder, kanon, start, vault } from "../support/cli.js"
import { runs } from "../support/runs.js"
import { root } from "../support/tree.js"

const demo = join(root, "demo", "vault")
const engineModule = pathToFileURL(join(root, "dist", "adapters", "sqlite", "index.js")).href

/** Part of the demonstration vault: enough for some units of work of each kind. */
const demoVault = () => {
  const notes = folder()
  for (const part of ["products", "engineering"])
    cpSync(join(demo, part), join(notes, part), { recursive: true })
  return notes
}

/** Returns a workspace as a user sees it, without ids and times. */
const visible = (notes: string) => {
  const json = (...words: ReadonlyArray<string>) => {
    const { status, stderr, stdout } = kanon([...words, "--vault", notes, "--json"])
    expect({ words, status, stderr }).toEqual({ words, status: 0, stderr: "" })
    return JSON.parse(stdout)
  }
  const jobs: ReadonlyArray<Record<string, string>> = json("jobs", "list").items
  const isDone = (kind: string | undefined) =>
    jobs.some((other) => other["kind"] === kind && other["status"] === "succeeded")
  const search = json("search", "emergency feathering of a blade", "--limit", "50")
  return {
    documents: json("documents", "list", "--limit", "200").items.map(
      ({ contentHash, path, title }: Record<string, string>) => [path, title, contentHash]
    ),
    entities: json("entities", "list", "--limit", "200")
      .entities.map(({ name, pagerank, type }: Record<string, unknown>) =>
        JSON.stringify([name, type, pagerank])
      )
      .sort(),
    results: search.results
      .map(({ docPath, headingPath, score }: Record<string, unknown>) =>
        JSON.stringify([score, docPath, headingPath])
      )
      .sort(),
    // One of a killed process is cancelled where its equal waits: that one has done its work.
    jobs: jobs.filter(
      ({ kind, status }) => status !== "succeeded" && !(status === "cancelled" && isDone(kind))
    )
  }
}

const counts = (stdout: string) => {
  const { chunks, documents, entities, relations } = JSON.parse(stdout)
  return { chunks, entities, relations, failed: documents.failed }
}

/** Result of an undisturbed ingest. */
const fresh = demoVault()
const whole = kanon(["ingest", "--vault", fresh, "--json"])

describe("an ingest that is killed", () => {
  it("is finished by the next one, which comes to the same as a fresh one", async () => {
    const expected = visible(fresh)
    for (let round = 1; round <= runs(1); round++) {
      const notes = demoVault()
      const lived: Array<number> = []
      for (let kill = 0; kill <= round % 3; kill++) {
        const running = start(["ingest", "--vault", notes])
        const lives = 300 + Math.random() * 2500
        lived.push(lives)
        const timer = setTimeout(() => running.signal("SIGKILL"), lives)
        await running.ended
        clearTimeout(timer)
      }
      const { status, stdout } = kanon(["ingest", "--vault", notes, "--json"])
      expect({ lived, status, counts: counts(stdout) }).toEqual({
        lived,
        status: 0,
        counts: counts(whole.stdout)
      })
      expect({ lived, ...visible(notes) }).toEqual({ lived, ...expected })
    }
  })
})

describe("several processes", () => {
  it("may open a workspace for the first time at once: there is one", async () => {
    const program = `
      const { createEngine } = await import(${JSON.stringify(engineModule)})
      const [, vault, startAt] = process.argv
      while (Date.now() < Number(startAt)) {}
      const engine = await createEngine({ vault, worker: false })
      console.log(engine.workspace.id)
      await engine.close()`
    for (let round = 0; round < runs(2); round++) {
      const notes = vault({ "a.md": "# A\n" })
      const startAt = Date.now() + 3000
      const said = await Promise.all(
        Array.from(
          { length: 4 },
          () =>
            new Promise<string>((resolve) => {
              const words = ["--input-type=module", "-e", program, notes, String(startAt)]
              const child = spawn(process.execPath, words, { stdio: ["ignore", "pipe", "inherit"] })
              let text = ""
              child.stdout.setEncoding("utf8").on("data", (piece: string) => {
                text += piece
              })
              child.once("close", (status) => resolve(`${status} ${text.trim()}`))
            })
        )
      )
      expect(said[0]).toMatch(/^0 ws_/)
      expect(new Set(said).size).toBe(1)
    }
  })

  it("may ingest and ask at once, and come to what one would", async () => {
    const notes = demoVault()
    const asked = "How long does the PB-7 take to feather a blade in an emergency?"
    const ran = await Promise.all([
      start(["ingest", "--vault", notes, "--json"]).ended,
      start(["ingest", "--vault", notes, "--json"]).ended,
      start(["ask", asked, "--vault", notes, "--json"]).ended
    ])
    expect(ran.map(({ status, stderr }) => ({ status, stderr }))).toEqual(
      ran.map(() => ({ status: 0, stderr: "" }))
    )
    const last = kanon(["ingest", "--vault", notes, "--json"])
    const { documents } = JSON.parse(last.stdout)
    expect(documents).toMatchObject({ created: 0, updated: 0, moved: 0, deleted: 0, failed: 0 })
    expect(counts(last.stdout)).toEqual(counts(whole.stdout))
  })
})
