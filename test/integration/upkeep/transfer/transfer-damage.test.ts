import { existsSync, mkdirSync, readdirSync, writeFileSync } from "node:fs"
import { join } from "node:path"
import { gzipSync } from "node:zlib"
import * as fc from "fast-check"
import { beforeAll, describe, expect, it } from "vitest"
import { canonicalJson } from "../../../../core/platform/kernel/index.js"
import { exportVersion } from "../../../../core/upkeep/transfer/model.js"
import { createEngine, importWorkspace } from "../../../support/database.js"
import { temporaryFolder } from "../../../support/folders.js"
import { runs } from "../../../support/runs.js"
import { exported, piecesOf, refusalOf, sealed, withPlace } from "../../../support/transfer.js"

let root: string
let whole: Buffer
let lines: ReadonlyArray<string>

beforeAll(async () => {
  root = temporaryFolder("damage")
  const engine = await createEngine({ vault: root })
  const { docId } = await engine.documents.create({
    path: "crane.md",
    content: "# Crane\n\nBeside the [[Quay]]. Ölpumpe.\n"
  })
  await engine.documents.create({ path: "quay.md", content: "# Quay\n\nThe crane stands here.\n" })
  await engine.documents.create({ path: "gone.md", content: "# Gone\n" })
  await engine.ingest()
  const one = await engine.entities.create({ name: "Beacon", type: "thing", aliases: ["Light"] })
  const other = await engine.entities.create({ name: "Lamp", type: "thing" })
  await engine.entities.merge(other.id, one.id)
  await engine.documents.replace(docId, "# Crane\n\nThe Beacon stands beside the [[Quay]].\n")
  await engine.documents.remove((await engine.documents.getByPath("gone.md")).id)
  await engine.ingest()
  whole = await exported(engine)
  lines = whole.toString().trimEnd().split("\n").slice(0, -1)
  await engine.close()
})

/** The kind's first line, as an object that may be changed. */
const recordOf = (kind: string, at = 0): Record<string, unknown> =>
  JSON.parse(lines.filter((line) => line.includes(`"kind":"${kind}"`))[at] ?? "{}")

/** The lines with the name and type of one live entity given to another one too. */
const withTwins = (): ReadonlyArray<string> => {
  const live = lines.filter((line) => /"deletedAt":null.*"kind":"entity".*"mergedInto":null/.test(line))
  const [one = "", other = ""] = live
  const { name, type } = JSON.parse(one)
  return lines.map((line) => (line === other ? canonicalJson({ ...JSON.parse(other), name, type }) : line))
}

/** The lines with one more version of the document whose versions come last. */
const withLaterVersion = (): ReadonlyArray<string> => {
  const last = lines.filter((line) => line.includes('"kind":"version"')).at(-1) ?? ""
  const later = { ...JSON.parse(last), version: 1000, verification: "unverified" }
  return lines.flatMap((line) => (line === last ? [line, canonicalJson(later)] : [line]))
}

/** The export as a forger would leave it: one line changed, counts and checksum put right. */
const forged = (kind: string, change: (record: Record<string, unknown>) => unknown, at = 0): Buffer => {
  const old = canonicalJson(recordOf(kind, at))
  expect(lines).toContain(old)
  return sealed(lines.map((line) => (line === old ? canonicalJson(change(recordOf(kind, at))) : line)))
}

