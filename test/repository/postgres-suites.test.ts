import { describe, expect, it } from "vitest"
import { onBoth, onBothLong, onSqliteAlone } from "../support/postgres-suites.js"
import { filesUnder, textOf } from "../support/tree.js"

/** Functions that open an engine or a server, or the ports beneath one. */
const opens =
  /\b(createEngine|openTries|sqlitePorts|portsOf|startServer|cacheWorld|clockedServer|startSocketServer|fuzz-child)\b/

describe("suites with an engine", () => {
  it("run on Postgres too, or it is said why not", () => {
    const suites = filesUnder("test/integration").filter(
      (path) => path.endsWith(".test.ts") && opens.test(textOf(path))
    )
    const own = suites.filter(
      (path) => path.includes("/postgres-") || textOf(path).includes("adapters/postgres/")
    )
    const told = [...onBoth, ...onBothLong, ...Object.keys(onSqliteAlone)]
    const names = suites
      .filter((path) => !own.includes(path))
      .map((path) => path.replace(/^.*\/(.*)\.test\.ts$/, "$1"))
    expect(names.sort()).toEqual([...new Set(told)].sort())
    expect(told).toHaveLength(new Set(told).size)
  })
})
