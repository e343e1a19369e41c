import { existsSync } from "node:fs"
import { type Browser, chromium } from "playwright-core"

/** Path of the program in Debian's package `chromium-headless-shell`. */
const debian = "/usr/bin/chromium-headless-shell"

/** The browser of the tests: `KANON_TEST_BROWSER`, else Debian's, else that of a package for machines without one. */
export const launchBrowser = async (): Promise<Browser> => {
  const named = process.env["KANON_TEST_BROWSER"]
  const args = ["--no-sandbox", "--disable-dev-shm-usage", "--force-color-profile=srgb"]
  if (named !== undefined) return chromium.launch({ executablePath: named, args })
  if (existsSync(debian)) return chromium.launch({ executablePath: debian, args })
  const { default: packed } = await import("@sparticuz/chromium")
  return chromium.launch({ executablePath: await packed.executablePath(), args: [...packed.args, ...args] })
}
