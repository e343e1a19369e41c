import { existsSync } from "node:fs"
import { join } from "node:path"
import { describe, expect, it } from "vitest"
import { root, textOf } from "../support/tree.js"

const page = textOf("docs/contract-map.md")

/** The rows of all tables, without heads and separators. */
const rows = page
  .split("\n")
  .filter((line) => line.startsWith("|") && !/^\|(---|\s*(Rule|Group|Limit)\s*\|)/.test(line))

const filesOf = (row: string): ReadonlyArray<string> =>
  [...row.matchAll(/`((?:core|adapters|server|test)\/[\w./-]+)`/g)].map(([, file = ""]) => file)

const section = (title: string): string => page.split(`\n## ${title}\n`)[1]?.split("\n## ")[0] ?? ""

const numbersOf = (title: string): ReadonlyArray<number> =>
  [...section(title).matchAll(/^\| (\d+) \|/gm)].map(([, number]) => Number(number))

describe("the contract map", () => {
  it("names one source file and one test for each rule", () => {
    const incomplete = rows.filter((row) => {
      const [source, test, ...others] = filesOf(row)
      return (
        source === undefined || source.startsWith("test/") || !test?.startsWith("test/") || others.length > 0
      )
    })
    expect(rows.length).toBeGreaterThan(40)
    expect(incomplete).toEqual([])
  })

  it("names only files that exist", () => {
    expect(rows.flatMap(filesOf).filter((file) => !existsSync(join(root, file)))).toEqual([])
  })

  it("has every numbered rule on queries, authentication and events", () => {
    expect(numbersOf("Query")).toEqual([1, 2, 3, 4, 5])
    expect(numbersOf("Authentication")).toEqual([1, 2, 3, 4, 5, 6, 7, 8, 9])
    expect(numbersOf("Events")).toEqual([1, 2, 3, 4, 5, 6])
  })
})
