import { spawn } from "node:child_process"
import { cpSync, existsSync, mkdirSync, writeFileSync } from "node:fs"
import { delimiter, join } from "node:path"
import { text } from "node:stream/consumers"
import ts from "typescript"
import { afterAll, beforeAll, describe, expect, inject, it } from "vitest"
import { type Fence, fences, programName } from "../support/docs.js"
import { makeDatabase } from "../support/postgres.js"
import { isLong } from "../support/runs.js"
import { type ShellCommands, shellCommands } from "../support/shell-commands.js"
import { root, textOf } from "../support/tree.js"

const consumer = inject("consumer")
const blocks = fences()
const programs = blocks.flatMap((fence) => {
  const name = programName(fence)
  return name === undefined
    ? []
    : [{ name, fence, isTest: /from "vitest"|from "kanon\/contract"/.test(fence.text) }]
})
const scripts = new Map<string, Array<Fence>>()
for (const fence of blocks) {
  const name = fence.attributes["test"]
  if (name !== undefined) scripts.set(name, [...(scripts.get(name) ?? []), fence])
}

const folderOf = (name: string) => join(consumer, "docs", name)
const fileOf = ({ name, isTest }: { readonly name: string; readonly isTest: boolean }) =>
  join(folderOf(name), isTest ? "program.test.ts" : "program.ts")

/** Folders of the vault that commands name, or ask about, where the page does not promise what they print. */
const named = ["decisions", "operations", "products", "projects"]

/** Scripts that name what stands elsewhere in the vault. */
const ofTheWhole = new Set(["cli-curation-merge"])

/** A page that works on the notes, and says nothing of what comes out, is as true of a third of them. */
const partsFor = (name: string): ReadonlyArray<string> =>
  ofTheWhole.has(name) || blocks.some(({ attributes }) => attributes["output"] === name) ? [""] : named

/**
 * A folder as a reader has it: the package installed, a vault of notes, and no settings from outside.
 *
 * @param parts The folders of the vault that are copied; all of it where none is named.
 */
const prepare = (name: string, parts: ReadonlyArray<string> = [""]): void => {
  mkdirSync(folderOf(name), { recursive: true })
  const vault = join(root, "demo", "vault")
  if (!existsSync(vault)) return
  for (const part of [join("demo", "chinook"), join("demo", "library")])
    cpSync(join(root, part), join(folderOf(name), part), { recursive: true })
  for (const part of parts)
    for (const copy of [join("notes", part), join("demo", "vault", part)])
      cpSync(join(vault, part), join(folderOf(name), copy), { recursive: true, preserveTimestamps: true })
}

/** Commands on a workspace that stands, such as most of the reference, get one; the others make their own. */
const needsWorkspace = (name: string, text: string): boolean =>
  text.includes("--vault notes") &&
  !/kanon (init|ingest)\b/.test(text) &&
  !/^postgres-|^cli-first$/.test(name)

/** Folders of a workspace to copy. */
const takenIn = { whole: "workspace", parts: "workspace-parts" }

/** The vault of notes taken in, and the parts of it that do for a page, once for all. */
const takeIn = async (): Promise<void> => {
  for (const [name, parts] of [
    [takenIn.whole, [""]],
    [takenIn.parts, named]
  ] as const) {
    prepare(name, parts)
    const { status, stderr } = await run(name, "kanon", ["ingest", "--vault", "notes"])
    expect(status, stderr).toBe(0)
  }
}

/** Pages about Postgres get a database of their own, which goes with the server of this run. */
const databaseFor = async (name: string): Promise<Readonly<Record<string, string>>> =>
  name.startsWith("postgres-") ? { KANON_DATABASE_URL: await makeDatabase() } : {}

