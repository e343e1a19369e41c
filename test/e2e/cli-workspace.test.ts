import { execFileSync } from "node:child_process"
import { existsSync, mkdirSync, readFileSync, renameSync, rmSync, symlinkSync, writeFileSync } from "node:fs"
import { basename, dirname, join } from "node:path"
import { describe, expect, it } from "vitest"
import { folder, harm, kanon, vault, write } from "../support/cli.js"
import { testDatabase } from "../support/runs.js"

const note = { "birds/kestrel.md": "# Kestrel\n\nThe kestrel hovers at a height of 25 metres.\n" }
const json = (ran: { readonly stdout: string }) => JSON.parse(ran.stdout)

describe("kanon init", () => {
  it("makes a workspace in the current folder and says so once", () => {
    const notes = vault(note)
    const first = kanon(["init", "--json"], { cwd: notes })
    expect(first.status).toBe(0)
    const made = json(first)
    expect(made).toEqual({
      id: expect.stringMatching(/^ws_/),
      workspaceId: made.id,
      name: basename(notes),
      vault: notes,
      data: join(notes, ".kanon"),
      created: true,
      key: expect.stringMatching(/^svc_sk_/)
    })
    const second = kanon(["init", "--json"], { cwd: notes })
    expect(second.status).toBe(0)
    expect(json(second)).toEqual({ ...made, created: false, key: null })
    expect(kanon(["init"], { cwd: notes }).stdout).toContain("is there already")
  })

  it("ingests nothing", () => {
    const notes = vault(note)
    kanon(["init"], { cwd: notes })
    expect(json(kanon(["documents", "list", "--json"], { cwd: notes })).total).toBe(0)
  })

  it("takes a name, a vault and a data folder, and makes folders that are not there", () => {
    const [place, notes] = [folder(), join(folder(), "new", "notes")]
    const data = join(place, "data")
    const made = json(kanon(["init", "--vault", notes, "--data", data, "--name", "Field notes", "--json"]))
    expect(made).toMatchObject({ name: "Field notes", vault: notes, data, created: true })
    expect(JSON.parse(readFileSync(join(data, "workspace.json"), "utf8"))).toEqual({
      format: 1,
      vault: notes,
      name: "Field notes",
      ...(testDatabase === "postgres" ? { database: "postgres", workspace: made.id } : {})
    })
  })

  it("remembers the vault relative to a data folder within it, so that both can be moved together", () => {
    const notes = vault(note)
    kanon(["ingest", "--vault", notes])
    const moved = `${notes}-moved`
    renameSync(notes, moved)
    try {
      const found = json(kanon(["search", "kestrel", "--json"], { cwd: join(moved, "birds") }))
      expect(found.results).toHaveLength(1)
    } finally {
      rmSync(moved, { recursive: true })
    }
  })
})

