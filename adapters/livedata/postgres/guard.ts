import { loadModule, parseSync } from "libpg-query"
import {
  type AllowLists,
  functionRefusal,
  isAllowedFunction,
  isListedRelation,
  relationRefusal
} from "../../../core/connected/livedata/index.js"

/** Nodes of the grammar that only read; what is not listed is refused. */
const readingNodes = new Set(
  `SelectStmt ResTarget ColumnRef A_Star A_Const FuncCall TypeCast TypeName RangeVar JoinExpr RangeSubselect
   RangeFunction RangeTableSample RangeTableFunc RangeTableFuncCol Alias A_Expr BoolExpr NullTest BooleanTest CaseExpr
   CaseWhen SubLink SortBy WindowDef CommonTableExpr WithClause CoalesceExpr MinMaxExpr A_ArrayExpr A_Indices
   A_Indirection RowExpr GroupingSet GroupingFunc String Integer Float Boolean BitString List ParamRef SQLValueFunction
   CollateClause CTESearchClause CTECycleClause NamedArgExpr
   JsonFormat JsonReturning JsonValueExpr JsonOutput JsonArgument JsonFuncExpr JsonTable JsonTableColumn
   JsonTablePathSpec JsonKeyValue JsonParseExpr JsonScalarExpr JsonSerializeExpr JsonObjectConstructor
   JsonArrayConstructor JsonArrayQueryConstructor JsonObjectAgg JsonArrayAgg JsonAggConstructor JsonIsPredicate
   JsonBehavior`
    .split(/\s+/u)
    .filter((name) => name !== "")
)

/** Names of refused nodes for messages; a node that is not listed is called by its own name. */
const inWords: Readonly<Record<string, string>> = {
  InsertStmt: "INSERT",
  UpdateStmt: "UPDATE",
  DeleteStmt: "DELETE",
  MergeStmt: "MERGE",
  IntoClause: "SELECT INTO, which makes a table",
  LockingClause: "a lock (FOR UPDATE or FOR SHARE)",
  XmlExpr: "an XML expression",
  XmlSerialize: "an XML expression",
  CurrentOfExpr: "a cursor",
  SetToDefault: "DEFAULT"
}

/** Values of the session that SQL reads without parentheses. */
const sessionValues = new Set([
  "SVFOP_CURRENT_DATE",
  "SVFOP_CURRENT_TIME",
  "SVFOP_CURRENT_TIME_N",
  "SVFOP_CURRENT_TIMESTAMP",
  "SVFOP_CURRENT_TIMESTAMP_N",
  "SVFOP_LOCALTIME",
  "SVFOP_LOCALTIME_N",
  "SVFOP_LOCALTIMESTAMP",
  "SVFOP_LOCALTIMESTAMP_N"
])

let loaded: Promise<void> | undefined
/** Loads the grammar of Postgres, once. */
export const loadGrammar = (): Promise<void> => {
  loaded ??= loadModule()
  return loaded
}

/** Verdicts of statements that were read before: the same ones are run again and again. */
const verdicts = new Map<string, string | null>()
const verdictsMax = 1000

/** Why the guard refuses a statement; null where it is one SELECT that only reads. Needs `loadGrammar` first. */
export const postgresRefusal = (sql: string, allow: AllowLists): string | null => {
  const key = JSON.stringify([sql, allow.functions, allow.relations])
  const known = verdicts.get(key)
  if (known !== undefined) return known
  const verdict = judge(sql, allow)
  if (verdicts.size >= verdictsMax) verdicts.clear()
  verdicts.set(key, verdict)
  return verdict
}

const judge = (sql: string, allow: AllowLists): string | null => {
  let tree: unknown
  try {
    tree = parseSync(sql)
  } catch (error) {
    return `It is no statement of Postgres: ${error instanceof Error ? error.message : String(error)}.`
  }
  const statements = isFields(tree) && Array.isArray(tree["stmts"]) ? tree["stmts"] : []
  const [first] = statements
  if (statements.length !== 1 || !isFields(first)) return "Exactly one statement is allowed."
  const root = first["stmt"]
  if (!isFields(root) || !("SelectStmt" in root)) return "Only SELECT and WITH statements can be published."
  try {
    walk(root, { sql, allow, ctes: new Set() })
    return null
  } catch (error) {
    if (error instanceof Refusal) return error.message
    throw error
  }
}

class Refusal extends Error {}

interface Reading {
  readonly sql: string
  readonly allow: AllowLists
  /** Names of common table expressions that are in scope. */
  readonly ctes: ReadonlySet<string>
}

type Fields = Readonly<Record<string, unknown>>
const isFields = (value: unknown): value is Fields =>
  typeof value === "object" && value !== null && !Array.isArray(value)

