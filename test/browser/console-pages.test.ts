import { mkdirSync, readdirSync, readFileSync, writeFileSync } from "node:fs"
import { createRequire } from "node:module"
import { join } from "node:path"
import { beforeAll, describe, expect, it } from "vitest"
import { prepareTour, tourModel } from "../support/console-tour.js"
import { consoleWorld, type Tab } from "../support/console-world.js"
import { smallPng } from "../support/small-png.js"
import { english as englishSections, german, textsOf } from "./console-words.js"

const world = consoleWorld({}, { documents: {}, models: { chat: tourModel() }, withWorker: true })
let tour: Awaited<ReturnType<typeof prepareTour>>
beforeAll(async () => {
  tour = await prepareTour(world())
})

const root = join(import.meta.dirname, "../..")
const axe = readFileSync(createRequire(import.meta.url).resolve("axe-core/axe.min.js"), "utf8")
const question = "How long does the PB-7 take to feather a blade in an emergency?"

/** Goes to a page of the console as its own links do, and waits for what it shows. */
const visit = async ({ page }: Tab, path: string): Promise<void> => {
  await page.evaluate((to) => history.pushState(null, "", to), path)
  await page.waitForFunction(
    () => document.querySelector("h1") !== null && document.querySelector(".loading, .row-waiting") === null
  )
  // Figures and charts come a moment after their page.
  await page.waitForTimeout(80)
}

const askAndOpenSource = async ({ by, page }: Tab): Promise<void> => {
  await by("ask-question").fill(question)
  await by("ask-submit").click()
  await by("answer").waitFor()
  await by("citation").first().click()
  await by("source-mark").first().waitFor()
  await page.mouse.move(0, 0)
}

interface Finding {
  readonly id: string
  readonly impact: string
  readonly nodes: ReadonlyArray<{ readonly html: string; readonly failureSummary: string }>
}

/** Findings of axe that keep people out: all rules, or those on colours alone; of the whole page or of its content. */
const barriersOf = (
  { page }: Tab,
  only: { readonly rules: "all" | "colours"; readonly part: "page" | "content" }
): Promise<ReadonlyArray<string>> =>
  page.evaluate(async ({ part, rules }) => {
    const { axe } = window as unknown as {
      axe: {
        run: (context: object, options: object) => Promise<{ violations: ReadonlyArray<Finding> }>
      }
    }
    const { violations } = await axe.run(part === "page" ? document : { exclude: [[".side"]] }, {
      resultTypes: ["violations"],
      ...(rules === "all" ? {} : { runOnly: { type: "rule", values: ["color-contrast"] } })
    })
    return violations
      .filter(({ impact }) => impact === "serious" || impact === "critical")
      .map(({ id, nodes }) => `${id}: ${nodes[0]?.html} ${nodes[0]?.failureSummary}`)
  }, only)

/** Controls that reach beyond the sides of the window, where nothing scrolls to them; and the page when it does. */
const lostIn = ({ page }: Tab): Promise<ReadonlyArray<string>> =>
  page.evaluate(() => {
    const scrolls = (element: Element | null): boolean =>
      element !== null &&
      element !== document.body &&
      (/auto|scroll/.test(getComputedStyle(element).overflowX) || scrolls(element.parentElement))
    const lost = [...document.querySelectorAll("a, button, input, select, textarea, summary")].filter(
      (control) => {
        const { left, right, width } = control.getBoundingClientRect()
        const isShown = control.checkVisibility({ visibilityProperty: true }) && width > 1
        return isShown && (left < 0 || right > innerWidth) && !scrolls(control.parentElement)
      }
    )
    const tooWide = document.documentElement.scrollWidth > innerWidth ? ["the page scrolls sideways"] : []
    return [...lost.map(({ outerHTML }) => outerHTML.slice(0, 160)), ...tooWide]
  })

describe("every page of the console", () => {
  it("is on the tour", () => {
    const routes = readFileSync(join(root, "console/src/routes.tsx"), "utf8").matchAll(/path: "([^"]+)"/g)
    const seen = [...Object.values(tour), "/answers/x"].map((path) => path.replace(/\?.*/, ""))
    for (const [, route = ""] of routes) {
      const pattern = new RegExp(`^${route.replace(/\/:\w+\?/, "(/[^/]+)?").replace(/:\w+/, "[^/]+")}$`)
      expect(
        seen.filter((path) => pattern.test(path)),
        route
      ).not.toEqual([])
      if (route.endsWith("?"))
        expect(seen.filter((path) => pattern.test(path)).length, route).toBeGreaterThan(1)
    }
  })

  it("keeps nobody out in either theme, and loses nothing at 320 pixels", async () => {
    const tab = await world().open("/", { bypassCSP: true })
    const { page } = tab
    await page.evaluate(axe)
    // The navigation is the same on all pages.
    let part: "page" | "content" = "page"
    const check = async (name: string) => {
      expect(await barriersOf(tab, { part, rules: "all" }), name).toEqual([])
      await page.emulateMedia({ colorScheme: "dark" })
      expect(await barriersOf(tab, { part, rules: "colours" }), `${name}, dark`).toEqual([])
      part = "content"
      await page.emulateMedia({ colorScheme: "light" })
      await page.setViewportSize({ width: 320, height: 700 })
      // Charts take their new size a moment later.
      await expect.poll(() => lostIn(tab), { message: `${name}, 320 pixels` }).toEqual([])
      await page.setViewportSize({ width: 1280, height: 860 })
    }
    for (const [name, path] of Object.entries(tour)) {
      await visit(tab, path)
      await check(name)
    }
    await visit(tab, "/")
    await askAndOpenSource(tab)
    await check("answer with its source")
    const link = await page.evaluate(async () => {
      const { csrf, workspaceId } = await (await fetch("console/session")).json()
      const made = await fetch("console/invitations", {
        method: "POST",
        headers: { "content-type": "application/json", "x-kanon-csrf": csrf, "x-workspace-id": workspaceId },
        body: JSON.stringify({ role: "member" })
      })
      return `/join#${workspaceId}.${(await made.json()).token}`
    })
    await page.goto(world().url.replace("127.0.0.1", "localhost") + link)
    await page.getByTestId("join-name").waitFor()
    await page.evaluate(axe)
    part = "page"
    await check("join")
    await tab.close()
  })
})