describe("finding the workspace", () => {
  it("says what to do where there is none", () => {
    const nowhere = folder()
    for (const args of [
      ["ask", "q"],
      ["search", "q"],
      ["ingest"],
      ["documents", "list"],
      ["jobs", "retry"]
    ]) {
      const { status, stderr, stdout } = kanon([...args, "--json"], { cwd: nowhere })
      expect({ status, stdout }).toEqual({ status: 1, stdout: "" })
      expect(JSON.parse(stderr)).toEqual({
        error: "no_workspace",
        message: expect.stringContaining("kanon init")
      })
      expect(kanon(args, { cwd: nowhere }).stderr).toContain("kanon init")
    }
    expect(existsSync(join(nowhere, ".kanon"))).toBe(false)
  })

  it("takes the nearest .kanon upwards", () => {
    const notes = vault({ ...note, "birds/owls/barn.md": "# Barn owl\n\nThe barn owl hunts at night.\n" })
    kanon(["ingest", "--vault", notes])
    expect(json(kanon(["documents", "list", "--json"], { cwd: join(notes, "birds", "owls") })).total).toBe(2)
    kanon(["ingest", "--vault", join(notes, "birds", "owls")])
    expect(json(kanon(["documents", "list", "--json"], { cwd: join(notes, "birds", "owls") })).total).toBe(1)
    expect(json(kanon(["documents", "list", "--json"], { cwd: join(notes, "birds") })).total).toBe(2)
  })

  it("prefers --data to KANON_DATA, and KANON_DATA to what is nearest", () => {
    const [here, there, far] = [
      vault(note),
      vault({ "a.md": "# A\n" }),
      vault({ "b.md": "# B\n", "c.md": "# C\n" })
    ]
    for (const one of [here, there, far]) kanon(["ingest", "--vault", one])
    const env = { KANON_DATA: join(there, ".kanon") }
    const titles = (args: ReadonlyArray<string>, variables = {}) =>
      json(kanon(["documents", "list", "--json", ...args], { cwd: here, env: variables })).items.map(
        ({ title }: { title: string }) => title
      )
    expect(titles([])).toEqual(["Kestrel"])
    expect(titles([], env)).toEqual(["A"])
    expect(titles(["--data", join(far, ".kanon")], env)).toEqual(["B", "C"])
    expect(titles([], { KANON_DATA: "" })).toEqual(["Kestrel"])
  })

  it("keeps a vault and data elsewhere together, and the vault's own folder is taken for no workspace", () => {
    const [notes, data] = [vault(note), join(folder(), "data")]
    kanon(["ingest", "--vault", notes, "--data", data])
    expect(json(kanon(["documents", "list", "--data", data, "--json"])).total).toBe(1)
    json(kanon(["documents", "rm", "birds/kestrel.md", "--data", data, "--json"]))
    const { status, stderr } = kanon(["documents", "list", "--json"], { cwd: notes })
    expect(status).toBe(1)
    expect(JSON.parse(stderr).error).toBe("no_workspace")
  })

  it("refuses another vault than the data's own, and takes a moved one", () => {
    const [notes, other, data] = [vault(note), vault({ "x.md": "# X\n" }), join(folder(), "data")]
    kanon(["ingest", "--vault", notes, "--data", data])
    const { status, stderr } = kanon(["ingest", "--vault", other, "--data", data, "--json"])
    expect(status).toBe(1)
    expect(JSON.parse(stderr)).toEqual({ error: "vault_mismatch", message: expect.stringContaining(notes) })
    const moved = join(folder(), "moved")
    renameSync(notes, moved)
    const gone = kanon(["ingest", "--data", data, "--json"])
    expect([gone.status, JSON.parse(gone.stderr).error]).toEqual([1, "vault_unavailable"])
    const report = json(kanon(["ingest", "--vault", moved, "--data", data, "--json"]))
    expect(report.documents).toMatchObject({ created: 0, deleted: 0, failed: 0, unchanged: 1 })
    expect(json(kanon(["ingest", "--data", data, "--json"])).documents.unchanged).toBe(1)
  })

  it("takes a vault by way of a symbolic link for the same", () => {
    const [notes, place] = [vault(note), folder()]
    const data = join(place, "data")
    symlinkSync(notes, join(place, "link"))
    kanon(["ingest", "--vault", notes, "--data", data])
    expect(kanon(["ingest", "--vault", join(place, "link"), "--data", data]).status).toBe(0)
  })

  it("fails clearly on bad folders", () => {
    const place = vault({ "file.txt": "no folder", "locked/.kanon/workspace.json": "{]" })
    const code = (args: ReadonlyArray<string>) => {
      const { status, stderr, stdout } = kanon([...args, "--json"], { cwd: place })
      expect({ status, stdout }).toEqual({ status: 1, stdout: "" })
      return JSON.parse(stderr).error
    }
    expect(code(["ask", "q", "--vault", "missing"])).toBe("vault_unavailable")
    expect(existsSync(join(place, "missing"))).toBe(false)
    expect(code(["ask", "q", "--vault", "file.txt"])).toBe("vault_unavailable")
    expect(code(["ask", "q", "--data", "file.txt"])).toBe("data_unavailable")
    expect(code(["ask", "q", "--data", "missing"])).toBe("no_workspace")
    expect(code(["ingest", "--vault", "locked"])).toBe("data_unavailable")
    // Opening a pipe without a writer would block for ever.
    for (const file of ["workspace.json", ...(testDatabase === "sqlite" ? ["kanon.sqlite"] : [])]) {
      const data = join(place, "piped", file, ".kanon")
      mkdirSync(data, { recursive: true })
      execFileSync("mkfifo", [join(data, file)])
      expect(code(["ingest", "--vault", dirname(data)])).toBe("data_unavailable")
    }
    expect(code(["init", "--vault", "file.txt"])).toBe("vault_unavailable")
  })

  it("does not open a database that is none", () => {
    const notes = vault(note)
    kanon(["init", "--vault", notes])
    if (testDatabase === "postgres")
      harm(
        join(notes, ".kanon"),
        "drop schema public cascade; create schema public; create table theirs (id text)"
      )
    else {
      for (const ending of ["-wal", "-shm"])
        rmSync(join(notes, ".kanon", `kanon.sqlite${ending}`), { force: true })
      writeFileSync(
        join(notes, ".kanon", "kanon.sqlite"),
        "this is not a database, but a text of some length\n".repeat(100)
      )
    }
    const { status, stderr, stdout } = kanon(["documents", "list", "--json"], { cwd: notes })
    expect({ status, stdout }).toEqual({ status: 1, stdout: "" })
    expect(stderr.trim().split("\n")).toHaveLength(1)
    expect(JSON.parse(stderr).error).toBe("data_unreadable")
  })
})

