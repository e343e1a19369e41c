import pg from "pg"
import { afterAll, beforeAll, expect } from "vitest"
import { distributionFaults, loadGrammar } from "./statement-shapes.js"

// Loaded before every test file that may use Postgres: what the engine sends is checked in whatever test sends it.

const recorded = Symbol.for("kanon.test.sentStatements")

/** Statements by text, of all files of this process: this file is loaded anew for each. */
const sent = (): Map<string, { isChecked: boolean }> => Reflect.get(pg.Client, recorded)

/** Parts of statements that may read every shard, and why. */
const exceptions: ReadonlyMap<string, string> = new Map([
  [
    "select workspace_id from audit_head limit 1",
    "Asked once when a database without a workspace is opened, to find the data of one whose row was lost."
  ],
  [
    "(select count(*) from chunk)::int as passages",
    "`kanon database status` counts the passages of all workspaces, on every node."
  ]
])

const isExcepted = (text: string) => [...exceptions.keys()].some((part) => text.includes(part))

const textOf = (asked: unknown): string | null => {
  if (typeof asked === "string") return asked
  return typeof asked === "object" && asked !== null && "text" in asked ? String(asked.text) : null
}

const record = () => {
  if (Reflect.has(pg.Client, recorded)) return
  Reflect.set(pg.Client, recorded, new Map())
  const { query } = pg.Client.prototype
  Object.assign(pg.Client.prototype, {
    query(this: pg.Client, ...given: Parameters<typeof query>) {
      const text = textOf(given[0])
      // Connections of the engine are of a class of their own; tests look into databases with the plain one.
      if (text !== null && this.constructor !== pg.Client && !sent().has(text))
        sent().set(text, { isChecked: false })
      return query.apply(this, given)
    }
  })
}

beforeAll(async () => {
  await loadGrammar()
  record()
})

afterAll(() => {
  const faults: Array<string> = []
  // These tests damage rows through the client of the engine.
  const isDamage = expect.getState().testPath?.includes("damaged-lists") === true
  for (const [text, state] of sent()) {
    if (state.isChecked) continue
    state.isChecked = true
    if (isDamage) continue
    if (!/^\s*(?:select|with|insert|update|delete)\b/i.test(text) || isExcepted(text)) continue
    for (const fault of distributionFaults(text)) faults.push(`${fault}: ${text}`)
  }
  expect(faults).toEqual([])
})