const run = async (name: string, command: string, args: ReadonlyArray<string>) => {
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

/** Two pages are tried at once, beside other tests: one alone takes a third of this at most. */
const programMaxMs = 240_000
const testMaxMs = 170_000

/** Fails with all that the program said unless it ended well and printed what the page promises. */
const judge = (name: string, result: Awaited<ReturnType<typeof run>>): void => {
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

/** A program that imports every entry point, so that the declarations of all of them are checked. */
const everything = join(consumer, "docs", "everything.ts")
const entries = Object.keys(JSON.parse(textOf("package.json")).exports)
  .filter((key) => key !== "./package.json")
  .map((key) => `import ${JSON.stringify(`kanon${key.slice(1)}`)}`)

/**
 * What the compiler says about all programs at once, each line with its place in the page; under no name about the
 * declarations of the package and of what it depends on.
 */
const compile = (): ReadonlyMap<string, ReadonlyArray<string>> => {
  const program = ts.createProgram([...programs.map(fileOf), everything], {
    target: ts.ScriptTarget.ES2023,
    lib: ["lib.es2023.d.ts"],
    module: ts.ModuleKind.NodeNext,
    moduleResolution: ts.ModuleResolutionKind.NodeNext,
    types: ["node"],
    typeRoots: [join(consumer, "node_modules", "@types")],
    strict: true,
    exactOptionalPropertyTypes: true,
    noUncheckedIndexedAccess: true,
    skipLibCheck: false
  })
  program.emit()
  const complaints = new Map<string, Array<string>>()
  // Those of other packages take as long again.
  const checked = program
    .getSourceFiles()
    .filter(({ fileName }) => isLong || !/\/node_modules\/(?!kanon\/)/.test(fileName))
  const diagnostics = [
    ...program.getOptionsDiagnostics(),
    ...program.getGlobalDiagnostics(),
    ...checked.flatMap((file) => [
      ...program.getSyntacticDiagnostics(file),
      ...program.getSemanticDiagnostics(file)
    ])
  ]
  for (const { file, start, messageText } of diagnostics) {
    const owner = programs.find((candidate) => file !== undefined && fileOf(candidate) === file.fileName)
    const line =
      file === undefined || start === undefined ? 0 : file.getLineAndCharacterOfPosition(start).line
    const place =
      owner === undefined ? (file?.fileName ?? "") : `${owner.fence.page}:${owner.fence.line + line}`
    const name = owner?.name ?? ""
    complaints.set(name, [
      ...(complaints.get(name) ?? []),
      `${place} ${ts.flattenDiagnosticMessageText(messageText, "\n")}`
    ])
  }
  return complaints
}

describe("the programs of the documentation", () => {
  let complaints: ReadonlyMap<string, ReadonlyArray<string>> = new Map()

  beforeAll(() => {
    writeFileSync(
      join(consumer, "package.json"),
      JSON.stringify({ name: "reader", private: true, type: "module" })
    )
    for (const program of programs) {
      prepare(program.name, partsFor(program.name))
      writeFileSync(fileOf(program), program.fence.text)
    }
    writeFileSync(everything, entries.join("\n"))
    complaints = compile()
  })

  it("compile in strict TypeScript that checks the declarations of libraries too", () => {
    expect(complaints.get("") ?? []).toEqual([])
  })

  it("are there", () => {
    expect(programs.length).toBeGreaterThan(0)
  })

  it.concurrent.each(programs)(
    "$name does what the page says",
    async (program) => {
      expect(complaints.get(program.name) ?? []).toEqual([])
      const runner = join(root, "node_modules", "vitest", "vitest.mjs")
      const args = program.isTest
        ? [runner, "run", "--root", folderOf(program.name), "program.test.ts"]
        : ["program.js"]
      judge(program.name, await run(program.name, process.execPath, args))
    },
    testMaxMs
  )
})

describe("the commands of the documentation", () => {
  let commands: ShellCommands | undefined
  beforeAll(async () => {
    await takeIn()
    // In the long form each of them has a process of its own, as readers have it.
    if (!isLong) commands = await shellCommands(join(consumer, "node_modules", "kanon", "dist", "bin"))
  })
  afterAll(() => commands?.close())

  it("are there", () => {
    expect(scripts.size).toBeGreaterThan(0)
  })

  it.concurrent.each([...scripts.keys()])(
    "%s does what the page says",
    async (name) => {
      const script = (scripts.get(name) ?? []).map((fence) => fence.text).join("\n")
      const parts = partsFor(name)
      prepare(name, parts)
      if (needsWorkspace(name, script)) {
        const from = folderOf(parts === named ? takenIn.parts : takenIn.whole)
        cpSync(join(from, "notes", ".kanon"), join(folderOf(name), "notes", ".kanon"), {
          recursive: true,
          preserveTimestamps: true
        })
      }
      judge(name, await run(name, "bash", ["-euo", "pipefail", "-c", `${commands?.define ?? ""}${script}`]))
    },
    testMaxMs
  )
})
