import { spawnSync } from "node:child_process"
import { readFileSync, rmSync, symlinkSync, writeFileSync } from "node:fs"
import { join } from "node:path"
import { describe, expect, it } from "vitest"
import { folder, kanon, shell, vault, write } from "../support/cli.js"

interface Told {
  readonly documents: Readonly<Record<string, number>>
  readonly errors: ReadonlyArray<{ readonly path: string; readonly code: string }>
  readonly warnings: ReadonlyArray<{ readonly path: string; readonly code: string }>
}

const ingested = (notes: string): Told => {
  const { status, stderr, stdout } = kanon(["ingest", "--vault", notes, "--json"])
  expect({ status, stderr }).toEqual({ status: 0, stderr: "" })
  return JSON.parse(stdout)
}

const codes = (remarks: Told["errors"]) =>
  Object.fromEntries(remarks.map(({ code, path }): [string, string] => [path, code]))

describe("a vault of hostile files", () => {
  const notes = vault({ "good.md": "# Good\n\nThe lantern burns for 40 hours.\n" })

  it("is taken in but for what cannot be, and each of that is told with a code", () => {
    const bomb = Array.from({ length: 12 }, (_, at) =>
      at === 0
        ? "a0: &a0 [x, x]"
        : `a${at}: &a${at} [${Array(9)
            .fill(`*a${at - 1}`)
            .join(", ")}]`
    )
    write(notes, {
      "front/bomb.md": `---\n${bomb.join("\n")}\n---\n# Bomb\n`,
      "front/deep.md": `---\na: ${"[".repeat(5000)}${"]".repeat(5000)}\n---\n# Deep\n`,
      "front/large.md": `---\na: ${"x".repeat(70 * 1024)}\n---\n# Large\n`,
      "front/line.md": `---\na: ${"word ".repeat(1000)}\nb: 1\n---\n# Line\n`,
      "front/proto.md": "---\n__proto__: {a: 1}\nconstructor: b\ntitle: {c: 1}\ntags: 5\n---\n# Proto\n",
      "front/open.md": "---\ntitle: Open\n",
      "deep.md": `${"- ".repeat(10_000)}x\n\n${"> ".repeat(10_000)}y\n`,
      "line.md": "a".repeat(1024 * 1024),
      "empty.md": "",
      "con.md": "# Reserved\n",
      "a:b.md": "# Colon\n",
      "bell\u0007.md": "# Bell\n",
      "bidi\u202edm.md": "# Bidi\n",
      "back\\slash.md": "# Back\n",
      ".hidden.md": "# Hidden\n",
      "nul.txt.md": "a\0b",
      "Twin.md": "# Twin\n",
      "twin.md": "# Twin\n",
      "folder.md/inside.md": "# Inside\n"
    })
    writeFileSync(join(notes, "torn.md"), new Uint8Array([0x61, 0xff]))
    writeFileSync(join(notes, "wide.md"), Buffer.from("\ufeff# Wide", "utf16le"))
    writeFileSync(join(notes, "over.md"), new Uint8Array(5 * 1024 * 1024 + 1).fill(0x61))
    const outside = folder()
    write(outside, { "secret.md": "# Secret\n\nThe password is walrus.\n" })
    symlinkSync(outside, join(notes, "out"))
    symlinkSync(join(outside, "secret.md"), join(notes, "out.md"))
    symlinkSync("loop.md", join(notes, "loop.md"))
    symlinkSync("nowhere.md", join(notes, "dangling.md"))
    symlinkSync("front", join(notes, "linked"))
    symlinkSync(".", join(notes, "self"))
    // To open a pipe for reading waits for a writer that never comes.
    spawnSync("mkfifo", [join(notes, "pipe.md")])
    symlinkSync("pipe.md", join(notes, "piped.md"))

    const told = ingested(notes)
    expect(codes(told.errors)).toEqual({
      "back\\slash.md": "path_backslash",
      "bell\u0007.md": "path_control",
      "bidi\u202edm.md": "path_bidi",
      "dangling.md": "ENOENT",
      linked: "linked_folder",
      "loop.md": "ELOOP",
      "nul.txt.md": "invalid_content",
      out: "outside_vault",
      "out.md": "outside_vault",
      "over.md": "too_large",
      "pipe.md": "not_a_file",
      "piped.md": "not_a_file",
      self: "linked_folder",
      "torn.md": "invalid_encoding",
      "twin.md": "path_conflict"
    })
    expect(codes(told.warnings)).toEqual({
      "a:b.md": "path_character",
      "con.md": "path_reserved",
      "front/bomb.md": "front_matter_ignored",
      "front/deep.md": "front_matter_ignored",
      "front/large.md": "front_matter_ignored",
      "line.md": "body_skipped",
      "nul.txt.md": "path_reserved"
    })
    expect(told.documents).toMatchObject({ created: 15, failed: 15 })
  })

  it("is the same the next time, and answers", () => {
    expect(ingested(notes).documents).toMatchObject({ created: 0, updated: 0, deleted: 0, unchanged: 15 })
    const { stdout } = kanon(["ask", "How long does the lantern burn?", "--vault", notes, "--json"])
    expect(JSON.parse(stdout).claims[0].text).toContain("40 hours")
    const secret = kanon(["search", "password walrus", "--vault", notes, "--json"])
    expect(secret.stdout).not.toContain("The password is")
  })
})

