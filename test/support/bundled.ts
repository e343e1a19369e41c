import { mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs"
import { join } from "node:path"
import { pathToFileURL } from "node:url"
import { build, type Plugin } from "esbuild"
import { root } from "./tree.js"

/** A folder for what a test bundles, within reach of the packages. */
const ownFolder = (): string => {
  const folder = join(root, "node_modules", ".cache", "kanon")
  mkdirSync(folder, { recursive: true })
  return mkdtempSync(join(folder, "child-"))
}

/**
 * A program with all that it imports in one file: a process or thread that runs it starts in a third of the time that a
 * loader of TypeScript takes. Gone with `drop`.
 *
 * @param program One of this folder by its name, any other by its path without the ending.
 */
export const bundled = async (
  program: string
): Promise<{ readonly file: string; readonly drop: () => void }> => {
  const own = ownFolder()
  const file = join(own, "child.mjs")
  await build({
    entryPoints: [join(root, program.includes("/") ? "" : "test/support", `${program}.ts`)],
    outfile: file,
    bundle: true,
    platform: "node",
    format: "esm",
    logLevel: "error",
    external: ["better-sqlite3", "hnswlib-node", "pg-native"],
    banner: {
      js: 'import { createRequire as requireOfBundle } from "node:module"; const require = requireOfBundle(import.meta.url);'
    }
  })
  return { file, drop: () => rmSync(own, { recursive: true, force: true }) }
}

/** Modules go on looking for files beside where they are written. */
const whereTheyAre: Plugin = {
  name: "where-they-are",
  setup: ({ onLoad }) => {
    onLoad({ filter: /\.ts$/ }, ({ path }) => {
      const text = readFileSync(path, "utf8")
      if (!text.includes("import.meta.url")) return undefined
      const address = JSON.stringify(pathToFileURL(path).href)
      return { contents: text.replaceAll("import.meta.url", address), loader: "ts" }
    })
  }
}

/** A program that loads a part of itself when it is asked for, likewise: each part in a file, packages as they are. */
export const bundledInParts = async (
  path: string
): Promise<{ readonly file: string; readonly drop: () => void }> => {
  const own = ownFolder()
  writeFileSync(join(own, "package.json"), '{"type":"module"}')
  await build({
    entryPoints: [join(root, path)],
    outdir: own,
    entryNames: "program",
    bundle: true,
    splitting: true,
    platform: "node",
    format: "esm",
    packages: "external",
    plugins: [whereTheyAre],
    logLevel: "error"
  })
  return { file: join(own, "program.js"), drop: () => rmSync(own, { recursive: true, force: true }) }
}
