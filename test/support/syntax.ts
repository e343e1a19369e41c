import ts from "typescript"

/** A place in a source file, as `path:line`. */
const placeOf = (file: ts.SourceFile, node: ts.Node): string =>
  `${file.fileName}:${file.getLineAndCharacterOfPosition(node.getStart(file)).line + 1}`

const parse = (path: string, text: string): ts.SourceFile =>
  ts.createSourceFile(path, text, ts.ScriptTarget.ES2023, true)

const walk = (node: ts.Node, visit: (node: ts.Node) => void): void => {
  visit(node)
  ts.forEachChild(node, (child) => walk(child, visit))
}

/** The places where a file says `object.member`, such as `Math.random`; comments and strings do not count. */
export const memberUses = (
  path: string,
  text: string,
  members: ReadonlyArray<string>
): ReadonlyArray<string> => {
  const file = parse(path, text)
  const found: Array<string> = []
  walk(file, (node) => {
    if (!ts.isPropertyAccessExpression(node)) return
    const tail = `${ts.isIdentifier(node.expression) ? node.expression.text : ""}.${node.name.text}`
    if (members.some((member) => (member.startsWith(".") ? tail.endsWith(member) : tail === member))) {
      found.push(`${placeOf(file, node)} ${tail.replace(/^\./, "")}`)
    }
  })
  return found
}

/** The casts of a file (`x as T`, `<T>x`, but not `as const`) and its non-null `!`. */
export const casts = (path: string, text: string): ReadonlyArray<string> => {
  const file = parse(path, text)
  const found: Array<string> = []
  walk(file, (node) => {
    const cast = ts.isAsExpression(node) || ts.isTypeAssertionExpression(node)
    if ((cast && !ts.isConstTypeReference(node.type)) || ts.isNonNullExpression(node)) {
      found.push(`${placeOf(file, node)} ${node.getText(file).replace(/\s+/g, " ").slice(-60)}`)
    }
  })
  return found
}

/**
 * The functions of a file that are longer than so many lines, with their length. Lines of a function within
 * count for that one alone: a factory of short functions is not a long function.
 */
export const longFunctions = (path: string, text: string, lines: number): ReadonlyArray<string> => {
  const file = parse(path, text)
  const found: Array<string> = []
  /** The lines that functions take up within a node, the node itself included when it is one. */
  const taken = (node: ts.Node): number => {
    let within = 0
    ts.forEachChild(node, (child) => {
      within += taken(child)
    })
    if (!ts.isFunctionLike(node) || !("body" in node) || node.body === undefined) return within
    const from = file.getLineAndCharacterOfPosition(node.getStart(file)).line
    const whole = file.getLineAndCharacterOfPosition(node.getEnd()).line - from + 1
    if (whole - within > lines) found.push(`${placeOf(file, node)} ${whole - within} lines`)
    return whole
  }
  taken(file)
  return found
}
