import { lstatSync, mkdirSync, readFileSync, readlinkSync, symlinkSync, writeFileSync } from "node:fs"
import { join } from "node:path"
import { expect, it } from "vitest"
import { createEngine } from "../support/database.js"
import { withFolder } from "../support/documents.js"

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
