import { existsSync } from "node:fs"
import { dirname, join, posix } from "node:path"
import { describe, expect, it } from "vitest"
import { anchorsOf, commandsOf, type Fence, fences, linksOf, pages, programName } from "../support/docs.js"
import { root, textOf } from "../support/tree.js"

/**
 * Commands that the pages show and no block test runs, with what tries them instead. A line that is neither
 * here nor in a block with `test=` fails, and so does a line here that no page shows any more. A line that
 * ends with `*` stands for all that begin so.
 */
const triedElsewhere: Readonly<Record<string, string>> = {
  "npm ci && npm test": ".ci/run",
  "npm ci && npm run demo": "test/e2e/demo.test.ts",
  "npm run check": ".ci/run",
  "npm run crash-points": "test/repository/crash-points.test.ts",
  "npm run build": "test/support/build-once.ts, by way of tools/build.mjs",
  "npm run test:system": ".ci/run",
  "npm run test:fast": "a person, while writing",
  "npm run generate": "test/integration/server/server-openapi.test.ts",
  "npm run fix": "a person, before a commit",
  "npm run test:long": "a person, before a release",
  "npm run test:watch": "a person, while writing",
  "npx vitest run --mode long *": "a person, before a release",
  'kanon migrate --database "$OWNER_URL" --server-role kanon_server':
    "test/integration/postgres/postgres-walls.test.ts",
  'kanon serve --vault notes --database "$SERVER_URL"': "test/e2e/postgres.test.ts"
}

const blocks = fences()
const at = (fence: Fence) => `${fence.page}:${fence.line}`

describe("the documentation", () => {
  it("links only to files and headings that are there", () => {
    const anchors = new Map<string, ReadonlySet<string>>()
    const broken = pages.flatMap((page) =>
      linksOf(textOf(page)).flatMap(({ path, anchor }) => {
        const target = path === "" ? page : posix.normalize(posix.join(dirname(page), path))
        if (!existsSync(join(root, target))) return [`${page}: ${path}`]
        const isPage = target.endsWith(".md") && anchor !== ""
        if (isPage && !anchors.has(target)) anchors.set(target, anchorsOf(textOf(target)))
        return isPage && anchors.get(target)?.has(anchor) !== true ? [`${page}: ${path}#${anchor}`] : []
      })
    )
    expect(broken).toEqual([])
  })

  it("names only files that are there, save in decisions, which tell of what was", () => {
    const named = /\b(?:test|core|adapters|server|bench|tools|demo)\/[\w./-]+\.(?:ts|mjs|md|json)\b/g
    const gone = pages
      .filter((page) => !page.startsWith("docs/decisions/") && page !== "CHANGELOG.md")
      .flatMap((page) => [...textOf(page).matchAll(named)].map(([file]) => ({ page, file })))
      .filter(({ file }) => !file.includes("NNNN") && !existsSync(join(root, file)))
    expect(gone).toEqual([])
  })

  it("has no TypeScript block that is neither run nor marked as an excerpt", () => {
    const unmarked = blocks.filter((fence) => /^(ts|typescript|js|javascript|tsx)$/.test(fence.language))
    expect(
      unmarked
        .filter((fence) => programName(fence) === undefined && fence.attributes["excerpt"] === undefined)
        .map(at)
    ).toEqual([])
  })

  it("gives every program a name of its own", () => {
    const names = blocks.flatMap((fence) => programName(fence) ?? [])
    expect(names.filter((name, index) => names.indexOf(name) !== index)).toEqual([])
  })

  it("quotes only excerpts that stand in the file they name", () => {
    const wrong = blocks.flatMap((fence) => {
      const source = fence.attributes["excerpt"]
      if (source === undefined) return []
      if (!existsSync(join(root, source))) return [`${at(fence)}: there is no ${source}`]
      const squeeze = (text: string) => text.replace(/\s+/g, " ").trim()
      return squeeze(textOf(source)).includes(squeeze(fence.text)) ? [] : [`${at(fence)}: not in ${source}`]
    })
    expect(wrong).toEqual([])
  })

  it("shows no command that nothing tries", () => {
    const shell = blocks.filter((fence) => /^(sh|bash|shell|console)$/.test(fence.language))
    const untried = shell.filter((fence) => fence.attributes["test"] === undefined)
    const fits = (line: string, entry: string) =>
      entry.endsWith("*") ? line.startsWith(entry.slice(0, -1)) : line === entry
    const known = Object.keys(triedElsewhere)
    const shown = untried.flatMap((fence) => commandsOf(fence).map((line) => ({ line, place: at(fence) })))
    expect(shown.filter(({ line }) => !known.some((entry) => fits(line, entry)))).toEqual([])
    expect(known.filter((entry) => !shown.some(({ line }) => fits(line, entry)))).toEqual([])
  })

  it("names only scripts that package.json has", () => {
    const scripts: Readonly<Record<string, string>> = JSON.parse(textOf("package.json")).scripts
    const named = pages.flatMap((page) =>
      [...textOf(page).matchAll(/\bnpm run ([a-z][a-z:-]*)/g)].map(([, script = ""]) => ({ page, script }))
    )
    expect(named.filter(({ script }) => !(script in scripts))).toEqual([])
  })

  it("shows an expected output only for a program or a block that is run", () => {
    const run = new Set(blocks.flatMap((fence) => programName(fence) ?? fence.attributes["test"] ?? []))
    const outputs = blocks.flatMap((fence) => fence.attributes["output"] ?? [])
    expect(outputs.filter((name) => !run.has(name))).toEqual([])
  })
})

/** Ports that no layer must provide, because core has a default. */
const defaulted = ["Chunker", "Crawlers", "LsaFitter"]

describe("the page about adapters", () => {
  const rows = textOf("docs/writing-an-adapter.md")
    .split("\n")
    .filter((line) => line.startsWith("| `"))
    .map((line) => line.split("|").map((cell) => [...cell.matchAll(/`(\w+)`/g)].map(([, name]) => name)))

  it("lists each port of an engine once", () => {
    const ports = [...textOf("core/ports.ts").matchAll(/^ {2}\| (\w+)$/gm)].map(([, name]) => name)
    // Stores that are always implemented together are parts of one port.
    expect(ports.length).toBeGreaterThan(20)
    expect(ports.length).toBeLessThanOrEqual(30)
    const listed = rows.flatMap((cells) => cells[1] ?? [])
    expect(listed.toSorted()).toEqual(
      [...ports, ...defaulted, "ChatModel", "Embedder", "Reranker"].toSorted()
    )
  })

  it("names every published suite of a port", () => {
    const suites = [...textOf("test/contract/index.ts").matchAll(/\b\w+Contract\b/g)].map(([name]) => name)
    const named = rows.flatMap((cells) => cells[3] ?? [])
    // The clock is a service of Effect, no port.
    expect(named.toSorted()).toEqual(suites.filter((name) => name !== "clockContract").toSorted())
  })
})
