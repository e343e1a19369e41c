import { loadModule, parseSync } from "libpg-query"
import { distributedTables } from "../../adapters/postgres/distribution-layout.js"

/** Loads the grammar of Postgres; to be awaited once before `distributionFaults`. */
export const loadGrammar: () => Promise<void> = loadModule

const distributed: ReadonlySet<string> = new Set(distributedTables)
const workspaceColumn = "workspace_id"

/** A node of the syntax tree, by its fields. */
type Fields = Readonly<Record<string, unknown>>

const isFields = (value: unknown): value is Fields => typeof value === "object" && value !== null
const at = (value: unknown, ...path: ReadonlyArray<string | number>): unknown =>
  path.reduce<unknown>((found, name) => (isFields(found) ? found[String(name)] : undefined), value)
const listOf = (value: unknown): ReadonlyArray<unknown> => (Array.isArray(value) ? value : [])

/** All nodes of one kind, to any depth. */
const nodesOf = (tree: unknown, kind: string): ReadonlyArray<Fields> => {
  if (Array.isArray(tree)) return tree.flatMap((part) => nodesOf(part, kind))
  if (!isFields(tree)) return []
  return Object.entries(tree).flatMap(([name, value]) => [
    ...(name === kind && isFields(value) ? [value] : []),
    ...nodesOf(value, kind)
  ])
}

/** A table that one level of a statement names, and the conditions that restrict its rows. */
interface Reference {
  readonly table: string
  readonly alias: string
  readonly conditions: ReadonlyArray<unknown>
}

const relationOf = (range: unknown, conditions: ReadonlyArray<unknown>): Reference => ({
  table: String(at(range, "relname")),
  alias: String(at(range, "alias", "aliasname") ?? at(range, "relname")),
  conditions
})

/** The conditions that all have to hold. */
const conjuncts = (condition: unknown): ReadonlyArray<unknown> => {
  if (condition === undefined) return []
  const whole = at(condition, "BoolExpr")
  return at(whole, "boolop") === "AND_EXPR" ? listOf(at(whole, "args")).flatMap(conjuncts) : [condition]
}

/** Tables of a `from` item. The rows that an outer join keeps anyway are not restricted by its condition. */
const referencesIn = (item: unknown, conditions: ReadonlyArray<unknown>): ReadonlyArray<Reference> => {
  const range = at(item, "RangeVar")
  if (range !== undefined) return [relationOf(range, conditions)]
  const join = at(item, "JoinExpr")
  if (join === undefined) return []
  const both = [...conditions, ...conjuncts(at(join, "quals"))]
  const kind = at(join, "jointype")
  return [
    ...referencesIn(at(join, "larg"), kind === "JOIN_INNER" || kind === "JOIN_RIGHT" ? both : conditions),
    ...referencesIn(at(join, "rarg"), kind === "JOIN_INNER" || kind === "JOIN_LEFT" ? both : conditions)
  ]
}

const columnOf = (node: unknown): ReadonlyArray<string> | null => {
  const fields = at(node, "ColumnRef", "fields")
  return fields === undefined ? null : listOf(fields).map((field) => String(at(field, "String", "sval")))
}

/** A bound value, a constant, or a setting of the session. */
const isBound = (node: unknown): boolean => {
  if (at(node, "ParamRef") !== undefined || at(node, "A_Const") !== undefined) return true
  const cast = at(node, "TypeCast", "arg")
  if (cast !== undefined) return isBound(cast)
  return at(node, "FuncCall", "funcname", 0, "String", "sval") === "current_setting"
}

/** Whether a condition holds the workspace of the reference to a bound value. */
const bindsWorkspace = (condition: unknown, alias: string, isAlone: boolean): boolean => {
  const compared = at(condition, "A_Expr")
  if (at(compared, "kind") !== "AEXPR_OP" || at(compared, "name", 0, "String", "sval") !== "=") return false
  const sides = [at(compared, "lexpr"), at(compared, "rexpr")]
  return sides.some((side, place) => {
    const column = columnOf(side)
    if (column?.at(-1) !== workspaceColumn || !isBound(sides[1 - place])) return false
    return column.length === 1 ? isAlone : column[0] === alias
  })
}

