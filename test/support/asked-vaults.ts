import { mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs"
import { tmpdir } from "node:os"
import { dirname, join } from "node:path"
import { z } from "zod"
import { createEngine } from "./database.js"

/** A question with what its answer must match, and must not; `^NONE` matches where there is no answer. */
const Check = z.object({ ask: z.string(), want: z.string(), never: z.string().optional() })
export type Check = z.infer<typeof Check>

const Vault = z.object({
  about: z.string().optional(),
  /** Whether twenty notes about other things stand beside the files. */
  neighbours: z.boolean().default(false),
  files: z.record(z.string(), z.string()),
  checks: z.array(Check)
})
export type Vault = z.infer<typeof Vault>

export const readVaults = (name: string): ReadonlyArray<readonly [string, Vault]> =>
  Object.entries(
    z
      .record(z.string(), Vault)
      .parse(JSON.parse(readFileSync(new URL(`../fixtures/answers/${name}.json`, import.meta.url), "utf8")))
  )

const places = ["harbour", "garden", "kitchen", "library", "tower"]
const neighbours = Object.fromEntries(
  Array.from({ length: 20 }, (_, at) => [
    `n/n${at}.md`,
    `# Note ${at}\n\nThe ${places[at % 5]} number ${at} was painted in ${1980 + at} by a crew of ${at + 2}.\n`
  ])
)

/** The answers of the built-in model: the claims' text joined by " / ", `NONE` where there is no claim. */
export const answersIn = async (vault: Vault): Promise<ReadonlyArray<string>> => {
  const folder = mkdtempSync(join(tmpdir(), "kanon-asked-"))
  for (const [path, text] of Object.entries({ ...(vault.neighbours ? neighbours : {}), ...vault.files })) {
    mkdirSync(dirname(join(folder, path)), { recursive: true })
    writeFileSync(join(folder, path), text)
  }
  const engine = await createEngine({ vault: folder, data: ":memory:" })
  try {
    await engine.ingest()
    const said: Array<string> = []
    for (const { ask } of vault.checks) {
      const { claims } = await engine.ask(ask)
      said.push(claims.length === 0 ? "NONE" : claims.map(({ text }) => text).join(" / "))
    }
    return said
  } finally {
    await engine.close()
    rmSync(folder, { recursive: true, force: true })
  }
}

export const isRight = ({ never, want }: Check, said: string): boolean =>
  new RegExp(want, "u").test(said) && (never === undefined || !new RegExp(never, "u").test(said))
