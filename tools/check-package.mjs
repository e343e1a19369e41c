// Packs the package as it would be published and asks publint and are-the-types-wrong what is amiss with it.
import { spawnSync } from "node:child_process"
import { mkdtempSync, readdirSync, rmSync } from "node:fs"
import { tmpdir } from "node:os"
import { dirname, join } from "node:path"
import { fileURLToPath } from "node:url"

const root = dirname(dirname(fileURLToPath(import.meta.url)))
const folder = mkdtempSync(join(tmpdir(), "kanon-package-"))

const run = (command, ...args) => {
  const { status } = spawnSync(command, args, {
    cwd: root,
    stdio: "inherit",
    shell: process.platform === "win32"
  })
  return status ?? 1
}
const tool = (name, ...args) => run(join(root, "node_modules", ".bin", name), ...args)

const check = () => {
  const built = run(process.execPath, "tools/build.mjs", "--if-stale")
  if (built !== 0) return built
  const packed = run("npm", "pack", "--ignore-scripts", "--silent", "--pack-destination", folder)
  if (packed !== 0) return packed
  const archive = join(
    folder,
    readdirSync(folder).find((name) => name.endsWith(".tgz"))
  )
  const published = tool("publint", "run", archive, "--strict")
  // The package is ES modules only: how CommonJS sees it does not matter. A stylesheet has no types.
  const typed = tool("attw", archive, "--profile", "esm-only", "--exclude-entrypoints", "./react/style.css")
  return published || typed
}

try {
  process.exitCode = check()
} finally {
  rmSync(folder, { recursive: true, force: true })
}
