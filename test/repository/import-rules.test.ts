import { spawnSync } from "node:child_process"
import { mkdirSync, symlinkSync, writeFileSync } from "node:fs"
import { dirname, join } from "node:path"
import { beforeEach, describe, expect, it } from "vitest"
import { temporaryFolder } from "../support/folders.js"
import { root, textOf } from "../support/tree.js"

const lint = join(root, "node_modules", "dependency-cruiser", "bin", "dependency-cruise.mjs")

let tree = ""
beforeEach(() => {
  tree = temporaryFolder("walls")
  symlinkSync(join(root, "node_modules"), join(tree, "node_modules"), "dir")
  writeFileSync(join(tree, "package.json"), textOf("package.json"))
  for (const folder of ["core", "adapters", "server", "test"]) mkdirSync(join(tree, folder))
})

const write = (files: Readonly<Record<string, string>>): void => {
  for (const [path, text] of Object.entries(files)) {
    mkdirSync(dirname(join(tree, path)), { recursive: true })
    writeFileSync(join(tree, path), text)
  }
}

/** Returns what `npm run check:rooms` reports for the tree: its exit status, and rule and file of each violation. */
const violations = (): { readonly status: number | null; readonly found: ReadonlyArray<string> } => {
  const settings = join(root, ".dependency-cruiser.cjs")
  const run = spawnSync(
    process.execPath,
    [lint, "--config", settings, "--output-type", "err", "core", "adapters", "server", "test"],
    { cwd: tree, encoding: "utf8", env: { ...process.env, NO_COLOR: "1", FORCE_COLOR: "0" } }
  )
  const lines = [...run.stdout.matchAll(/^ *error ([a-z-]+): (\S+)/gm)]
  return { status: run.status, found: lines.map(([, rule, file]) => `${rule}: ${file}`).sort() }
}

const house = {
  "core/platform/kernel/index.ts":
    'import * as Effect from "effect/Effect"\nexport const one = Effect.succeed(1)\n',
  "core/platform/audit/index.ts": 'export { record } from "./service.js"\n',
  "core/platform/audit/service.ts": 'import { one } from "../kernel/index.js"\nexport const record = one\n',
  "core/platform/workspace/index.ts": 'export { rename } from "./machine.js"\n',
  "core/platform/workspace/machine.ts": [
    'import * as Either from "effect/Either"',
    'import { one } from "../kernel/index.js"',
    'import type { Name } from "./model.js"',
    "export const rename = (name: Name) => Either.right({ name, one })\n"
  ].join("\n"),
  "core/platform/workspace/model.ts":
    'import { record } from "../audit/index.js"\nexport type Name = typeof record\n',
  "core/engine.ts": 'export { rename } from "./platform/workspace/index.js"\n',
  "adapters/sqlite/index.ts":
    'import "node:fs"\nimport { rename } from "../../core/engine.js"\nexport const engine = rename\n',
  "server/cli/main.ts":
    'import { engine } from "../../adapters/sqlite/index.js"\nexport const main = engine\n',
  "test/contract/audit.ts":
    'import { record } from "../../core/platform/audit/index.js"\nexport const law = record\n'
}

describe("the walls of the house", () => {
  it("let a tree through that keeps to the table", () => {
    write(house)
    expect(violations()).toEqual({ status: 0, found: [] })
  })

  it("stop every import that the table does not allow", () => {
    write({
      ...house,
      "core/platform/audit/a.ts": 'import type { Name } from "../workspace/index.js"\nexport type A = Name\n',
      "core/platform/workspace/b.ts":
        'import { record } from "../audit/service.js"\nexport const b = record\n',
      "core/platform/audit/c.ts": 'import { createHash } from "node:crypto"\nexport const c = createHash\n',
      "core/platform/audit/d.ts":
        'import type { SqlClient } from "@effect/sql/SqlClient"\nexport type D = SqlClient\n',
      "core/platform/audit/e.ts": 'import { Effect } from "effect"\nexport const e = Effect\n',
      "core/platform/audit/f.ts": 'import "../../engine.js"\nexport const f = 1\n',
      "core/platform/audit/g.ts": 'import "../../../adapters/sqlite/index.js"\nexport const g = 1\n',
      "core/platform/audit/machine.ts":
        'import * as Effect from "effect/Effect"\nexport const h = Effect.void\n',
      "core/platform/audit/gone.ts": 'import "./nowhere.js"\nexport const i = 1\n',
      "core/platform/audit/j.ts": 'import "./k.js"\nexport const j = 1\n',
      "core/platform/audit/k.ts": 'import "./j.js"\nexport const k = 1\n',
      "adapters/sql/l.ts":
        'import { record } from "../../core/platform/audit/service.js"\nexport const l = record\n',
      "adapters/sql/m.ts": 'import "../../server/cli/main.js"\nexport const m = 1\n',
      "adapters/sql/n.ts": 'import "../../core/engine.js"\nexport const n = 1\n',
      "adapters/sql/platform/jobs/r.ts": 'import "../../search/s.js"\nexport const r = 1\n',
      "adapters/sql/search/s.ts": 'import "../t.js"\nexport const s = 1\n',
      "adapters/sql/t.ts": "export const t = 1\n",
      "adapters/sql/u.ts": 'import "./search/s.js"\nexport const u = 1\n',
      "adapters/sql/o.ts": 'import fc from "fast-check"\nexport const o = fc\n',
      "server/cli/p.ts": 'import "../../test/contract/audit.js"\nexport const p = 1\n',
      "test/contract/q.ts": 'import "../../adapters/sqlite/index.js"\nexport const q = 1\n'
    })
    const { status, found } = violations()
    expect(status).toBeGreaterThan(0)
    expect(found).toEqual(
      [
        "adapters-know-no-server: adapters/sql/m.ts",
        "adapters-stay-below-the-engine: adapters/sql/n.ts",
        "contract-kit-needs-no-adapter: test/contract/q.ts",
        "core-has-no-io: core/platform/audit/c.ts",
        "core-knows-no-vendor: core/platform/audit/d.ts",
        "core-stands-alone: core/platform/audit/g.ts",
        "effect-by-sub-path: core/platform/audit/e.ts",
        "imports-resolve: core/platform/audit/gone.ts",
        "machines-are-pure: core/platform/audit/machine.ts",
        "no-cycles: core/platform/audit/j.ts",
        "room-audit: core/platform/audit/a.ts",
        "room-audit: core/platform/audit/f.ts",
        "room-workspace: core/platform/workspace/b.ts",
        "rooms-have-one-door: adapters/sql/l.ts",
        "server-knows-no-tests: server/cli/p.ts",
        "shipped-code-needs-shipped-modules: adapters/sql/o.ts",
        "sql-helpers-know-no-district: adapters/sql/n.ts",
        "sql-helpers-know-no-district: adapters/sql/u.ts",
        "sql-platform: adapters/sql/platform/jobs/r.ts"
      ].sort()
    )
  })
})
