import { chromium } from "playwright-core"
import { readFileSync } from "node:fs"
const token = /token=(\S+)/.exec(readFileSync("/tmp/cs.log","utf8"))[1]
const key = process.env.KEY
const browser = await chromium.launch({ executablePath: "/usr/bin/chromium-headless-shell", args: ["--no-sandbox"] })
const context = await browser.newContext({ viewport: { width: 1360, height: 860 }, colorScheme: process.env.DARK ? "dark" : "light" })
const page = await context.newPage()
page.on("console", (m) => { if (m.type() === "error" || m.type()==="warning") console.log("CONSOLE", m.text()) })
page.on("pageerror", (e) => console.log("PAGEERROR", e.message, (e.stack??"").split("\n").slice(0,4).join("|")))
page.on("response", (r) => { if (r.status() >= 400) console.log("HTTP", r.status(), r.url()) })
const shot = (name) => page.screenshot({ path: `/tmp/shots/${name}.png` })
const base = "http://127.0.0.1:7500"
export { page, shot, base, token, browser, context }
const steps = await import(process.argv[2])
try { await steps.default({ page, shot, base, token, key, context }) } catch (e) { console.log("FAILED", e.message); await shot("failed") }
await browser.close()
