// The page on which a person lets an MCP client in.
import { describe, expect, it } from "vitest"
import { consoleWorld } from "../support/console-world.js"

const world = consoleWorld()

describe("an assistant that asks to be let in", () => {
  it("is named with what it wants, and gets a code where the person allows it", async () => {
    const { server, url } = world()
    const registration = await server.call("POST", "/oauth/register", {
      body: { client_name: "Notebook", redirect_uris: ["http://127.0.0.1:39170/callback"] },
      headers: { host: "127.0.0.1" }
    })
    expect(registration.status).toBe(404)
    const { client_id } = await (
      await fetch(`${url}/oauth/register`, {
        method: "POST",
        headers: { "content-type": "application/json" },
        body: JSON.stringify({ client_name: "Notebook", redirect_uris: ["http://127.0.0.1:39170/callback"] })
      })
    ).json()
    const asked = new URLSearchParams({
      response_type: "code",
      client_id,
      redirect_uri: "http://127.0.0.1:39170/callback",
      code_challenge: "a".repeat(43),
      code_challenge_method: "S256",
      scope: "kb:read"
    })
    const { by, close, page } = await world().open(`/connect?${asked}`)
    expect(await by("connect-client").textContent()).toContain("Notebook asks to use this workspace as you.")
    expect(await page.getByRole("checkbox", { checked: true }).count()).toBe(1)
    await page.route("http://127.0.0.1:39170/**", (route) =>
      route.fulfill({ body: "Back at the assistant." })
    )
    await by("connect-allow").click()
    await page.getByText("Back at the assistant.").waitFor()
    const { searchParams } = new URL(page.url())
    expect(searchParams.get("code")).toMatch(/^svc_ac_/u)
    expect(searchParams.get("iss")).toBe(url)
    await close()
  })
})
