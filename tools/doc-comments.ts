// Reads the doc comments of the schemas that the core exports, for the generators.
import { readdirSync, readFileSync } from "node:fs"
import { join } from "node:path"
import { fileURLToPath } from "node:url"
import ts from "typescript"

const core = fileURLToPath(new URL("../core", import.meta.url))

/** The comment of each exported constant of the core, on one line, by the name under which the core exports it. */
export const docComments = (): ReadonlyMap<string, string> => {
  const found = new Map<string, string>()
  for (const { name, parentPath } of readdirSync(core, { recursive: true, withFileTypes: true }).filter(
    (one) => one.name.endsWith(".ts")
  ))
    for (const statement of parsed(join(parentPath, name)).statements)
      if (ts.isVariableStatement(statement) && isExported(statement))
        for (const { name: declared } of statement.declarationList.declarations) {
          const words = wordsOf(statement)
          if (words !== "") found.set(declared.getText(), words)
        }
  for (const statement of parsed(join(core, "index.ts")).statements)
    if (
      ts.isExportDeclaration(statement) &&
      statement.exportClause !== undefined &&
      ts.isNamedExports(statement.exportClause)
    )
      for (const { name, propertyName } of statement.exportClause.elements) {
        const words = propertyName === undefined ? undefined : found.get(propertyName.text)
        if (words !== undefined) found.set(name.text, words)
      }
  return found
}

const parsed = (path: string): ts.SourceFile =>
  ts.createSourceFile(path, readFileSync(path, "utf8"), ts.ScriptTarget.Latest, true)

const isExported = (statement: ts.VariableStatement): boolean =>
  statement.modifiers?.some(({ kind }) => kind === ts.SyntaxKind.ExportKeyword) ?? false

const wordsOf = (statement: ts.Statement): string => {
  const comment = ts.getJSDocCommentsAndTags(statement).findLast(ts.isJSDoc)?.comment
  return (ts.getTextOfJSDocComment(comment) ?? "").replaceAll(/\s+/g, " ").trim()
}
