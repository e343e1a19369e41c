import { join } from "node:path"
import Database from "better-sqlite3"
import { describe, expect, it } from "vitest"
import { type ScriptedTurn, scriptedAgentModel } from "../../adapters/models/scripted.js"
import { consoleWorld } from "../support/console-world.js"

const script = (turn: number): ScriptedTurn =>
  turn === 0
    ? {
        text: "I will write the summary.",
        calls: [{ name: "svc_create_document", arguments: { path: "summary.md", content: "# Summary\n" } }]
      }
    : "The summary is written."
const world = consoleWorld({}, { models: { chat: scriptedAgentModel(script) }, withWorker: true })

/** Calls the API with every scope, as a program beside the browser does. */
const api = async (method: string, path: string, body?: unknown) => {
  const { key, server } = world()
  const answer = await server.call(method, `/api/v1${path}`, {
    key: await key(),
    ...(body === undefined ? {} : { body })
  })
  expect(answer.status, JSON.stringify(answer.body)).toBeLessThan(300)
  return answer.body
}

describe("work in the console", () => {
  it("shows a decision with its citations as they stand today, and the trail of who did it", async () => {
    const { document, open } = world()
    const id = await document("rules/lamps.md", "# Lamps\n\nA lamp of a buoy burns for nine days.\n")
    await api("POST", "/grounding/check", { text: "A lamp of a buoy burns for nine days.", docIds: [id] })
    await api("POST", "/query", { question: "How long does a lamp of a buoy burn?" })
    await api("PATCH", `/documents/${id}`, {
      content: "# Lamps\n\nA lamp of a buoy burns for twelve days.\n"
    })
    const { by, close, page } = await open("/decisions?q=lamp")
    await by("decision-row").first().getByRole("link").click()
    await page.locator('[data-testid="replay-row"][data-state="changed"]').first().waitFor()
    await page.goto(`${world().url}/decisions?tab=month`)
    await page.getByRole("img", { name: "Questions by day and verdict" }).waitFor()
    await page.goto(`${world().url}/audit?subjectId=${id}`)
    await page.getByText("The chain is intact in the events shown.").waitFor()
    await expect.poll(() => by("audit-row").count()).toBeGreaterThan(1)
    await close()
  })

  it("starts a run, shows exactly what it asks for, and goes on when that is allowed", async () => {
    await api("PUT", "/agents/writer", {
      name: "Writer",
      instructions: "Write.",
      tools: [{ name: "svc_create_document" }]
    })
    const { by, close, page } = await world().open("/agents")
    await page.getByRole("link", { name: "Writer" }).click()
    await by("run-input").fill("Summarise the notes.")
    await by("run-start").click()
    await by("approval-diff").getByText("+# Summary").waitFor()
    expect(await page.locator(".approval").textContent()).toContain("summary.md")
    await by("approval-allow").click()
    await page.locator('[data-testid="run-status"][data-status="succeeded"]').first().waitFor()
    await page.getByText("The summary is written.").first().waitFor()
    expect(
      await page.locator('[data-testid="run-step"][data-kind="approval"][data-status="ok"]').count()
    ).toBe(1)
    await page.getByRole("button", { name: "Good" }).click()
    await page.getByText("Thank you.").waitFor()
    await close()
  })

  it("runs a named query with its parameters and keeps the call", async () => {
    const file = join(world().server.folder, "plant.db")
    const database = new Database(file)
    database.exec(
      "CREATE TABLE turbine (name TEXT, kw INTEGER); INSERT INTO turbine VALUES ('KT-1500', 1500)"
    )
    database.close()
    const connector = await api("POST", "/data/connectors", {
      name: "Plant",
      kind: "sqlite",
      settings: { path: file }
    })
    await api("PUT", "/data/queries/power", {
      title: "Power of a turbine",
      connectorId: connector.id,
      sql: "SELECT name, kw FROM turbine WHERE name = :name",
      params: [{ name: "name", type: "string" }]
    })
    const { close, page } = await world().open("/data")
    await page.getByRole("button", { name: "Run" }).click()
    await page.getByLabel("name (string)").fill("KT-1500")
    await page.getByRole("dialog").getByRole("button", { name: "Run" }).click()
    await page.getByRole("cell", { name: "1500", exact: true }).waitFor()
    await page.keyboard.press("Escape")
    await page.getByRole("tab", { name: "Calls" }).click()
    await page.getByText("1 row").first().waitFor()
    await close()
  })

  it("uploads files through a connector and shows the sync and its job", async () => {
    const { by, close, page } = await world().open("/connectors")
    await page.getByRole("button", { name: "New connector" }).click()
    await page.getByRole("dialog").getByLabel("Name", { exact: true }).fill("Team files")
    await page.getByRole("dialog").getByRole("button", { name: "Save" }).click()
    await page.getByLabel("Choose files").setInputFiles({
      name: "knots.md",
      mimeType: "text/markdown",
      buffer: Buffer.from("# Knots\n\nA bowline holds.\n")
    })
    await page.getByRole("button", { name: "Upload 1 file" }).click()
    await page.locator('[data-testid="sync-row"][data-status="succeeded"]').waitFor()
    expect(await by("sync-row").textContent()).toContain("1 new")
    await by("nav-jobs").click()
    await page.locator('[data-testid="job-row"][data-status="succeeded"]').first().waitFor()
    await close()
  })

  it("judges a question, runs an evaluation and makes a report", async () => {
    const { by, close, page } = await world().open("/evals?tab=judgments")
    await page.getByRole("button", { name: "Judge a question" }).click()
    const dialog = page.getByRole("dialog")
    await dialog.getByLabel("Set").fill("harbour")
    await dialog.getByLabel("Topic").fill("q01")
    await dialog.getByLabel("Question").fill("How long may a battery be stored?")
    await dialog.getByLabel("Document").fill("operations/batteries.md")
    await dialog.getByRole("button", { name: "Save" }).click()
    await by("judgment-row").getByText("operations/batteries.md").waitFor()
    await page.getByRole("tab", { name: "Runs" }).click()
    await page.getByRole("button", { name: "New run" }).click()
    await dialog.getByRole("textbox", { name: "Name" }).fill("baseline")
    await dialog.getByLabel("Set of judgments").fill("harbour")
    await dialog.getByRole("button", { name: "New run" }).click()
    await page.getByRole("cell", { name: /q01/ }).waitFor()
    await by("nav-evaluation").click()
    await by("eval-row").getByText("baseline").waitFor()
    await by("nav-reports").click()
    await page.getByRole("button", { name: "New report" }).click()
    await dialog.getByLabel("Title").fill("Coverage")
    await dialog.getByLabel("About").selectOption("coverage")
    await dialog.getByRole("button", { name: "Create" }).click()
    await page.getByRole("heading", { name: "Highlights" }).waitFor()
    await by("nav-reports").click()
    await by("report-row").getByText("Coverage").waitFor()
    await close()
  })

  it("makes a key that is shown once, changes the policy, and ends another session", async () => {
    const other = await world().open("/")
    const { by, close, page } = await world().open("/settings/keys")
    await by("key-create").click()
    await page.getByRole("dialog").getByLabel("Name").fill("website")
    await page.getByRole("dialog").getByRole("button", { name: "Create" }).click()
    expect(await by("key-secret").textContent()).toMatch(/^svc_sk_/)
    await page.getByRole("dialog").getByRole("button", { name: "Close" }).click()
    expect(await by("key-secret").count()).toBe(0)
    await page.getByRole("link", { name: "Policy" }).click()
    await page.getByLabel(/^Enforce/).check()
    await page.getByRole("button", { name: "Save" }).click()
    await page.getByText("The settings were saved.").waitFor()
    expect((await api("GET", "/workspace")).settings.policy.mode).toBe("enforce")
    await page.getByRole("link", { name: "Sessions" }).click()
    const row = by("session-row").filter({ hasNotText: "This session" }).first()
    const id = await row.getAttribute("data-id")
    await row.getByTestId("session-revoke").click()
    await page.locator(`[data-testid="session-row"][data-id="${id}"]`).waitFor({ state: "detached" })
    await other.context.close()
    await close()
  })
})
