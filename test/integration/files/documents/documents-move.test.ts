import { mkdirSync, readFileSync, renameSync, writeFileSync } from "node:fs"
import { dirname, join } from "node:path"
import * as Effect from "effect/Effect"
import * as fc from "fast-check"
import { describe, expect, it } from "vitest"
import type { Engine } from "../../../../adapters/sqlite/index.js"
import { type FileCalls, nodeFiles } from "../../../../adapters/vault/files.js"
import { moveOperations } from "../../../../core/files/document-moves/index.js"
import { documentOperations } from "../../../../core/files/documents/index.js"
import { documentLinks, linkResolver } from "../../../../core/files/links/index.js"
import { parseFrontMatter, parseMarkdown } from "../../../../core/files/markdown/index.js"
import { reconcileFiles, syncVault } from "../../../../core/files/vault-sync/index.js"
import { runOperation } from "../../../../core/platform/kernel/index.js"
import { createEngine } from "../../../support/database.js"
import { catalog, documentsLayer, LabelledTexts, withFolder } from "../../../support/documents.js"
import { asCaller, makeWorkspace, runEffect } from "../../../support/run.js"
import { runs } from "../../../support/runs.js"

const paths = [
  "a.md",
  "note.md",
  "x/note.md",
  "x/y/note.md",
  "x/README.md",
  "README.md",
  "x/my note (1).md",
  "Straße.md",
  "x/100% & more.md",
  "b/Note.md"
] as const
const targets = [
  ...["note", "x/note", "y/note", "README", "./note", "../note", "Straße", "STRASSE", "my note (1)", "a"],
  ...["x/README", "A title", "Nick", "/x/note", "note.md", "100% & more", "b/Note.md", "nowhere"]
]
const destinations = [
  ...["note.md", "x/note.md", "../note.md", "/x/note.md", "x/", ".", "..", "./note", "x", "/README.md", "a"],
  ...[
    "x/my%20note%20%281%29.md",
    "x/my note (1).md",
    "100%25%20&amp;%20more.md",
    "Stra%C3%9Fe.md",
    "../a.md"
  ],
  ...["note\\.md", "nowhere.md", "https://example.org/note.md", "note.md?plain=1"]
]
const fragment = fc.constantFrom("", "#part", "#a b")
const plain = (destination: string) => destination.replaceAll(" ", "%20")

const piece = fc.oneof(
  fc
    .tuple(fc.constantFrom(...targets), fragment, fc.constantFrom("", "|label", "|a [ b"))
    .map(([target, hash, label]) => `[[${target}${hash}${label}]]`),
  fc.constantFrom(...targets).map((target) => `![[ ${target} ]]`),
  fc
    .tuple(fc.constantFrom(...destinations), fc.constantFrom("", "#part"), fc.constantFrom("", ' "note.md"'))
    .map(([destination, hash, title]) => `[see *note.md*](${plain(destination)}${hash}${title})`),
  fc.constantFrom(...destinations).map((destination) => `[angled](<${destination}>)`),
  fc
    .constantFrom(...destinations)
    .map((destination) => `\n\n[one][r]\n\n> [R]: ${plain(destination)} 'note'\n\n`),
  fc.constantFrom(
    "`[[note]]`",
    "\n```\n[x](note.md) [[a]]\n```\n",
    "![i](note.md)",
    "<a href='note.md'>",
    "é 🦅 ."
  ),
  fc.constantFrom(
    "\n# Head\n",
    "\n- item [l](note.md)\n",
    "\n| a | b |\n|---|---|\n| [[x/note\\|n]] | [t](a.md) |\n"
  )
)
const front = fc.constantFrom(
  "",
  "---\ntitle: A title\n---\n",
  "---\naliases: [Nick]\nsee: '[[x/note]]'\n---\n"
)
const page = fc.tuple(front, fc.array(piece, { maxLength: 7 })).map(([head, parts]) => head + parts.join(" "))
const vault = fc.uniqueArray(fc.constantFrom(...paths), {
  minLength: 2,
  maxLength: 6,
  selector: (path) => path.toLowerCase()
})

const write = (root: string, path: string, text: string) => {
  mkdirSync(dirname(join(root, path)), { recursive: true })
  writeFileSync(join(root, path), text)
}

