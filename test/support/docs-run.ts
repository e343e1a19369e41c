import { spawn } from "node:child_process"
import { cpSync, existsSync, mkdirSync } from "node:fs"
import { delimiter, join } from "node:path"
import { text } from "node:stream/consumers"
import { afterAll, beforeAll, describe, expect, inject, it } from "vitest"
import { type Fence, fences } from "./docs.js"
import { makeDatabase } from "./postgres.js"
import { isLong } from "./runs.js"
import { type ShellCommands, shellCommands } from "./shell-commands.js"
import { root } from "./tree.js"

const consumer = inject("consumer")
const blocks = fences()

/** The folder in which a block of the documentation is run. */
export const folderOf = (name: string) => join(consumer, "docs", name)

const wholeVault = [""]
/** Folders of the vault that most commands of the documentation use. */
const usedFolders = ["products", "projects"]

/** Scripts that use other folders of the vault too. */
const usingWholeVault = new Set(["cli-curation-merge", "evaluation-team"])

/** Returns the folders that a script needs: all of them if the page shows output, which depends on the whole vault. */
export const partsFor = (name: string): ReadonlyArray<string> =>
  usingWholeVault.has(name) || blocks.some(({ attributes }) => attributes["output"] === name)
    ? wholeVault
    : usedFolders

/**
 * A folder as a reader has it: the package installed, a vault of notes, and no settings from outside.
 *
 * @param parts The folders of the vault that are copied; all of it where none is named.
 */
export const prepare = (name: string, parts: ReadonlyArray<string> = wholeVault): void => {
  mkdirSync(folderOf(name), { recursive: true })
  const vault = join(root, "demo", "vault")
  if (!existsSync(vault)) return
  for (const part of [join("demo", "chinook"), join("demo", "library")])
    cpSync(join(root, part), join(folderOf(name), part), { recursive: true })
  for (const part of parts)
    for (const copy of [join("notes", part), join("demo", "vault", part)])
      cpSync(join(vault, part), join(folderOf(name), copy), { recursive: true, preserveTimestamps: true })
}

/** The script with its first `npx kanon` as it is: what the others find is what that one found. */
const onceByNpx = (script: string): string => {
  let count = 0
  return script.replace(/^npx kanon/gm, (call) => (isLong || count++ === 0 ? call : "kanon"))
}

/** Whether a script works on an existing workspace; the others make their own. */
const needsWorkspace = (name: string, text: string): boolean =>
  text.includes("--vault notes") &&
  !/kanon (init|ingest)\b/.test(text) &&
  !/^postgres-|^cli-first$/.test(name)

/** Pages about Postgres get a database of their own, which goes with the server of this run. */
const databaseFor = async (name: string): Promise<Readonly<Record<string, string>>> =>
  name.startsWith("postgres-") ? { KANON_DATABASE_URL: await makeDatabase() } : {}

export const run = async (name: string, command: string, args: ReadonlyArray<string>) => {
  const own = Object.entries(process.env).filter(
    ([key]) => !/^(KANON_|VITEST|NODE_OPTIONS|NODE_ENV|npm_)/.test(key)
  )
  const env = {
    ...Object.fromEntries(own),
    ...(await databaseFor(name)),
    PATH: `${join(consumer, "node_modules", ".bin")}${delimiter}${process.env["PATH"] ?? ""}`,
    NO_COLOR: "1",
    FORCE_COLOR: undefined
  }
  const child = spawn(command, args, {
    cwd: folderOf(name),
    timeout: programMaxMs,
    env,
    stdio: ["ignore", "pipe", "pipe"]
  })
  const [status, stdout, stderr] = await Promise.all([
    new Promise<number | null>((resolve, reject) => child.once("close", resolve).once("error", reject)),
    text(child.stdout),
    text(child.stderr)
  ])
  return { status, stdout, stderr }
}

/** Two pages are run at once, beside other tests: one alone takes a third of this at most. */
const programMaxMs = 240_000

/** Expects exit status 0 and the output that the page shows; a failure shows all output. */
export const expectDocumented = (name: string, result: Awaited<ReturnType<typeof run>>): void => {
  expect(result.status, `${result.stdout}\n${result.stderr}`).toBe(0)
  const promised = blocks.find((fence) => fence.attributes["output"] === name)
  if (promised !== undefined) expectOutput(result.stdout, promised.text)
}

/** Line by line; a line that is only `…` (or `...`) in the page stands for any number of lines. */
const expectOutput = (stdout: string, promised: string): void => {
  const clean = (text: string) =>
    text
      .split("\n")
      .map((line) => line.trimEnd())
      .join("\n")
      .trim()
  const escape = (text: string) => text.replace(/[.*+?^${}()|[\]\\]/g, "\\$&")
  const parts = clean(promised)
    .split(/^(?:…|\.\.\.)$/m)
    .map((part) => escape(part.trim()))
  expect(clean(stdout)).toMatch(new RegExp(`^${parts.join("[\\s\\S]*?")}$`))
}

/**
 * Tests of the shell blocks of some pages. Each file of tests has a process and a workspace of its own for them, so
 * that two files run beside each other.
 */
export const testCommands = (group: string, isOfGroup: (page: string) => boolean): void => {
  const scripts = new Map<string, Array<Fence>>()
  for (const fence of blocks) {
    const name = fence.attributes["test"]
    if (name !== undefined && isOfGroup(fence.page)) scripts.set(name, [...(scripts.get(name) ?? []), fence])
  }
  describe(`the commands of the ${group}`, () => {
    let commands: ShellCommands | undefined
    const runScript = (name: string, script: string) =>
      run(name, "bash", ["-euo", "pipefail", "-c", `${commands?.define ?? ""}${script}`])
    const workspaces = new Map<ReadonlyArray<string>, Promise<string>>()
    const ingested = async (name: string, parts: ReadonlyArray<string>): Promise<string> => {
      prepare(name, parts)
      const { status, stderr } = await runScript(name, "kanon ingest --vault notes")
      expect(status, stderr).toBe(0)
      return join(folderOf(name), "notes", ".kanon")
    }
    /** The data of a workspace over these folders, which is made once. */
    const workspaceOf = (parts: ReadonlyArray<string>): Promise<string> => {
      const made = workspaces.get(parts) ?? ingested(`workspace-${group}-${workspaces.size}`, parts)
      workspaces.set(parts, made)
      return made
    }
    beforeAll(async () => {
      // In the long form each of them has a process of its own, as readers have it.
      if (!isLong) commands = await shellCommands(join(consumer, "node_modules", "kanon", "dist", "bin"))
    })
    afterAll(() => commands?.close())

    it("are there", () => {
      expect(scripts.size).toBeGreaterThan(0)
    })

    it.concurrent.each([...scripts.keys()])("%s does what the page says", async (name) => {
      const script = onceByNpx((scripts.get(name) ?? []).map((fence) => fence.text).join("\n"))
      const parts = partsFor(name)
      prepare(name, parts)
      if (needsWorkspace(name, script))
        cpSync(await workspaceOf(parts), join(folderOf(name), "notes", ".kanon"), {
          recursive: true,
          preserveTimestamps: true
        })
      expectDocumented(name, await runScript(name, script))
    })
  })
}
