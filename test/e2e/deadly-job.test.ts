import { join } from "node:path"
import { expect, it, onTestFinished } from "vitest"
import { z } from "zod"
import { kanon, start as startCommand, vault } from "../support/cli.js"
import { commandEnvironment } from "../support/database.js"
import { listenOnLoopback } from "../support/loopback.js"

const Jobs = z.object({
  items: z.array(z.object({ kind: z.string(), status: z.string(), error: z.string().nullable() }))
})
const Connector = z.object({
  connector: z.object({ id: z.string() }),
  syncs: z.array(z.object({ status: z.string(), failures: z.array(z.object({ reason: z.string() })) }))
})

it("gives up a job during which its server was killed three times, and stops at once while it runs", async () => {
  let asked = 0
  // A source that answers no listing: the job of its sync is under way for as long as the server lives.
  const source = await listenOnLoopback(() => {
    asked += 1
  })
  onTestFinished(source.close)
  const notes = vault({ "a.md": "# A\n" })
  const data = join(notes, ".kanon")
  const env = { ...(await commandEnvironment()), KANON_PRIVATE_CONNECTOR_ADDRESSES: "1" }
  const { key } = z
    .object({ key: z.string() })
    .parse(JSON.parse(kanon(["init", "--vault", notes, "--json"], { env }).stdout))
  const serve = async () => {
    const started = startCommand(["serve", "--data", data, "--port", "0", "--json"], { env })
    onTestFinished(() => void started.signal("SIGKILL"))
    const { url } = z.object({ url: z.string() }).parse(JSON.parse(await started.firstLine))
    const call = async (method: string, path: string, body?: object): Promise<unknown> =>
      (
        await fetch(`${url}/api/v1${path}`, {
          method,
          headers: { authorization: `Bearer ${key}`, "content-type": "application/json" },
          ...(body === undefined ? {} : { body: JSON.stringify(body) })
        })
      ).json()
    return { call, started }
  }

  const first = await serve()
  const made = await first.call("POST", "/connectors", {
    name: "Library",
    kind: "document_library",
    config: { provider: "webdav", url: `${source.url}/` }
  })
  const { id } = z.object({ id: z.string() }).parse(made)
  await first.call("POST", `/connectors/${id}/sync`, { mode: "full" })
  await expect.poll(() => asked).toBe(1)
  const stopping = Date.now()
  first.started.signal("SIGTERM")
  expect((await first.started.ended).status).toBe(0)
  expect(Date.now() - stopping).toBeLessThan(20_000)

  // A stop in order is no death of the job.
  for (let life = 2; life <= 4; life++) {
    const { started } = await serve()
    await expect.poll(() => asked).toBe(life)
    started.signal("SIGKILL")
    await started.ended
  }
  const { call, started } = await serve()
  const jobs = async () => Jobs.parse(await call("GET", "/jobs?limit=200")).items
  await expect.poll(async () => (await jobs()).map(({ status }) => status)).toContain("dead")
  const dead = (await jobs()).find(({ status }) => status === "dead")
  expect(dead?.error).toBe("The worker that ran this job ended during it 3 times, so it is not run again.")
  await expect
    .poll(async () => Connector.parse(await call("GET", `/connectors/${id}`)).syncs[0], { timeout: 120_000 })
    .toMatchObject({ status: "failed", failures: [{ reason: dead?.error }] })
  expect(asked).toBe(4)
  started.signal("SIGTERM")
  expect((await started.ended).status).toBe(0)
})

it("loses no acknowledged upload when its server is killed again and again while it writes them", async () => {
  const notes = vault({ "a.md": "# A\n" })
  const env = await commandEnvironment()
  const { key } = z
    .object({ key: z.string() })
    .parse(JSON.parse(kanon(["init", "--vault", notes, "--json"], { env }).stdout))
  const serve = async (extra: Readonly<Record<string, string>> = {}) => {
    const started = startCommand(["serve", "--data", join(notes, ".kanon"), "--port", "0", "--json"], {
      env: { ...env, ...extra }
    })
    onTestFinished(() => void started.signal("SIGKILL"))
    const { url } = z.object({ url: z.string() }).parse(JSON.parse(await started.firstLine))
    const call = async (method: string, path: string, body?: object): Promise<unknown> =>
      (
        await fetch(`${url}/api/v1${path}`, {
          method,
          headers: { authorization: `Bearer ${key}`, "content-type": "application/json" },
          ...(body === undefined ? {} : { body: JSON.stringify(body) })
        })
      ).json()
    return { call, started }
  }

  const first = await serve()
  const made = await first.call("POST", "/connectors", { name: "Files", kind: "markdown_upload" })
  const { id } = z.object({ id: z.string() }).parse(made)
  first.started.signal("SIGTERM")
  await first.started.ended
  const killed = { KANON_TEST: "1", KANON_CRASH_AT: "document.write.afterTransaction:6" }
  let acknowledged = 0
  for (let life = 1; life <= 4; life++) {
    const { call, started } = await serve(killed)
    const files = Array.from({ length: 36 }, (_, at) => ({
      path: `${life}-${at}.md`,
      content: `# ${life}-${at}\n`
    }))
    // A server that dies before it answers has acknowledged nothing.
    const answer = await call("POST", `/connectors/${id}/sync`, { files }).catch(() => null)
    if (z.object({ syncId: z.string() }).safeParse(answer).success) acknowledged += files.length
    await started.ended
  }
  const { call, started } = await serve()
  const Syncs = z.object({ syncs: z.array(z.object({ status: z.string(), failed: z.number() })) })
  const syncs = async () => Syncs.parse(await call("GET", `/connectors/${id}`)).syncs
  await expect
    .poll(async () => (await syncs()).every(({ status }) => status === "succeeded"), { timeout: 120_000 })
    .toBe(true)
  expect((await syncs()).map(({ failed }) => failed)).toEqual((await syncs()).map(() => 0))
  expect(acknowledged).toBeGreaterThan(0)
  // With the note of the vault.
  const { total } = z.object({ total: z.number() }).parse(await call("GET", "/documents?limit=1"))
  expect(total - 1).toBeGreaterThanOrEqual(acknowledged)
  started.signal("SIGTERM")
  expect((await started.ended).status).toBe(0)
})
