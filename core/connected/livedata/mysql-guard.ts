import { functionRefusal, isAllowedFunction, isListedRelation, relationRefusal } from "./functions.js"
import { isSign, isWord, type Token, tokenize } from "./lexer.js"
import { near } from "./statement.js"

/** Words that no statement which only reads needs; they are reserved, so a column of that name is quoted anyway. */
const refusedWords = new Set([
  "into",
  "lock",
  "procedure",
  "handler",
  "delete",
  "update",
  "insert",
  "replace",
  "load",
  "outfile",
  "dumpfile",
  "call",
  "execute",
  "prepare",
  "deallocate"
])
/** Words of the list above that are also functions, or part of a clause that only reads. */
const alsoFunctions = new Set(["insert", "replace"])

/** Words before a parenthesis that are no functions. */
const clauseWords = new Set(
  `select with recursive as from join on using where and or not xor in exists any some all having by over partition
   order group limit offset union except intersect distinct case when then else end values is like between escape
   rlike regexp div mod binary interval set window rows range filter within separator key index force ignore use for
   lateral columns path nested straight_join inner outer left right cross natural only sounds of to at
   decimal dec numeric fixed char varchar nchar unsigned signed datetime date time timestamp float double int integer
   bigint year collate row member against return`
    .split(/\s+/u)
    .filter((word) => word !== "")
)
/** Schemas that hold the catalogs and accounts of the server. */
const systemSchemas = new Set(["mysql", "information_schema", "performance_schema", "sys"])

/** Functions and relations that the administrator of a connector allows. */
export interface AllowLists {
  readonly functions?: ReadonlyArray<string> | undefined
  readonly relations?: ReadonlyArray<string> | undefined
}

/**
 * Why the guard refuses a statement of MySQL or MariaDB; null where it is one SELECT that only reads. Works on tokens
 * by allow lists, since no package reads enough of the grammar. The session fixes `sql_mode`, so quoting is known.
 * Linear in the text.
 */
export const mysqlRefusal = (sql: string, { functions, relations }: AllowLists): string | null => {
  const tokens = tokenize(sql, "mysql")
  const closings = closingsOf(tokens)
  if (closings === null) return "The parentheses do not match."
  const text: Text = { sql, tokens, closings }
  for (let at = 0; at < tokens.length; at += 1) {
    const refused = tokenRefusal(text, at, functions)
    if (refused !== null) return refused
  }
  const verb = mainVerb(tokens)
  if (!isWord(verb, "select")) return "The statement has no SELECT as its main part."
  if (relations === undefined) return null
  const ctes = cteNames(text)
  for (const { name, schema } of relationsIn(tokens))
    if (!(schema === undefined && ctes.has(name.toLowerCase())) && !isListedRelation(relations, schema, name))
      return relationRefusal(name)
  return null
}

interface Text {
  readonly sql: string
  readonly tokens: ReadonlyArray<Token>
  /** The place of the parenthesis that closes the one at a place. */
  readonly closings: ReadonlyMap<number, number>
}

const closingsOf = (tokens: ReadonlyArray<Token>): ReadonlyMap<number, number> | null => {
  const closings = new Map<number, number>()
  const open: Array<number> = []
  for (const [at, token] of tokens.entries()) {
    if (isSign(token, "(")) open.push(at)
    if (!isSign(token, ")")) continue
    const start = open.pop()
    if (start === undefined) return null
    closings.set(start, at)
  }
  return open.length === 0 ? closings : null
}

/** The verb behind the common table expressions, or within leading parentheses. */
const mainVerb = (tokens: ReadonlyArray<Token>): Token | undefined => {
  let depth = 0
  const isInParentheses = isSign(tokens[0], "(")
  return tokens.find((token) => {
    if (isSign(token, "(")) depth += 1
    if (isSign(token, ")")) depth -= 1
    return (depth === 0 || isInParentheses) && isWord(token, "select", "values", "table", ...refusedWords)
  })
}

const tokenRefusal = (
  text: Text,
  at: number,
  functions: ReadonlyArray<string> | undefined
): string | null => {
  const { sql, tokens } = text
  const token = tokens[at]
  if (token === undefined) return null
  const [before, after] = [tokens[at - 1], tokens[at + 1]]
  if (token.kind === "executable-comment")
    return `Comments that the server executes (/*! */) are refused: ${near(sql, token)}`
  if (token.kind === "unterminated") return `A quote or comment is not closed: ${near(sql, token)}`
  if (token.kind === "parameter") return `A parameter was not replaced: ${near(sql, token)}`
  if (isSign(token, "@") || isSign(token, ":="))
    return `Variables are refused: ${near(sql, token)}. Use parameters, written as :name.`
  if (isSign(token, ";")) return "Exactly one statement is allowed."
  if (isSign(token, "\\")) return `A backslash outside of quotes is refused: ${near(sql, token)}`
  if (token.kind !== "word" && token.kind !== "identifier") return null
  if (isSign(after, ".") && systemSchemas.has(token.text.toLowerCase()))
    return `System catalogs cannot be read: ${near(sql, token)}`
  const isCall = isSign(after, "(")
  const isMember = isSign(before, ".")
  if (token.kind === "word" && !isMember) {
    const refused = wordRefusal(sql, token, after, isCall)
    if (refused !== null) return refused
  }
  if (!isCall || isCteHead(text, at) || isAliasHead(text, at)) return null
  if (isMember) return `Functions of a schema are refused: ${near(sql, token)}`
  if (token.kind === "word" && clauseWords.has(token.text.toLowerCase())) return null
  return isAllowedFunction("mysql", token.text, functions) ? null : functionRefusal(token.text)
}

