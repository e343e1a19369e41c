import { describe, expect, it } from "vitest"
import { folder, kanon, kanonAlone, shell, vault } from "../support/cli.js"
import { textOf } from "../support/tree.js"

const version: string = JSON.parse(textOf("package.json")).version
const commands = [
  ["init"],
  ["ingest"],
  ["search"],
  ["ask"],
  ["documents", "list"],
  ["documents", "show"],
  ["documents", "rm"],
  ["documents", "restore"],
  ["entities", "list"],
  ["entities", "show"],
  ["entities", "neighborhood"],
  ["jobs", "list"],
  ["jobs", "retry"]
]

describe("an empty word, such as of a variable that is not set", () => {
  it.each([
    [["import", "skos", ""], 2, /^'' does not end like/],
    [["import", "skos", "", "--format", "turtle"], 1, /^'' cannot be read/],
    [["import", "", "--vault", "nowhere"], 1, /There is no file ''\./],
    [["export", "--out", ""], 2, /--out takes a FILE, and was given ''\./],
    [["init", "--vault", ""], 2, /--vault takes a DIR, and was given ''\./],
    [["status", "--data="], 2, /--data takes a DIR, and was given ''\./],
    [["status", "--database", ""], 2, /--database takes a URL, and was given ''\./]
  ] as const)("is seen in what is said of it: %j", (words, exit, said) => {
    const { status, stderr, stdout } = kanon([...words, "--json"])
    expect({ status, stdout }).toEqual({ status: exit, stdout: "" })
    expect(JSON.parse(stderr).message).toMatch(said)
  })
})

describe("help and version", () => {
  it("prints the version of the package", () => {
    expect(kanonAlone(["--version"])).toEqual({ status: 0, stdout: `${version}\n`, stderr: "" })
    expect(kanon(["ask", "--version", "--vault", "nowhere"]).stdout).toBe(`${version}\n`)
  })

  it("names every command when asked for help, or for nothing", () => {
    const { status, stderr, stdout } = kanon(["--help"])
    expect([status, stderr]).toEqual([0, ""])
    for (const path of commands) expect(stdout).toContain(`  ${path.join(" ")}`)
    expect(kanon([]).stdout).toBe(stdout)
    expect(kanon(["-h"]).stdout).toBe(stdout)
  })

  it("explains every command, without colours in a pipe and in 80 columns", () => {
    for (const path of commands) {
      const { status, stdout } = kanon([...path, "--help"])
      expect(status).toBe(0)
      expect(stdout).toContain(`Usage: kanon ${path.join(" ")}`)
      for (const option of ["--data DIR", "--vault DIR", "--json", "--help"]) expect(stdout).toContain(option)
      expect(stdout).not.toContain("\u001b")
      expect(stdout.split("\n").filter((line) => line.length > 80)).toEqual([])
    }
  })

  it.each(["bash", "zsh", "fish", "sh"])(
    "prints completions for %s that know the options we have",
    (name) => {
      const { status, stderr, stdout } = kanon(["--completions", name])
      expect([status, stderr]).toEqual([0, ""])
      expect(stdout).toContain("neighborhood")
      expect(stdout).toContain("max-sources")
      expect(stdout).not.toMatch(/wizard|log-level/)
    }
  )

  it("prints bash completions that bash takes and that complete", () => {
    const line = [
      "source <(kanon --completions bash)",
      "COMP_WORDS=(kanon documents re) COMP_CWORD=2",
      "_kanon_bash_completions kanon",
      "echo $COMPREPLY"
    ].join("\n")
    expect(shell(line)).toEqual({ status: 0, stdout: "restore\n", stderr: "" })
  })
})

