import { readdirSync, readFileSync } from "node:fs"
import { join } from "node:path"
import { gzipSync } from "node:zlib"

/** Gzipped bytes of the JavaScript of the console: what every visit loads first, and what each page loads beside that. */
export interface ConsoleSizes {
  readonly first: number
  readonly pages: ReadonlyArray<{ readonly name: string; readonly bytes: number }>
}

/** Measures the built console in `folder`: scripts of index.html with all that they import, and each page's own. */
export const consoleSizes = (folder: string): ConsoleSizes => {
  const assets = join(folder, "assets")
  const texts = new Map(
    readdirSync(assets)
      .filter((name) => name.endsWith(".js"))
      .map((name) => [name, readFileSync(join(assets, name), "utf8")])
  )
  const index = readFileSync(join(folder, "index.html"), "utf8")
  const first = reached(
    texts,
    [...index.matchAll(/assets\/([\w.-]+\.js)/g)].map(([, name = ""]) => name)
  )
  const loaded = [...first].map((name) => texts.get(name) ?? "")
  const lazy = [...loaded.join("").matchAll(/import\(`\.\/([\w.-]+\.js)`\)|import\("\.\/([\w.-]+\.js)"\)/g)]
  const pages = lazy.map(([, one, other]) => one ?? other ?? "").filter((name) => !first.has(name))
  return {
    first: sizeOf(texts, first),
    pages: [...new Set(pages)].map((name) => ({
      name,
      bytes: sizeOf(
        texts,
        [...reached(texts, [name])].filter((file) => !first.has(file))
      )
    }))
  }
}

/** Files and all that they import at once. */
const reached = (texts: ReadonlyMap<string, string>, from: ReadonlyArray<string>): Set<string> => {
  const found = new Set<string>()
  const queue = [...from]
  for (let name = queue.pop(); name !== undefined; name = queue.pop()) {
    if (found.has(name) || !texts.has(name)) continue
    found.add(name)
    for (const [, imported = ""] of (texts.get(name) ?? "").matchAll(
      /(?:from|import)\s*["`]\.\/([\w.-]+\.js)["`]/g
    ))
      queue.push(imported)
  }
  return found
}

const sizeOf = (texts: ReadonlyMap<string, string>, names: Iterable<string>): number =>
  [...names].reduce((sum, name) => sum + gzipSync(texts.get(name) ?? "").byteLength, 0)
