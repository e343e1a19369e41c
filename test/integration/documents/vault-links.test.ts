import {
  lstatSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  readlinkSync,
  symlinkSync,
  writeFileSync
} from "node:fs"
import { join } from "node:path"
import { expect, it } from "vitest"
import { createEngine } from "../../support/database.js"
import { withFolder } from "../../support/documents.js"

it("a document behind a symbolic link is written where the link leads, and stays a link", () =>
  withFolder(async (root) => {
    mkdirSync(join(root, "shared"))
    writeFileSync(join(root, "shared", "page.md"), "# Page\n\n[n](note.md)\n")
    writeFileSync(join(root, "note.md"), "# Note\n")
    symlinkSync("shared/page.md", join(root, "linked.md"))
    const engine = await createEngine({ vault: root, data: join(root, ".kanon"), worker: false })
    await engine.ingest()
    const linked = await engine.documents.getByPath("linked.md")
    const isLink = () =>
      lstatSync(join(root, "linked.md")).isSymbolicLink() && readlinkSync(join(root, "linked.md"))
    await engine.documents.replace(linked.id, "# Page\n\nAnew: [n](note.md)\n")
    expect(isLink()).toBe("shared/page.md")
    expect(readFileSync(join(root, "shared", "page.md"), "utf8")).toBe("# Page\n\nAnew: [n](note.md)\n")
    expect((await engine.ingest()).documents).toMatchObject({ updated: 1, deleted: 0, created: 0 })
    const note = await engine.documents.getByPath("note.md")
    await engine.documents.move(note.id, "other.md")
    expect(isLink()).toBe("shared/page.md")
    expect((await engine.documents.getByPath("linked.md")).content).toBe("# Page\n\nAnew: [n](other.md)\n")
    expect((await engine.ingest()).documents).toMatchObject({ updated: 1, deleted: 0, created: 0 })
    expect(await engine.doctor()).toMatchObject({ ok: true })
    await engine.close()
  }))

it("a document that is a relative symbolic link leads where it led when it is moved or removed", () =>
  withFolder(async (root) => {
    mkdirSync(join(root, "deep", "down", "under"), { recursive: true })
    mkdirSync(join(root, "shared"))
    writeFileSync(join(root, "shared", "page.md"), "# Page\n\nOf all.\n")
    // What some links would lead to if they were moved as they are, to another folder or to the trash.
    writeFileSync(join(root, "page.md"), "# Another\n")
    writeFileSync(join(root, "deep", "page.md"), "# A third\n")
    symlinkSync("shared/page.md", join(root, "linked.md"))
    symlinkSync("../page.md", join(root, "deep", "down", "near.md"))
    symlinkSync("../../page.md", join(root, "deep", "down", "under", "far.md"))
    symlinkSync(join(root, "page.md"), join(root, "absolute.md"))
    const engine = await createEngine({ vault: root, data: join(root, ".kanon"), worker: false })
    await engine.ingest()
    const said = (path: string) => readlinkSync(join(root, path))
    const move = async (from: string, to: string) => {
      const { id } = await engine.documents.getByPath(from)
      const { content } = await engine.documents.get(id)
      await engine.documents.move(id, to)
      expect(await engine.documents.get(id)).toMatchObject({ path: to, content, missing: false })
      expect(lstatSync(join(root, from), { throwIfNoEntry: false })).toBeUndefined()
    }
    await move("linked.md", "made/here/linked.md")
    expect(said("made/here/linked.md")).toBe("../../shared/page.md")
    await move("made/here/linked.md", "made/here/renamed.md")
    expect(said("made/here/renamed.md")).toBe("../../shared/page.md")
    await move("deep/down/near.md", "near.md")
    expect(said("near.md")).toBe("deep/page.md")
    await move("absolute.md", "made/absolute.md")
    expect(said("made/absolute.md")).toBe(join(root, "page.md"))
    const { content, id } = await engine.documents.getByPath("deep/down/under/far.md")
    await engine.documents.remove(id)
    expect(await engine.documents.restore(id)).toMatchObject({ path: "deep/down/under/far.md" })
    expect(content).toBe("# A third\n")
    expect(await engine.documents.get(id)).toMatchObject({ content, missing: false })
    expect((await engine.ingest()).documents).toMatchObject({ updated: 0, deleted: 0, created: 0, failed: 0 })
    expect(await engine.doctor()).toMatchObject({ ok: true })
    expect(readdirSync(join(root, ".kanon", "staged"))).toEqual([])
    await engine.close()
  }))