describe("wrong usage", () => {
  const cases: ReadonlyArray<readonly [string, ReadonlyArray<string>, string]> = [
    ["an unknown command", ["serach", "x"], "Did you mean 'search'?"],
    ["a command far from any", ["frobnicate"], "There are init, ingest, search"],
    ["an unknown subcommand", ["documents", "lst"], "Did you mean 'list'?"],
    ["a group alone", ["documents"], "list, show, versions, move, rm, restore, verify, lineage or access"],
    ["an unknown option", ["ask", "--max-source", "3", "q"], "Did you mean --max-sources?"],
    ["an option of another command", ["ask", "q", "--limit", "3"], "kanon ask has no option --limit."],
    ["a short option that is none", ["ask", "-x", "q"], "no option -x"],
    ["a missing question", ["ask"], "<question>"],
    ["a missing query", ["search", "--json"], "<query>"],
    ["a missing document", ["documents", "show"], "<id-or-path>"],
    ["words out of quotes", ["ask", "what", "is", "this"], "in quotes"],
    ["an argument where none is taken", ["documents", "list", "x"], "takes no argument"],
    ["an empty question", ["ask", ""], "empty"],
    ["a blank question", ["ask", " \n\t "], "empty"],
    ["an empty query", ["search", "  "], "empty"],
    ["a limit of 0", ["search", "q", "--limit", "0"], "--limit takes a whole number, 1 to 50."],
    ["a limit of 51", ["search", "q", "--limit", "51"], "--limit takes a whole number, 1 to 50."],
    ["a limit that is no number", ["search", "q", "--limit", "ten"], "--limit takes"],
    ["a limit with a fraction", ["search", "q", "--limit", "1.5"], "--limit takes"],
    ["21 sources", ["ask", "q", "--max-sources", "21"], "--max-sources takes a whole number, 1 to 20."],
    [
      "a negative offset",
      ["documents", "list", "--offset", "-1"],
      "--offset takes a whole number, 0 or more."
    ],
    [
      "a depth of 4",
      ["entities", "neighborhood", "x", "--depth", "4"],
      "--depth takes a whole number, 1 to 3."
    ],
    [
      "a verification there is not",
      ["search", "q", "--verification", "good"],
      "--verification takes unverified"
    ],
    [
      "a life cycle there is not",
      ["entities", "lifecycle", "x", "retired"],
      "<lifecycle> is draft, pending_review or published, not 'retired'."
    ],
    ["a version that is no number", ["entities", "restore-revision", "x", "two"], "<version> is a whole"],
    [
      "a proposal without what its kind needs",
      ["requests", "propose", "supersede", "--entity", "x"],
      "To propose a supersede takes --superseded-by"
    ],
    ["a status there is not", ["jobs", "list", "--status", "lost"], "--status takes scheduled"],
    ["an option without its value", ["search", "q", "--tag"], "--tag needs a value."],
    ["an option in place of a value", ["search", "q", "--tag", "--json"], "--tag needs a value."],
    ["a value for a switch", ["search", "q", "--rerank=very"], "--rerank takes no value."],
    ["an option given twice", ["search", "q", "--tag", "a", "--tag", "b"], "--tag is given twice."],
    ["a shell there is not", ["--completions", "cmd"], "bash, zsh, fish or sh"],
    ["an empty name", ["init", "--name", ""], "--name"]
  ]
  const nowhere = folder()

  it.each(cases)("refuses %s with exit code 2 and says what is wrong", (_, args, message) => {
    const { status, stderr, stdout } = kanon(["--json", ...args], { cwd: nowhere })
    expect({ status, stdout }).toEqual({ status: 2, stdout: "" })
    expect(stderr.split("\n")).toHaveLength(2)
    const told = JSON.parse(stderr)
    expect(Object.keys(told)).toEqual(["error", "message"])
    expect(told.error).toBe("invalid_usage")
    expect(told.message).toContain(message)
  })

  it("says the same in words", () => {
    for (const [, args, message] of cases.filter((_, index) => index % 9 === 0)) {
      const { status, stderr, stdout } = kanon(args, { cwd: nowhere })
      expect({ status, stdout }).toEqual({ status: 2, stdout: "" })
      expect(stderr).toMatch(/^error .*\n$/)
      expect(stderr).toContain(message)
    }
  })
})