const wordRefusal = (sql: string, token: Token, after: Token | undefined, isCall: boolean): string | null => {
  const word = token.text.toLowerCase()
  if (refusedWords.has(word) && !(isCall && alsoFunctions.has(word)))
    return `${word.toUpperCase()} is refused, since it can lock or change something: ${near(sql, token)}`
  if (word === "for" && isWord(after, "update", "share"))
    return `Locks are refused: ${near(sql, token)}. Leave the clause out.`
  if ((word === "next" || word === "previous") && isWord(after, "value"))
    return `Sequences are refused, since reading them changes them: ${near(sql, token)}`
  return null
}

/** `WITH name (columns) AS (`, `, name (columns) AS (`. */
const isCteHead = ({ closings, tokens }: Text, at: number): boolean => {
  const before = tokens[at - 1]
  if (!isWord(before, "with", "recursive") && !isSign(before, ",")) return false
  const end = closings.get(at + 1)
  return end !== undefined && isWord(tokens[end + 1], "as") && isSign(tokens[end + 2], "(")
}

/** `(…) AS name (columns)` and `(…) name (columns)`, whose parentheses hold names alone. */
const isAliasHead = ({ closings, tokens }: Text, at: number): boolean => {
  const before = tokens[at - 1]
  const isBehindTable = isSign(before, ")") || (isWord(before, "as") && isSign(tokens[at - 2], ")"))
  const end = closings.get(at + 1)
  if (!isBehindTable || end === undefined) return false
  return tokens
    .slice(at + 2, end)
    .every((token, place) =>
      place % 2 === 0 ? token.kind === "word" || token.kind === "identifier" : isSign(token, ",")
    )
}

const cteNames = ({ closings, tokens }: Text): ReadonlySet<string> =>
  new Set(
    tokens.flatMap((token, at) => {
      const isName = token.kind === "word" || token.kind === "identifier"
      if (!isName || !(isWord(tokens[at - 1], "with", "recursive") || isSign(tokens[at - 1], ","))) return []
      const next = (closings.get(at + 1) ?? at) + 1
      return isWord(tokens[next], "as") && isSign(tokens[next + 1], "(") ? [token.text.toLowerCase()] : []
    })
  )

/** State of the text between two parentheses while it is read from left to right. */
interface Frame {
  /** Within a list of tables. */
  inFrom: boolean
  /** The next name is that of a table. */
  expectsTable: boolean
  /** `FROM` belongs to EXTRACT, TRIM or SUBSTRING. */
  readonly isOfFunction: boolean
}

const endsOfFrom = ["where", "group", "order", "having", "limit", "window", "union", "except", "intersect"]

/** The names that stand in the place of tables. */
const relationsIn = (
  tokens: ReadonlyArray<Token>
): ReadonlyArray<{ readonly schema: string | undefined; readonly name: string }> => {
  const found: Array<{ readonly schema: string | undefined; readonly name: string }> = []
  const frames: Array<Frame> = [{ inFrom: false, expectsTable: false, isOfFunction: false }]
  for (const [at, token] of tokens.entries()) {
    const frame = frames.at(-1)
    if (frame === undefined) break
    if (isSign(token, "(")) {
      const isOfFunction = isWord(tokens[at - 1], "extract", "trim", "substring", "substr", "mid")
      frames.push({ inFrom: frame.expectsTable, expectsTable: frame.expectsTable, isOfFunction })
      frame.expectsTable = false
    } else if (isSign(token, ")")) frames.pop()
    else if (isSign(token, ",")) frame.expectsTable = frame.inFrom
    else if (isWord(token, "select")) [frame.inFrom, frame.expectsTable] = [false, false]
    else if (isWord(token, "from") && !frame.isOfFunction) [frame.inFrom, frame.expectsTable] = [true, true]
    else if (isWord(token, "join", "straight_join")) frame.expectsTable = true
    else if (isWord(token, ...endsOfFrom)) [frame.inFrom, frame.expectsTable] = [false, false]
    else if (frame.expectsTable && !isWord(token, "lateral")) {
      frame.expectsTable = false
      if (isWord(token, "dual") || (token.kind !== "word" && token.kind !== "identifier")) continue
      if (isSign(tokens[at + 1], "(")) continue
      const name = isSign(tokens[at + 1], ".") ? tokens[at + 2] : undefined
      found.push(
        name === undefined ? { schema: undefined, name: token.text } : { schema: token.text, name: name.text }
      )
    }
  }
  return found
}
