import { describe, expect, it } from "vitest"
import { kanon, vault } from "../support/cli.js"

const escape = "\u001b"
/** Characters that act on a terminal or change the direction of writing. */
const dangerous = /[\u0000-\u0009\u000b-\u001f\u007f-\u009f\u202a-\u202e\u2066-\u2069]/

const files = {
  "birds/kestrel.md":
    "---\ntitle: Kestrel\ntags: [falcon]\n---\n\n# Kestrel\n\n## Hunting\n\nIt rests at noon. The kestrel hovers at a height of 25 metres. It hunts [[vole|voles]].\n",
  "mammals/vole.md": "# Vole\n\nA vole weighs 30 grams and fears the kestrel.\n"
}
const question = "At what height does the kestrel hover?"

describe("output for people", () => {
  const notes = vault(files)
  const ingested = kanon(["ingest", "--vault", notes])
  const run = (args: ReadonlyArray<string>, env = {}) => kanon(args, { cwd: notes, env })

  it("sums up an ingest", () => {
    expect(ingested.status).toBe(0)
    expect(ingested.stdout).toMatch(
      /^Documents {2}2 new, 0 unchanged\nWorkspace {2}\d+ passages, \d+ entities/
    )
    expect(run(["ingest"]).stdout).toMatch(/^Documents {2}2 unchanged\n/)
  })

  it("answers in prose, with the passage, its path and its headings", () => {
    const { status, stdout } = run(["ask", question])
    expect(status).toBe(0)
    const [prose = "", ...rest] = stdout.split("\n\n")
    expect(prose).toContain("The kestrel hovers at a height of 25 metres.")
    expect(prose).toContain("[S1]")
    const source = rest.find((block) => block.startsWith("[S1]")) ?? ""
    expect(source).toContain("Kestrel")
    expect(source).toContain("birds/kestrel.md › Hunting")
    expect(source.replace(/\n *│/g, "")).toContain(
      "It rests at noon. The kestrel hovers at a height of 25 metres. It hunts voles."
    )
    expect(stdout).toContain("builtin/extractive-5")
  })

  it("says what it did not find, and where one might look", () => {
    const { status, stdout } = run(["ask", "Which ringing station caught the kestrel Orinoco?"])
    expect(status).toBe(0)
    expect(stdout.startsWith("No answer found\n")).toBe(true)
    expect(stdout).toContain("Where one might look:")
    expect(stdout).toContain("birds/kestrel.md")
  })

  it("shows search results with rank, title, path, snippet and channels", () => {
    const { stdout } = run(["search", "hovering kestrel"])
    expect(stdout).toMatch(/^1\. Kestrel\n {3}birds\/kestrel\.md/)
    expect(stdout).toContain("hovers at a height")
    expect(stdout).toMatch(/fts/)
    expect(run(["search", "zyzzyva"]).stdout).toBe("Nothing found.\n")
  })

  it("lists in tables that a pipe gets uncut", () => {
    const { stdout } = run(["documents", "list"])
    expect(stdout).toMatch(/^path +title +version +updated +id\n/)
    expect(stdout).toMatch(/birds\/kestrel\.md {2}Kestrel +1 {2}\d{4}-\d\d-\d\d {2}doc_/)
    expect(stdout).toContain("2 documents")
    expect(run(["documents", "list", "--limit", "1"]).stdout).toContain("1 to 1 of 2 documents")
    expect(run(["documents", "list", "--offset", "9"]).stdout).toContain("No more documents: there are 2.")
    expect(run(["documents", "list", "--tag", "none"]).stdout).toBe("No documents.\n")
    expect(run(["entities", "list"]).stdout).toMatch(/^name +type +rank +id\n/)
    expect(run(["entities", "show", "Kestrel"]).stdout).toMatch(/^Kestrel /)
    expect(run(["entities", "neighborhood", "Kestrel"]).stdout).toContain("Vole")
    expect(run(["jobs", "list"]).stdout).toMatch(/^kind +status +attempt +queued +id/)
    expect(run(["jobs", "retry"]).stdout).toBe("No dead jobs.\n")
  })

  it("shows a document as it is, removes it and tells how to have it back", () => {
    const own = vault(files)
    kanon(["ingest", "--vault", own])
    const shown = kanon(["documents", "show", "mammals/vole.md"], { cwd: own }).stdout
    expect(shown).toMatch(/^Vole\nmammals\/vole\.md · doc_\w+ · version 1 · /)
    expect(shown).toContain("A vole weighs 30 grams and fears the kestrel.")
    const removed = kanon(["documents", "rm", "mammals/vole.md"], { cwd: own }).stdout
    const [, id = ""] = /kanon documents restore (doc_\w+)/.exec(removed) ?? []
    expect(kanon(["documents", "restore", id], { cwd: own }).stdout).toBe("Restored mammals/vole.md\n")
  })

  it("is coloured when asked for, and never when asked not to", () => {
    const help = (env: Readonly<Record<string, string>>) => run(["--help"], env).stdout
    expect(help({ FORCE_COLOR: "1" })).toContain(`${escape}[`)
    for (const env of [{}, { CI: "true" }, { FORCE_COLOR: "0" }, { FORCE_COLOR: "1", NO_COLOR: "1" }]) {
      expect(help(env)).not.toContain(escape)
    }
    expect(run(["ask", question, "--json"], { FORCE_COLOR: "1" }).stdout).not.toContain(escape)
  })

  it("says the same with and without colours", () => {
    const bare = (text: string) => text.replace(/\u001b\[[\d;]*m/g, "")
    for (const args of [
      ["ask", question],
      ["search", "hovering kestrel"],
      ["entities", "show", "Kestrel"]
    ]) {
      const coloured = run(args, { FORCE_COLOR: "1" }).stdout
      expect(coloured).toContain(`${escape}[`)
      expect(bare(coloured)).toBe(run(args).stdout)
    }
  })

  it("tells errors on the standard error", () => {
    const { status, stderr, stdout } = run(["documents", "show", "none.md"])
    expect({ status, stdout }).toEqual({ status: 1, stdout: "" })
    expect(stderr).toMatch(/^error No such document\.\n$/)
  })
})

describe("a hostile document", () => {
  const forged = `${escape}[2J${escape}[31mFORGED${escape}[0m ${escape}]0;title\u0007${escape}]8;;http://evil.example${escape}\\link${escape}]8;;${escape}\\ \u009b31m \u202Ereversed\u202C \u2066inner\u2069 bell\u0007 back\b\b\b done`
  const notes = vault({
    "trap.md": `---\ntitle: "Trap ${"\\e"}[31m ${"\\u202e"}title"\ntype: "beast ${"\\e"}]0;x${"\\a"}"\n---\n\n# Trap ${forged}\n\nThe trap ${forged} snaps at a speed of 90 metres per second. See [[other ${forged}]].\n`,
    "other.md": "# Other\n\nNothing happens here.\n"
  })
  kanon(["ingest", "--vault", notes])

  it.each([
    [["ask", "At what speed does the trap snap?"]],
    [["search", "trap snaps"]],
    [["documents", "list"]],
    [["documents", "show", "trap.md"]],
    [["entities", "list"]],
    [["ingest"]]
  ] as ReadonlyArray<[ReadonlyArray<string>]>)("cannot act on a terminal by way of kanon %j", (args) => {
    const { status, stderr, stdout } = kanon(args, { cwd: notes })
    expect(status).toBe(0)
    expect(stdout).not.toMatch(dangerous)
    expect(stderr).not.toMatch(dangerous)
    const json = kanon([...args, "--json"], { cwd: notes }).stdout
    expect(json).not.toMatch(dangerous)
  })

  it("shows what there is to read", () => {
    const { stdout } = kanon(["ask", "At what speed does the trap snap?"], { cwd: notes })
    expect(stdout.replace(/\s+/g, " ")).toContain("snaps at a speed of 90 metres per second.")
  })

  it("keeps its text whole in JSON", () => {
    const { stdout } = kanon(["documents", "show", "trap.md", "--json"], { cwd: notes })
    expect(JSON.parse(stdout).content).toContain(forged)
  })

  it("cannot act by way of what it is asked, either", () => {
    const { stderr } = kanon(["entities", "show", `x${forged}`], { cwd: notes })
    expect(stderr).toContain("No entity is called")
    expect(stderr).not.toMatch(dangerous)
    expect(kanon(["search", "q", `--limit=${forged}`], { cwd: notes }).stderr).not.toMatch(dangerous)
    expect(kanon([`x${forged}`], { cwd: notes }).stderr).not.toMatch(dangerous)
    expect(
      kanon(["ask", "q", "--vault", `x${forged.replaceAll("/", "")}`], { cwd: notes }).stderr
    ).not.toMatch(dangerous)
  })
})
