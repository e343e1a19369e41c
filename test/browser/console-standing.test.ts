import { describe, expect, it } from "vitest"
import { consoleWorld, type Tab } from "../support/console-world.js"

// What a member may do about an entity of another one, an inbox that empties, and addresses that hold the workspace.

const world = consoleWorld({}, { withWorker: true })

const api = async (method: string, path: string, body?: unknown) => {
  const { key, server } = world()
  const answer = await server.call(method, `/api/v1${path}`, {
    key: await key(),
    ...(body === undefined ? {} : { body })
  })
  expect(answer.status, JSON.stringify(answer.body)).toBeLessThan(300)
  return answer.body
}

/** A page of another member, who administers nothing. */
const openAsMember = async (path: string, viewport = { width: 1280, height: 800 }): Promise<Tab> => {
  const { server, workspace } = world()
  const id = await server.user("Ben Ortiz", [workspace], "member")
  return world().open(path, { key: await server.userKey(id, [workspace]), viewport })
}

describe("an entity with an owner", () => {
  it("gets proposals from other members, which its owner approves in the inbox until that is empty", async () => {
    const { id } = await api("POST", "/entities", { name: "Feathering", type: "concept" })
    await api("POST", `/entities/${id}/owner`, { ownerId: world().member })
    await api("POST", `/entities/${id}/certify`, {})
    const owner = await world().open("/inbox")
    await owner.by("inbox-row").first().waitFor()
    // The certification by a key is a change by another one.
    await owner.by("inbox-row").filter({ hasText: "Feathering" }).getByRole("button").click()
    await owner.page.getByRole("button", { name: /^Done/ }).click()
    await owner.by("inbox-row").filter({ hasText: "Feathering" }).waitFor({ state: "detached" })
    await expect.poll(() => owner.by("inbox-count").isVisible()).toBe(false)

    const ben = await openAsMember(`/entities/${id}`)
    await ben.page.getByRole("button", { name: "Propose to delete" }).waitFor()
    expect(await ben.page.getByRole("button", { name: "Edit", exact: true }).count()).toBe(0)
    await ben.page.getByRole("button", { name: "Propose a change" }).click()
    await ben.page.getByLabel("Description").fill("Turns the blades out of the wind.")
    await ben.page.getByLabel("Why (for the person who decides)").fill("It had no description.")
    await ben.page.getByRole("button", { name: "Send the proposal" }).click()
    await ben.by("request-blocked").waitFor()
    await ben.close()

    await owner.page.reload()
    await expect.poll(() => owner.by("inbox-count").getAttribute("data-mine")).toBe("1")
    await owner.by("inbox-row").filter({ hasText: "Feathering" }).getByRole("button").click()
    await owner.by("request-diff").getByText("Turns the blades out of the wind.").waitFor()
    await owner.by("request-approve").click()
    await expect.poll(() => owner.by("inbox-count").isVisible()).toBe(false)

    await owner.page.goto(`${world().url}/entities/${id}`)
    await owner.by("certified-since").getByText("edited since").waitFor()
    await owner.by("entity-certify").click()
    await owner.by("certified-since").waitFor({ state: "detached" })
    await owner.close()
  })
})

describe("the inbox", () => {
  it("assigns an item, remembers what is no duplicate, and turns a merge", async () => {
    for (const name of ["Harbour crane 12", "Harbour cranes 12"])
      await api("POST", "/entities", { name, type: "site" })
    const { by, close, page } = await world().open("/entities?view=duplicates")
    const pair = page.getByRole("listitem").filter({ hasText: "Harbour cranes 12" }).first()
    await pair.getByRole("button", { name: "Compare and merge" }).click()
    const sides = by("merge-sides").locator("section")
    await sides.nth(1).getByText("Harbour crane").waitFor()
    const kept = await sides.nth(1).locator("strong").textContent()
    await by("merge-turn").click()
    await sides
      .first()
      .getByText(kept ?? "", { exact: true })
      .waitFor()
    await page.keyboard.press("Escape")
    await pair.getByRole("button", { name: "Not a duplicate" }).click()
    await pair.waitFor({ state: "detached" })
    await api("POST", "/change-requests", { kind: "create", payload: { name: "Winch", type: "product" } })
    await page.goto(`${world().url}/inbox?kind=change_request`)
    await by("inbox-row").filter({ hasText: "Winch" }).getByRole("button").click()
    await by("inbox-assign").getByRole("combobox").selectOption({ label: "Ada Marsh (you)" })
    await expect.poll(() => by("inbox-count").getAttribute("data-mine")).toBe("1")
    await by("request-reject").click()
    await expect.poll(() => by("inbox-count").isVisible()).toBe(false)
    await close()
  })
})

