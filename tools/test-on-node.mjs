// Runs the tests on other versions of Node: `node tools/test-on-node.mjs 22 24`.
// Native modules are compiled for each version, so each has a copy of the checkout with an install of its own.
import { execFileSync } from "node:child_process"
import { cpSync, mkdtempSync, rmSync } from "node:fs"
import { tmpdir } from "node:os"
import { delimiter, dirname, join } from "node:path"
import { fileURLToPath } from "node:url"

const root = dirname(dirname(fileURLToPath(import.meta.url)))
const versions = process.argv.slice(2)
if (versions.length === 0) {
  console.error("usage: node tools/test-on-node.mjs VERSION...")
  process.exit(2)
}

/** The registry's package with Node's program and headers for this platform. */
const packageName = `node-${process.platform === "win32" ? "win" : process.platform}-${process.arch}`

const files = execFileSync("git", ["ls-files", "-z"], { cwd: root, encoding: "utf8", maxBuffer: 1 << 26 })
  .split("\0")
  .filter((file) => file !== "")

let failed = false
for (const version of versions) {
  const folder = mkdtempSync(join(tmpdir(), `kanon-node-${version}-`))
  const checkout = join(folder, "checkout")
  const run = (command, args, cwd, env = process.env) =>
    execFileSync(command, args, { cwd, env, stdio: "inherit" })
  try {
    for (const file of files) cpSync(join(root, file), join(checkout, file))
    run("npm", ["install", "--prefix", folder, "--no-save", `${packageName}@${version}`], folder)
    const node = join(folder, "node_modules", packageName)
    const env = {
      ...process.env,
      PATH: `${join(node, "bin")}${delimiter}${process.env.PATH}`,
      npm_config_nodedir: node
    }
    console.log(`Node ${execFileSync(join(node, "bin", "node"), ["--version"], { encoding: "utf8" }).trim()}`)
    run("npm", ["ci"], checkout, env)
    run("npm", ["test"], checkout, env)
    run("npm", ["run", "test:system"], checkout, env)
  } catch (error) {
    failed = true
    console.error(`Node ${version}: ${error.message}`)
  } finally {
    rmSync(folder, { recursive: true, force: true })
  }
}
process.exit(failed ? 1 : 0)