/** Every link of every document with the id that it leads to, and what may never change around it. */
const picture = async (engine: Engine) => {
  const { items } = await engine.documents.list({ limit: 200 })
  const documents = await Promise.all(items.map(({ id }) => engine.documents.get(id)))
  const resolver = linkResolver(
    documents.map(({ content, id, path, title }) => ({
      id,
      path,
      title,
      aliases: parseFrontMatter(content).frontMatter.aliases
    }))
  )
  return new Map(
    documents.map(({ content, id, path }) => {
      const parsed = parseMarkdown(content, parseFrontMatter(content).bodyStart)
      const links = documentLinks(parsed).map((link) => ({
        led: resolver.resolve(path, link),
        kind: link.kind,
        label: link.label,
        fragment: link.fragment
      }))
      return [id, { content, links, path }] as const
    })
  )
}

/** A text without the targets of its links: what a move must not touch. */
const around = (text: string): string =>
  text
    .replace(/(!?\[\[)\s*[^[\]|#\n]*?\s*(?=(?:\\?[|#][^\n]*?)?\]\])/g, "$1")
    .replace(/\]\(<[^>\n]*>/g, "](<>")
    .replace(/\]\((?!<)[^\s()#?]*(?:\([^\s)]*\)[^\s()#?]*)*/g, "](")
    .replace(/^(> \[R\]: )[^\s#?]*/gm, "$1")

describe("moving a document", () => {
  it("leaves every link leading where it led, and every other byte as it was", () =>
    fc.assert(
      fc.asyncProperty(
        vault,
        fc.array(page, { minLength: 6, maxLength: 6 }),
        fc.constantFrom(...paths, "new/place.md", "x/Note.md", "NOTE.md", "x.md"),
        (files, pages, to) =>
          withFolder(async (root) => {
            for (const [place, path] of files.entries()) write(root, path, pages[place] ?? "")
            const engine = await createEngine({ vault: root, data: join(root, ".kanon"), worker: false })
            await engine.ingest()
            const before = await picture(engine)
            const { id } = await engine.documents.getByPath(files[0] ?? "")
            const moved = await engine.documents.move(id, to).catch((error: { code?: string }) => error.code)
            const after = await picture(engine)
            if (typeof moved !== "object") {
              expect(moved).toBe("conflict")
              expect(after).toEqual(before)
            } else {
              for (const [one, { content, links, path }] of after) {
                const old = before.get(one)
                expect(readFileSync(join(root, path), "utf8")).toBe(content)
                expect(moved.rewritten.includes(one)).toBe(content !== old?.content)
                expect(around(content)).toBe(around(old?.content ?? ""))
                // A broken link may resolve now; a link that resolved still leads to the same document.
                for (const [place, link] of links.entries()) {
                  const was = old?.links[place]
                  expect({ ...link, led: was?.led === null ? null : link.led }).toEqual(was)
                }
                expect(links.length).toBe(old?.links.length)
              }
            }
            const report = await engine.ingest()
            expect(report.documents).toMatchObject({ created: 0, updated: 0, moved: 0, deleted: 0 })
            await engine.close()
          })
      ),
      { numRuns: runs(20) }
    ))

  it("leaves links alone that still lead there, and all when it is told to", () =>
    withFolder(async (root) => {
      write(root, "target.md", "# Target\n\n[s](side.md)\n")
      write(root, "side.md", "# Side\n\n[[target]] and [t](target.md)\n")
      const engine = await createEngine({ vault: root, worker: false })
      await engine.ingest()
      const text = (path: string) => readFileSync(join(root, path), "utf8")
      const { id } = await engine.documents.getByPath("target.md")
      const side = await engine.documents.getByPath("side.md")
      expect(await engine.documents.move(id, "deep/target.md", { rewriteLinks: false })).toMatchObject({
        rewritten: []
      })
      expect(text("side.md")).toBe("# Side\n\n[[target]] and [t](target.md)\n")
      await engine.documents.move(id, "target.md", { rewriteLinks: false })
      expect((await engine.documents.move(id, "deep/target.md")).rewritten).toEqual([id, side.id])
      expect(text("side.md")).toBe("# Side\n\n[[target]] and [t](deep/target.md)\n")
      expect(text("deep/target.md")).toBe("# Target\n\n[s](../side.md)\n")
      const { items } = await engine.documents.versions(side.id)
      expect(items.map(({ origin, version }) => [version, origin])).toEqual([
        [2, "move"],
        [1, "vault"]
      ])
      expect((await engine.search("deep target")).total).toBeGreaterThan(0)
      expect(await engine.documents.move(id, "deep/target.md")).toMatchObject({ rewritten: [] })
      await engine.close()
    }))

  it("names the nearer of two documents of one name by its folder", () =>
    withFolder(async (root) => {
      write(root, "x/note.md", "# One\n")
      write(root, "y/note.md", "# Two\n")
      write(root, "x/reader.md", "# Reader\n\n[[note]], [[note|N]], [[y/note]]\n")
      const engine = await createEngine({ vault: root, worker: false })
      await engine.ingest()
      const { id } = await engine.documents.getByPath("x/note.md")
      await engine.documents.move(id, "z/note.md")
      // The bare name is that of the other one by now.
      expect(readFileSync(join(root, "x/reader.md"), "utf8")).toBe(
        "# Reader\n\n[[z/note]], [[z/note|N]], [[y/note]]\n"
      )
      await engine.documents.move(id, "z/Note.md")
      expect(readFileSync(join(root, "x/reader.md"), "utf8")).toBe(
        "# Reader\n\n[[z/note]], [[z/note|N]], [[y/note]]\n"
      )
      await engine.close()
    }))

  it.each(["[x](<.>)", "[x](.)", "[x](./)", "[x][r]\n\n[r]: ./", "[x](../x/.)"])(
    "keeps %j leading to the README of its folder when a document takes the folder's name",
    (link) =>
      withFolder(async (root) => {
        write(root, "a.md", "# A\n")
        write(root, "x/README.md", `# Read me\n\n${link}\n`)
        const engine = await createEngine({ vault: root, data: join(root, ".kanon"), worker: false })
        await engine.ingest()
        const readme = await engine.documents.getByPath("x/README.md")
        const { id } = await engine.documents.getByPath("a.md")
        const before = await picture(engine)
        expect(before.get(readme.id)?.links.map(({ led }) => led)).toEqual([readme.id])
        expect((await engine.documents.move(id, "x.md")).rewritten).toEqual([readme.id])
        expect((await picture(engine)).get(readme.id)?.links.map(({ led }) => led)).toEqual([readme.id])
        await engine.close()
      })
  )
})

describe("moving a document while others write", () => {
  it("loses no edit, of callers or in files, and no link", () =>
    withFolder(async (root) => {
      write(root, "target.md", "# Target\n")
      const linking = Array.from({ length: 6 }, (_, place) => `linking-${place}.md`)
      for (const path of linking) write(root, path, `# ${path}\n\n[t](target.md)\n`)
      const engine = await createEngine({ vault: root, worker: false })
      await engine.ingest()
      const { id } = await engine.documents.getByPath("target.md")
      const ids = await Promise.all(linking.map(async (path) => (await engine.documents.getByPath(path)).id))
      const again = async (work: () => Promise<unknown>): Promise<void> => {
        await work().catch(async (error: { code?: string }) => {
          if (error.code !== "conflict") throw error
          await again(work)
        })
      }
      for (let round = 0; round < runs(6); round++) {
        const [from, to] = [`p${round}/target.md`, `p${round + 1}/target.md`]
        if (round === 0) await engine.documents.move(id, from)
        const edits = ids.map((one, place) => {
          const path = linking[place] ?? ""
          const text = `# ${path}\n\n[t](${from}) in round ${round}\n`
          if (place % 3 === 0) return again(() => engine.documents.replace(one, text))
          // As an editor saves: beside, then into its place.
          if (place % 3 === 1) {
            write(root, `.beside-${place}`, text)
            renameSync(join(root, `.beside-${place}`), join(root, path))
          }
          return Promise.resolve()
        })
        await Promise.all([again(() => engine.documents.move(id, to)), ...edits])
        await engine.ingest()
        for (const [place, one] of ids.entries()) {
          if (place % 3 === 2) continue
          const { items, total } = await engine.documents.versions(one, { limit: 200 })
          expect(total).toBe(items.length)
          const texts = await Promise.all(
            items.map(
              async ({ version }) => (await engine.documents.versions(one, { version })).items[0]?.content
            )
          )
          expect(texts[0]).toContain(`in round ${round}`)
          expect(readFileSync(join(root, linking[place] ?? ""), "utf8")).toBe(texts[0])
        }
        // A link to the old path that was written after the move is broken, so it is repaired by hand.
        for (const [place, one] of ids.entries())
          await engine.documents.replace(one, `# ${linking[place]}\n\n[t](${to}) in round ${round}\n`)
      }
      expect((await engine.doctor()).differences).toBe(0)
      await engine.close()
    }))

  it("takes in what an editor saved in the last moment, and rewrites that", () =>
    withFolder((root) => {
      const state = { save: false }
      const files: FileCalls = {
        ...nodeFiles,
        rename: async (from, to) => {
          if (state.save && to.endsWith("target.md")) {
            state.save = false
            writeFileSync(join(root, "linking.md"), "# Linking\n\nSaved just now: [t](target.md)\n")
          }
          await nodeFiles.rename(from, to)
        }
      }
      const { createDocument, listDocumentVersions } = documentOperations
      const { moveDocument } = moveOperations
      return runEffect(
        Effect.gen(function* () {
          const workspace = yield* makeWorkspace()
          const as = asCaller(workspace)
          const { docId: id } = yield* as(
            runOperation(createDocument, { path: "target.md", content: "# Target\n" })
          )
          const { docId: linking } = yield* as(
            runOperation(createDocument, { path: "linking.md", content: "# Linking\n\n[t](target.md)\n" })
          )
          state.save = true
          yield* as(runOperation(moveDocument, { id, path: "deep/target.md" }))
          expect(readFileSync(join(root, "linking.md"), "utf8")).toBe(
            "# Linking\n\nSaved just now: [t](deep/target.md)\n"
          )
          const { items } = yield* as(runOperation(listDocumentVersions, { id: linking }))
          expect(items.map(({ origin }) => origin)).toEqual(["move", "vault", "move", "upload"])
        }).pipe(Effect.provide(documentsLayer(root, new LabelledTexts(), files)))
      )
    }))
})

describe("a move that a crash cuts short", () => {
  it("is whole or nothing after the next start, wherever a file call fails", () =>
    withFolder(async (parent) => {
      let failing = true
      for (let at = 1; failing; at++) {
        const root = join(parent, `${at}`)
        mkdirSync(root)
        failing = await runEffect(cutShort(root, at))
        expect(at).toBeLessThan(40)
      }
    }))
})

/** Fails the file calls of a move from the `at`-th rename or write on; true when it had to. */
const cutShort = (root: string, at: number) => {
  const state = { calls: 0, armed: false }
  const count = () => {
    if (!state.armed) return
    state.calls += 1
    if (state.calls >= at) throw Object.assign(new Error("injected"), { code: "EIO" })
  }
  const files: FileCalls = {
    ...nodeFiles,
    open: async (...given) => {
      count()
      return nodeFiles.open(...given)
    },
    rename: async (from, to) => {
      count()
      return nodeFiles.rename(from, to)
    }
  }
  const { createDocument } = documentOperations
  const { moveDocument } = moveOperations
  return Effect.gen(function* () {
    const workspace = yield* makeWorkspace()
    const as = asCaller(workspace)
    const own = "# Target\n\n[one](one.md)\n"
    const { docId: id } = yield* as(runOperation(createDocument, { path: "target.md", content: own }))
    for (const path of ["one.md", "two.md"])
      yield* as(runOperation(createDocument, { path, content: `# ${path}\n\n[t](target.md)\n` }))
    state.armed = true
    const outcome = yield* Effect.either(as(runOperation(moveDocument, { id, path: "deep/target.md" })))
    state.armed = false
    yield* as(reconcileFiles())
    yield* as(syncVault())
    const { documents } = yield* catalog(workspace)
    const moved = documents.some(({ path }) => path === "deep/target.md")
    expect(documents.map(({ path }) => path)).toEqual(
      moved ? ["deep/target.md", "one.md", "two.md"] : ["one.md", "target.md", "two.md"]
    )
    const text = (path: string) => readFileSync(join(root, path), "utf8")
    for (const path of ["one.md", "two.md"])
      expect(text(path)).toBe(`# ${path}\n\n[t](${moved ? "deep/" : ""}target.md)\n`)
    expect(text(moved ? "deep/target.md" : "target.md")).toBe(
      moved ? own.replace("one.md", "../one.md") : own
    )
    return outcome._tag === "Left"
  }).pipe(Effect.provide(documentsLayer(root, new LabelledTexts(), files)))
}
