import { copyFileSync, existsSync, mkdirSync, readFileSync, writeFileSync } from "node:fs"
import { join } from "node:path"
import { build as esbuild } from "esbuild"
import type { Browser } from "playwright-core"
import { build as viteBuild } from "vite"
import { afterAll, beforeAll, describe, expect, inject, it } from "vitest"
import { listen } from "../../server/listen.js"
import { launchBrowser } from "../support/chromium.js"
import { startServer, type TestServer } from "../support/server.js"
import { root } from "../support/tree.js"

const consumer = inject("consumer")

/** The documented application, and a graph beside it. */
const program = `
import { createRoot } from "react-dom/client"
import { GraphView } from "kanon/react"
import "./react-app.tsx"
const nodes = [{ id: "a", name: "Heron", type: "project" }, { id: "b", name: "Port Kelder", type: "site" }]
createRoot(document.getElementById("graph")).render(
  <GraphView nodes={nodes} edges={[{ src: "a", dst: "b", type: "at" }]} label="Two entities" />
)`
const page = (script: string, head = ""): string =>
  `<!doctype html><meta charset="utf-8"><title>App</title>${head}<style>canvas { width: 20rem; height: 10rem }</style>
<div id="root"></div><div id="graph"></div><script type="module" src="${script}"></script>`

/** A folder of an application that uses the installed package. */
const application = (name: string): string => {
  const folder = join(consumer, name)
  mkdirSync(folder)
  copyFileSync(join(root, "examples/react-app.tsx"), join(folder, "react-app.tsx"))
  writeFileSync(join(folder, "main.tsx"), program)
  return folder
}

/** Each puts the application into the folder that it returns. */
const bundlers = {
  esbuild: async () => {
    const folder = application("with-esbuild")
    const out = join(folder, "out")
    await esbuild({
      entryPoints: [join(folder, "main.tsx")],
      outdir: out,
      bundle: true,
      splitting: true,
      format: "esm",
      jsx: "automatic",
      define: { "process.env.NODE_ENV": '"production"' },
      logLevel: "error"
    })
    writeFileSync(join(out, "index.html"), page("/main.js", '<link rel="stylesheet" href="/main.css">'))
    return out
  },
  vite: async () => {
    const folder = application("with-vite")
    writeFileSync(join(folder, "index.html"), page("/main.tsx"))
    await viteBuild({ root: folder, configFile: false, logLevel: "error" })
    return join(folder, "dist")
  }
}

const types: Readonly<Record<string, string>> = { css: "text/css", html: "text/html", js: "text/javascript" }

describe("an application of the packed kanon/client and kanon/react", () => {
  let server: TestServer
  let browser: Browser
  let key: string
  beforeAll(async () => {
    server = await startServer()
    key = await server.key(await server.workspace("Handbook"))
    const content =
      "# Project Heron\n\nThe project manager of Project Heron was Bethan Oakshott. It closed in May 2026.\n"
    const { status } = await server.call("POST", "/api/v1/documents", {
      key,
      body: { path: "heron.md", content }
    })
    expect(status).toBe(201)
    browser = await launchBrowser()
  })
  afterAll(async () => {
    await browser.close()
    await server.close()
  })

  it.each(Object.entries(bundlers))("runs in a browser, bundled with %s", async (_, bundle) => {
    const folder = await bundle()
    const serve = async (request: Request): Promise<Response> => {
      const { pathname, search } = new URL(request.url)
      if (pathname.startsWith("/kanon/")) {
        const headers = new Headers(request.headers)
        headers.set("authorization", `Bearer ${key}`)
        const body = request.method === "GET" ? {} : { body: await request.text() }
        const address = `http://kanon.test${pathname.slice("/kanon".length)}${search}`
        return server.fetch(new Request(address, { method: request.method, headers, ...body }))
      }
      const file = join(folder, pathname === "/" ? "index.html" : pathname)
      if (!existsSync(file)) return new Response(null, { status: 404 })
      const type = types[file.slice(file.lastIndexOf(".") + 1)] ?? "text/plain"
      return new Response(readFileSync(file, "utf8"), { headers: { "content-type": type } })
    }
    const site = await listen(serve, {
      host: "127.0.0.1",
      port: 0,
      bodyTimeoutMs: 30_000,
      headersTimeoutMs: 30_000,
      sendTimeoutMs: 30_000,
      shutdownMs: 1000
    })
    const tab = await browser.newPage()
    const failures: Array<string> = []
    tab.on("pageerror", (error) => failures.push(error.message))
    tab.on("console", (message) => {
      if (message.type() === "error" && !message.text().includes("favicon")) failures.push(message.text())
    })
    await tab.route("**/favicon.ico", (route) => route.fulfill({ status: 204 }))
    await tab.goto(site.url)
    await tab.getByLabel("Question").fill("Who was the project manager of Project Heron?")
    await tab.getByRole("button", { name: "Ask" }).click()
    await tab.getByTestId("answer").waitFor()
    const verdict = tab.getByTestId("answer-verdict")
    await verdict.waitFor()
    // Text for the page: types of browsers are not those of this test.
    const radius = "getComputedStyle(document.querySelector('[data-testid=answer-verdict]')).borderRadius"
    expect(await tab.evaluate(radius)).toBe("999px")
    await tab.getByTestId("citation").first().click()
    await tab.getByTestId("source-mark").first().waitFor()
    expect((await tab.getByTestId("source-mark").allTextContents()).join("")).toContain("Bethan Oakshott")
    await tab.locator('canvas[data-nodes="2"][data-edges="1"]').waitFor()
    expect(failures).toEqual([])
    await tab.close()
    await site.close()
  })
})
