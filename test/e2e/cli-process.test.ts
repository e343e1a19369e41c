import { describe, expect, it } from "vitest"
import { command, kanon, shell, start, vault } from "../support/cli.js"
import { listenOnLoopback } from "../support/loopback.js"

const note = { "kestrel.md": "# Kestrel\n\nThe kestrel hovers at a height of 25 metres.\n" }

describe("pipes", () => {
  const long = `# Long\n\n${"Many words stand here, one after another, to fill a pipe. ".repeat(8_000)}\n`
  const notes = vault({ "long.md": long })
  kanon(["ingest", "--vault", notes])

  it("take large results whole", () => {
    const { status, stdout } = shell("kanon documents show long.md --json | cat", { cwd: notes })
    expect(status).toBe(0)
    expect(JSON.parse(stdout).content).toBe(long)
    const slow = shell("kanon documents show long.md | (sleep 1; wc -c)", { cwd: notes })
    expect(Number(slow.stdout)).toBeGreaterThan(long.length)
  })

  it("may be closed by their reader without a word", () => {
    const line = "kanon documents show long.md | head -c 10; echo $PIPESTATUS"
    const { stderr, stdout } = shell(line, { cwd: notes })
    expect(stdout).toMatch(/^Long\n.*0\n$/s)
    expect(stderr).toBe("")
  })

  /** The command, ended after a while where it does not end. */
  const patient = `timeout 60 ${JSON.stringify(process.execPath)} ${JSON.stringify(command)}`

  it("that take nothing are told once where they are of the result, and never again and again", () => {
    const lost = '{"error":"file_unavailable","message":"The standard output cannot be written: ENOSPC'
    for (const command of ["documents list --json", "export --json --out x.ndjson"]) {
      const { stderr } = shell(`kanon ${command} > /dev/full; test $? = 1`, { cwd: notes })
      expect(stderr.slice(0, lost.length)).toBe(lost)
      expect(stderr.trimEnd().split("\n")).toHaveLength(1)
    }
    for (const words of ["export", "--version"]) {
      const told = shell(`kanon ${words} > /dev/full || echo $?`, { cwd: notes })
      expect(told.stdout).toBe("1\n")
      expect(told.stderr).toMatch(/^error The standard output cannot be written: ENOSPC.*\n$/)
    }
    // There is nowhere left to say what is lost here, and the result is there.
    for (const nowhere of ["2>/dev/full", "2</dev/null", "2>&-"]) {
      const told = shell(`${patient} ingest --json ${nowhere}; echo $?`, { cwd: notes })
      expect(told.stdout).toMatch(/^\{"documents".*\n0\n$/)
      const failing = shell(`${patient} documents show no-such.md ${nowhere}; echo $?`, { cwd: notes })
      expect(failing.stdout).toBe("1\n")
    }
  })

  it("of a server whose log cannot be written leave it serving", () => {
    const line = [
      `${patient} serve --port 0 --json 2>/dev/full > served.json & server=$!`,
      "until test -s served.json; do sleep 0.1; done",
      "url=$(grep -o 'http://127.0.0.1:[0-9]*' served.json | head -n 1)",
      'for n in 1 2 3; do curl -s -o answer.json -w "%{http_code}\n" $url/api/v1/manifest; done',
      "kill $server; wait $server; echo $?"
    ].join("\n")
    expect(shell(line, { cwd: notes }).stdout).toBe("401\n401\n401\n0\n")
  })
})

describe("signals", () => {
  /** Runs `work` with a chat endpoint that takes a question and never answers. */
  const withSilentModel = async (
    work: (env: Readonly<Record<string, string>>, asked: Promise<void>) => Promise<void>
  ): Promise<void> => {
    let heard: () => void = () => {}
    const asked = new Promise<void>((resolve) => {
      heard = resolve
    })
    const server = await listenOnLoopback(() => heard())
    try {
      await work({ KANON_CHAT_BASE_URL: `${server.url}/v1`, KANON_CHAT_MODEL: "silent" }, asked)
    } finally {
      await server.close()
    }
  }

  it.each([
    ["SIGINT", 130],
    ["SIGTERM", 143]
  ] as const)("%s closes the data and ends with %i", async (signal, code) => {
    const notes = vault(note)
    kanon(["ingest", "--vault", notes])
    await withSilentModel(async (env, asked) => {
      const running = start(["ask", "How high does the kestrel hover?", "--json"], { cwd: notes, env })
      await asked
      running.signal(signal)
      const { status, stderr, stdout } = await running.ended
      expect({ status, stdout }).toEqual({ status: code, stdout: "" })
      expect(JSON.parse(stderr).error).toBe("interrupted")
    })
    const after = kanon(["ingest", "--json"], { cwd: notes })
    expect(after.stderr).toBe("")
    expect(JSON.parse(after.stdout).documents.unchanged).toBe(1)
  })
})

describe("the environment", () => {
  const notes = vault(note)
  const code = (env: Readonly<Record<string, string>>) => {
    const { status, stderr, stdout } = kanon(["search", "kestrel", "--vault", notes, "--json"], { env })
    expect({ status, stdout }).toEqual({ status: 1, stdout: "" })
    return JSON.parse(stderr)
  }

  it("is refused where it names half a model, without showing a key", () => {
    const { error, message } = code({ KANON_CHAT_MODEL: "m", KANON_CHAT_API_KEY: "secret" })
    expect(error).toBe("invalid_configuration")
    expect(message).toContain("KANON_CHAT_BASE_URL")
    expect(message).not.toContain("secret")
    expect(code({ KANON_EMBEDDING_BASE_URL: "http://127.0.0.1:1/v1" }).error).toBe("invalid_configuration")
    expect(code({ KANON_CHAT_MODEL: "m", KANON_CHAT_BASE_URL: "nonsense" }).error).toBe(
      "invalid_configuration"
    )
  })

  it("is refused where it names replicas, and the data are in SQLite", () => {
    const env = { KANON_DATABASE_READ_URL: "postgres://kanon:secret@127.0.0.1:1/kanon" }
    for (const words of [["search", "kestrel"], ["serve"]]) {
      const { status, stderr } = kanon([...words, "--vault", notes, "--json"], { env })
      expect([words, status]).toEqual([words, 2])
      expect(stderr).toContain("the data are in SQLite")
      expect(stderr).not.toContain("secret")
    }
  })
})

describe("a warning of the engine", () => {
  const notes = vault(note)
  const env = { KANON_CHAT_MODEL: "m", KANON_CHAT_BASE_URL: "http://127.0.0.1:1/v1" }
  const lines = (json: boolean) => {
    const args = ["ask", "What does the kestrel do?", "--vault", notes, ...(json ? ["--json"] : [])]
    const { status, stderr, stdout } = kanon(args, { env })
    expect(status).toBe(0)
    expect(stdout).not.toContain("is unavailable")
    return stderr.trim().split("\n")
  }

  it("is a line in words for a person, and a line of JSON for a program", () => {
    const told = lines(false).filter((line) => line.startsWith("Note: "))
    expect(told.some((line) => /^Note: The chat model \S+ is unavailable: /u.test(line))).toBe(true)
    const warnings = lines(true).map((line): unknown => JSON.parse(line))
    expect(warnings).toContainEqual({
      warning: expect.stringMatching(/^The chat model \S+ is unavailable: /u)
    })
  })
})
