import { describe, expect, it } from "vitest"
import { consoleWorld } from "../support/console-world.js"

const world = consoleWorld()
const question = "Who was the project manager of Project Heron?"

describe("asking in the console", () => {
  it("shows an answer whose citation opens the source beside it at the words that carry the sentence", async () => {
    const { by, close, page } = await world().open("/")
    await by("ask-question").fill(question)
    await by("ask-submit").click()
    await by("answer").waitFor()
    expect(await by("answer").getAttribute("data-answer-id")).toMatch(/^ans_/)
    expect(await by("answer-verdict").getAttribute("data-verdict")).toMatch(/^answer/)
    expect(await by("answer-confidence").textContent()).toMatch(/\d+ %/)
    expect(await by("claim").first().getAttribute("data-status")).toBe("supported")
    const chip = by("citation").first()
    expect(await chip.textContent()).toBe("[S1]")
    expect(await chip.getAttribute("data-standing")).toBe("unverified")

    await chip.hover()
    expect(await by("citation-card").textContent()).toContain("projects/heron.md")
    await chip.click()
    const mark = by("source-mark").first()
    await mark.waitFor()
    // Marks go through bold text and links of the passage.
    expect((await by("source-mark").allTextContents()).join("")).toBe(
      "The project manager of Project Heron was Bethan Oakshott."
    )
    expect(await by("source-view").getAttribute("data-doc-id")).toMatch(/^doc_/)
    await page.keyboard.press("Escape")
    await by("source-view").waitFor({ state: "detached" })
    await close()
  })

  it("keeps the question in the history, takes feedback, and says why", async () => {
    const { by, close, page } = await world().open("/")
    await by("ask-question").fill("How long may a battery be stored?")
    await page.keyboard.press("Enter")
    await by("answer").waitFor()
    await by("answer-why").locator("summary").click()
    await page.getByText("Rules before the answer").waitFor()
    await by("feedback").getByRole("button", { name: "Not helpful" }).click()
    await page.getByLabel(/What is wrong/).fill("It is eight months.")
    await page.getByRole("button", { name: "Send" }).click()
    await page.getByText("Thank you").waitFor()
    await by("history-row").filter({ hasText: "How long may a battery be stored?" }).first().click()
    await page.waitForURL(/\/answers\/ans_/)
    await by("answer").waitFor()
    await close()
  })

  it("keeps what was typed when the session is lost, and asks for sign-in over the page", async () => {
    const { by, close, context, expectFailure, page } = await world().open("/")
    expectFailure("401 /console")
    await page.getByRole("button", { name: "Options" }).click()
    await page.getByLabel("Only in folder").fill("projects/")
    await by("ask-question").fill("Who was the project manager of Project Heron?")
    await context.clearCookies()
    await by("ask-submit").click()
    await by("sign-in-key").fill(world().memberKey)
    // A failed question stays in the conversation.
    expect(await page.getByRole("heading", { name: "Who was the project manager" }).count()).toBe(1)
    await by("sign-in-submit").click()
    await by("sign-in-key").waitFor({ state: "detached" })
    expect(await page.getByLabel("Only in folder").inputValue()).toBe("projects/")
    await page.getByRole("button", { name: "Try again" }).first().click()
    await by("answer").waitFor()
    await close()
  })

  it("offers the readings of a name with two meanings", async () => {
    const { document, key, open, server } = world()
    await document("places/mercury.md", "# Mercury\n\nThe planet Mercury is small.\n")
    const secret = await key()
    for (const type of ["planet", "metal"])
      await server.call("POST", "/api/v1/entities", { key: secret, body: { name: "Mercury", type } })
    const { by, close, page } = await open("/")
    await page.getByRole("button", { name: "Options" }).click()
    await page.getByLabel("Policy gate").selectOption("enforce")
    await by("ask-question").fill("How heavy is Mercury?")
    await by("ask-submit").click()
    await by("answer").waitFor()
    expect(await by("answer-verdict").getAttribute("data-verdict")).toBe("clarify")
    await by("reading").first().click()
    await page.getByRole("heading", { name: /How heavy is Mercury \(/ }).waitFor()
    await close()
  })

  it("shows where to look when the documents do not answer", async () => {
    const { by, close, page } = await world().open("/")
    await page.getByRole("button", { name: "Options" }).click()
    await page.getByLabel("Policy gate").selectOption("enforce")
    await by("ask-question").fill("What is the boiling point of xenotime in a battery?")
    await by("ask-submit").click()
    await by("answer").waitFor()
    expect(await by("answer-verdict").getAttribute("data-verdict")).toBe("abstain_with_pointers")
    await by("pointer").first().getByRole("button").click()
    await by("source-view").waitFor()
    await close()
  })
})