describe("the order of words", () => {
  const notes = vault({ "note.md": "# Kestrel\n\nThe kestrel hovers over the meadow.\n" })
  kanon(["ingest", "--vault", notes])
  const expected = JSON.parse(kanon(["search", "kestrel", "--vault", notes, "--json"]).stdout)

  const orders: ReadonlyArray<ReadonlyArray<string>> = [
    ["search", "--vault", notes, "--json", "kestrel"],
    ["search", "--json", "kestrel", `--vault=${notes}`],
    ["--json", "search", "kestrel", "--vault", notes],
    ["--vault", notes, "search", "kestrel", "--json=true"],
    ["search", "--vault", notes, "--json", "--", "kestrel"],
    ["search", "--json", "--json", "--vault", notes, "kestrel"]
  ]
  it.each(orders.map((words) => [words]))("is free: %j", (words) => {
    const { status, stderr, stdout } = kanon(words)
    expect([status, stderr]).toEqual([0, ""])
    expect(JSON.parse(stdout)).toEqual(expected)
    expect(expected.results).toHaveLength(1)
  })

  it("takes everything after -- as it is", () => {
    for (const query of ["--vault", "-h", "--version", "--json", "--", "-x --y"]) {
      const { status, stdout } = kanon(["search", "--json", "--vault", notes, "--", query])
      expect(status).toBe(0)
      expect(JSON.parse(stdout).query).toBe(query)
    }
  })

  it("takes a word with a dash that cannot be an option as it is", () => {
    for (const query of ["-5 degrees", "-1", "- what is this?", "--what is this?"]) {
      const { status, stdout } = kanon(["search", query, "--json", "--vault", notes])
      expect(status).toBe(0)
      expect(JSON.parse(stdout).query).toBe(query)
    }
  })

  it("takes a value that looks like an option after =", () => {
    const { status, stdout } = kanon(["search", "kestrel", "--tag=--json", "--json", "--vault", notes])
    expect(status).toBe(0)
    expect(JSON.parse(stdout).results).toEqual([])
  })
})

describe("values of a key, and ids of nothing", () => {
  const notes = vault({ "note.md": "# Kestrel\n" })
  kanon(["init", "--vault", notes])
  const keys = () => JSON.parse(kanon(["keys", "list", "--vault", notes, "--json"]).stdout).total

  it.each([
    ["--scopes", ""],
    ["--scopes", " , "],
    ["--name", " "],
    ["--name", "x".repeat(201)],
    ["--expires", "2099-01-01T00:00:00"],
    ["--expires", "2099-02-31T00:00:00Z"]
  ])("a key is not made of an empty or broken value: %s %j", (option, value) => {
    const before = keys()
    const { status, stderr, stdout } = kanon(["keys", "create", option, value, "--vault", notes, "--json"])
    expect([status, stdout, JSON.parse(stderr).error]).toEqual([2, "", "invalid_usage"])
    expect(keys()).toBe(before)
  })

  it("a key takes a moment of any zone", () => {
    const made = kanon([
      "keys",
      "create",
      "--expires",
      "2099-01-01T02:00:00+02:00",
      "--vault",
      notes,
      "--json"
    ])
    expect(JSON.parse(made.stdout).expiresAt).toBe("2099-01-01T00:00:00.000Z")
  })

  it.each([
    [["requests", "show", "cr_x"], "No such change request."],
    [["jobs", "retry", "job_x"], "No such id."],
    [["decisions", "show", "dec_x"], "No such decision."],
    [["trash", "restore", "x"], "No such id."]
  ])("an id of nothing is told in words: %j", (words, message) => {
    const { status, stderr } = kanon([...words, "--vault", notes, "--json"])
    expect([status, JSON.parse(stderr)]).toEqual([1, { error: "not_found", message }])
  })
})
