import type Sqlite from "better-sqlite3"
import {
  type AllowLists,
  functionRefusal,
  isAllowedFunction,
  isListedRelation,
  isSign,
  isWord,
  near,
  relationRefusal,
  type Token,
  tokenize
} from "../../../core/connected/livedata/index.js"

/** One instruction of the program that SQLite compiles from a statement. */
interface Instruction {
  readonly opcode: string
  readonly p1: number
  readonly p2: number
  readonly p3: number
  readonly p4: string | null
}

/** Instructions of statements that do more than read. */
const refusedOpcodes = new Set([
  "AutoCommit",
  "Checkpoint",
  "Clear",
  "CreateBtree",
  "Destroy",
  "DropIndex",
  "DropTable",
  "DropTrigger",
  "IncrVacuum",
  "JournalMode",
  "LoadAnalysis",
  "OpenWrite",
  "ParseSchema",
  "Program",
  "Savepoint",
  "SetCookie",
  "TableLock",
  "VBegin",
  "VCreate",
  "VDestroy",
  "VRename",
  "VUpdate",
  "Vacuum"
])
const functionOpcodes = new Set([
  "AggStep",
  "AggStep1",
  "AggInverse",
  "AggValue",
  "AggFinal",
  "Function",
  "PureFunc"
])

/** Virtual tables that compute from their arguments alone. */
const pureModules = new Set(["json_each", "json_tree", "generate_series"])
/** Modules whose tables hold data of the database, where it declares them. */
const declaredModules = new Set(["fts3", "fts4", "fts5", "rtree", "rtree_i32", "geopoly"])

/**
 * Why the guard refuses a statement; null where it is one SELECT that only reads. The text is looked at first, since
 * SQLite runs some statements while it compiles them; then the engine compiles it and its program is read.
 */
export const sqliteRefusal = (
  database: Sqlite.Database,
  sql: string,
  values: ReadonlyArray<unknown>,
  allow: AllowLists
): string | null => {
  const inText = textRefusal(database, sql)
  if (inText !== null) return inText
  let statement: Sqlite.Statement
  try {
    statement = database.prepare(sql)
  } catch (error) {
    if (error instanceof RangeError) return "Exactly one statement is allowed."
    throw error
  }
  if (!statement.reader || !statement.readonly) return "Only statements that read can be published."
  const program = database.prepare(`explain ${sql}`).all(...values) as ReadonlyArray<Instruction>
  return programRefusal(database, program, allow) ?? virtualTableRefusal(database, sql, allow)
}

/** Returns why the text alone is refused, or null. Names of virtual tables are not in the program. */
const textRefusal = (database: Sqlite.Database, sql: string): string | null => {
  const tokens = tokenize(sql, "sqlite")
  const first = tokens.find((token) => !isSign(token, "("))
  if (!isWord(first, "select", "with")) return "Only SELECT and WITH statements can be published."
  if (tokens.some(({ kind }) => kind === "unterminated")) return "A quote or comment is not closed."
  const modules = new Set(
    (database.prepare("select name from pragma_module_list").all() as ReadonlyArray<{ name: string }>).map(
      ({ name }) => name.toLowerCase()
    )
  )
  for (const [at, token] of tokens.entries()) {
    if (token.kind !== "word" && token.kind !== "identifier" && token.kind !== "string") continue
    // SQLite takes a text in quotes for the name of a table too.
    const name = unquoted(token).toLowerCase()
    if (pureModules.has(name)) continue
    const isTable = token.kind !== "string" || mayNameTable(tokens[at - 1])
    if (/^(?:pragma_|sqlite_|dbstat$)/u.test(name) || (isTable && modules.has(name)))
      return `System tables cannot be read: ${near(sql, token)}`
  }
  return null
}

const mayNameTable = (before: Token | undefined): boolean =>
  isWord(before, "from", "join", "in") || isSign(before, ",") || isSign(before, ".") || isSign(before, "(")

