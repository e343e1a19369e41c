import { mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs"
import { tmpdir } from "node:os"
import { dirname, join } from "node:path"
import { fileURLToPath } from "node:url"
import { z } from "zod"
import type { Engine } from "../../adapters/sqlite/index.js"
import { createEngine } from "./database.js"

const Pattern = z
  .object({ source: z.string(), flags: z.string() })
  .transform(({ flags, source }) => new RegExp(source, flags))

/** A check of a small vault; `want` must match what is seen, `never` must not. */
const Check = z.object({
  /** The first result is the document `first`. */
  search: z.string().optional(),
  first: z.string().optional(),
  /** The documents with this tag include the document `includes`. */
  tag: z.string().optional(),
  includes: z.string().optional(),
  /** The edges of each entity that the name may mean. */
  neighborhoodOf: z.string().optional(),
  /** The documents as `path=title`. */
  titles: z.literal(true).optional(),
  /** The paths that a search finds. */
  searchAbsent: z.string().optional(),
  /** The entities as `type/name`, one a line. */
  entities: z.literal(true).optional(),
  /** The documents that mention the entity of this name, one path a line. */
  mentionsOf: z.string().optional(),
  /** Verdict and text of the answer with an enforcing gate: `verdict: text`. */
  ask: z.string().optional(),
  want: Pattern.nullish(),
  never: Pattern.nullish()
})
export type Check = z.infer<typeof Check>

const Cases = z.record(
  z.string(),
  z.object({ files: z.record(z.string(), z.string()), checks: z.array(Check) })
)

/** Reads the cases of a file in `test/fixtures/reports`. */
export const readCases = (file: string) =>
  Cases.parse(
    JSON.parse(readFileSync(fileURLToPath(new URL(`../fixtures/reports/${file}`, import.meta.url)), "utf8"))
  )

/** Opens an engine over a vault of these files and takes them in. */
export const openVault = async (files: Readonly<Record<string, string>>) => {
  const vault = mkdtempSync(join(tmpdir(), "kanon-reported-"))
  for (const [path, text] of Object.entries(files)) {
    mkdirSync(dirname(join(vault, path)), { recursive: true })
    writeFileSync(join(vault, path), text)
  }
  const engine = await createEngine({ vault, data: ":memory:" })
  await engine.ingest()
  return {
    engine,
    close: async () => {
      await engine.close()
      rmSync(vault, { recursive: true, force: true })
    }
  }
}

/** Returns what the check looks at, one text for each thing that must hold, with what it is compared with. */
export const seenBy = async (engine: Engine, check: Check): Promise<ReadonlyArray<string>> => {
  if (check.search !== undefined) {
    const { results } = await engine.search(check.search, { limit: 3 })
    return [results[0]?.docPath ?? ""]
  }
  if (check.searchAbsent !== undefined) {
    const { results } = await engine.search(check.searchAbsent, { limit: 20 })
    return results.map(({ docPath }) => docPath)
  }
  if (check.tag !== undefined) {
    const { items } = await engine.documents.list({ tag: check.tag })
    return [items.map(({ path }) => path).join("\n")]
  }
  if (check.titles === true) {
    const { items } = await engine.documents.list({ limit: 200 })
    return [items.map(({ path, title }) => `${path}=${title}`).join("\n")]
  }
  if (check.ask !== undefined) {
    const { answer, policy } = await engine.ask(check.ask, { policyMode: "enforce" })
    return [`${policy?.verdict ?? ""}: ${answer}`]
  }
  if (check.entities === true) {
    const { entities } = await engine.entities.list({ limit: 200 })
    return [entities.map(({ name, type }) => `${type}/${name}`).join("\n")]
  }
  if (check.mentionsOf !== undefined) {
    const { candidates } = await engine.entities.resolve(check.mentionsOf)
    const { items } = await engine.entities.mentions(candidates[0]?.id ?? "", { limit: 200 })
    return [[...new Set(items.map(({ docPath }) => docPath))].join("\n")]
  }
  const { candidates } = await engine.entities.resolve(check.neighborhoodOf ?? "")
  return Promise.all(
    candidates.map(async ({ id }) => {
      const { edges, nodes } = await engine.entities.neighborhood(id)
      const names = new Map(nodes.map((node) => [node.id, node.name]))
      return edges
        .map(({ dst, src, type }) => `${names.get(src)} -${type}-> ${names.get(dst)}`)
        .sort()
        .join(" / ")
    })
  )
}