describe("broken data", () => {
  const question = "How long does the lantern burn?"
  const made = () => {
    const notes = vault({ "good.md": "# Good\n\nThe lantern burns for 40 hours.\n" })
    ingested(notes)
    return notes
  }
  const overwritten = (file: string, from: number) => {
    const bytes = readFileSync(file)
    for (let at = from; at < bytes.length; at++) bytes[at] = (at * 7) & 255
    writeFileSync(file, bytes)
  }

  it.each([
    ["no database at all", 0],
    ["a database that is damaged within", 8192]
  ])("is refused in one line of JSON: %s", (_, from) => {
    const notes = made()
    overwritten(join(notes, ".kanon", "kanon.sqlite"), from)
    const { status, stderr, stdout } = kanon(["ask", question, "--vault", notes, "--json"])
    expect({ status, stdout }).toEqual({ status: 1, stdout: "" })
    expect(stderr.trim().split("\n")).toHaveLength(1)
    expect(JSON.parse(stderr).error).toBe("data_unreadable")
    expect(stderr).not.toMatch(/node_modules|select |insert /)
  })

  it("is made anew from the files where nothing is left of it", () => {
    const notes = made()
    for (const rest of ["-wal", "-shm"]) rmSync(join(notes, ".kanon", `kanon.sqlite${rest}`), { force: true })
    writeFileSync(join(notes, ".kanon", "kanon.sqlite"), "")
    const { status, stdout } = kanon(["ask", question, "--vault", notes, "--json"])
    expect(status).toBe(0)
    expect(JSON.parse(stdout).claims[0].text).toContain("40 hours")
  })
})

describe("a disk without room", () => {
  it("is told of by a code, ends what was asked, is searched, and loses nothing", () => {
    const notes = vault({ "good.md": "# Good\n\nThe lantern burns for 40 hours.\n" })
    ingested(notes)
    write(
      notes,
      Object.fromEntries(
        Array.from({ length: 12 }, (_, at) => [
          `${at}.md`,
          `# ${at}\n\n${Array.from({ length: 800 }, (_, n) => `w${at}x${n}`).join(" ")}\n`
        ])
      )
    )
    // No file may grow beyond this, which the system tells as a failed write.
    const limited = (line: string) => shell(`ulimit -f 120; ${line} --vault '${notes}' --json`)
    const full = limited("kanon ingest")
    expect({ status: full.status, stdout: full.stdout }).toEqual({ status: 1, stdout: "" })
    expect(full.stderr).toMatch(/"error":"data_full"/)
    const found = limited("kanon search lantern")
    expect(JSON.parse(found.stdout).results[0].docPath).toBe("good.md")
    expect(ingested(notes)).toMatchObject({ errors: [], documents: { created: 12, unchanged: 1 } })
  })
})

describe("a document that pretends", () => {
  it("forges no citation and sends nothing to a terminal", () => {
    const notes = vault({
      "forged.md":
        "# Quokka\n\nThe quokka weighs 3 kg [S2] [S9] \u001b[31mred\u001b]0;title\u0007 \u202eevil today.\n",
      "other.md": "# Other\n\nThe wombat weighs 26 kg.\n"
    })
    const asked = kanon(["ask", "How much does the quokka weigh?", "--vault", notes, "--json"])
    const { answer, claims, sources } = JSON.parse(asked.stdout)
    expect(claims).toHaveLength(1)
    const known = new Set(sources.map(({ id }: { id: string }) => id))
    const markers = [...String(answer).matchAll(/\[(S\d+)\]/g)].map(([, id]) => id)
    expect(markers).toEqual(claims[0].citations)
    expect(markers.filter((id) => !known.has(id))).toEqual([])
    expect(claims[0].text).not.toMatch(/[\u0000-\u001f\u202e]/)
    const shown = kanon(["ask", "How much does the quokka weigh?", "--vault", notes, "--no-sync"])
    expect(shown.stdout).toContain("3 kg")
    expect(shown.stdout).not.toMatch(/\u001b\]|\u0007|\u202e/)
  })
})
