import { readdirSync, readFileSync, statSync } from "node:fs"
import { join } from "node:path"
import { brotliDecompressSync, gunzipSync, gzipSync } from "node:zlib"
import { describe, expect, inject, it } from "vitest"
import { consoleSizes } from "../../bench/console-sizes.js"

const folder = inject("consoleFolder")

describe("the files of the console", () => {
  it("load at first within 180 kB of gzipped JavaScript, and each page within 70 kB more", () => {
    const { first, pages } = consoleSizes(folder)
    expect(first).toBeLessThanOrEqual(180_000)
    for (const { bytes, name } of pages) expect(bytes, name).toBeLessThanOrEqual(70_000)
  })

  it("are stored compressed, as brotli and as gzip, beside the files themselves", () => {
    const assets = join(folder, "assets")
    const scripts = readdirSync(assets).filter((name) => /\.(?:css|js)$/.test(name))
    for (const name of scripts.filter((one) => statSync(join(assets, one)).size >= 1024)) {
      const text = readFileSync(join(assets, name))
      expect(brotliDecompressSync(readFileSync(join(assets, `${name}.br`))).equals(text), name).toBe(true)
      expect(gunzipSync(readFileSync(join(assets, `${name}.gz`))).equals(text), name).toBe(true)
    }
  })

  it("hold 2.5 MB at most and no schema library", () => {
    const files = readdirSync(folder, { recursive: true, withFileTypes: true }).filter(
      (one) => one.isFile() && !/\.(?:br|gz)$/.test(one.name)
    )
    const paths = files.map(({ name, parentPath }) => join(parentPath, name))
    expect(paths.reduce((sum, path) => sum + statSync(path).size, 0)).toBeLessThanOrEqual(2_500_000)
    const scripts = paths.filter((path) => path.endsWith(".js")).map((path) => readFileSync(path, "utf8"))
    expect(scripts.filter((text) => text.includes("ZodError"))).toEqual([])
    expect(gzipSync(scripts.join("")).byteLength).toBeLessThan(500_000)
  })
})
