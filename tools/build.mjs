// Builds dist/ in a folder beside it and swaps that in when it is whole, so nobody ever runs half a build.
//   --if-stale   do nothing when dist/ was made from exactly these sources
//   --keep-going put the JavaScript in place although types are wrong (tests run it; the exit status still tells)
import { spawn } from "node:child_process"
import { createHash } from "node:crypto"
import { once } from "node:events"
import {
  chmodSync,
  cpSync,
  existsSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  renameSync,
  rmSync,
  writeFileSync
} from "node:fs"
import { createRequire } from "node:module"
import { dirname, join } from "node:path"
import { fileURLToPath } from "node:url"
import { buildConsole } from "./build-console.mjs"
import { bundle, bundleLibrary } from "./bundle.mjs"

const root = dirname(dirname(fileURLToPath(import.meta.url)))
const options = new Set(process.argv.slice(2))
/** Documents that `npm ci` and `npm run generate` make of the catalog and the commands; the package holds them. */
const madeDocuments = ["docs/openapi.json", "docs/api.md", "docs/cli-reference.md"].filter((file) =>
  existsSync(join(root, file))
)

const stampFile = join(root, "node_modules", ".cache", "kanon", "build.json")

/** A digest of everything that decides what dist/ holds. */
const digestOfSources = () => {
  const hash = createHash("sha256")
  const folders = [
    "core",
    "adapters",
    "server",
    "react",
    "console",
    "demo",
    "test/contract",
    "test/simulation"
  ]
  const inFolders = folders
    .filter((folder) => existsSync(join(root, folder)))
    .flatMap((folder) =>
      readdirSync(join(root, folder), { recursive: true, withFileTypes: true })
        .filter((entry) => entry.isFile())
        .map((entry) => join(entry.parentPath, entry.name))
    )
  const settings = [
    ...["package.json", "package-lock.json", "tsconfig.json", "tsconfig.build.json"],
    ...["tools/build.mjs", "tools/bundle.mjs", "tools/build-console.mjs"],
    ...madeDocuments
  ]
  for (const file of [...inFolders.sort(), ...settings.map((name) => join(root, name))]) {
    hash.update(file).update("\0").update(readFileSync(file)).update("\0")
  }
  return hash.digest("hex")
}

const lastBuild = () => {
  if (!existsSync(stampFile) || !existsSync(join(root, "dist"))) return { digest: "", status: 0 }
  return JSON.parse(readFileSync(stampFile, "utf8"))
}

/** Returns the paths of the package's commands within a folder that will become dist/. */
const commands = (folder) => {
  const { bin } = JSON.parse(readFileSync(join(root, "package.json"), "utf8"))
  return Object.values(bin).map((path) => join(folder, path.replace(/^(\.\/)?dist\//, "")))
}

/** Compiles the library, then `kanon/react`, which knows the types of browsers. Gives the first status that is not 0. */
const compile = async (compiler, fresh) => {
  const statuses = []
  for (const project of ["tsconfig.build.json", "react/tsconfig.json"]) {
    const run = spawn(process.execPath, [compiler, "-p", project, "--outDir", fresh], {
      cwd: root,
      stdio: "inherit"
    })
    const [status] = await once(run, "exit")
    statuses.push(status ?? 1)
  }
  return statuses.find((status) => status !== 0) ?? 0
}

const build = async (digest) => {
  // A sibling of dist/, so that the relative paths in source maps are right after the swap.
  const fresh = join(root, `.dist-${process.pid}`)
  const old = `${fresh}-old`
  try {
    const compiler = createRequire(import.meta.url).resolve("typescript/bin/tsc")
    // The console is built beside the compiler, which has the other processor.
    const consoleBuilt = buildConsole(join(fresh, "console"))
    const status = await compile(compiler, fresh)
    if (status !== 0 && !options.has("--keep-going")) return status
    await bundle(root, fresh)
    await bundleLibrary(root, fresh)
    await consoleBuilt
    for (const name of ["vault", "questions.json"])
      cpSync(join(root, "demo", name), join(fresh, "demo", name), {
        recursive: true,
        filter: (path) => !path.split(/[\\/]/u).includes(".kanon")
      })
    cpSync(join(root, "react", "style.css"), join(fresh, "react", "style.css"))
    for (const file of madeDocuments) cpSync(join(root, file), join(fresh, file))
    for (const command of commands(fresh)) if (existsSync(command)) chmodSync(command, 0o755)
    if (existsSync(join(root, "dist"))) renameSync(join(root, "dist"), old)
    renameSync(fresh, join(root, "dist"))
    mkdirSync(dirname(stampFile), { recursive: true })
    writeFileSync(stampFile, JSON.stringify({ digest, status }))
    return status
  } finally {
    rmSync(fresh, { recursive: true, force: true })
    rmSync(old, { recursive: true, force: true })
  }
}

const digest = digestOfSources()
const last = lastBuild()
const upToDate =
  options.has("--if-stale") && last.digest === digest && (last.status === 0 || options.has("--keep-going"))
process.exitCode = upToDate ? last.status : await build(digest)
