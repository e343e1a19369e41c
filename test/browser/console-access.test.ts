import { readFileSync } from "node:fs"
import { createRequire } from "node:module"
import { describe, expect, it } from "vitest"
import { consoleWorld, type Tab } from "../support/console-world.js"

const world = consoleWorld()
const axe = readFileSync(createRequire(import.meta.url).resolve("axe-core/axe.min.js"), "utf8")

/** Findings of axe that keep people out. */
const barriersOf = async ({ page }: Tab): Promise<ReadonlyArray<string>> =>
  page.evaluate(async () => {
    interface Finding {
      readonly id: string
      readonly impact: string
      readonly nodes: ReadonlyArray<{ readonly html: string; readonly failureSummary: string }>
    }
    const { axe } = window as unknown as {
      axe: { run: () => Promise<{ violations: ReadonlyArray<Finding> }> }
    }
    const { violations } = await axe.run()
    return violations
      .filter(({ impact }) => impact === "serious" || impact === "critical")
      .map(({ id, nodes }) => `${id}: ${nodes[0]?.html} ${nodes[0]?.failureSummary}`)
  })

const paths = [
  "/",
  "/search?q=battery",
  "/documents",
  "/documents?trash=1",
  "/entities",
  "/graph",
  "/requests",
  "/inbox",
  "/decisions",
  "/decisions?tab=month",
  "/audit",
  "/jobs",
  "/data",
  "/agents/researcher",
  "/evals",
  "/connectors",
  "/reports",
  "/settings",
  "/settings/models",
  "/settings/keys"
]

describe("the console", () => {
  it.each(["light", "dark"] as const)("keeps nobody out in the %s theme", async (colorScheme) => {
    const tab = await world().open("/", { colorScheme, bypassCSP: true })
    await tab.page.addInitScript(axe)
    for (const path of [...paths, "answer", "document"]) {
      if (path === "document") {
        await tab.page.goto(`${world().url}/documents`)
        await tab.by("document-row").first().click()
        await tab.by("document-html").waitFor()
      } else if (path === "answer") {
        await tab.page.goto(`${world().url}/`)
        await tab.by("ask-question").fill("How long may a battery be stored?")
        await tab.by("ask-submit").click()
        await tab.by("answer").waitFor()
        await tab.by("citation").first().click()
        await tab.by("source-view").waitFor()
      } else await tab.page.goto(world().url + path)
      await tab.page.waitForLoadState("networkidle")
      expect(await barriersOf(tab), path).toEqual([])
    }
    await tab.close()
  })

  it("loses nothing at 320 pixels", async () => {
    const tab = await world().open("/", { viewport: { width: 320, height: 640 } })
    for (const path of paths) {
      await tab.page.goto(world().url + path)
      await tab.page.waitForLoadState("networkidle")
      expect(await tab.page.evaluate("document.documentElement.scrollWidth"), path).toBeLessThanOrEqual(320)
    }
    await tab.page.getByRole("button", { name: "Menu" }).click()
    await tab.by("nav-documents").click()
    await tab.by("document-row").first().waitFor()
    await tab.close()
  })

  it("switches the workspace, shows none of the other one, and signs out", async () => {
    const { by, close, page } = await world().open("/documents")
    await by("document-row").first().waitFor()
    await by("workspace-switch").selectOption({ label: "Archive" })
    await by("nav-documents").click()
    await by("empty-state").waitFor()
    expect(await by("document-row").count()).toBe(0)
    await by("sign-out").click()
    await by("sign-in-key").waitFor()
    await page.reload()
    await by("sign-in-key").waitFor()
    await close()
  })

  it("says in words that a key is not known", async () => {
    const { by, close } = await world().open("/", { key: null })
    await by("sign-in-key").fill("svc_uk_unknown")
    await by("sign-in-submit").click()
    await by("error").waitFor()
    expect(await by("error").textContent()).toContain("not known")
    await close()
  })

  it("opens deep links and says so where there is no page", async () => {
    const { by, close, expectFailure, page } = await world().open("/search?q=battery")
    await by("search-row").first().waitFor()
    expectFailure("404 /no/such/page")
    await page.goto(`${world().url}/no/such/page`)
    await page.getByRole("heading", { name: "There is no such page." }).waitFor()
    await close()
  })

  it("shows how a program makes the call of a page", async () => {
    const { by, close } = await world().open("/search?q=battery")
    await by("search-row").first().waitFor()
    await by("api-call").locator("summary").click()
    await by("api-call").getByText("/api/v1/search?q=battery").waitFor()
    expect(await by("api-call").textContent()).toContain("client.search(")
    await close()
  })
})
