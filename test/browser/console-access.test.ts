import { describe, expect, it } from "vitest"
import { consoleWorld } from "../support/console-world.js"

const world = consoleWorld()
describe("the console", () => {
  it("opens its menu on a small screen", async () => {
    const { by, close, page } = await world().open("/", { viewport: { width: 320, height: 640 } })
    await page.getByRole("button", { name: "Menu" }).click()
    await by("nav-documents").click()
    await by("document-row").first().waitFor()
    await close()
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
