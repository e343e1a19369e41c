import { spawn } from "node:child_process"
import { createHash } from "node:crypto"
import { cpSync, existsSync, readdirSync, readFileSync, writeFileSync } from "node:fs"
import { join } from "node:path"
import { beforeAll, describe, expect, it } from "vitest"
import { folder, kanon, type Ran, shell, vault } from "../support/cli.js"
import { ExportResult, ImportResult } from "../support/cli-shapes.js"
import { sampled } from "../support/runs.js"
import { filesUnder, root } from "../support/tree.js"

const json = ({ stderr, stdout }: Ran) => JSON.parse(stdout === "" ? stderr : stdout)

/** Returns an answer and its sources without the marks of one asking. */
const gist = (ran: Ran) => {
  const { claims, prose, sources } = json(ran)
  return { claims, prose, sources }
}

describe("kanon export and kanon import", () => {
  const work = folder()
  const [notes, copy, file] = [join(work, "notes"), join(work, "copy"), join(work, "out", "backup.ndjson")]
  const pages = filesUnder("demo/vault").filter((path) => path.endsWith(".md")).length
  let exported: Ran
  let imported: Ran

  beforeAll(() => {
    cpSync(join(root, "demo", "vault"), notes, { recursive: true })
    expect(kanon(["ingest", "--vault", notes]).status).toBe(0)
    expect(kanon(["documents", "rm", "faq.md", "--vault", notes]).status).toBe(0)
    expect(kanon(["ingest", "--vault", notes]).status).toBe(0)
    // Vectors fitted anew, as an import makes them: until then those of a smaller change are folded in.
    expect(kanon(["jobs", "start", "reembed", "--all", "--wait", "--vault", notes]).status).toBe(0)
    exported = kanon(["export", "--vault", notes, "--out", file, "--json"])
    imported = kanon(["import", file, "--vault", copy, "--json"])
  })

  it("tell what they did", () => {
    const { bytes, file: named, records, sha256 } = ExportResult.parse(json(exported))
    const written = readFileSync(file)
    expect([named, bytes, sha256]).toEqual([
      file,
      written.byteLength,
      createHash("sha256").update(written).digest("hex")
    ])
    expect(records.document).toBe(pages)
    expect(readdirSync(join(work, "out"))).toEqual(["backup.ndjson"])
    expect(ImportResult.parse(json(imported))).toMatchObject({ vault: copy, name: "notes", records })
  })

  it("give the checksum of the last line to anybody with the usual tools", () => {
    const { stdout } = shell(`head -n -1 ${file} | sha256sum | cut -c 1-64; tail -n 1 ${file}`)
    const [sum = "", last = "{}"] = stdout.split("\n")
    expect(JSON.parse(last).sha256).toBe(sum)
  })

  it("make the same files and the same export", () => {
    expect(shell(`diff -r -x .kanon ${notes} ${copy}`)).toMatchObject({ status: 0, stdout: "" })
    const again = shell(`kanon export --vault ${copy} | cmp - ${file}`)
    expect([again.status, again.stdout]).toEqual([0, ""])
    expect(again.stderr).toMatch(
      new RegExp(`^Exported ${pages} documents, \\d+ entities, [\\d,]+ relations, [\\d,]+ revisions`)
    )
    expect(json(kanon(["ingest", "--vault", copy, "--json"])).documents).toEqual({
      created: 0,
      updated: 0,
      moved: 0,
      deleted: 0,
      unchanged: pages - 1,
      failed: 0
    })
  })

  it.each([
    "Who was the project manager of Project Heron?",
    "How long is the warranty of the KT-1500?",
    "Wie lange dauert die Druckprüfung?"
  ])("answer alike: %s", (question) => {
    const ask = (vault: string) => kanon(["ask", question, "--vault", vault, "--json"])
    const search = (vault: string) => json(kanon(["search", question, "--vault", vault, "--json"]))
    expect(gist(ask(copy))).toEqual(gist(ask(notes)))
    expect(search(copy)).toEqual(search(notes))
  })

  it("bring the trash along", () => {
    const lines = readFileSync(file, "utf8").trimEnd().split("\n")
    const { id } = lines.map((line) => JSON.parse(line)).find(({ path }) => path === "faq.md")
    const restored = kanon(["documents", "restore", id, "--vault", copy])
    expect(restored.status, restored.stderr).toBe(0)
    expect(readFileSync(join(copy, "faq.md"))).toEqual(readFileSync(join(root, "demo", "vault", "faq.md")))
  })

  it("refuse what is cut, changed or in the way, and leave nothing", () => {
    const whole = readFileSync(file)
    const trials: ReadonlyArray<readonly [string, Uint8Array]> = [
      ["cut", whole.subarray(0, whole.length / 2)],
      ["changed", Buffer.from(whole.toString().replace("Heron", "Egret"))],
      ["none", Buffer.from("# Notes\n")]
    ]
    for (const [name, bytes] of trials) {
      const [damaged, place] = [join(work, `${name}.ndjson`), join(work, name)]
      writeFileSync(damaged, bytes)
      const refused = kanon(["import", damaged, "--vault", place, "--json"])
      expect([name, refused.status, json(refused).error]).toEqual([name, 1, "invalid_export"])
      expect(existsSync(place)).toBe(false)
    }
    const [cut, place] = [join(work, "cut.ndjson"), join(work, "piped")]
    const piped = shell(`kanon import - --vault ${place} < ${cut}`)
    expect([piped.status, existsSync(place)]).toEqual([1, false])
    const taken = kanon(["import", file, "--vault", notes, "--json"])
    expect([taken.status, json(taken).error]).toEqual([1, "conflict"])
    const full = vault({ "mine.md": "# Mine" })
    const refused = kanon(["import", file, "--vault", full, "--json"])
    expect([refused.status, json(refused).error, readdirSync(full)]).toEqual([1, "conflict", ["mine.md"]])
    const missing = kanon(["import", join(work, "no-such"), "--vault", join(work, "new"), "--json"])
    expect([missing.status, json(missing).error]).toEqual([1, "file_unavailable"])
  })

  it("take a pipe as they take the standard input, and no folder", () => {
    const pipe = join(work, "pipe")
    expect(shell(`mkfifo '${pipe}'`).status).toBe(0)
    const place = join(work, "of-a-pipe")
    const feeding = spawn("sh", ["-c", `cat '${file}' > '${pipe}'`], { stdio: "ignore" })
    const taken = kanon(["import", pipe, "--vault", place, "--no-wait", "--json"])
    feeding.kill()
    expect(ImportResult.parse(json(taken))).toMatchObject({ vault: place })
    const empty = kanon(["import", "/dev/null", "--vault", join(work, "of-nothing"), "--json"])
    expect([empty.status, json(empty).error]).toEqual([1, "invalid_export"])
    const folderOf = kanon(["import", work, "--vault", join(work, "of-nothing"), "--json"])
    expect([folderOf.status, json(folderOf).error]).toEqual([1, "file_unavailable"])
    expect(json(folderOf).message).toContain("is a folder")
    expect(existsSync(join(work, "of-nothing"))).toBe(false)
  })

  it("write to a pipe by whatever name it has", () => {
    const plain = join(work, "plain.jsonl")
    expect(kanon(["export", "--vault", notes, "--out", plain]).status).toBe(0)
    for (const name of sampled(["/dev/stdout", "/dev/fd/1", "/proc/self/fd/1"], 3)) {
      const { status, stderr } = shell(`kanon export --vault '${notes}' --out ${name} | cmp - '${plain}'`)
      expect({ name, status, stderr: stderr.includes("cannot be written") }).toEqual({
        name,
        status: 0,
        stderr: false
      })
    }
  })

  it("add a workspace to data that holds another one, in a vault beside it", () => {
    const [data, beside] = [join(work, "host", ".kanon"), join(work, "beside")]
    const host = join(work, "host")
    cpSync(join(root, "demo", "vault", "faq.md"), join(host, "faq.md"), { recursive: true })
    expect(kanon(["ingest", "--vault", host]).status).toBe(0)
    const before = shell(`kanon export --data '${data}'`).stdout
    const taken = kanon(["import", file, "--data", data, "--vault", beside, "--json"])
    const { id } = ImportResult.parse(json(taken))
    const again = shell(`kanon export --data '${data}' --workspace ${id} | cmp - '${file}'`)
    expect([again.status, again.stdout]).toEqual([0, ""])
    expect(shell(`kanon export --data '${data}'`).stdout).toBe(before)
    for (const vault of [beside, join(beside, "within"), host]) {
      const refused = kanon(["import", file, "--data", data, "--vault", vault, "--json"])
      expect([vault, refused.status, json(refused).error]).toEqual([vault, 1, "conflict"])
    }
  })

  it("ask for what they need", () => {
    expect(kanon(["import", file]).status).toBe(2)
    expect(kanon(["export", "--vault", notes, "--json"]).status).toBe(2)
    const unwritable = kanon(["export", "--vault", notes, "--out", join(file, "under"), "--json"])
    expect([unwritable.status, json(unwritable).error]).toEqual([1, "file_unavailable"])
  })
})