describe("a folder never seen before", () => {
  const question = "At what height does the kestrel hover?"

  it("is initialised, ingested and answered from", () => {
    const notes = vault(note)
    const { status, stdout } = kanon(["ask", question, "--vault", notes, "--json"])
    expect(status).toBe(0)
    const answer = JSON.parse(stdout)
    expect(answer.answer).toContain("25 metres")
    expect(answer.sources[0].docPath).toBe("birds/kestrel.md")
    expect(json(kanon(["documents", "list", "--json"], { cwd: notes })).total).toBe(1)
  })

  it.each([
    [["search", "kestrel"], "results"],
    [["documents", "list"], "items"],
    [["entities", "list"], "entities"]
  ] as const)("is ingested for kanon %j too", (args, field) => {
    const notes = vault(note)
    const result = json(kanon([...args, "--vault", notes, "--json"]))
    expect(result[field].length).toBeGreaterThan(0)
  })

  it("quotes the former version that answers a question about what held before, and names it", () => {
    const notes = vault(note)
    kanon(["ingest", "--vault", notes])
    write(notes, { "birds/kestrel.md": "# Kestrel\n\nThe kestrel hovers at a height of 30 metres.\n" })
    const { status, stdout } = kanon([
      "ask",
      "At what height did the kestrel hover before?",
      "--vault",
      notes
    ])
    expect(status).toBe(0)
    expect(stdout).toContain("25 metres")
    expect(stdout).not.toContain("30 metres")
    expect(stdout).toMatch(/birds\/kestrel\.md · version 1 of \d{4}-\d\d-\d\d/)
    const today = kanon(["ask", "At what height does the kestrel hover?", "--vault", notes])
    expect(today.stdout).toContain("30 metres")
    expect(today.stdout).not.toContain(" · version ")
  })

  it("never takes its own data for documents", () => {
    const notes = vault(note)
    kanon(["ingest", "--vault", notes])
    write(notes, { ".kanon/stray.md": "# Stray\n" })
    mkdirSync(join(notes, ".hidden"))
    const report = json(kanon(["ingest", "--vault", notes, "--json"]))
    expect(report.documents).toMatchObject({ created: 0, unchanged: 1 })
  })
})

describe("kanon workspaces create", () => {
  it("gives no two workspaces the same files, and makes nothing of an empty name of a folder", () => {
    const notes = vault(note)
    kanon(["init"], { cwd: notes })
    const link = join(folder(), "link")
    symlinkSync(notes, link)
    const names = () =>
      json(kanon(["workspaces", "list", "--json"], { cwd: notes })).items.map(
        (one: { name: string }) => one.name
      )
    const create = (place: string) => {
      const { status, stderr } = kanon(
        ["workspaces", "create", "--name", "Other", "--vault", place, "--json"],
        { cwd: notes }
      )
      return [status, status === 0 ? null : JSON.parse(stderr).error]
    }
    expect(create("")).toEqual([2, "invalid_usage"])
    expect(create(".")).toEqual([1, "conflict"])
    expect(create(link)).toEqual([1, "conflict"])
    expect(create(join(notes, "birds", "kestrel.md"))).toEqual([1, "vault_unavailable"])
    expect(names()).toEqual([basename(notes)])
    const other = join(folder(), "other")
    expect(create(other)).toEqual([0, null])
    expect(create(`${other}/`)).toEqual([1, "conflict"])
    expect(names()).toEqual([basename(notes), "Other"])
  })
})