/** Reports the distributed tables of one level that are not restricted to a bound workspace. */
const unbound = (
  what: string,
  references: ReadonlyArray<Reference>,
  known: ReadonlySet<string>
): ReadonlyArray<string> =>
  references
    .filter(({ table }) => distributed.has(table) && !known.has(table))
    .filter(
      ({ alias, conditions }) =>
        !conditions.some((condition) => bindsWorkspace(condition, alias, references.length === 1))
    )
    .map(
      ({ alias, table }) =>
        `${what} ${table}${alias === table ? "" : ` as ${alias}`} has no ${workspaceColumn} = a value`
    )

const insertFaults = (insert: Fields): ReadonlyArray<string> => {
  const table = String(at(insert, "relation", "relname"))
  if (!distributed.has(table)) return []
  const place = listOf(at(insert, "cols")).findIndex(
    (column) => at(column, "ResTarget", "name") === workspaceColumn
  )
  if (place < 0) return [`insert into ${table} names no ${workspaceColumn}`]
  const select = at(insert, "selectStmt", "SelectStmt")
  const rows = listOf(at(select, "valuesLists"))
  if (rows.length > 0)
    return rows.every((row) => isBound(at(row, "List", "items", place)))
      ? []
      : [`insert into ${table} computes its ${workspaceColumn}`]
  // Rows of a distributed table are inserted where they are read if the column itself is selected.
  const selected = at(select, "targetList", place, "ResTarget", "val")
  return columnOf(selected)?.at(-1) === workspaceColumn
    ? []
    : [`insert into ${table} selects its ${workspaceColumn} from no column`]
}

const returningFaults = (change: Fields): ReadonlyArray<string> => {
  const returned = at(change, "returningList") ?? at(change, "returningClause")
  const calls = nodesOf(returned, "FuncCall").map((call) => at(call, "funcname", 0, "String", "sval"))
  return [
    ...(nodesOf(returned, "SubLink").length > 0 ? ["returning has a subquery"] : []),
    ...(calls.includes("pg_notify") ? ["returning notifies"] : [])
  ]
}

/**
 * Returns why a distributed database would refuse a statement or send it to every shard; nothing if each reference to
 * a distributed table has an equality of its own with a bound workspace. Local tables may be read anyhow.
 */
export const distributionFaults = (text: string): ReadonlyArray<string> => {
  const tree: unknown = parseSync(text)
  const named = new Set(nodesOf(tree, "CommonTableExpr").map((part) => String(at(part, "ctename"))))
  const of = (kind: string) => nodesOf(tree, kind)
  const target = (change: Fields, conditions: ReadonlyArray<unknown>) =>
    relationOf(at(change, "relation"), conditions)
  return [
    ...of("SelectStmt").flatMap((select) => {
      const where = conjuncts(at(select, "whereClause"))
      return unbound(
        "select from",
        listOf(at(select, "fromClause")).flatMap((item) => referencesIn(item, where)),
        named
      )
    }),
    ...of("UpdateStmt").flatMap((update) => {
      const where = conjuncts(at(update, "whereClause"))
      const others = listOf(at(update, "fromClause")).flatMap((item) => referencesIn(item, where))
      return unbound("update of", [target(update, where), ...others], named)
    }),
    ...of("DeleteStmt").flatMap((removal) => {
      const where = conjuncts(at(removal, "whereClause"))
      const others = listOf(at(removal, "usingClause")).flatMap((item) => referencesIn(item, where))
      return unbound("delete from", [target(removal, where), ...others], named)
    }),
    ...of("InsertStmt").flatMap(insertFaults),
    ...["InsertStmt", "UpdateStmt", "DeleteStmt"].flatMap((kind) =>
      of(kind)
        .filter((change) => distributed.has(String(at(change, "relation", "relname"))))
        .flatMap(returningFaults)
    )
  ]
}
