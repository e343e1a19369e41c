import { mkdirSync, realpathSync, renameSync, rmSync, writeFileSync } from "node:fs"
import { join } from "node:path"
import { beforeEach, describe, expect, it } from "vitest"
import { nodeFiles } from "../../../../adapters/vault/files.js"
import { walkVault } from "../../../../adapters/vault/walk.js"
import { temporaryFolder } from "../../../support/folders.js"

let base = ""
beforeEach(() => {
  base = realpathSync(temporaryFolder("walk"))
})

describe("a walk through a folder whose name is not UTF-8", () => {
  it("names it and what is wrong with it, and goes on", async () => {
    writeFileSync(join(base, "a.md"), "# A\n")
    const latin = Buffer.concat([Buffer.from(join(base, "caf")), Buffer.from([0xe9])])
    mkdirSync(latin)
    writeFileSync(Buffer.concat([latin, Buffer.from("/b.md")]), "# B\n")
    const { entries, refused } = await walkVault(base, "", nodeFiles, { gitignore: true })
    expect(entries.map(({ path }) => path)).toEqual(["a.md"])
    expect(refused).toEqual([
      { path: "caf\ufffd", code: "path_encoding", message: expect.stringMatching(/folder is not UTF-8/) }
    ])
    rmSync(latin, { recursive: true })
  })
  it("tells it from one whose name holds U+FFFD, and a file from a file", async () => {
    const latin = (name: string) => Buffer.concat([Buffer.from(join(base, name)), Buffer.from([0xe9])])
    const latinFile = Buffer.concat([latin("a"), Buffer.from(".md")])
    mkdirSync(latin("caf"))
    writeFileSync(Buffer.concat([latin("caf"), Buffer.from("/lost.md")]), "# Lost\n")
    mkdirSync(join(base, "caf\ufffd"))
    for (const name of ["caf\ufffd/b.md", "a\ufffd.md", "plain.md"]) writeFileSync(join(base, name), "# B\n")
    writeFileSync(latinFile, "# A\n")
    writeFileSync(latin("no-markdown"), "")
    const { entries, refused } = await walkVault(base, "", nodeFiles, { gitignore: true })
    expect(entries.map(({ path, warning }) => [path, warning?.code])).toEqual([
      ["a\ufffd.md", "path_encoding"],
      ["caf\ufffd/b.md", "path_encoding"],
      ["plain.md", undefined]
    ])
    expect(refused).toEqual([
      { path: "a\ufffd.md", code: "path_encoding", message: expect.stringMatching(/file is not UTF-8/) },
      { path: "caf\ufffd", code: "path_encoding", message: expect.stringMatching(/folder is not UTF-8/) }
    ])
    rmSync(latin("caf"), { recursive: true })
  })
})

describe("a walk through a vault that goes away meanwhile", () => {
  it.each([
    ["nothing", () => undefined],
    ["a file", (root: string) => writeFileSync(root, "")],
    ["another folder", (root: string) => mkdirSync(root)]
  ])("fails, and takes no file for lost, with %s in its place", async (_what, put) => {
    const [root, away] = [join(base, "vault"), join(base, "away")]
    mkdirSync(root)
    for (const name of ["one", "two"]) writeFileSync(join(root, `${name}.md`), `# ${name}\n`)
    const files = {
      ...nodeFiles,
      readdir: async (path: string) => {
        const children = await nodeFiles.readdir(path)
        renameSync(root, away)
        put(root)
        return children
      }
    }
    await expect(walkVault(root, "", files, { gitignore: true })).rejects.toMatchObject({ code: "ENOENT" })
    rmSync(root, { recursive: true, force: true })
    renameSync(away, root)
    expect(
      (await walkVault(root, "", nodeFiles, { gitignore: true })).entries.map(({ path }) => path)
    ).toEqual(["one.md", "two.md"])
  })
})