/** Walks a value of the tree: nodes are objects whose one field has a capital, `{"SelectStmt": {…}}`. */
const walk = (value: unknown, reading: Reading): void => {
  if (Array.isArray(value)) {
    for (const item of value) walk(item, reading)
    return
  }
  if (!isFields(value)) return
  for (const [name, inner] of Object.entries(value)) {
    if (!/^[A-Z]/u.test(name)) {
      if (unwrapped.has(name) && isFields(inner)) visitField(name, inner, reading)
      else walk(inner, reading)
      continue
    }
    if (!readingNodes.has(name)) throw new Refusal(`${inWords[name] ?? name} is refused.`)
    if (isFields(inner)) visit(name, inner, reading)
  }
}

/** Fields whose nodes the tree gives without their name. */
const unwrapped = new Set(["withClause", "intoClause", "larg", "rarg", "relation", "typeName", "over"])

const visitField = (name: string, inner: Fields, reading: Reading): void => {
  if (name === "intoClause") throw new Refusal(`${inWords["IntoClause"]} is refused.`)
  if (name === "larg" || name === "rarg") visit("SelectStmt", inner, reading)
  else if (name === "typeName") visit("TypeName", inner, reading)
  else walk(inner, reading)
}

const visit = (name: string, node: Fields, reading: Reading): void => {
  switch (name) {
    case "SelectStmt":
      visitSelect(node, reading)
      return
    case "FuncCall":
      checkFunction(namesOf(node["funcname"]), reading)
      walk(node, reading)
      return
    case "RangeVar":
      checkRelation(node, reading)
      return
    case "A_Expr": {
      const [schema] = namesOf(node["name"]).slice(0, -1)
      if (schema !== undefined && schema !== "pg_catalog")
        throw new Refusal(`Operators of the schema ${schema} are refused: they can call any function.`)
      walk(node, reading)
      return
    }
    case "SQLValueFunction":
      if (!sessionValues.has(String(node["op"])))
        throw new Refusal("Names of users, roles, catalogs and schemas of the session are refused.")
      return
    case "TypeName": {
      const names = namesOf(node["names"])
      const last = names.at(-1) ?? ""
      if (/^reg[a-z]+$/u.test(last))
        throw new Refusal(`The type ${last} is refused, since it reads system catalogs.`)
      walk(node, reading)
      return
    }
    default:
      walk(node, reading)
  }
}

/** A WITH clause is in scope in its own statement; one that is not recursive, only behind itself. */
const visitSelect = (node: Fields, reading: Reading): void => {
  if (node["lockingClause"] !== undefined)
    throw new Refusal(`${inWords["LockingClause"]} is refused. Leave the clause out.`)
  if (node["intoClause"] !== undefined) throw new Refusal(`${inWords["IntoClause"]} is refused.`)
  const { withClause, ...rest } = node
  let inner = reading
  if (isFields(withClause)) {
    const ctes = Array.isArray(withClause["ctes"]) ? withClause["ctes"].filter(isFields) : []
    const nameOf = (cte: Fields): string => {
      const expression = cte["CommonTableExpr"]
      return isFields(expression) ? String(expression["ctename"]) : ""
    }
    if (withClause["recursive"] === true)
      inner = { ...reading, ctes: new Set([...reading.ctes, ...ctes.map(nameOf)]) }
    for (const cte of ctes) {
      walk(cte, inner)
      inner = { ...inner, ctes: new Set([...inner.ctes, nameOf(cte)]) }
    }
  }
  walk(rest, inner)
}

const namesOf = (value: unknown): ReadonlyArray<string> =>
  (Array.isArray(value) ? value : []).flatMap((item: unknown) => {
    if (!isFields(item)) return []
    const text = item["String"]
    return isFields(text) && typeof text["sval"] === "string" ? [text["sval"]] : []
  })

const checkFunction = (names: ReadonlyArray<string>, { allow }: Reading): void => {
  const name = names.at(-1) ?? ""
  const schema = names.length > 1 ? names.slice(0, -1).join(".") : undefined
  const isListed =
    allow.functions?.some((one) => one.toLowerCase() === names.join(".").toLowerCase()) === true
  if (isListed) return
  if (schema !== undefined && schema !== "pg_catalog") throw new Refusal(functionRefusal(names.join(".")))
  if (!isAllowedFunction("postgres", name)) throw new Refusal(functionRefusal(name))
}

const checkRelation = (node: Fields, { allow, ctes }: Reading): void => {
  const [catalog, schema, name] = [node["catalogname"], node["schemaname"], String(node["relname"])]
  if (catalog !== undefined) throw new Refusal("A relation of another database is refused.")
  if (schema === undefined && ctes.has(name)) return
  const inSchema = typeof schema === "string" ? schema : undefined
  const isSystem =
    inSchema === undefined ? /^pg_/u.test(name) : /^(?:pg_.*|information_schema)$/u.test(inSchema)
  if (isSystem) throw new Refusal(`System catalogs cannot be read: ${inSchema ?? "pg_catalog"}.${name}.`)
  if (!isListedRelation(allow.relations, inSchema, name)) throw new Refusal(relationRefusal(name))
}
