import { appendFileSync, mkdirSync, writeFileSync } from "node:fs"
import { join } from "node:path"
import { describe, expect, it } from "vitest"
import { findingKinds } from "../../core/upkeep/integrity/index.js"
import { folder, harm, kanon, vault } from "../support/cli.js"
import { DoctorResult } from "../support/cli-shapes.js"
import { testDatabase } from "../support/runs.js"
import { textOf } from "../support/tree.js"

const files = {
  "birds/kestrel.md":
    "---\ntags: [falcon]\n---\n# Kestrel\n\nThe kestrel hovers at 25 metres. It hunts [[vole]].\n",
  "mammals/vole.md": "# Vole\n\nA vole weighs 30 grams.\n"
}

/** Remarks of the doctor on the test database: the tests' role owns the tables, and no extension is installed. */
const usual = testDatabase === "postgres" ? ["second_wall_down", "vectors_in_process"] : []

const ingested = () => {
  const notes = vault(files)
  expect(kanon(["ingest", "--vault", notes]).status).toBe(0)
  return notes
}

const doctor = (notes: string, ...options: ReadonlyArray<string>) => {
  const { status, stderr, stdout } = kanon(["doctor", "--json", ...options], { cwd: notes })
  expect(stderr).toBe("")
  const { findings, remarks, ...report } = DoctorResult.parse(JSON.parse(stdout))
  expect(findings.map(({ code }) => code)).toEqual(expect.arrayContaining(usual))
  const own = findings.filter(({ code }) => !usual.includes(code))
  return { status, report: { ...report, findings: own, remarks: remarks - usual.length } }
}

describe("kanon doctor", () => {
  it("a sound workspace has no finding", () => {
    const notes = ingested()
    expect(doctor(notes)).toMatchObject({
      status: 0,
      report: { ok: true, findings: [], checked: { files: 2 } }
    })
    const { status, stdout } = kanon(["doctor"], { cwd: notes })
    expect({ status, stdout }).toEqual({
      status: 0,
      stdout: expect.stringMatching(
        // So few passages have no vectors yet, which is no finding.
        usual.length === 0
          ? /^No vectors: .+\n\nEverything agrees\. {2}\d/
          : /^Everything agrees\. {2}2 remarks/m
      )
    })
  })

  it("exits 1 while a difference remains, and --repair corrects it", () => {
    const notes = ingested()
    harm(join(notes, ".kanon"), "delete from edge; update chunk set text = 'x' || text")
    appendFileSync(join(notes, "mammals", "vole.md"), "\nIt digs.\n")
    for (const look of [doctor(notes), doctor(notes)]) {
      expect(look.status).toBe(1)
      expect(look.report).toMatchObject({ ok: false, repaired: 0 })
      expect(look.report.findings.map(({ code }) => code)).toEqual(
        expect.arrayContaining(["file_changed", "passages_differ", "edges_differ"])
      )
    }
    const people = kanon(["doctor"], { cwd: notes })
    expect(people.status).toBe(1)
    expect(people.stdout).toMatch(
      /difference {2}file_changed\n {2}The file differs from the document\.\n {2}· mammals\/vole\.md/
    )
    expect(people.stdout).toMatch(
      /\d+ differences\. Run 'kanon doctor --repair' to reconcile files and rebuild derived data\./
    )
    const mended = kanon(["doctor", "--repair"], { cwd: notes })
    expect(mended.status).toBe(0)
    expect(mended.stdout).toMatch(/repaired {2}file_changed/)
    expect(mended.stdout).toMatch(/\d+ differences repaired; everything agrees\./)
    expect(doctor(notes)).toMatchObject({ status: 0, report: { ok: true, findings: [] } })
    expect(kanon(["search", "digs"], { cwd: notes }).stdout).toContain("vole")
  })

  it("exits 0 with a remark alone", () => {
    const notes = ingested()
    writeFileSync(join(notes, "sound.md"), Buffer.from([0, 1, 0]))
    const { report, status } = doctor(notes, "--repair")
    expect(status).toBe(0)
    expect(report).toMatchObject({
      ok: true,
      remarks: 1,
      findings: [{ code: "file_skipped", subject: "sound.md" }]
    })
    expect(kanon(["doctor"], { cwd: notes }).stdout).toMatch(usual.length === 0 ? /1 remark/ : /3 remarks/)
  })

  it("exits 1 when something could not be repaired, and names it", () => {
    const notes = ingested()
    writeFileSync(join(notes, "mammals", "vole.md"), Buffer.from([0, 1, 0]))
    const { status, stdout } = kanon(["doctor", "--repair"], { cwd: notes })
    expect(status).toBe(1)
    expect(stdout).toMatch(/not repaired {2}file_unreadable/)
    expect(stdout).toContain("1 difference could not be repaired.")
  })

  it("finds what other commands would complete when they start", () => {
    const notes = ingested()
    harm(join(notes, ".kanon"), "delete from posting_segment")
    expect(doctor(notes).report.findings.map(({ code }) => code)).toContain("postings_missing")
    expect(doctor(notes, "--repair").status).toBe(0)
    expect(kanon(["search", "kestrel"], { cwd: notes })).toMatchObject({ status: 0, stderr: "" })
  })

  it("says clearly that a database cannot be opened", () => {
    const notes = testDatabase === "postgres" ? ingested() : folder()
    if (testDatabase === "postgres")
      harm(
        join(notes, ".kanon"),
        "drop schema public cascade; create schema public; create table theirs (id text)"
      )
    else {
      mkdirSync(join(notes, ".kanon"))
      writeFileSync(join(notes, ".kanon", "kanon.sqlite"), "this was a database once ".repeat(500))
    }
    const { status, stderr, stdout } = kanon(["doctor", "--json"], { cwd: notes })
    expect({ status, stdout }).toEqual({ status: 1, stdout: "" })
    expect(JSON.parse(stderr).error).toMatch(/^data_un(readable|available)$/)
  })

  it("reports a damaged primary row with the advice to restore the workspace", () => {
    const notes = ingested()
    harm(join(notes, ".kanon"), "update document set created_at = 'yesterday' where path = 'mammals/vole.md'")
    for (const options of [[], ["--repair"]]) {
      const { status, stdout } = kanon(["doctor", ...options], { cwd: notes })
      expect(status).toBe(1)
      expect(stdout.replace(/\s+/g, " ")).toContain("Restore this workspace from a backup or an export.")
    }
  })

  it("has no other options", () => {
    expect(kanon(["doctor", "--fix", "--vault", folder()]).status).toBe(2)
  })
})

describe("docs/reliability.md", () => {
  it("lists every kind of finding, and which are remarks", () => {
    const rows = [...textOf("docs/reliability.md").matchAll(/^\| `([a-z_]+)` \| (Remark: )?.* \| .* \|$/gm)]
    const listed = rows.map(([, code = "", remark]) => [code, remark === undefined ? "difference" : "remark"])
    const kinds = Object.entries(findingKinds)
    expect(listed.filter(([code]) => code !== undefined && code in findingKinds).sort()).toEqual(
      kinds.map(([code, severity]) => [code, severity]).sort()
    )
  })
})
