import { execFileSync, spawnSync } from "node:child_process"
import {
  existsSync,
  mkdirSync,
  mkdtempSync,
  readFileSync,
  realpathSync,
  renameSync,
  rmSync,
  symlinkSync
} from "node:fs"
import { tmpdir } from "node:os"
import { dirname, join } from "node:path"
import { fileURLToPath } from "node:url"
import type { TestProject } from "vitest/node"

declare module "vitest" {
  interface ProvidedContext {
    /** Whether the compiler was content; the tests run what it wrote either way, and one test says so. */
    readonly buildSucceeded: boolean
    /** A folder in which the packed package is installed, as a user's project has it. */
    readonly consumer: string
  }
}

const root = join(dirname(fileURLToPath(import.meta.url)), "..", "..")

/** Builds `dist/` unless it is up to date, packs it, and installs the package into a folder of its own. */
export default (project: TestProject): (() => void) => {
  const build = spawnSync(process.execPath, ["tools/build.mjs", "--if-stale", "--keep-going"], {
    cwd: root,
    stdio: "inherit"
  })
  const consumer = realpathSync(mkdtempSync(join(tmpdir(), "kanon-consumer-")))
  install(consumer)
  project.provide("buildSucceeded", build.status === 0)
  project.provide("consumer", consumer)
  return () => rmSync(consumer, { recursive: true, force: true })
}

/**
 * Unpacks the package into `node_modules/kanon` and links beside it only what its package.json declares, so
 * that a file that was not packed and a dependency that was not declared are both missed here.
 */
const install = (folder: string): void => {
  const modules = join(folder, "node_modules")
  mkdirSync(join(modules, ".bin"), { recursive: true })
  const archive = execFileSync(
    "npm",
    ["pack", "--ignore-scripts", "--silent", "--pack-destination", folder],
    {
      cwd: root,
      encoding: "utf8"
    }
  ).trim()
  execFileSync("tar", ["-xzf", archive], { cwd: folder })
  renameSync(join(folder, "package"), join(modules, "kanon"))
  const manifest = JSON.parse(readFileSync(join(root, "package.json"), "utf8"))
  const declared = ["dependencies", "optionalDependencies", "peerDependencies"].flatMap((kind) =>
    Object.keys(manifest[kind] ?? {})
  )
  // A user of TypeScript has these two besides.
  for (const name of [...declared, "@types/node", "typescript"]) {
    const target = join(root, "node_modules", name)
    if (!existsSync(target)) continue
    mkdirSync(dirname(join(modules, name)), { recursive: true })
    symlinkSync(target, join(modules, name), "dir")
  }
  symlinkSync(join(modules, "kanon", manifest.bin.kanon), join(modules, ".bin", "kanon"))
}
