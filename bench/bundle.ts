import { mkdirSync, writeFileSync } from "node:fs"
import { createRequire } from "node:module"
import { join } from "node:path"
import { fileURLToPath, pathToFileURL } from "node:url"

const root = fileURLToPath(new URL("..", import.meta.url))

/**
 * Bundles programs of this repository as plain JavaScript, all into one folder, beside the packages that they load:
 * what a thread or a child process runs then weighs what it weighs for users. Gives the folder.
 */
export const bundled = async (name: string, entries: ReadonlyArray<string>): Promise<URL> => {
  // The bundler that the loader of our TypeScript programs brings along.
  const { build } = createRequire(createRequire(import.meta.url).resolve("tsx"))("esbuild")
  const folder = join(root, "node_modules", ".cache", "kanon", "bench", name)
  mkdirSync(folder, { recursive: true })
  writeFileSync(join(folder, "package.json"), '{"type":"module"}')
  await build({
    entryPoints: entries.map((entry) => join(root, entry)),
    outdir: folder,
    entryNames: "[name]",
    bundle: true,
    platform: "node",
    format: "esm",
    packages: "external",
    logLevel: "error"
  })
  return pathToFileURL(`${folder}/`)
}
