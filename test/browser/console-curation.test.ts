import { describe, expect, it } from "vitest"
import { consoleWorld } from "../support/console-world.js"

const world = consoleWorld()

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
const entity = async (name: string, type = "product"): Promise<string> =>
  (await api("POST", "/entities", { name, type })).id
const proposal = async (name: string): Promise<string> =>
  (await api("POST", "/change-requests", { kind: "create", payload: { name, type: "product" } })).id

describe("curation in the console", () => {
  it("certifies, edits, gives an owner, and takes back what was done", async () => {
    const id = await entity("Lantern")
    const { by, close, page } = await world().open("/entities?q=lant")
    await page.locator(`[data-testid="entity-row"][data-id="${id}"] a`).click()
    const authority = by("entity-authority").first()
    await by("entity-certify").click()
    await expect.poll(() => authority.getAttribute("data-value")).toBe("certified")
    await page.getByRole("button", { name: "Undo" }).click()
    await expect.poll(() => authority.getAttribute("data-value")).toBe("asserted")
    await page.keyboard.press("e")
    await page.getByLabel("Description").fill("A lamp for the polar night.")
    await page.getByRole("button", { name: "Save" }).click()
    await page.getByText("A lamp for the polar night.").waitFor()
    await page.getByRole("button", { name: "Change owner and stewards" }).click()
    await page.getByRole("dialog").getByLabel("Owner").selectOption({ label: "Ada Marsh (you)" })
    await page.getByRole("dialog").getByRole("button", { name: "Save" }).click()
    await by("entity-owner").getByText("Ada Marsh").waitFor()
    await page.getByLabel("Lifecycle").selectOption("draft")
    await page.getByText("The lifecycle is now: Draft.").waitFor()
    await page.getByRole("tab", { name: "History" }).click()
    await expect.poll(() => by("revision-row").count()).toBe(6)
    expect(await by("revision-row").nth(1).textContent()).toContain("Ada Marsh")
    await page.getByRole("button", { name: "Restore the fields of version 1" }).click()
    await page.getByText("The fields of version 1 are back").waitFor()
    await close()
  })

  it("shows what somebody else stored meanwhile, and loses no text", async () => {
    const id = await entity("Beacon")
    const { by, close, expectFailure, page } = await world().open(`/entities/${id}`)
    await page.getByRole("button", { name: "Edit" }).click()
    await page.getByLabel("Description").fill("My words.")
    await api("PATCH", `/entities/${id}`, { description: "Their words." })
    expectFailure(`409 /console/api/v1/entities/${id}`)
    await page.getByRole("button", { name: "Save" }).click()
    await by("edit-conflict").getByText("Their").waitFor()
    expect(await page.getByLabel("Description").inputValue()).toBe("My words.")
    await by("edit-conflict").getByRole("button", { name: "Save mine over it" }).click()
    await page.getByRole("tabpanel").getByText("My words.").waitFor()
    await close()
  })

  it("relates entities, shows them as a graph and as a list, and finds the path between", async () => {
    const [a, b, c] = [await entity("Harbour", "site"), await entity("Crane"), await entity("Winch")]
    await api("POST", "/relations", { srcEntityId: b, dstEntityId: c, type: "lifts with" })
    const { by, close, page } = await world().open(`/entities/${a}?tab=relations`)
    await page.getByRole("button", { name: "Add a relation" }).click()
    await page.getByLabel("Type of relation").fill("has")
    const picker = page.getByRole("combobox", { name: "Other entity" })
    await picker.fill("Crane")
    await page.getByRole("option", { name: /Crane/ }).waitFor()
    await picker.press("Enter")
    await page.getByRole("button", { name: "Add a relation" }).click()
    await page.getByRole("link", { name: "Crane" }).waitFor()
    await page.getByRole("link", { name: "Show in the graph" }).click()
    await page.locator('[data-testid="graph-canvas"][data-nodes="2"][data-edges="1"]').waitFor()
    await page.getByRole("button", { name: "List" }).click()
    await by("graph-list").getByRole("button", { name: "Expand Crane" }).click()
    await by("graph-list").getByRole("link", { name: "Winch" }).waitFor()
    const row = (name: string) =>
      by("graph-list")
        .getByRole("listitem")
        .filter({ has: page.getByRole("link", { name }) })
    await row("Harbour").getByRole("button", { name: "Path from here" }).click()
    await row("Winch").getByRole("button", { name: "Path to here" }).click()
    expect(await page.getByText("2 steps").textContent()).toContain("lifts with")
    await close()
  })

  it("draws a hub of 10,000 edges within a second of its data", async () => {
    const id = await entity("Hub")
    const { close, page } = await world().open(`/entities/${id}`)
    const card = (node: string, name: string) => ({
      id: node,
      name,
      type: "concept",
      aliases: [],
      mentionCount: 1,
      topRelations: [],
      docIds: [],
      authority: "asserted",
      lifecycleStatus: "published"
    })
    const others = Array.from({ length: 10_000 }, (_, at) =>
      card(`ent_${String(at).padStart(26, "0")}`, `Node ${at}`)
    )
    const edges = others.map((other) => ({ src: id, type: "links_to", dst: other.id, mentionCount: 1 }))
    const body = { entity: card(id, "Hub"), nodes: [card(id, "Hub"), ...others], edges, truncated: false }
    await page.route("**/neighborhood?**", (route) => route.fulfill({ json: body }))
    await page.evaluate(() => {
      const watch = () => {
        if (document.querySelector('[data-edges="10000"]') === null) requestAnimationFrame(watch)
        else performance.mark("graph-drawn")
      }
      watch()
    })
    // Other tests share the cores: the limit is a second where these additions take a tenth of one.
    const addingMs = () =>
      page.evaluate(() => {
        const start = performance.now()
        let sum = 0
        for (let at = 0; at < 100_000_000; at++) sum += at & 7
        return sum > 0 ? performance.now() - start : 0
      })
    const addedBefore = await addingMs()
    await page.getByRole("link", { name: "Show in the graph" }).click()
    await page.locator('[data-testid="graph-canvas"][data-edges="10000"]').waitFor()
    await page.waitForFunction(() => performance.getEntriesByName("graph-drawn").length > 0)
    const drawnMs = await page.evaluate(() => {
      const [arrived] = performance
        .getEntriesByType("resource")
        .filter(({ name }) => name.includes("/neighborhood?"))
      const [drawn] = performance.getEntriesByName("graph-drawn")
      return (
        (drawn?.startTime ?? Number.NaN) -
        ((arrived as PerformanceResourceTiming | undefined)?.responseEnd ?? 0)
      )
    })
    const limitMs = Math.max(1000, 10 * Math.max(addedBefore, await addingMs()))
    expect(drawnMs).toBeLessThan(limitMs)
    await close()
  })

  it("merges after a dry run, which can be taken back", async () => {
    const [from, into] = [await entity("Sea lamp"), await entity("Sea light")]
    const { by, close, page } = await world().open(`/entities/${from}`)
    await page.getByRole("button", { name: "Merge…" }).click()
    const picker = page.getByRole("combobox", { name: "Into" })
    await picker.fill("Sea light")
    await page
      .getByRole("option", { name: /Sea light/ })
      .first()
      .waitFor()
    await picker.press("Enter")
    await by("merge-preview").getByText("New other names: Sea lamp").waitFor()
    await page.getByRole("dialog").getByRole("button", { name: "Merge" }).click()
    await page.waitForURL(`**/entities/${into}`)
    await page.getByRole("button", { name: "Undo" }).click()
    await expect.poll(async () => (await api("GET", `/entities/${from}`)).id).toBe(from)
    await close()
  })

  it("approves as owner what a key may not, and says why", async () => {
    const { key, member, open } = world()
    const id = await entity("Anchor")
    await api("POST", `/entities/${id}/owner`, { ownerId: member })
    const { id: request } = await api("POST", "/change-requests", {
      kind: "update",
      entityId: id,
      payload: { description: "It holds the platform." },
      note: "From the data sheet."
    })
    const byKey = await open(`/requests/${request}`, { key: await key() })
    await byKey.by("request-blocked").waitFor()
    expect(await byKey.by("request-blocked").getAttribute("data-code")).toBe("reviewer_required")
    expect(await byKey.by("request-approve").getAttribute("aria-disabled")).toBe("true")
    await byKey.close()
    const { by, close, page } = await open("/requests")
    await by("request-row").first().waitFor()
    await page.keyboard.press("j")
    await by("request-diff").getByText("It holds the platform.").waitFor()
    await by("request-impact").waitFor()
    await page.keyboard.press("a")
    await page.getByText("Approved and applied.").waitFor()
    expect((await api("GET", `/entities/${id}`)).description).toBe("It holds the platform.")
    await close()
  })

  it("decides several requests at once", async () => {
    for (const name of ["Buoy", "Mooring", "Fairlead"]) await proposal(name)
    const { by, close, page } = await world().open("/requests")
    await page.getByRole("button", { name: "Select all shown" }).click()
    await page.getByRole("button", { name: "Approve 3" }).click()
    await by("confirm").getByRole("button").click()
    await page.getByText("3 of 3 were decided.").waitFor()
    await by("empty-state").waitFor()
    await close()
  })

  it("empties the inbox by keyboard", async () => {
    for (const name of ["Capstan", "Bollard"]) await proposal(name)
    const { by, close, page } = await world().open("/inbox?kind=change_request")
    await expect.poll(() => by("inbox-row").count()).toBe(2)
    await page.keyboard.press("j")
    await page.keyboard.press("k")
    await by("request-diff").getByText("Capstan").waitFor()
    await page.keyboard.press("a")
    await expect.poll(() => by("inbox-row").count()).toBe(1)
    await by("request-diff").getByText("Bollard").waitFor()
    await page.keyboard.press("r")
    await by("empty-state").waitFor()
    await close()
  })
})
