import { mkdirSync } from "node:fs"
import { join } from "node:path"
import Sqlite from "better-sqlite3"
import { describe, expect, it } from "vitest"
import type { Engine } from "../../../../adapters/sqlite/index.js"
import { operations } from "../../../../core/operations.js"
import { createEngine, importWorkspace } from "../../../support/database.js"
import { withFolder } from "../../../support/documents.js"

const handbook = (days: number) =>
  `# Handbook\n\nWelcome to the yard.\n\nAn open invoice of a supplier is paid within ${days} days.\n`
const finance =
  "# Finance\n\nThe auditors noted that an open invoice of a supplier is paid within 45 days, of which five are for checks.\n"
const reference = (size: string) =>
  `# Logging\n\n| Field | Description | Default |\n|---|---|---|\n| \`log.maxSize\` | Size of the log file before it rotates. | ${size} |\n| \`log.maxAge\` | Age. | 7 |\n`
const overview =
  "# Options\n\n| Field | Description | Default |\n|---|---|---|\n| log.maxsize | Maximum size of the log. | 0 |\n| log.maxage | Age of a file. | 7d |\n| mode | How. | strict |\n"
/** What is about something else, of another time, or an example. */
const others = [
  "# Rents\n\nThe rent of a berth is paid within 10 days.\n",
  "# Changelog\n\n## 1.2\n\nAn open invoice of a supplier is paid within 60 days.\n",
  "# Plans\n\nWe plan that an open invoice of a supplier is paid within 14 days.\n",
  "# Modes\n\n| Field | Description | Default |\n|---|---|---|\n| mode | How it sorts. | loose |\n"
]

/** Two statements of one thing that cannot both hold. */
const forms = [
  ["Invoices are paid within 30 days.", "Invoices are paid within 45 days."],
  [
    "To build the release archive, run `npm run bundle` in the root folder.",
    "To build the release archive, run `make dist` in the root folder."
  ],
  ["The harbour office opens at 9:00 on weekdays.", "The harbour office opens at 8:30 on weekdays."],
  ["The bilge pump delivers 60 litres per minute.", "The bilge pump delivers 2,400 litres per hour."],
  ["The hull of the pilot boat is painted green.", "The hull of the pilot boat is painted dark blue."],
  [
    "The dredging budget amounts to 71 million EUR.",
    "The steering group noted that the dredging budget amounts to 64 million EUR, of which 12 million EUR is paid."
  ],
  [
    "Remote pilotage of tankers is enabled by default.",
    "As a rule, remote pilotage of tankers is disabled by default."
  ]
] as const

/** Two statements that may both hold. */
const apart = [
  ["Invoices are paid within 30 days.", "Salaries are paid within 5 days."],
  ["The price is 5 EUR.", "The price is 7 EUR."],
  ["In 2023 tugs burned 40 tonnes of fuel.", "In 2024 tugs burned 55 tonnes of fuel."],
  ["Use `htpasswd` to generate the passwords.", "Use `htdigest` to generate the passwords."],
  ["By default, `watch` is `false`.", "By default, `insecure` is `true`."],
  [
    "To lint the sources, run `biome` in the root folder.",
    "To test the sources, run `vitest` in the root folder."
  ],
  ["Berth 9 is closed if the wind exceeds 20 knots.", "Berth 10 is closed if the wind exceeds 30 knots."],
  [
    "Setting the size of the tide cache to 0 entries disables the tide cache.",
    "The size of the tide cache is 10,000 entries."
  ],
  [
    "Setting the size of the chart store to 0 entries disables the chart store.",
    "A size of the chart store greater than 10,000 entries slows the chart store down."
  ]
] as const

const withEngine = (use: (engine: Engine, root: string) => Promise<void>) =>
  withFolder(async (root) => {
    mkdirSync(join(root, "vault"))
    const engine = await createEngine({
      vault: join(root, "vault"),
      data: join(root, "data"),
      worker: false,
      liveDataFolders: [root]
    })
    await use(engine, root)
    await engine.close()
  })

