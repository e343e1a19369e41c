// Builds the console into a folder. What was built from the same sources before is copied.
//   node tools/build-console.mjs [FOLDER]   dist/console by default
import { createHash } from "node:crypto"
import {
  cpSync,
  existsSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  renameSync,
  rmSync,
  writeFileSync
} from "node:fs"
import { dirname, join } from "node:path"
import { fileURLToPath, pathToFileURL } from "node:url"
import { brotliCompressSync, constants, gzipSync } from "node:zlib"

const root = dirname(dirname(fileURLToPath(import.meta.url)))
const cache = join(root, "node_modules", ".cache", "kanon", "console")

/** Everything that decides what the console's files are. */
export const consoleSources = ["console", "react", "server/client", "server/console/model.ts"]

const digestOfSources = () => {
  const hash = createHash("sha256")
  const files = consoleSources.flatMap((path) =>
    path.endsWith(".ts")
      ? [join(root, path)]
      : readdirSync(join(root, path), { recursive: true, withFileTypes: true })
          .filter((entry) => entry.isFile())
          .map((entry) => join(entry.parentPath, entry.name))
          .sort()
  )
  for (const file of [...files, join(root, "package-lock.json"), fileURLToPath(import.meta.url)])
    hash.update(file.slice(root.length)).update("\0").update(readFileSync(file)).update("\0")
  return hash.digest("hex").slice(0, 24)
}

/** Smaller files are not worth a header. */
const compressedFrom = 1024

/** Puts beside each asset what is sent in its place: `.br` and `.gz`. */
const compress = (folder) => {
  for (const entry of readdirSync(folder, { recursive: true, withFileTypes: true })) {
    if (!entry.isFile() || !/\.(?:css|js|json|svg)$/.test(entry.name)) continue
    const path = join(entry.parentPath, entry.name)
    const bytes = readFileSync(path)
    if (bytes.length < compressedFrom) continue
    const params = { [constants.BROTLI_PARAM_SIZE_HINT]: bytes.length }
    writeFileSync(`${path}.br`, brotliCompressSync(bytes, { params }))
    writeFileSync(`${path}.gz`, gzipSync(bytes, { level: 9 }))
  }
}

/** Fills `folder` with the console. */
export const buildConsole = async (folder) => {
  const kept = join(cache, digestOfSources())
  if (!existsSync(kept)) {
    const { build } = await import("vite")
    const { licencesOf, packagesOf } = await import("./bundle.mjs")
    const fresh = `${kept}-${process.pid}`
    mkdirSync(cache, { recursive: true })
    // Test runners set another one, with which React is built for development.
    const environment = process.env.NODE_ENV
    process.env.NODE_ENV = "production"
    const { output } = await build({
      configFile: join(root, "console", "vite.config.ts"),
      logLevel: "warn",
      build: { outDir: fresh }
    }).finally(() => {
      process.env.NODE_ENV = environment
    })
    const modules = output.flatMap(({ moduleIds = [] }) => moduleIds.map((id) => id.slice(root.length + 1)))
    writeFileSync(join(fresh, "THIRD-PARTY-LICENSES.txt"), licencesOf(root, packagesOf(modules)))
    compress(fresh)
    // One build is kept; another process may have made the same meanwhile.
    for (const name of readdirSync(cache))
      if (/^[0-9a-f]{24}$/.test(name)) rmSync(join(cache, name), { recursive: true, force: true })
    renameSync(fresh, kept)
  }
  rmSync(folder, { recursive: true, force: true })
  cpSync(kept, folder, { recursive: true })
}

if (import.meta.url === pathToFileURL(process.argv[1] ?? "").href)
  await buildConsole(process.argv[2] ?? join(root, "dist", "console"))
