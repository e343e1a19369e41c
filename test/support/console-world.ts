import * as Effect from "effect/Effect"
import * as Fiber from "effect/Fiber"
import type { Browser, BrowserContext, BrowserContextOptions, Locator, Page } from "playwright-core"
import { afterAll, beforeAll, expect, inject } from "vitest"
import type { EngineOptions } from "../../adapters/sqlite/index.js"
import { handlers } from "../../core/engine/engine/index.js"
import { startWorker } from "../../core/platform/jobs/index.js"
import type { Scope, WorkspaceId } from "../../core/platform/kernel/index.js"
import { listen } from "../../server/listen.js"
import { launchBrowser } from "./chromium.js"
import { startServer, type TestServer } from "./server.js"

/** A server with the console on a port, a browser, and a member who may do everything. */
export interface ConsoleWorld {
  readonly server: TestServer
  readonly url: string
  readonly workspace: WorkspaceId
  readonly other: WorkspaceId
  readonly browser: Browser
  /** A user key of the member. */
  readonly memberKey: string
  /** The id of the member. */
  readonly member: string
  /** A workspace key with the given scopes. */
  readonly key: (scopes?: ReadonlyArray<Scope>) => Promise<string>
  /** Creates a document and returns its id. */
  readonly document: (path: string, content: string) => Promise<string>
  /** A tab that signed in, at a path of the console. */
  readonly open: (path: string, options?: OpenOptions) => Promise<Tab>
}

interface OpenOptions extends BrowserContextOptions {
  /** Signs in with this key; null opens the page without signing in. */
  readonly key?: string | null
}

/** A page that fails its test if a script fails, the console reports an error, or a request does. */
export interface Tab {
  readonly page: Page
  readonly context: BrowserContext
  readonly by: (testId: string) => Locator
  /** Failed requests that the test brings about, as parts of their addresses. */
  readonly expectFailure: (part: string) => void
  readonly close: () => Promise<void>
}

/** Documents of a world that names no others. */
const notes = {
  "projects/heron.md":
    "# Project Heron\n\nProject Heron merged three control rooms into one at Port Kelder. The project manager of **Project Heron** was [Bethan Oakshott](../people/bethan.md). It closed in May 2026.\n\n| Item | Cost |\n|---|---|\n| Screens | 41,000 pounds |\n| Desks | 12,500 pounds |\n",
  "people/bethan.md": "# Bethan Oakshott\n\nBethan Oakshott leads the operations of Kelderay.\n",
  "operations/batteries.md":
    "# Battery storage\n\nA battery of a turbine may be stored for six months. Then it has to be charged again.\n"
} as const

interface WorldOptions {
  readonly models?: NonNullable<EngineOptions["models"]>
  /** Runs background jobs. */
  readonly withWorker?: boolean
  /** Content by path. */
  readonly documents?: Readonly<Record<string, string>>
}

/** Starts the world before the tests of a file and ends it after them. */
export const consoleWorld = (
  settings: Readonly<Record<string, unknown>> = {},
  { documents = notes, models = {}, withWorker = false }: WorldOptions = {}
): (() => ConsoleWorld) => {
  let world: ConsoleWorld | undefined
  let end: () => Promise<void> = async () => undefined
  beforeAll(async () => {
    const server = await startServer({
      consoleSettings: settings,
      consoleFolder: inject("consoleFolder"),
      models
    })
    const worker = withWorker
      ? server.runtime.runFork(
          Effect.scoped(Effect.zipRight(startWorker(handlers, { owner: "test" }), Effect.never))
        )
      : null
    const [workspace, other] = [await server.workspace("Handbook"), await server.workspace("Archive")]
    const member = await server.user("Ada Marsh", [workspace, other], "admin")
    const memberKey = await server.userKey(member, [workspace, other])
    const key = await server.key(workspace)
    const limits = {
      bodyTimeoutMs: 30_000,
      headersTimeoutMs: 30_000,
      sendTimeoutMs: 30_000,
      shutdownMs: 1000
    }
    const listening = await listen(server.fetch, { host: "127.0.0.1", port: 0, ...limits })
    const browser = await launchBrowser()
    const document = async (path: string, content: string) => {
      const { body, status } = await server.call("POST", "/api/v1/documents", {
        key,
        body: { path, content }
      })
      expect(status, JSON.stringify(body)).toBe(201)
      return (body as { readonly docId: string }).docId
    }
    for (const [path, content] of Object.entries(documents)) await document(path, content)
    end = async () => {
      await browser.close()
      await listening.close()
      if (worker !== null) await Effect.runPromise(Fiber.interrupt(worker))
      await server.close()
    }
    world = {
      server,
      url: listening.url,
      workspace,
      other,
      browser,
      memberKey,
      member,
      document,
      key: (scopes) => server.key(workspace, scopes),
      open: (path, { key: given = memberKey, ...options } = {}) =>
        openTab(browser, listening.url, path, given, options)
    }
  })
  afterAll(() => end())
  return () => {
    if (world === undefined) throw new Error("The world has not been started.")
    return world
  }
}

const openTab = async (
  browser: Browser,
  url: string,
  path: string,
  key: string | null,
  options: BrowserContextOptions
): Promise<Tab> => {
  const context = await browser.newContext({
    locale: "en-GB",
    viewport: { width: 1280, height: 860 },
    ...options
  })
  const page = await context.newPage()
  page.setDefaultTimeout(30_000)
  const failures: Array<string> = []
  // Before anybody signs in there is no session, which the page has to ask for.
  const expected: Array<string> = ["401 /console/session"]
  const isExpected = (text: string) => expected.some((part) => text.includes(part))
  page.on("pageerror", (error) => failures.push(`page: ${error.message}`))
  page.on("console", (message) => {
    // Requests that failed are judged by their addresses below.
    const isNetwork = message.text().startsWith("Failed to load resource")
    if (message.type() === "error" && !isNetwork) failures.push(`console: ${message.text()}`)
  })
  page.on("response", (response) => {
    const told = `${response.status()} ${new URL(response.url()).pathname}`
    if (response.status() >= 400 && !isExpected(told)) failures.push(told)
  })
  page.on("requestfailed", (request) => {
    const reason = request.failure()?.errorText ?? ""
    // The browser aborts requests that a page no longer needs.
    if (reason !== "net::ERR_ABORTED") failures.push(`${reason} ${request.url()}`)
  })
  const tab: Tab = {
    page,
    context,
    by: (testId) => page.getByTestId(testId),
    expectFailure: (part) => void expected.push(part),
    close: async () => {
      await context.close()
      expect(failures).toEqual([])
    }
  }
  await page.goto(`${url}${path}`)
  if (key !== null) {
    await tab.by("sign-in-key").fill(key)
    await tab.by("sign-in-submit").click()
    await tab.by("workspace-switch").waitFor({ state: "attached" })
  }
  return tab
}