describe("an export that is not as it was written", () => {
  it("is taken in when it is, in pieces of any size", () =>
    fc.assert(
      fc.asyncProperty(fc.constantFrom(1, 7, 997, 1 << 20), async (size) => {
        expect(await refusalOf(whole, size)).toBe("imported")
        expect(await refusalOf(sealed(lines), size)).toBe("imported")
      }),
      { numRuns: runs(2) }
    ))

  it("is told to be compressed where it is", async () => {
    const told = await withPlace((vault) =>
      importWorkspace(piecesOf(gzipSync(whole)), { vault }).then(String, (error: unknown) => String(error))
    )
    expect(told).toContain("compressed (gzip)")
  })

  it.each([
    ["CR LF", () => Buffer.from(whole.toString().replaceAll("\n", "\r\n"))],
    ["byte order mark", () => Buffer.concat([Buffer.from([0xef, 0xbb, 0xbf]), whole])],
    ["UTF-16", () => Buffer.from(`\ufeff${whole.toString()}`, "utf16le")],
    ["no export", () => Buffer.from('\ufeff{"format":"another"}\r\n')],
    ["no export", () => Buffer.from([0xff, 0xfe, 0x0a])]
  ])("is told what a program made of it on the way: %s", async (what, converted) => {
    const told = await withPlace((vault) =>
      importWorkspace(piecesOf(converted()), { vault }).then(String, (error: unknown) => String(error))
    )
    expect(told).toContain(what)
  })

  it("is refused with any one byte changed, and nothing is there", () =>
    fc.assert(
      fc.asyncProperty(
        fc.nat({ max: whole.length - 1 }),
        fc.integer({ min: 1, max: 255 }),
        async (at, by) => {
          const bytes = new Uint8Array(whole)
          bytes[at] = (bytes[at] ?? 0) ^ by
          expect(await refusalOf(bytes)).toMatch(
            /^(not_an_export|newer_version|cut_short|changed|invalid_record)$/
          )
        }
      ),
      { numRuns: runs(60) }
    ))

  it("is refused wherever it is cut, or has a byte more or less", () =>
    fc.assert(
      fc.asyncProperty(fc.nat({ max: whole.length - 1 }), fc.nat({ max: 255 }), async (at, byte) => {
        expect(await refusalOf(whole.subarray(0, at))).toMatch(/^(not_an_export|cut_short)$/)
        const less = Buffer.concat([whole.subarray(0, at), whole.subarray(at + 1)])
        const more = Buffer.concat([whole.subarray(0, at), Buffer.from([byte]), whole.subarray(at)])
        for (const bytes of [less, more])
          expect(await refusalOf(bytes)).toMatch(
            /^(not_an_export|newer_version|cut_short|changed|invalid_record)$/
          )
      }),
      { numRuns: runs(30) }
    ))

  it("is refused with a line removed, doubled, moved or added", () =>
    fc.assert(
      fc.asyncProperty(fc.nat(), fc.nat(), async (one, other) => {
        const all = whole.toString().split(/(?<=\n)/)
        const [from, to] = [one % all.length, other % all.length]
        const without = all.filter((_, at) => at !== from)
        const line = all[from] ?? ""
        const doubled = all.flatMap((each, at) => (at === from ? [each, each] : [each]))
        const moved = [...without.slice(0, to), line, ...without.slice(to)]
        const added = [...all.slice(0, to), "{}\n", ...all.slice(to)]
        for (const changed of [without, doubled, ...(from === to ? [] : [moved]), added])
          expect(await refusalOf(Buffer.from(changed.join("")))).not.toBe("imported")
      }),
      { numRuns: runs(15) }
    ))

  it("says what is wrong in words that can be acted on", async () => {
    const refused = (bytes: Uint8Array) =>
      withPlace((vault) => importWorkspace(piecesOf(bytes), { vault }).then(String, String))
    expect(await refused(Buffer.from(""))).toBe("KanonError: It is empty.")
    expect(await refused(Buffer.from("# Notes\n"))).toBe(
      "KanonError: Line 1: This is no export of a workspace."
    )
    expect(await refused(whole.subarray(0, 2000))).toMatch(/cut short/)
    const newer = whole.toString().replace(`"version":${exportVersion},`, `"version":${exportVersion + 1},`)
    expect(await refused(Buffer.from(newer))).toMatch(
      /^KanonError: Line 1: It was written by a newer version/
    )
    expect(await refused(Buffer.concat([whole, Buffer.from("x\n")]))).toMatch(
      /Something follows the last line/
    )
  })
})

