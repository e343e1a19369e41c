import { appendFileSync, rmSync, writeFileSync } from "node:fs"
import { join } from "node:path"
import * as Effect from "effect/Effect"
import * as Runtime from "effect/Runtime"
import { afterAll, describe, expect, it } from "vitest"
import { createEngine, type Engine } from "../../../../adapters/sqlite/index.js"
import { nodeFiles } from "../../../../adapters/vault/files.js"
import { inspectFiles, syncVault } from "../../../../core/files/vault-sync/index.js"
import {
  type DocumentServices,
  documentsLayer,
  LabelledTexts,
  withFolder
} from "../../../support/documents.js"
import { differences, inspect } from "../../../support/inspected.js"
import { burnHealthy, type Patient, withPatient } from "../../../support/patient.js"
import { asCaller, makeWorkspace, runEffect } from "../../../support/run.js"
import { runs } from "../../../support/runs.js"

afterAll(burnHealthy)

type Report = Awaited<ReturnType<Engine["doctor"]>>

const mended = ({ findings }: Report) =>
  findings.filter(({ repaired }) => repaired).map(({ code, count, subject }) => `${code} ${subject} ${count}`)

describe("two repairs at once", () => {
  const inRows = ({ sql }: Patient) =>
    sql((database) =>
      database.exec(
        `update entity set name_key = 'x' where name = 'Master Bo'; delete from vector where label % 2 = 0;
        delete from mention where document_no =
          (select number from id_number where id = (select id from document where path = 'orchard.md'))`
      )
    )
  const inFiles = ({ vault }: Patient) => {
    appendFileSync(join(vault, "quarry.md"), "\nOne more sentence.\n")
    rmSync(join(vault, "harbour.md"))
  }

  it.each([
    { what: "rows", harm: inRows, codes: ["entity_misfiled", "vectors_missing", "mentions_differ"] },
    { what: "files", harm: inFiles, codes: ["file_changed", "file_missing"] }
  ])("repair, report and record each difference of $what once", ({ codes, harm }) =>
    withPatient(async (patient) => {
      const { data, sql, vault } = patient
      harm(patient)
      const open = () => createEngine({ vault, data, mend: false, thread: false })
      const [one, two] = [await open(), await open()]
      try {
        const reports = await Promise.all([one, two].map((engine) => engine.doctor({ repair: true })))
        expect(reports.map(({ ok }) => ok)).toEqual([true, true])
        const [first = [], second = []] = reports.map(mended)
        expect([first, second].filter((all) => all.length === 0)).toHaveLength(1)
        const all = [...first, ...second].join("\n")
        for (const code of codes) expect(all).toContain(code)
        // No repair finds the pending work of the other.
        expect(all).not.toContain("graph_unattended")
        const noted = sql((database) =>
          database
            .prepare("select details ->> 'code' from audit where action = 'workspace.repair'")
            .pluck()
            .all()
        )
        expect(noted).toHaveLength(new Set(noted).size)
      } finally {
        await Promise.all([one.close(), two.close()])
      }
    })
  )

  it("count everything that is rebuilt", () =>
    withPatient(async ({ sql, using, vault }) => {
      for (let place = 0; place < 30; place++)
        writeFileSync(
          join(vault, `row-${place}.md`),
          Array.from(
            { length: 9 },
            (_, part) => `## Row ${part}\n\nThe orchard of the Selborne Estate.\n`
          ).join("\n")
        )
      await using((engine) => engine.ingest(), { worker: true })
      const lost = sql((database) => database.prepare("delete from vector").run().changes)
      await using(async (engine) => {
        const { findings } = await engine.doctor({ repair: true })
        expect(lost).toBeGreaterThan(256)
        expect(findings.find(({ code }) => code === "vectors_missing")?.count).toBe(lost)
      })
    }))
})

describe("an inspection beside an ingest", () => {
  it("waits for files that the ingest is about to read, and reports the others", () =>
    withFolder(async (root) => {
      const late = ["a.md", "b.md", "c.md", "d.md"]
      for (const path of [...late, "left.md"]) writeFileSync(join(root, path), `# ${path}\n`)
      let [walks, isTakingIn] = [0, false]
      let ingest: (path: string) => Promise<unknown> = () => Promise.resolve()
      const files = {
        ...nodeFiles,
        readdir: async (path: string) => {
          const next = path === root && !isTakingIn ? late[walks++] : undefined
          if (next !== undefined) {
            isTakingIn = true
            await ingest(next)
            isTakingIn = false
          }
          return nodeFiles.readdir(path)
        }
      }
      await runEffect(
        Effect.gen(function* () {
          const caller = asCaller(yield* makeWorkspace())
          const runtime = yield* Effect.runtime<DocumentServices>()
          ingest = (under) => Runtime.runPromise(runtime)(caller(syncVault({ under })))
          const told: Array<string> = []
          yield* caller(
            inspectFiles({
              rebuild: false,
              report: (code, { subject }) => Effect.sync(() => told.push(`${code} ${subject}`)),
              progress: () => Effect.void
            })
          )
          expect(told).toEqual(["file_new left.md"])
        }).pipe(Effect.provide(documentsLayer(root, new LabelledTexts(), files)))
      )
    }))
})

describe("an inspection beside a removal", () => {
  it("does not report a graph that falls behind meanwhile", () =>
    withPatient(({ using }) =>
      using(async (engine) => {
        const { id } = await engine.documents.getByPath("quarry.md")
        let removed: Promise<unknown> | undefined
        const report = await engine.doctor({
          onProgress: ({ done, phase }) => {
            if (phase === "graph" && done > 0) removed ??= engine.documents.remove(id)
          }
        })
        expect(removed).toBeDefined()
        await removed
        expect(differences(report)).toEqual([])
      })
    ))
})

describe("an inspection beside writers", () => {
  it("does not report a write in progress", () =>
    withPatient(async (patient) => {
      const { data, vault } = patient
      const busy = await createEngine({ vault, data, thread: false })
      let working = true
      const work = async () => {
        for (let round = 0; working; round++) {
          const made = await busy.documents.create({
            path: `busy/${round}.md`,
            content: `---\ntags: [busy]\n---\n# Busy ${round}\n\nAbout the Selborne Estate and [[Harbour]].\n`
          })
          await busy.documents.replace(made.docId, `# Busy again ${round}\n\nAbout [[Quarry]] now.\n`)
          await busy.documents.move(made.docId, `busy/moved-${round}.md`)
          const entity = await busy.entities.create({ name: `Person ${round}`, type: "person" })
          await busy.entities.update(entity.id, { description: "Busy." })
          if (round % 2 === 0) await busy.documents.remove(made.docId)
        }
      }
      const done = work()
      try {
        for (let look = 0; look < runs(3); look++) expect(differences(await inspect(patient))).toEqual([])
      } finally {
        working = false
        await done
        await busy.close()
      }
      expect(differences(await inspect(patient, true))).toEqual([])
    }))
})
