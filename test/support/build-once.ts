import { execFile, spawn } from "node:child_process"
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
import { promisify } from "node:util"
import type { TestProject } from "vitest/node"
import { type Built, noteBuilt } from "./built-note.js"

declare module "vitest" {
  interface ProvidedContext {
    /** A folder in which the packed package is installed, as a user's project has it, once that is built. */
    readonly consumer: string
  }
}

const root = join(dirname(fileURLToPath(import.meta.url)), "..", "..")
const run = promisify(execFile)

/**
 * Builds `dist/` unless it is up to date, packs it, and installs the package into a folder of its own. Nobody waits for
 * that here: tests that need none of it run meanwhile, and `test/support/built.ts` holds up those that do.
 */
export default (project: TestProject): (() => Promise<void>) => {
  const consumer = realpathSync(mkdtempSync(join(tmpdir(), "kanon-consumer-")))
  const installed = prepare(consumer)
  project.provide("consumer", consumer)
  return async () => {
    await installed
    rmSync(consumer, { recursive: true, force: true })
  }
}

const prepare = async (consumer: string): Promise<void> => {
  const outcome = await building()
    .then(async (succeeded): Promise<Built> => {
      await install(consumer)
      return { succeeded, error: null }
    })
    .catch((error: unknown): Built => ({ succeeded: false, error: String(error) }))
  noteBuilt(consumer, outcome)
}

/** One build for all projects of a run, each of which loads this file anew. */
const building = (): Promise<boolean> => {
  const shared: typeof globalThis & { kanonBuild?: Promise<boolean> } = globalThis
  shared.kanonBuild ??= new Promise((resolve) => {
    const build = spawn(process.execPath, ["tools/build.mjs", "--if-stale", "--keep-going"], {
      cwd: root,
      stdio: "inherit"
    })
    build.on("error", () => resolve(false)).on("exit", (code) => resolve(code === 0))
  })
  return shared.kanonBuild
}

/**
 * Unpacks the package into `node_modules/kanon` and links beside it only what its package.json declares, so
 * that a file that was not packed and a dependency that was not declared are both missed here.
 */
const install = async (folder: string): Promise<void> => {
  const modules = join(folder, "node_modules")
  mkdirSync(join(modules, ".bin"), { recursive: true })
  const pack = ["pack", "--ignore-scripts", "--silent", "--pack-destination", folder]
  const archive = (await run("npm", pack, { cwd: root })).stdout.trim()
  await run("tar", ["-xzf", archive], { cwd: folder })
  renameSync(join(folder, "package"), join(modules, "kanon"))
  const manifest = JSON.parse(readFileSync(join(root, "package.json"), "utf8"))
  const declared = ["dependencies", "optionalDependencies", "peerDependencies"].flatMap((kind) =>
    Object.keys(manifest[kind] ?? {})
  )
  // A user of TypeScript has the first besides, one of React its types and what draws it, one of the AI SDK its packages.
  const besides = [
    "@types/node",
    "typescript",
    "@types/react",
    "csstype",
    "react-dom",
    "scheduler",
    "@ai-sdk/openai-compatible"
  ]
  for (const name of [...declared, ...besides]) {
    const target = join(root, "node_modules", name)
    if (!existsSync(target)) continue
    mkdirSync(dirname(join(modules, name)), { recursive: true })
    symlinkSync(target, join(modules, name), "dir")
  }
  symlinkSync(join(modules, "kanon", manifest.bin.kanon), join(modules, ".bin", "kanon"))
}
