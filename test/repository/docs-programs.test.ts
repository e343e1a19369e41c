import { writeFileSync } from "node:fs"
import { join } from "node:path"
import ts from "typescript"
import { beforeAll, describe, expect, inject, it } from "vitest"
import { fences, programName } from "../support/docs.js"
import { expectDocumented, folderOf, partsFor, prepare, run } from "../support/docs-run.js"
import { isLong } from "../support/runs.js"
import { root, textOf } from "../support/tree.js"

const consumer = inject("consumer")
const programs = fences().flatMap((fence) => {
  const name = programName(fence)
  return name === undefined
    ? []
    : [{ name, fence, isTest: /from "vitest"|from "kanon\/contract"/.test(fence.text) }]
})

const fileOf = ({ name, isTest }: { readonly name: string; readonly isTest: boolean }) =>
  join(folderOf(name), isTest ? "program.test.ts" : "program.ts")

/** Programs that import every entry point, so that the declarations of all of them are checked. */
const everything = join(consumer, "docs", "everything.ts")
const forBrowsers = join(consumer, "docs", "for-browsers.ts")
const exported = Object.keys(JSON.parse(textOf("package.json")).exports)
const importsOf = (keys: ReadonlyArray<string>) =>
  keys.map((key) => `import ${JSON.stringify(`kanon${key.slice(1)}`)}`).join("\n")
const browserEntries = ["./react"]
/** Imports of most embedders; also checked with the declarations of the packages that these need. */
const forEmbedders = join(consumer, "docs", "for-embedders.ts")
const embedderEntries = [".", "./sqlite", "./models", "./client"]

/**
 * Returns the compiler's messages about all programs at once, each line with its place in the page. The empty name has
 * those about the declarations of the package and of its dependencies.
 */
const compile = (
  files: ReadonlyArray<string>,
  lib: ReadonlyArray<string>,
  withOthers = isLong
): ReadonlyMap<string, ReadonlyArray<string>> => {
  const program = ts.createProgram(files, {
    target: ts.ScriptTarget.ES2023,
    lib: [...lib],
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
    .filter(({ fileName }) => withOthers || !/\/node_modules\/(?!kanon\/)/.test(fileName))
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
    writeFileSync(
      everything,
      importsOf(exported.filter((key) => key !== "./package.json" && !browserEntries.includes(key)))
    )
    writeFileSync(forBrowsers, importsOf(browserEntries))
    writeFileSync(forEmbedders, importsOf(embedderEntries))
    complaints = compile([...programs.map(fileOf), everything], ["lib.es2023.d.ts"])
  })

  it("compile in strict TypeScript that checks the declarations of libraries too", () => {
    expect(complaints.get("") ?? []).toEqual([])
    const inBrowsers = compile([forBrowsers], ["lib.es2023.d.ts", "lib.dom.d.ts", "lib.dom.iterable.d.ts"])
    expect(inBrowsers.get("") ?? []).toEqual([])
    expect(compile([forEmbedders], ["lib.es2023.d.ts"], true).get("") ?? []).toEqual([])
  })

  it("are there", () => {
    expect(programs.length).toBeGreaterThan(0)
  })

  it.concurrent.each(programs)("$name does what the page says", async (program) => {
    expect(complaints.get(program.name) ?? []).toEqual([])
    const runner = join(root, "node_modules", "vitest", "vitest.mjs")
    const args = program.isTest
      ? [runner, "run", "--root", folderOf(program.name), "program.test.ts"]
      : ["program.js"]
    expectDocumented(program.name, await run(program.name, process.execPath, args))
  })
})
