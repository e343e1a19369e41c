import { describe, expect, it } from "vitest"
import { consoleWorld } from "../support/console-world.js"

const world = consoleWorld()

describe("documents in the console", () => {
  it("are found in their folder, read, corrected with a preview, and compared by version", async () => {
    const { by, close, page } = await world().open("/documents")
    await page.locator('[data-folder="operations"]').click()
    await page.locator('[data-testid="document-row"][data-path="operations/batteries.md"]').click()
    await by("document-html").getByText("may be stored for six months").waitFor()
    await by("document-edit").click()
    const editor = by("document-editor")
    await editor.fill((await editor.inputValue()).replace("six months", "eight months"))
    await page.getByRole("region", { name: "Preview" }).getByText("stored for eight months").waitFor()
    await by("document-save").click()
    await by("document-html").getByText("may be stored for eight months").waitFor()
    await page.getByRole("tab", { name: "Versions" }).click()
    await by("version-row").nth(1).waitFor()
    expect(await by("version-row").count()).toBe(2)
    expect(await by("document-diff").locator("ins").allTextContents()).toContain("eight")
    expect(await by("document-diff").locator("del").allTextContents()).toContain("six")
    await close()
  })

  it("show both texts when somebody else saved meanwhile, and lose neither", async () => {
    const { document, key, open, server } = world()
    const id = await document("guides/shared.md", "# Shared\n\nThe first text.\n")
    const { by, close, expectFailure, page } = await open(`/documents/${id}?edit=1`)
    await by("document-editor").fill("# Shared\n\nMy text.\n")
    await server.call("PATCH", `/api/v1/documents/${id}`, {
      key: await key(),
      body: { content: "# Shared\n\nTheir text.\n" }
    })
    expectFailure(`409 /console/api/v1/documents/${id}`)
    await by("document-save").click()
    const conflict = by("edit-conflict")
    await conflict.waitFor()
    const texts = (await conflict.locator("pre").allTextContents()).join()
    expect(texts).toContain("Their text.")
    expect(texts).toContain("My text.")
    // The draft outlives a reload.
    page.on("dialog", (dialog) => void dialog.accept())
    await page.reload()
    expect(await by("document-editor").inputValue()).toContain("My text.")
    await by("document-save").click()
    await conflict.waitFor()
    await conflict.getByRole("button", { name: "Save my text in its place" }).click()
    await by("document-html").getByText("My text.").waitFor()
    await close()
  })

  it("are verified, moved, deleted, and taken back from each", async () => {
    const { document, open } = world()
    const id = await document("guides/old-name.md", "# A guide\n\nRead me.\n")
    const { by, close, page } = await open(`/documents/${id}`)
    await by("document-verify").selectOption("verified")
    await page.getByText("The standing is now: Verified.").waitFor()
    await page.getByRole("button", { name: "Move" }).click()
    await page.getByRole("dialog").getByLabel("Path").fill("guides/new-name.md")
    await page.getByRole("dialog").getByRole("button", { name: "Move" }).click()
    await page.getByText("Moved to guides/new-name.md").waitFor()
    await page.getByRole("button", { name: "Delete" }).click()
    await by("confirm").click()
    await page.waitForURL(/\/documents$/)
    await by("toast").getByRole("button", { name: "Undo" }).click()
    await page.locator('[data-path="guides/new-name.md"]').waitFor()
    await close()
  })

  it("are found by the search and by the command palette, by keyboard alone", async () => {
    const { by, close, page } = await world().open("/search")
    await by("search-input").fill("control rooms")
    await page.keyboard.press("Enter")
    await by("search-row").first().waitFor()
    await page.keyboard.press("Tab")
    await by("search-input").blur()
    await page.keyboard.press("j")
    await page.keyboard.press("Enter")
    await by("document-html").waitFor()
    expect((await by("source-mark").allTextContents()).join("")).toContain("control rooms")

    await page.keyboard.press("Control+k")
    await by("palette-input").fill("Bethan")
    await page.getByRole("option", { name: /people\/bethan\.md/ }).waitFor()
    await page.getByRole("option", { name: /people\/bethan\.md/ }).click()
    await by("document-html").getByText("leads the operations").waitFor()
    await close()
  })

  it.each([
    {
      operation: "documents",
      row: "document-row",
      item: (at: number) => ({
        id: `doc_${String(at).padStart(26, "0")}`,
        path: `archive/${at}.md`,
        title: `Record ${at}`,
        verification: "unverified",
        nextVerifyAt: null,
        updatedAt: "2026-01-01T00:00:00.000Z"
      }),
      answer: (items: unknown) => ({ items, folders: [], offset: 0, limit: 100 })
    },
    {
      operation: "entities",
      row: "entity-row",
      item: (at: number) => ({
        id: `ent_${String(at).padStart(26, "0")}`,
        name: `Record ${at}`,
        type: "concept",
        pagerank: 0,
        authority: "asserted",
        lifecycleStatus: "published",
        ownerId: null,
        nextReviewAt: null
      }),
      answer: (entities: unknown) => ({ entities, offset: 0, limit: 100 })
    }
  ])("of which there are 100,000 scroll and jump: $operation", async ({ answer, item, operation, row }) => {
    const { by, close, page } = await world().open("/")
    const total = 100_000
    let readRows = 0
    await page.route(`**/console/api/v1/${operation}?**`, (route) => {
      const asked = new URL(route.request().url()).searchParams
      const [offset, limit] = [Number(asked.get("offset")), Number(asked.get("limit"))]
      const items = Array.from({ length: Math.min(limit, total - offset) }, (_, at) => item(offset + at))
      readRows += items.length
      return route.fulfill({ json: { ...answer(items), total } })
    })
    await by(`nav-${operation}`).click()
    await by(row).filter({ hasText: "Record 0" }).first().waitFor()
    const elements = () => page.evaluate(() => document.querySelectorAll("*").length)
    const atFirst = await elements()
    const list = page.locator(".virtual-list")
    const jumpedMs = async (jump: () => Promise<unknown>, to: number) => {
      const begun = performance.now()
      await jump()
      await by(row)
        .filter({ hasText: `Record ${to}` })
        .first()
        .waitFor()
      return performance.now() - begun
    }
    const moves = [
      [() => list.evaluate((frame) => frame.scrollTo({ top: frame.scrollHeight })), total - 1],
      [() => list.evaluate((frame) => frame.scrollTo({ top: frame.scrollHeight / 2 })), total / 2],
      [() => list.evaluate((frame) => frame.scrollTo({ top: 0 })), 0],
      [
        async () => {
          await list
            .locator(row === "document-row" ? "a" : "a.row-main")
            .first()
            .focus()
          await page.keyboard.press("End")
        },
        total - 1
      ]
    ] as const
    for (const [jump, to] of moves) {
      // A second on a machine that does nothing else.
      expect(await jumpedMs(jump, to), `to ${to}`).toBeLessThan(5_000)
      expect(await elements()).toBeLessThan(atFirst + 200)
    }
    expect(await page.evaluate(() => document.activeElement?.textContent)).toContain(`Record ${total - 1}`)
    expect(readRows).toBeLessThan(2_000)
    await close()
  })

  it("cannot be changed by whoever may only read, who is told why", async () => {
    const { document, key, open } = world()
    const id = await document("guides/read-only.md", "# Read only\n")
    const { by, close } = await open(`/documents/${id}`, { key: await key(["kb:read", "agents:run"]) })
    const edit = by("document-edit")
    expect(await edit.getAttribute("aria-disabled")).toBe("true")
    await edit.focus()
    expect(await edit.locator("xpath=../*[@role='tooltip']").textContent()).toContain("kb:write")
    await edit.click({ force: true })
    expect(await by("document-editor").count()).toBe(0)
    await close()
  })
})