const statuses = async (engine: Engine) => {
  await engine.contradictions.find()
  const { items } = await engine.contradictions.list({ limit: 200 })
  return items.map(({ sides, status, subject }) => [
    status,
    subject.toLowerCase(),
    sides.map(({ value }) => value).sort()
  ])
}

describe("contradictions of the corpus", () => {
  it("are two statements of two documents, found once, until a side changes", () =>
    withEngine(async (engine) => {
      for (const [place, content] of others.entries())
        await engine.documents.create({ path: `other-${place}.md`, content })
      const { docId } = await engine.documents.create({ path: "handbook.md", content: handbook(30) })
      await engine.documents.create({ path: "finance.md", content: finance })
      const logging = await engine.documents.create({ path: "logging.md", content: reference("100MB") })
      await engine.documents.create({ path: "options.md", content: overview })
      expect((await engine.contradictions.find()).documents).toBe(8)
      const invoice = ["30 days", "45 days"]
      expect(await statuses(engine)).toEqual([
        ["open", expect.any(String), invoice],
        ["open", "log.maxsize", ["0", "100MB"]]
      ])
      expect((await engine.contradictions.find()).documents).toBe(0)
      const [first, second] = (await engine.contradictions.list({ status: "open" })).items
      expect(
        first?.sides.map((side) => ["docPath" in side ? side.docPath : null, side.quote])
      ).toContainEqual(["handbook.md", "An open invoice of a supplier is paid within 30 days."])
      await engine.contradictions.settle(first?.id ?? "", "both_true", "Two kinds of suppliers.")
      await expect(engine.contradictions.settle(first?.id ?? "", "settled", "Again.")).rejects.toMatchObject({
        code: "not_open"
      })
      // Another sentence of the page changes: nothing is found again.
      await engine.documents.replace(docId, handbook(30).replace("Welcome", "Be welcome"))
      expect((await statuses(engine)).map(([status]) => status)).toEqual(["both_true", "open"])
      await engine.documents.replace(docId, handbook(20))
      expect(await statuses(engine)).toEqual([
        ["settled", expect.any(String), invoice],
        ["open", "log.maxsize", ["0", "100MB"]],
        ["open", expect.any(String), ["20 days", "45 days"]]
      ])
      const report = await engine.call((await import("../../../../core/index.js")).operations.createReport, {
        title: "Coverage",
        kind: "coverage"
      })
      expect(report.sections.find(({ id }) => id === "contradictions")?.rows).toHaveLength(2)
      await engine.documents.remove(docId)
      await engine.documents.verify(logging.docId, "deprecated")
      expect((await statuses(engine)).map(([status]) => status)).toEqual(["settled", "settled", "gone"])
      await engine.documents.restore(docId)
      expect((await statuses(engine)).map(([status]) => status)).toEqual(["settled", "settled", "open"])
      expect((await engine.contradictions.list({ status: "settled" })).items.map(({ id }) => id)).toContain(
        second?.id
      )
      const { items: events } = await engine.audit.list({ action: "contradiction.settle" })
      expect(events).toMatchObject([{ subjectId: first?.id }])
    }))

  it("are found in short statements, commands, times of day, rates, colours and what somebody noted", () =>
    withEngine(async (engine) => {
      for (const [place, [one, other]] of forms.entries()) {
        await engine.documents.create({ path: `a-${place}.md`, content: `# Handbook ${place}\n\n${one}\n` })
        await engine.documents.create({ path: `b-${place}.md`, content: `# Overview ${place}\n\n${other}\n` })
      }
      await engine.contradictions.find()
      const { items } = await engine.contradictions.list({ limit: 200 })
      const pairs = items.map(({ sides }) =>
        sides.map((side) => ("docPath" in side ? side.docPath.slice(2) : ""))
      )
      expect(pairs.filter(([one, other]) => one !== other)).toEqual([])
      expect(new Set(pairs.map(([one]) => one))).toEqual(new Set(forms.map((_, place) => `${place}.md`)))
    }))

  it("are not found between other subjects, years, rows and conditions", () =>
    withEngine(async (engine) => {
      for (const [place, [one, other]] of apart.entries()) {
        await engine.documents.create({ path: `a-${place}.md`, content: `# Handbook ${place}\n\n${one}\n` })
        await engine.documents.create({ path: `b-${place}.md`, content: `# Overview ${place}\n\n${other}\n` })
      }
      await engine.contradictions.find()
      expect((await engine.contradictions.list({ limit: 200 })).items).toEqual([])
    }))

  it("have rows of queries that are bound to entities as sides, of the standing of the data", () =>
    withEngine(async (engine, root) => {
      const file = join(root, "yard.sqlite")
      const database = new Sqlite(file)
      database.pragma("journal_mode = delete")
      database.exec("create table crane (name text, lifts_tonnes integer, colour text, staff integer)")
      database.exec("insert into crane values ('Kran Otto', 42, 'green', 3), ('Kran Ida', 40, 'grey', 2)")
      const { id: connectorId } = await engine.call(operations.createDataConnector, {
        name: "Yard",
        kind: "sqlite",
        settings: { path: file }
      })
      await engine.call(operations.putDataQuery, {
        slug: "crane",
        title: "Crane of the yard",
        connectorId,
        sql: "select name, lifts_tonnes, colour, staff from crane where name = :name",
        params: [{ name: "name", type: "string" }],
        bindings: [{ entityType: "crane", paramMap: { name: "name" } }]
      })
      for (const name of ["Kran Otto", "Kran Ida"]) await engine.entities.create({ name, type: "crane" })
      const page = (otto: number) =>
        `# Cranes\n\nKran Otto lifts ${otto} tonnes. Kran Ida lifts 40 tonnes.\n\nThe steering group met 3 times.\n`
      const { docId } = await engine.documents.create({ path: "cranes.md", content: page(40) })
      const row = {
        queryTitle: "Crane of the yard",
        about: "Kran Otto",
        standing: "curated",
        value: "42"
      }
      await engine.contradictions.find()
      const { items } = await engine.contradictions.list()
      expect(items).toMatchObject([
        { status: "open", kind: "number", sides: [row, { docId, docPath: "cranes.md", value: "40 tonnes" }] }
      ])
      const stamp = (await engine.contradictions.list()).items
      await engine.contradictions.find()
      expect((await engine.contradictions.list()).items).toEqual(stamp)
      database.exec("update crane set lifts_tonnes = 40 where name = 'Kran Otto'")
      await engine.contradictions.find()
      expect((await engine.contradictions.list()).items).toMatchObject([
        { status: "settled", reason: "The row or the page changed." }
      ])
      database.exec("update crane set lifts_tonnes = 42 where name = 'Kran Otto'").close()
      await engine.contradictions.find()
      expect((await engine.contradictions.list()).items.map(({ status }) => status)).toEqual(["open"])
      await engine.documents.replace(docId, page(42))
      await engine.contradictions.find()
      expect((await engine.contradictions.list()).items.map(({ status }) => status)).toEqual(["settled"])
    }))

  it("are exported and imported", () =>
    withEngine(async (engine, root) => {
      await engine.documents.create({ path: "handbook.md", content: handbook(30) })
      await engine.documents.create({ path: "finance.md", content: finance })
      const before = await statuses(engine)
      expect(before).toHaveLength(1)
      const place = { vault: join(root, "copy"), data: join(root, "copy-data"), worker: false }
      await importWorkspace(engine.export(), place)
      const copy = await createEngine(place)
      const listed = await copy.contradictions.list()
      expect(listed).toEqual(await engine.contradictions.list())
      expect(await statuses(copy)).toEqual(before)
      await copy.close()
    }))
})
