import {
  lstatSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  readlinkSync,
  rmSync,
  symlinkSync,
  writeFileSync
} from "node:fs"
import { join } from "node:path"
import * as Effect from "effect/Effect"
import * as Either from "effect/Either"
import { expect, it } from "vitest"
import { makeVault } from "../../../../adapters/vault/directory.js"
import { nodeFiles } from "../../../../adapters/vault/files.js"
import { createEngine } from "../../../support/database.js"
import { withFolder } from "../../../support/documents.js"

it("a document behind a symbolic link is written where the link leads, and stays a link", () =>
  withFolder(async (root) => {
    mkdirSync(join(root, ".shared"))
    writeFileSync(join(root, ".shared", "page.md"), "# Page\n\n[n](note.md)\n")
    writeFileSync(join(root, "note.md"), "# Note\n")
    symlinkSync(".shared/page.md", join(root, "linked.md"))
    const engine = await createEngine({ vault: root, data: join(root, ".kanon"), worker: false })
    await engine.ingest()
    const linked = await engine.documents.getByPath("linked.md")
    const isLink = () =>
      lstatSync(join(root, "linked.md")).isSymbolicLink() && readlinkSync(join(root, "linked.md"))
    await engine.documents.replace(linked.id, "# Page\n\nAnew: [n](note.md)\n")
    expect(isLink()).toBe(".shared/page.md")
    expect(readFileSync(join(root, ".shared", "page.md"), "utf8")).toBe("# Page\n\nAnew: [n](note.md)\n")
    expect((await engine.ingest()).documents).toMatchObject({ updated: 0, deleted: 0, created: 0 })
    const note = await engine.documents.getByPath("note.md")
    await engine.documents.move(note.id, "other.md")
    expect(isLink()).toBe(".shared/page.md")
    expect((await engine.documents.getByPath("linked.md")).content).toBe("# Page\n\nAnew: [n](other.md)\n")
    expect((await engine.ingest()).documents).toMatchObject({ updated: 0, deleted: 0, created: 0 })
    expect(await engine.doctor()).toMatchObject({ ok: true })
    await engine.close()
  }))

it("a document that is a relative symbolic link leads where it led when it is moved or removed", () =>
  withFolder(async (root) => {
    mkdirSync(join(root, "deep", "down", "under"), { recursive: true })
    mkdirSync(join(root, ".shared"))
    writeFileSync(join(root, ".shared", "page.md"), "# Page\n\nOf all.\n")
    // Targets that some links would have if they were moved unchanged to another folder or to the trash.
    writeFileSync(join(root, ".page.md"), "# Another\n")
    writeFileSync(join(root, "deep", ".page.md"), "# A third\n")
    writeFileSync(join(root, "deep", ".far.md"), "# A fourth\n")
    symlinkSync(".shared/page.md", join(root, "linked.md"))
    symlinkSync("../.page.md", join(root, "deep", "down", "near.md"))
    symlinkSync("../../.far.md", join(root, "deep", "down", "under", "far.md"))
    symlinkSync(join(root, ".page.md"), join(root, "absolute.md"))
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
    expect(said("made/here/linked.md")).toBe("../../.shared/page.md")
    await move("made/here/linked.md", "made/here/renamed.md")
    expect(said("made/here/renamed.md")).toBe("../../.shared/page.md")
    await move("deep/down/near.md", "near.md")
    expect(said("near.md")).toBe("deep/.page.md")
    await move("absolute.md", "made/absolute.md")
    expect(said("made/absolute.md")).toBe(join(root, ".page.md"))
    const { content, id } = await engine.documents.getByPath("deep/down/under/far.md")
    await engine.documents.remove(id)
    expect(await engine.documents.restore(id)).toMatchObject({ path: "deep/down/under/far.md" })
    expect(content).toBe("# A fourth\n")
    expect(await engine.documents.get(id)).toMatchObject({ content, missing: false })
    expect((await engine.ingest()).documents).toMatchObject({ updated: 0, deleted: 0, created: 0, failed: 0 })
    expect(await engine.doctor()).toMatchObject({ ok: true })
    expect(readdirSync(join(root, ".kanon", "staged"))).toEqual([])
    await engine.close()
  }))

it("a link to another place of the vault gives one document, not two", () =>
  withFolder(async (root) => {
    mkdirSync(join(root, ".shared"))
    writeFileSync(join(root, "page.md"), "# Page\n")
    writeFileSync(join(root, ".shared", "hidden.md"), "# Hidden\n")
    symlinkSync("page.md", join(root, "a-link.md"))
    symlinkSync(".shared/hidden.md", join(root, "first.md"))
    symlinkSync(".shared/hidden.md", join(root, "second.md"))
    const engine = await createEngine({ vault: root, data: join(root, ".kanon"), worker: false })
    await engine.ingest()
    const { items } = await engine.documents.list()
    expect(items.map(({ path }) => path)).toEqual(["first.md", "page.md"])
    await engine.close()
  }))

it("a write stays in the vault when its folder is exchanged for a link at the last moment", () =>
  withFolder(async (base) => {
    const [root, outside] = [join(base, "vault"), join(base, "outside")]
    for (const folder of [root, outside]) mkdirSync(join(folder, "notes"), { recursive: true })
    const vaultWith = (exchange: () => void) =>
      makeVault(root, {
        ...nodeFiles,
        rename: async (from, to, check) => {
          exchange()
          return nodeFiles.rename(from, to, check)
        },
        mkdir: async (path, options, check) => {
          exchange()
          return nodeFiles.mkdir(path, options, check)
        }
      })
    const exchange = (name: string) => () => {
      rmSync(join(root, name), { recursive: true, force: true })
      symlinkSync(join(outside, name), join(root, name))
    }
    for (const path of ["notes/page.md", "notes/deep/page.md"]) {
      const vault = vaultWith(exchange("notes"))
      const refused = await Effect.runPromise(
        Effect.either(
          Effect.flatMap(vault.stage(path, Buffer.from("# Page\n")), (handle) => vault.publish(path, handle))
        )
      )
      expect(Either.isLeft(refused) && refused.left.code).toBe("outside_vault")
      rmSync(join(root, "notes"))
      mkdirSync(join(root, "notes"))
    }
    expect(readdirSync(join(outside, "notes"))).toEqual([])
    const vault = makeVault(root, nodeFiles)
    const handle = await Effect.runPromise(vault.stage("notes/deep/page.md", Buffer.from("# Page\n")))
    await Effect.runPromise(vault.publish("notes/deep/page.md", handle))
    expect(readFileSync(join(root, "notes", "deep", "page.md"), "utf8")).toBe("# Page\n")
  }))
