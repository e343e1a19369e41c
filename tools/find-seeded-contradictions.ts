/**
 * Contradictions of real documentation: seeded ones that are found, those that are reported without seeds, and the cost
 * of comparing beside that of extraction. `--seed N` draws other seeds, `--show` prints what was missed and reported.
 */
import { mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from "node:fs"
import { tmpdir } from "node:os"
import { dirname, join } from "node:path"
import { parseArgs } from "node:util"
import { createEngine } from "../adapters/sqlite/index.js"
import { readCorpus } from "../bench/data.js"
import { type Seed, seedsFor, type VaultPage } from "../bench/seeded-contradictions.js"

const { values } = parseArgs({
  options: {
    seed: { type: "string", default: "1" },
    count: { type: "string", default: "80" },
    show: { type: "boolean", default: false },
    "no-extraction": { type: "boolean", default: false },
    folder: { type: "string", multiple: true, default: [] },
    corpus: { type: "string", multiple: true, default: [] }
  }
})

const inFolder = (folder: string): ReadonlyArray<VaultPage> =>
  readdirSync(folder, { recursive: true, encoding: "utf8" })
    .filter((path) => path.endsWith(".md"))
    .sort()
    .map((path) => ({ path, text: readFileSync(join(folder, path), "utf8") }))

const pages = [
  ...values.folder.flatMap(inFolder),
  ...values.corpus.flatMap((name) =>
    (readCorpus(name) ?? []).map(({ id, text }) => ({ path: id.endsWith(".md") ? id : `${id}.md`, text }))
  )
]
const seeds: ReadonlyArray<Seed> =
  Number(values.count) === 0 ? [] : seedsFor(pages, Number(values.count), Number(values.seed))

const vault = mkdtempSync(join(tmpdir(), "kanon-seeded-"))
for (const { path, text } of [...pages, ...seeds]) {
  mkdirSync(dirname(join(vault, path)), { recursive: true })
  writeFileSync(join(vault, path), text)
}
const engine = await createEngine({ vault, data: join(vault, ".kanon"), worker: !values["no-extraction"] })
const cpuMs = (from: NodeJS.CpuUsage): number => {
  const { system, user } = process.cpuUsage(from)
  return (system + user) / 1000
}
const before = process.cpuUsage()
await engine.ingest()
const ingested = cpuMs(before)
const start = process.cpuUsage()
const { documents } = await engine.contradictions.find()
const compared = cpuMs(start)
const found = []
for (let offset = 0; ; offset += 200) {
  const { items, total } = await engine.contradictions.list({ limit: 200, offset })
  found.push(...items)
  if (found.length >= total) break
}
await engine.close()
rmSync(vault, { recursive: true })

const isFound = ({ of, path }: Seed): boolean =>
  found.some(({ sides }) => [of, path].every((one) => sides.some(({ docPath }) => docPath === one)))
const missed = seeds.filter((seed) => !isFound(seed))
const others = found.filter(({ sides }) => sides.every(({ docPath }) => !docPath.startsWith("seeded/")))
console.log(
  JSON.stringify({
    documents,
    seeds: seeds.length,
    found: seeds.length - missed.length,
    others: others.length,
    withSeeds: found.length - others.length,
    ingestCpuMs: Math.round(ingested),
    compareCpuMs: Math.round(compared),
    ratio: Number((compared / ingested).toFixed(2))
  })
)
const kinds = new Map<string, [number, number]>()
for (const seed of seeds) {
  const [hit, all] = kinds.get(seed.kind) ?? [0, 0]
  kinds.set(seed.kind, [hit + Number(!missed.includes(seed)), all + 1])
}
console.log(Object.fromEntries(kinds))
if (values.show) {
  for (const { changed, of, original } of missed) console.log(`MISSED ${of}\n  ${original}\n  ${changed}`)
  for (const { attribute, kind, sides, subject } of found)
    console.log(
      `${sides.some(({ docPath }) => docPath.startsWith("seeded/")) ? "SEEDED" : "REPORTED"} ${kind} ${subject} | ${attribute}\n${sides.map(({ docPath, quote, value }) => `  ${docPath}: [${value}] ${quote.slice(0, 260)}`).join("\n")}`
    )
}
