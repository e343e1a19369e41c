import { describe, expect, it } from "vitest"
import { consoleWorld } from "../support/console-world.js"

const world = consoleWorld()

const get = (path: string, encoding: string, method = "GET") =>
  world().server.fetch(
    new Request(`http://kanon.test${path}`, { method, headers: { "accept-encoding": encoding } })
  )

describe("the console on the wire", () => {
  it.each(["en-GB", "de-DE"])(
    "transfers 130 kB at most before the first page stands (%s)",
    async (locale) => {
      const { by, close, page } = await world().open("/", { key: null, locale })
      await by("sign-in-key").waitFor()
      const sizes = await page.evaluate(() =>
        [...performance.getEntriesByType("navigation"), ...performance.getEntriesByType("resource")].map(
          (entry) => {
            const { encodedBodySize, name, transferSize } = entry as PerformanceResourceTiming
            return { name, encodedBodySize, transferSize }
          }
        )
      )
      expect(sizes.length).toBeGreaterThan(2)
      expect(sizes.reduce((sum, { transferSize }) => sum + transferSize, 0)).toBeLessThanOrEqual(130_000)
      await close()
    }
  )

  it("sends assets and the page in the coding that the browser accepts", async () => {
    const page = await (await get("/", "identity")).text()
    const [, script = ""] = /src="\.?\/?(assets\/[\w.-]+\.js)"/.exec(page) ?? []
    for (const path of [`/${script}`, "/"])
      for (const [accepted, coding] of [
        ["gzip, deflate, br", "br"],
        ["gzip;q=0.5, br;q=0", "gzip"],
        ["GZIP", "gzip"],
        ["identity", null],
        ["*;q=0", null]
      ] as const) {
        const response = await get(path, accepted)
        const head = await get(path, accepted, "HEAD")
        expect([response.status, response.headers.get("content-encoding")], accepted).toEqual([200, coding])
        expect(response.headers.get("vary")).toBe("accept-encoding")
        expect(head.headers.get("content-encoding")).toBe(coding)
        const sent = (await response.arrayBuffer()).byteLength
        const length = response.headers.get("content-length")
        if (length !== null) expect(Number(length)).toBe(sent)
      }
    expect((await get(`/${script}.br`, "br")).headers.get("content-type")).not.toContain("javascript")
  })

  /** A tab that has signed in, in which requests may fail. */
  const signedIn = async () => {
    const context = await world().browser.newContext({ locale: "en-GB" })
    const page = await context.newPage()
    page.setDefaultTimeout(30_000)
    await page.goto(world().url)
    await page.getByTestId("sign-in-key").fill(world().memberKey)
    await page.getByTestId("sign-in-submit").click()
    await page.getByTestId("ask-question").waitFor()
    return { context, page }
  }

  it("says that one is offline where the code of a page cannot be loaded", async () => {
    const { context, page } = await signedIn()
    await context.route("**/*", (route) => route.abort("internetdisconnected"))
    await page.getByTestId("nav-graph").click()
    await page.getByText("You are offline").waitFor()
    await context.close()
  })

  it("loads the tab again, once, where the server has the files of another version", async () => {
    const { context, page } = await signedIn()
    let missing = 0
    await context.route("**/assets/*.js", async (route) => {
      missing += 1
      if (missing === 1) await route.fulfill({ status: 404, body: "" })
      else await route.continue()
    })
    let loads = 0
    page.on("load", () => {
      loads += 1
    })
    await page.getByTestId("nav-graph").click()
    await page.waitForEvent("load")
    await page.getByRole("heading", { level: 1, name: "Graph" }).waitFor()
    expect([missing > 1, loads]).toEqual([true, 1])
    await context.close()
  })
})