/** The text in quotes: SQLite takes one in single quotes for a name wherever a name is expected. */
const unquoted = ({ kind, text }: Pick<Token, "kind" | "text">): string =>
  kind === "string" ? text.slice(1, -1).replaceAll("''", "'") : text

/**
 * Why a virtual table may not be read; null where all that are named are listed. The program opens them without a name,
 * so that they are looked for in the statement and in the views that it names. A table that an index is made over is read
 * with it.
 */
const virtualTableRefusal = (
  database: Sqlite.Database,
  sql: string,
  { relations }: AllowLists
): string | null => {
  if (relations === undefined) return null
  const schema = database
    .prepare(
      "select type, name, sql from main.sqlite_schema where type in ('table', 'view') and sql is not null"
    )
    .all() as ReadonlyArray<{ type: string; name: string; sql: string }>
  const views = schema.filter(({ type }) => type === "view")
  const named = new Set<string>()
  const open = [sql]
  for (let text = open.pop(); text !== undefined; text = open.pop()) {
    for (const token of tokenize(text, "sqlite")) {
      if (token.kind !== "word" && token.kind !== "identifier" && token.kind !== "string") continue
      const name = unquoted(token).toLowerCase()
      if (named.has(name)) continue
      named.add(name)
      open.push(...views.filter((view) => view.name.toLowerCase() === name).map((view) => view.sql))
    }
  }
  for (const table of schema) {
    if (!/^create\s+virtual\s+table/iu.test(table.sql) || !named.has(table.name.toLowerCase())) continue
    if (!isListedRelation(relations, undefined, table.name)) return relationRefusal(table.name)
    const content = /\bcontent\s*=\s*(?:'([^']+)'|"([^"]+)"|\[([^\]]+)\]|([\w$]+))/iu.exec(table.sql)
    const read = content?.slice(1).find((one) => one !== undefined)
    if (read !== undefined && !isListedRelation(relations, undefined, read)) return relationRefusal(read)
  }
  return null
}

const programRefusal = (
  database: Sqlite.Database,
  program: ReadonlyArray<Instruction>,
  { functions, relations }: AllowLists
): string | null => {
  const schema = database
    .prepare(
      "select rootpage as root, tbl_name as name, sql from main.sqlite_schema where type in ('table', 'index')"
    )
    .all() as ReadonlyArray<{ root: number; name: string; sql: string | null }>
  const nameOf = new Map(schema.map(({ name, root }) => [root, name] as const))
  const roots = new Set<string>()
  for (const { opcode, p2, p3, p4 } of program) {
    if (refusedOpcodes.has(opcode)) return `The statement would do more than read (${opcode}).`
    if (opcode === "Transaction" && p2 !== 0) return "The statement would begin to write."
    if (functionOpcodes.has(opcode)) {
      const name = (p4 ?? "").replace(/\(-?\d+\)$/u, "")
      if (name !== "" && !isAllowedFunction("sqlite", name, functions ?? [])) return functionRefusal(name)
    }
    if (opcode !== "OpenRead") continue
    if (p3 !== 0) return "Only the database of the connector can be read."
    if (p2 === 1) return "System tables cannot be read."
    const name = nameOf.get(p2)
    if (name !== undefined) roots.add(name)
  }
  if (program.some(({ opcode }) => opcode === "VOpen")) {
    const foreign = schema.find(({ sql }) => {
      const module = /^create\s+virtual\s+table.+?\busing\s+(\w+)/isu.exec(sql ?? "")?.[1]
      return module !== undefined && !declaredModules.has(module.toLowerCase())
    })
    if (foreign !== undefined) return `The virtual table ${foreign.name} of the database may do anything.`
  }
  const unlisted = [...roots].find((name) => !isListedRelation(relations, undefined, name))
  return unlisted === undefined ? null : relationRefusal(unlisted)
}
