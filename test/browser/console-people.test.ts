import * as Effect from "effect/Effect"
import type { BrowserContext, Page } from "playwright-core"
import { afterEach, describe, expect, it } from "vitest"
import { tabWithPasskeys } from "../support/authenticator.js"
import { consoleWorld } from "../support/console-world.js"

// Joining by an invitation and signing in with passkeys, with a virtual authenticator of Chromium.

/** A chat model that never answers, so that a question stays open. */
const silent = { modelId: "test/silent", generate: () => Effect.never }
const world = consoleWorld({}, { models: { chat: silent } })
const contexts: Array<BrowserContext> = []
afterEach(async () => {
  for (const context of contexts.splice(0)) await context.close()
})

/** Another browser, with an authenticator of its own, at the name of this machine that passkeys can be bound to. */
const stranger = async (path: string): Promise<Page> => {
  const context = await world().browser.newContext({ locale: "en-GB" })
  contexts.push(context)
  const page = await tabWithPasskeys(context)
  await page.goto(named(path))
  return page
}

const named = (path: string): string => `${world().url.replace("127.0.0.1", "localhost")}${path}`

/** Invites on the page of an administrator and returns the path of the link. */
const invite = async (role: string): Promise<string> => {
  const { by, close, page } = await world().open("/settings/members")
  await by("invite").click()
  await page.getByLabel(/^Role/).last().selectOption({ label: role })
  await by("invite-create").click()
  const link = new URL(await by("invite-link").inputValue())
  await page.getByRole("button", { name: "Close" }).click()
  await by("invitation-row").first().waitFor()
  await close()
  return link.pathname + link.hash
}

const join = async (page: Page, name: string) => {
  await page.getByTestId("join-name").fill(name)
  await page.getByTestId("join-submit").click()
}