describe("the console in German", () => {
  it("has no English text on any page and loses nothing at 320 pixels", async () => {
    const tab = await world().open("/", { locale: "de-AT" })
    const { by, page } = tab
    expect(await page.evaluate(() => document.documentElement.lang)).toBe("de")
    const findings: Array<string> = []
    const shown = new Set(textsOf(german).map(({ text }) => text))
    const english = textsOf(englishSections)
      .map(({ text }) => text)
      // A run of the tour has this name.
      .filter((text) => text !== "" && text !== "Baseline" && !shown.has(text))
    const check = async (name: string) => {
      const left = await page.evaluate((texts) => {
        const known = new Set(texts)
        const found: Array<string> = []
        const walker = document.createTreeWalker(
          document.body,
          NodeFilter.SHOW_ELEMENT | NodeFilter.SHOW_TEXT
        )
        for (let node = walker.nextNode(); node !== null; node = walker.nextNode())
          if (node instanceof Element)
            found.push(...["aria-label", "placeholder", "title"].map((name) => node.getAttribute(name) ?? ""))
          // Texts of the workspace are in elements of their own direction.
          else if (
            node.parentElement?.closest(
              "bdi, [dir=auto], code, pre, [data-testid=workspace-switch], [lang]:not(html)"
            ) === null
          )
            found.push(node.nodeValue?.trim() ?? "")
        return found.filter((text) => known.has(text))
      }, english)
      await page.setViewportSize({ width: 320, height: 700 })
      // Charts take their new size a moment later.
      await page.waitForTimeout(150)
      const lost = await lostIn(tab)
      await page.setViewportSize({ width: 1280, height: 860 })
      findings.push(...[...left, ...lost].map((finding) => `${name}: ${finding}`))
    }
    const side = page.locator(".side")
    expect(await side.evaluate((one) => one.scrollWidth <= one.clientWidth)).toBe(true)
    for (const [name, path] of Object.entries(tour)) {
      await visit(tab, path)
      await check(name)
    }
    await visit(tab, "/")
    await askAndOpenSource(tab)
    await check("answer with its source")
    expect(findings).toEqual([])
    // The choice of a person goes before that of the browser, and stays.
    await Promise.all([page.waitForEvent("load"), by("language").selectOption("en")])
    await page.getByRole("link", { name: "Documents" }).waitFor()
    await page.reload()
    await page.getByRole("link", { name: "Documents" }).waitFor()
    expect(await page.evaluate(() => document.documentElement.lang)).toBe("en")
    await tab.close()
  })
})

interface Shot {
  readonly name: string
  readonly path: () => string
  readonly before?: (tab: Tab) => Promise<void>
}
const shots: ReadonlyArray<Shot> = [
  { name: "ask", path: () => tour.ask, before: askAndOpenSource },
  { name: "documents", path: () => tour.documents },
  { name: "entity", path: () => tour.entity },
  { name: "graph", path: () => tour.graph, before: ({ page }) => page.waitForTimeout(1500) },
  { name: "inbox", path: () => tour.inbox },
  { name: "decision", path: () => tour.decision },
  { name: "run", path: () => tour.run }
]
const folder = join(root, "docs/images")
const size = { width: 1280, height: 800 }
const bytesMax = 100_000
const isWriting = process.env["KANON_SCREENSHOTS"] === "1"

describe("the screenshots of docs/console.md", () => {
  it("show pages that are there", async () => {
    const tab = await world().open("/", { viewport: size, colorScheme: "light" })
    for (const { before, name, path } of shots) {
      await visit(tab, path())
      await before?.(tab)
      const image = smallPng(await tab.page.screenshot({ animations: "disabled" }))
      expect(image.byteLength, name).toBeLessThan(bytesMax)
      if (isWriting) {
        mkdirSync(folder, { recursive: true })
        writeFileSync(join(folder, `console-${name}.png`), image)
      }
    }
    await tab.close()
  })

  it("are the ones that the page names, in the size of a window", () => {
    const names = shots.map(({ name }) => `console-${name}.png`)
    const page = readFileSync(join(root, "docs/console.md"), "utf8")
    const shown = [...page.matchAll(/\]\(images\/([\w.-]+)\)/g)].map(([, name]) => name)
    expect(shown).toEqual(names)
    expect(
      readdirSync(folder)
        .filter((name) => name.startsWith("console-"))
        .sort()
    ).toEqual([...names].sort())
    for (const name of names) {
      const image = readFileSync(join(folder, name))
      expect([image.readUInt32BE(16), image.readUInt32BE(20)], name).toEqual([size.width, size.height])
      expect(image.byteLength, name).toBeLessThan(bytesMax)
    }
  })
})
