import { join } from "node:path"
import type { Browser, Page } from "playwright-core"
import { afterAll, beforeAll, expect, it } from "vitest"
import { tabWithPasskeys } from "../support/authenticator.js"
import { launchBrowser } from "../support/chromium.js"
import { folder, start } from "../support/cli.js"
import { pdfOfLines } from "../support/scanned-pages.js"

// What a stranger does with the built program on an empty folder: nothing but the page, from the line that it prints.

let browser: Browser
let server: ReturnType<typeof start>
beforeAll(async () => {
  browser = await launchBrowser()
  server = start(["serve", "--vault", folder(), "--port", "0"], { cwd: folder() })
  await server.firstLine
})
afterAll(async () => {
  await browser.close()
  server.signal("SIGTERM")
  await server.ended
})

const shots = process.env["KANON_LOOK"]
/** Keeps a picture where somebody wants to look at the pages. */
const look = async (page: Page, name: string) => {
  if (shots !== undefined) await page.screenshot({ path: join(shots, `${name}.png`), animations: "disabled" })
}

const by = (page: Page, testId: string) => page.getByTestId(testId)

const joinAs = async (link: string, name: string): Promise<Page> => {
  const page = await tabWithPasskeys(
    await browser.newContext({ locale: "en-GB", viewport: { width: 1280, height: 800 } })
  )
  await page.goto(link)
  await by(page, "join-name").fill(name)
  await look(page, `join-${name.split(" ")[0]}`)
  await by(page, "join-submit").click()
  await by(page, "workspace-switch").waitFor({ state: "attached" })
  return page
}

const files = [
  {
    name: "crew.md",
    mimeType: "text/markdown",
    buffer: Buffer.from(
      "# Crew transfer\n\nCrew transfer is allowed up to a wave height of 1.2 m.\n\nThe transfer vessel is the Petrel.\n"
    )
  },
  {
    name: "stores.csv",
    mimeType: "text/csv",
    buffer: Buffer.from("Part,Shelf,Count\nPitch battery,B4,12\nYaw brake,C2,7\n")
  },
  {
    name: "crane.pdf",
    mimeType: "application/pdf",
    buffer: pdfOfLines(["The harbour crane lifts 63 tonnes.", "The harbour crane was built in 1998."])
  }
]
const questions = [
  "Up to which wave height is crew transfer allowed?",
  "What is the name of the transfer vessel?",
  "How many tonnes does the harbour crane lift?",
  "When was the harbour crane built?",
  "On which shelf is the pitch battery?"
]

it("invites a second person, brings files, asks, and has a change approved, all in the browser", async () => {
  await expect.poll(() => server.said().stderr).toContain("/join#")
  const link = /Join as the administrator.* (http:\S+)/.exec(server.said().stderr)?.[1] ?? ""
  const ines = await joinAs(link, "Ines Berg")

  await by(ines, "nav-settings").click()
  await ines.getByRole("link", { name: "Members" }).click()
  await by(ines, "invite").click()
  await ines.getByLabel(/^Role/).last().selectOption({ label: "Member" })
  await by(ines, "invite-create").click()
  const invited = await by(ines, "invite-link").inputValue()
  await look(ines, "invited")
  await ines.getByRole("button", { name: "Close" }).click()
  const otto = await joinAs(invited, "Otto Lind")

  await by(otto, "nav-documents").click()
  await otto.getByRole("heading", { level: 1, name: "Documents" }).waitFor()
  await by(otto, "upload-files").setInputFiles(files)
  for (const { name } of files) {
    const row = otto.locator(`[data-testid="upload-row"][data-path="${name}"]`)
    await expect.poll(() => row.getAttribute("data-state"), { timeout: 60_000 }).toBe("done")
  }
  await look(otto, "uploaded")

  await by(otto, "nav-ask").click()
  for (const [at, question] of questions.entries()) {
    await by(otto, "ask-question").fill(question)
    await by(otto, "ask-submit").click()
    await expect.poll(() => by(otto, "answer").count(), { timeout: 30_000 }).toBe(at + 1)
  }
  expect(new URL(otto.url()).pathname).toMatch(/\/c\/\w+$/)
  await by(otto, "answer").nth(2).getByText("63 tonnes").first().waitFor()
  await look(otto, "answers")
  await by(otto, "answer").nth(2).getByTestId("citation").first().click()
  await by(otto, "source-mark").first().getByText("63 tonnes").waitFor()
  await otto.getByRole("link", { name: "Download the original" }).waitFor()
  await look(otto, "source")
  await otto.reload()
  await expect.poll(() => by(otto, "answer").count()).toBe(questions.length)

  await by(ines, "nav-entities").click()
  await ines.getByRole("button", { name: "New entity" }).first().click()
  await ines.locator("dialog input[name=name]").fill("Crew transfer vessel")
  await ines.getByRole("button", { name: "Create" }).click()
  await ines.getByRole("heading", { level: 1, name: "Crew transfer vessel" }).waitFor()
  const entity = ines.url()
  await ines.getByRole("button", { name: "Change owner and stewards" }).click()
  await ines.locator("dialog select").first().selectOption({ label: "Ines Berg (you)" })
  await ines.locator("dialog").getByRole("button", { name: "Save" }).click()
  await by(ines, "entity-certify").click()
  await ines.getByText("The next review has a new date.").waitFor()

  await otto.goto(entity)
  await otto.getByRole("button", { name: "Propose a change" }).click()
  await otto.getByLabel("Description").fill("Takes the crew to the turbines.")
  await otto.getByRole("button", { name: "Send the proposal" }).click()
  await by(otto, "request-blocked").waitFor()

  await ines.reload()
  await expect.poll(() => by(ines, "inbox-count").getAttribute("data-mine")).toBe("1")
  await by(ines, "nav-inbox").click()
  await by(ines, "inbox-row").filter({ hasText: "Crew transfer vessel" }).getByRole("button").click()
  await by(ines, "request-diff").getByText("Takes the crew to the turbines.").waitFor()
  await look(ines, "inbox")
  await by(ines, "request-approve").click()
  await expect.poll(() => by(ines, "inbox-count").isVisible()).toBe(false)

  // The same for a document that Ines verified.
  await by(ines, "nav-documents").click()
  await ines.getByText("Crew transfer", { exact: true }).first().click()
  await by(ines, "document-verify").selectOption("verified")
  await ines.getByText("The standing is now: Verified.").waitFor()
  await otto.goto(ines.url())
  await by(otto, "document-edit").getByText("Propose a change").click()
  await by(otto, "document-editor").fill("# Crew transfer\n\nCrew transfer is allowed up to 1.5 m.\n")
  await by(otto, "proposal-note").fill("The new vessel allows more.")
  await look(otto, "propose-document")
  await by(otto, "document-save").click()
  await otto.getByText("The change was proposed.").waitFor()
  await ines.reload()
  await expect.poll(() => by(ines, "inbox-count").getAttribute("data-mine")).toBe("1")
  await by(ines, "nav-inbox").click()
  await by(ines, "inbox-row").filter({ hasText: "Crew transfer" }).last().getByRole("button").click()
  await by(ines, "proposal-diff").getByText("a wave height of").waitFor()
  await look(ines, "inbox-document")
  await ines.getByRole("button", { name: /^Approve/ }).click()
  await expect.poll(() => by(ines, "inbox-count").isVisible()).toBe(false)
  await otto.reload()
  await by(otto, "verified-since").getByText("Verified at version 1, edited since").waitFor()
}, 240_000)