describe("people who join from the page", () => {
  it("make a passkey by an invitation, sign in with it, and have what their role allows now", async () => {
    const path = await invite("Reader")
    const page = await stranger(path)
    await page.getByText("You are invited as: Reader").waitFor()
    await join(page, "Rita Reed")
    await page.getByTestId("workspace-switch").waitFor({ state: "attached" })
    await page.getByTestId("sign-out").click()
    await page.getByTestId("sign-in-passkey").click()
    await page.getByTestId("workspace-switch").waitFor({ state: "attached" })
    expect(await page.locator(".account-name").textContent()).toContain("Rita Reed")

    const session = () =>
      page.evaluate(async () => (await (await fetch("/console/session")).json()) as Record<string, unknown>)
    expect((await session())["scopes"]).toEqual(["agents:run", "runs:read", "kb:read", "reports:read"])

    // The link is good once.
    const again = await stranger(path)
    await again.getByText("This invitation was used, revoked or has expired").waitFor()

    const admin = await world().open("/settings/members")
    const row = admin.by("member-row").filter({ hasText: "Rita Reed" })
    await row.getByText("1 passkey").waitFor()
    await row.getByLabel("Role of Rita Reed").selectOption("member")
    await admin.page.getByText("Rita Reed is now: Member.").waitFor()
    expect((await session())["scopes"]).toContain("kb:write")
    await admin.close()
  })

  it("are seen as by an administrator until Escape, and nothing can be changed meanwhile", async () => {
    const { server, workspace, open } = world()
    const cleo = await server.user("Cleo Marsh", [workspace], "reader")
    const admin = await open("/settings/members")
    await admin.by("member-row").filter({ hasText: "Cleo Marsh" }).getByTestId("member-see-as").click()
    await admin.page.getByText("You see the workspace as Cleo Marsh.").waitFor()
    // A reader has no list of members to administer, and no page of the audit trail.
    await admin.by("invite").waitFor({ state: "detached" })
    await admin.by("member-see-as").waitFor({ state: "detached" })
    await admin.page.locator("main").focus()
    await admin.page.keyboard.press("Escape")
    await admin.by("seen-as").waitFor({ state: "detached" })
    await admin.by("invite").waitFor()
    const { body } = await server.call("GET", "/api/v1/audit", { key: await world().key() })
    expect(JSON.stringify(body)).toContain(`"member.seen_as"`)
    expect(JSON.stringify(body)).toContain(cleo)
    await admin.close()
  })

  it("are let in once when two browsers use one invitation at the same moment", async () => {
    const path = await invite("Member")
    const pages = await Promise.all([stranger(path), stranger(path)])
    await Promise.all(pages.map((page, index) => page.getByTestId("join-name").fill(`Twin ${index}`)))
    await Promise.all(pages.map((page) => page.getByTestId("join-submit").click()))
    const outcomes = await Promise.all(
      pages.map((page) =>
        Promise.race([
          page
            .getByTestId("workspace-switch")
            .waitFor({ state: "attached" })
            .then(() => "in"),
          page
            .getByText("This invitation was used")
            .waitFor()
            .then(() => "out")
        ])
      )
    )
    expect(outcomes.sort()).toEqual(["in", "out"])
    const admin = await world().open("/settings/members")
    await admin.by("member-row").filter({ hasText: "Twin" }).waitFor()
    expect(await admin.by("member-row").filter({ hasText: "Twin" }).count()).toBe(1)
    await admin.close()
  })

  it("replace lost passkeys by a new link, and add further ones in the settings", async () => {
    const lost = await stranger(await invite("Curator"))
    await join(lost, "Paula Prime")
    await lost.getByTestId("workspace-switch").waitFor({ state: "attached" })

    const admin = await world().open("/settings/members")
    await admin.page.getByRole("button", { name: "New link for Paula Prime" }).click()
    await admin.by("invite-create").click()
    const link = new URL(await admin.by("invite-link").inputValue())
    await admin.close()

    const found = await stranger(link.pathname + link.hash)
    await found.getByText("Paula Prime, make a new passkey").waitFor()
    await found.getByTestId("join-submit").click()
    await found.getByTestId("workspace-switch").waitFor({ state: "attached" })
    // The old browser is signed out, and its passkey opens nothing any more.
    expect((await lost.request.get(named("/console/session"))).status()).toBe(401)
    await lost.goto(named("/"))
    await lost.getByTestId("sign-in-passkey").click()
    await lost.getByText("The passkey could not be verified").waitFor()

    await found.goto(named("/settings/sessions"))
    await found.getByTestId("passkey-row").waitFor()
    expect(await found.getByTestId("passkey-row").count()).toBe(1)
    await found.getByLabel("Name of the device").fill("Key ring")
    await found.getByTestId("passkey-add").click()
    // This authenticator has one already; it is not registered twice.
    await found.getByText("This device has a passkey for you already.").waitFor()
  })

  it("lose an open stream within ten seconds when they are removed", async () => {
    const page = await stranger(await invite("Member"))
    await join(page, "Lea Last")
    await page.getByTestId("workspace-switch").waitFor({ state: "attached" })
    const opened = page.waitForResponse((response) => response.url().endsWith("/console/ask"))
    const ended = page.evaluate(async () => {
      const { csrf, workspaceId } = await (await fetch("/console/session")).json()
      const response = await fetch("/console/ask", {
        method: "POST",
        headers: {
          "content-type": "application/json",
          "x-kanon-csrf": csrf,
          "x-workspace-id": workspaceId
        },
        body: JSON.stringify({ question: "Who was the project manager of Project Heron?" })
      })
      await response.text().catch(() => "")
      return { at: Date.now(), status: response.status }
    })
    expect((await opened).status()).toBe(200)
    const admin = await world().open("/settings/members")
    await admin.page.getByRole("button", { name: "Remove Lea Last" }).click()
    const removedAt = Date.now()
    await admin.by("confirm").getByRole("button").click()
    await admin.by("member-row").filter({ hasText: "Lea Last" }).waitFor({ state: "detached" })
    const { at } = await ended
    expect(at).toBeGreaterThanOrEqual(removedAt)
    expect(at - removedAt).toBeLessThan(10_000)
    expect((await page.request.get(named("/console/session"))).status()).toBe(401)
    await admin.close()
  })

  it("are told to open the page at a name where passkeys cannot work", async () => {
    const path = await invite("Member")
    const { close, page } = await world().open("/", { key: null })
    await page.goto(`${world().url}${path}`)
    await page.reload()
    await page.getByText("Passkeys need a host name").waitFor()
    await page.getByRole("link", { name: /localhost/ }).click()
    await page.getByTestId("join-name").waitFor()
    await close()
  })
})