describe("the shell", () => {
  it("shows a member eight entries without scrolling, and the rest in two groups", async () => {
    const { by, close, page } = await openAsMember("/")
    const shown = page.locator("nav .nav-link:visible")
    await expect.poll(() => shown.count()).toBe(8)
    const menu = page.getByRole("navigation", { name: "Main" })
    expect(await menu.evaluate((nav) => nav.scrollHeight <= nav.clientHeight)).toBe(true)
    expect(await by("nav-settings").isVisible()).toBe(true)
    await by("nav-group-govern").locator("summary").click()
    await by("nav-requests").click()
    await page.waitForURL(/\/w\/handbook\/requests$/)
    // An audit trail is for administrators.
    expect(await by("nav-audit").count()).toBe(0)
    await page.keyboard.press("Control+k")
    await by("palette-input").fill("retention")
    await page.keyboard.press("Enter")
    await page.waitForURL(/\/w\/handbook\/settings\/retention$/)
    await close()
  })

  it("opens an address of another workspace there, with and without its name", async () => {
    const { other, server } = world()
    const { body } = await server.call("POST", "/api/v1/documents", {
      key: await server.key(other),
      body: { path: "old.md", content: "# An old file\n" }
    })
    const { by, close, expectFailure, page } = await world().open("/")
    expectFailure(`404 /console/api/v1/documents/${body.docId}`)
    await page.goto(`${world().url}/documents/${body.docId}`)
    await page.getByRole("heading", { level: 1, name: "An old file" }).first().waitFor()
    expect(new URL(page.url()).pathname).toBe(`/w/archive/documents/${body.docId}`)
    expect(await by("workspace-switch").inputValue()).toBe(other)
    await page.goto(`${world().url}/w/handbook/documents`)
    await by("document-row").first().waitFor()
    expect(await by("workspace-switch").inputValue()).toBe(world().workspace)
    await close()
  })
})

describe("documents that people bring", () => {
  it("are dropped or chosen, each with its progress, its link or the reason of its refusal", async () => {
    const { by, close, expectFailure, page } = await world().open("/documents")
    expectFailure("400 /console/api/v1/documents")
    await by("upload-files").setInputFiles([
      {
        name: "crew.md",
        mimeType: "text/markdown",
        buffer: Buffer.from("# Crew transfer\n\nUp to 1.2 m.\n")
      },
      {
        name: "costs.csv",
        mimeType: "text/csv",
        buffer: Buffer.from("Item,Cost\nScreens,41000\nDesks,12500\n")
      },
      { name: "broken.docx", mimeType: "application/octet-stream", buffer: Buffer.from("no document") }
    ])
    const row = (path: string) => page.locator(`[data-testid="upload-row"][data-path="${path}"]`)
    await expect.poll(() => row("crew.md").getAttribute("data-state")).toBe("done")
    await expect.poll(() => row("costs.csv").getAttribute("data-state"), { timeout: 100_000 }).toBe("done")
    await expect
      .poll(() => row("broken.docx").getAttribute("data-state"), { timeout: 100_000 })
      .toBe("refused")
    expect(await row("broken.docx").locator("p").textContent()).toMatch(/\w+ \w+/)
    await row("costs.csv").getByRole("link").click()
    await page.getByText("41000").waitFor()
    const [download] = await Promise.all([page.waitForEvent("download"), by("document-original").click()])
    expect(download.suggestedFilename()).toBe("costs.csv")
    // An address without its workspace leads to the page in it, and takes nothing away.
    await page.evaluate(() => history.pushState(null, "", "/entities"))
    await page.waitForURL(/\/w\/handbook\/entities$/)
    await page.getByRole("heading", { level: 1, name: "Entities" }).waitFor()
    expect(await by("upload-row").count()).toBe(3)
    expect(await row("broken.docx").getAttribute("data-state")).toBe("refused")
    // A file that is there already is not written over; on the page for questions it can be dropped, too.
    await page.goto(`${world().url}/`)
    const data = await page.evaluateHandle(() => {
      const transfer = new DataTransfer()
      transfer.items.add(new File(["# Another\n"], "crew.md", { type: "text/markdown" }))
      return transfer
    })
    await by("upload-files").waitFor({ state: "attached" })
    await page.dispatchEvent("main", "drop", { dataTransfer: data })
    await row("crew.md").getByText("There is already a document at crew.md.").waitFor()
    await close()
  })
})