describe("an export that somebody has forged", () => {
  const ofNobody = "_00000000000000000000000000"

  it.each<readonly [string, () => Buffer]>([
    ["a path that leaves the vault", () => forged("document", (one) => ({ ...one, path: "../../out.md" }))],
    ["an absolute path", () => forged("document", (one) => ({ ...one, path: "/etc/out.md" }))],
    ["a hidden path", () => forged("document", (one) => ({ ...one, path: ".kanon/out.md" }))],
    ["a path that is no Markdown file", () => forged("document", (one) => ({ ...one, path: "out.txt" }))],
    [
      "two documents at one path",
      () =>
        forged("document", (one) => ({
          ...one,
          path: String(recordOf("document", 1)["path"]).toUpperCase().replace("MD", "md")
        }))
    ],
    [
      "a text that its hash does not tell of",
      () => forged("document", (one) => ({ ...one, content: "# Other" }))
    ],
    [
      "a passage outside of its text",
      () => forged("document", (one) => ({ ...one, passages: [{ ...passageOf(one), end: 1_000_000 }] }))
    ],
    [
      "a passage's number that another one has",
      () =>
        forged("document", (one) => ({
          ...one,
          passages: [{ ...passageOf(one), label: passageOf(recordOf("document", 1))["label"] }]
        }))
    ],
    [
      "a passage's id that another one has",
      () =>
        forged("document", (one) => ({
          ...one,
          passages: [{ ...passageOf(one), id: passageOf(recordOf("document", 1))["id"] }]
        }))
    ],
    ["a number that was never given out", () => forged("document", (one) => ({ ...one, seq: 1_000_000 }))],
    [
      "a number that not every database holds",
      () =>
        forged("extraction", (one) => ({
          ...one,
          mentions: listOf(one["mentions"]).map((mention) => ({ ...mention, end: 2 ** 31 }))
        }))
    ],
    [
      "a claim twice",
      () =>
        forged("extraction", (one) => ({
          ...one,
          claims: [...listOf(one["claims"]), ...listOf(one["claims"])]
        }))
    ],
    [
      "two changes at one place of the feed",
      () => forged("document", (one) => ({ ...one, seq: recordOf("document", 1)["seq"] }))
    ],
    [
      "one id twice",
      () =>
        sealed(
          lines.flatMap((line) => (line === canonicalJson(recordOf("document")) ? [line, line] : [line]))
        )
    ],
    [
      "kinds out of their order",
      () => {
        const [first, ...relations] = lines.filter((line) => line.includes('"kind":"relation"'))
        const others = lines.filter((line) => line !== first)
        expect(relations.length).toBeLessThan(others.length)
        return sealed([...others.slice(0, 2), first ?? "", ...others.slice(2)])
      }
    ],
    ["another workspace's record", () => forged("workspace", (one) => ({ ...one, id: `ws${ofNobody}` }))],
    [
      "a model at an address that is none",
      () =>
        forged("workspace", ({ settings, ...one }) => ({
          ...one,
          settings: Object.assign(
            { ...Object(settings) },
            { models: { chat: { provider: "ollama", model: "x", baseUrl: "x" } } }
          )
        }))
    ],
    ["two workspaces", () => sealed([...lines.slice(0, 2), lines[1] ?? "", ...lines.slice(2)])],
    ["no workspace", () => sealed([lines[0] ?? "", ...lines.slice(2)])],
    ["a version of nobody", () => forged("version", (one) => ({ ...one, documentId: `doc${ofNobody}` }))],
    ["a version that there never was", () => sealed(withLaterVersion())],
    [
      "a document without its present version",
      () => sealed(lines.filter((line) => !/"kind":"version".*"verification":null/.test(line)))
    ],
    [
      "an older version without a text",
      () => sealed(lines.filter((line) => !line.includes('"kind":"text"')))
    ],
    [
      "a text that its hash does not tell of, of an older version",
      () => forged("text", (one) => ({ ...one, content: "# Other" }))
    ],
    [
      "a text that no version tells of",
      () => sealed(lines.filter((line) => !/"kind":"version".*"verification":"/.test(line)))
    ],
    ["a merge into nobody", () => forged("entity", (one) => ({ ...one, mergedInto: `ent${ofNobody}` }))],
    [
      "a list of merges with nobody in it",
      () => forged("entity", (one) => ({ ...one, mergedIds: [`ent${ofNobody}`] }))
    ],
    ["a head that is not there", () => forged("entity", (one) => ({ ...one, headId: `ent${ofNobody}` }))],
    ["two entities of one name", () => sealed(withTwins())],
    ["a revision of nobody", () => forged("revision", (one) => ({ ...one, entityId: `ent${ofNobody}` }))],
    ["a relation to nobody", () => forged("relation", (one) => ({ ...one, dstId: `ent${ofNobody}` }))],
    [
      "the extraction of no document",
      () => forged("extraction", (one) => ({ ...one, documentId: `doc${ofNobody}` }))
    ],
    ["an event of the trail with another actor", () => forged("audit", (one) => ({ ...one, actor: "eve" }))],
    ["an event of the trail with other details", () => forged("audit", (one) => ({ ...one, details: {} }))],
    ["a trail without its newest event", () => sealed(lines.slice(0, -1))],
    [
      "a trail without one event",
      () => sealed(lines.filter((line) => line !== lines.find((one) => one.includes('"kind":"audit"'))))
    ],
    [
      "a trail whose end the workspace does not tell of",
      () => forged("workspace", (one) => ({ ...one, auditHead: null }))
    ],
    ["an unknown field", () => forged("audit", (one) => ({ ...one, secret: 1 }))],
    ["a field of another type", () => forged("audit", (one) => ({ ...one, action: 1 }))],
    ["an unknown kind", () => sealed([...lines, '{"kind":"key"}'])],
    ["a lone surrogate", () => forged("audit", (one) => ({ ...one, actor: "\ud800" }))],
    [
      "a member called __proto__",
      () =>
        sealed(
          lines.map((line, at) =>
            at === lines.length - 1
              ? canonicalJson({ ...JSON.parse(line), details: {} }).replace(
                  '"details":{}',
                  '"details":{"__proto__":{"admin":true}}'
                )
              : line
          )
        )
    ],
    [
      "a member twice",
      () => sealed([...lines.slice(0, -1), (lines.at(-1) ?? "").replace('"kind"', '"id":"x","kind"')])
    ],
    ["JSON with blanks", () => sealed([...lines.slice(0, -1), (lines.at(-1) ?? "").replace(":", ": ")])],
    ["a pit of brackets", () => sealed([...lines.slice(0, -1), "[".repeat(100_000) + "]".repeat(100_000)])],
    ["an empty line", () => sealed([...lines, ""])],
    ["bytes that are no UTF-8", () => sealed(lines.map((line, at) => (at === 5 ? latin(line) : line)))]
  ])("is refused: %s", async (_, bytes) => {
    expect(await refusalOf(bytes())).toBe(
      _ === "kinds out of their order" || _ === "one id twice" || _ === "two workspaces"
        ? "changed"
        : "invalid_record"
    )
  })

  it("is taken in with its trail as it is where that is asked for, and the trail is told as broken", () =>
    withPlace(async (vault) => {
      const bytes = forged("audit", (one) => ({ ...one, actor: "eve" }), 1)
      await importWorkspace(piecesOf(bytes), { vault, wait: false, acceptBrokenAudit: true })
      const engine = await createEngine({ vault, worker: false })
      expect(await engine.audit.verify()).toMatchObject({
        ok: false,
        findings: [{ fault: "changed", position: 2, id: recordOf("audit", 1)["id"] }]
      })
      expect((await exported(engine)).equals(bytes)).toBe(true)
      await engine.close()
    }))

  it("touches nothing that is there already", async () => {
    await withPlace(async (vault) => {
      mkdirSync(vault)
      writeFileSync(join(vault, "mine.md"), "# Mine")
      const conflict = (options: { vault: string; data?: string }) =>
        importWorkspace(piecesOf(whole), { ...options, wait: false }).then(
          () => "imported",
          (error: { code?: string }) => error.code
        )
      expect(await conflict({ vault })).toBe("conflict")
      expect(readdirSync(vault).filter((name) => name !== ".kanon")).toEqual(["mine.md"])
      const engine = await createEngine({ vault })
      await engine.ingest()
      const before = (await exported(engine)).toString()
      const beside = { vault: join(vault, "..", "other"), data: join(vault, ".kanon") }
      expect(await conflict(beside)).toBe("imported")
      expect(await conflict({ ...beside, vault: join(vault, "..", "third") })).toBe("conflict")
      expect(existsSync(join(vault, "..", "third"))).toBe(false)
      expect((await exported(engine)).toString()).toBe(before)
      await engine.close()
    })
  })
})

/** A line with a letter in another encoding. */
const latin = (line: string) => Buffer.from(line.replace('"kind"', '"k\u00efnd"'), "latin1")

const listOf = (list: unknown): ReadonlyArray<Record<string, unknown>> => (Array.isArray(list) ? list : [])

const passageOf = (document: Record<string, unknown>): Record<string, unknown> =>
  listOf(document["passages"])[0] ?? {}
