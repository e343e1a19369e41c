import { mkdtempSync, rmSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import type { TestProject } from "vitest/node"
import { buildConsole } from "../../tools/build-console.mjs"

declare module "vitest" {
  interface ProvidedContext {
    /** The folder of the built pages of the console. */
    readonly consoleFolder: string
  }
}

/** Builds the pages once for all tests in browsers; unchanged ones are copied. */
export default async (project: TestProject): Promise<() => void> => {
  const folder = join(mkdtempSync(join(tmpdir(), "kanon-console-")), "console")
  await buildConsole(folder)
  project.provide("consoleFolder", folder)
  return () => rmSync(join(folder, ".."), { recursive: true, force: true })
}
