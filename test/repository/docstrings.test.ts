import { join } from "node:path"
import ts from "typescript"
import { describe, expect, it } from "vitest"
import { z } from "zod"
import { root, textOf } from "../support/tree.js"

/** The sources of what package.json exports. */
const entries = Object.values(
  z.object({ exports: z.record(z.string(), z.unknown()) }).parse(JSON.parse(textOf("package.json"))).exports
).flatMap((given) => {
  const types = z.object({ types: z.string() }).safeParse(given)
  return types.success ? [types.data.types.replace(/^\.\/dist\//, "").replace(/\.d\.ts$/, ".ts")] : []
})

/** Returns the exports of these files, namespaces opened, that have no doc comment, each with its place. */
const silentIn = (files: ReadonlyArray<string>, options: ts.CompilerOptions): ReadonlyArray<string> => {
  const host = ts.createCompilerHost(options)
  // Types of other packages are not resolved: reading them takes most of the time, and they are not checked.
  host.resolveModuleNameLiterals = (names, from) =>
    names.map(({ text }) =>
      text.startsWith(".") ? ts.resolveModuleName(text, from, options, host) : { resolvedModule: undefined }
    )
  const program = ts.createProgram([...files], { ...options, noLib: true, types: [] }, host)
  const checker = program.getTypeChecker()
  const seen = new Set<ts.Symbol>()
  const silent: Array<string> = []
  const look = (exported: ts.Symbol): void => {
    const symbol = exported.flags & ts.SymbolFlags.Alias ? checker.getAliasedSymbol(exported) : exported
    if (seen.has(symbol)) return
    seen.add(symbol)
    if (symbol.flags & ts.SymbolFlags.ValueModule) {
      for (const inside of checker.getExportsOfModule(symbol)) look(inside)
      return
    }
    const place = symbol.declarations?.[0]?.getSourceFile().fileName
    // Another package's.
    if (place === undefined || symbol.getDocumentationComment(checker).length > 0) return
    silent.push(`${place.replace(`${root}/`, "")}: ${exported.name}`)
  }
  for (const file of files) {
    const source = program.getSourceFile(file)
    const module = source === undefined ? undefined : checker.getSymbolAtLocation(source)
    expect(module, file).toBeDefined()
    for (const exported of module === undefined ? [] : checker.getExportsOfModule(module)) look(exported)
  }
  return silent
}

describe("everything that the package exports", () => {
  it("bears a comment that says what it is", () => {
    expect(entries.length).toBeGreaterThan(5)
    const { config } = ts.readConfigFile(join(root, "tsconfig.json"), ts.sys.readFile)
    const { options } = ts.parseJsonConfigFileContent(config, ts.sys, root)
    expect(
      silentIn(
        entries.map((entry) => join(root, entry)),
        options
      )
    ).toEqual([])
  })
})
