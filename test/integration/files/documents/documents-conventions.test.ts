import { mkdirSync, readFileSync, symlinkSync, writeFileSync } from "node:fs"
import { dirname, join } from "node:path"
import * as Effect from "effect/Effect"
import { beforeAll, describe, expect, it } from "vitest"
import type { Engine } from "../../../../adapters/sqlite/index.js"
import { makeVault } from "../../../../adapters/vault/directory.js"
import { nodeFiles } from "../../../../adapters/vault/files.js"
import { parseContent } from "../../../../core/files/documents/index.js"
import { KanonError } from "../../../../core/platform/kernel/index.js"
import { failureOf } from "../../../../server/cli/failure.js"
import { createEngine } from "../../../support/database.js"
import { temporaryFolder } from "../../../support/folders.js"

const folder = () => temporaryFolder("conventions")

const write = (vault: string, files: Readonly<Record<string, string>>) => {
  for (const [path, text] of Object.entries(files)) {
    mkdirSync(dirname(join(vault, path)), { recursive: true })
    writeFileSync(join(vault, path), text)
  }
}
const opened = (vault: string) => createEngine({ vault, data: ":memory:", worker: false })
const paths = async (engine: Engine) => (await engine.documents.list()).items.map(({ path }) => path)

/** Opens a vault of these files, ingested. */
const using = async <A>(
  files: Readonly<Record<string, string>>,
  use: (engine: Engine, vault: string) => Promise<A>
): Promise<A> => {
  const vault = folder()
  write(vault, files)
  const engine = await opened(vault)
  try {
    await engine.ingest()
    return await use(engine, vault)
  } finally {
    await engine.close()
  }
}

describe("the root of a vault", () => {
  it("may be a symbolic link", async () => {
    const [real, beside] = [folder(), folder()]
    write(real, { "crane.md": "# Crane\n\nThe crane lifts 40 tonnes.\n" })
    const link = join(beside, "vault")
    symlinkSync(real, link)
    const engine = await opened(link)
    try {
      const { documents, errors } = await engine.ingest()
      expect({ created: documents.created, errors }).toEqual({ created: 1, errors: [] })
      const reports: Array<number> = []
      await engine.watch(({ documents: { created } }) => void reports.push(created))
      await expect.poll(() => reports.length).toBe(1)
      write(real, { "tug.md": "# Tug\n\nThe tug has 2,400 kW.\n" })
      await expect.poll(() => reports.reduce((sum, one) => sum + one, 0)).toBe(1)
      await engine.documents.create({ path: "new.md", content: "# New" })
      expect(readFileSync(join(real, "new.md"), "utf8")).toBe("# New")
    } finally {
      await engine.close()
    }
  })
})

describe("a vault that cannot be read at all", () => {
  it("fails as a whole, so that a command ends with exit code 1", async () => {
    const unreadable = makeVault(folder(), {
      ...nodeFiles,
      readdir: () => Promise.reject(Object.assign(new Error("denied"), { code: "EACCES" }))
    })
    const fault = await Effect.runPromise(Effect.flip(unreadable.walk("")))
    expect(fault).toMatchObject({ _tag: "VaultUnavailable", code: "EACCES" })
    expect(failureOf(new KanonError(fault)).exitCode).toBe(1)
  })
})

describe("ignore files", () => {
  const files = {
    ".gitignore": "*.draft.md\nbuild/\n",
    ".kanonignore": "private/\n!kept.draft.md\n",
    "area/.gitignore": "local.md\n!inner.draft.md\n",
    "a.md": "# A",
    "b.draft.md": "# B",
    "kept.draft.md": "# Kept",
    "build/c.md": "# C",
    "private/d.md": "# D",
    "area/local.md": "# Local",
    "area/other.md": "# Other",
    "area/inner.draft.md": "# Inner",
    "local.md": "# Not in the area"
  }
  const withGit = ["a.md", "area/inner.draft.md", "area/other.md", "kept.draft.md", "local.md"]

  it("leave out what they name, in each folder", () =>
    using(files, async (engine) => {
      expect(await paths(engine)).toEqual(withGit)
      const refused = engine.documents.create({ path: "private/new.md", content: "# New" })
      await expect(refused).rejects.toMatchObject({
        code: "invalid_body",
        fault: { issues: [{ path: ["path"], code: "path_ignored" }] }
      })
      // Ingesting an excluded folder by its name takes nothing in.
      const { documents, warnings } = await engine.ingest({ path: "private" })
      expect(documents).toMatchObject({ created: 0, deleted: 0 })
      expect(warnings).toMatchObject([{ code: "nothing_there" }])
    }))

  it("of Git are not read when the workspace says so, and a rule that is added removes documents", () =>
    using(files, async (engine, vault) => {
      await engine.updateWorkspace({ vault: { gitignore: false } })
      await engine.ingest()
      expect(await paths(engine)).toEqual([
        "a.md",
        "area/inner.draft.md",
        "area/local.md",
        "area/other.md",
        "b.draft.md",
        "build/c.md",
        "kept.draft.md",
        "local.md"
      ])
      write(vault, { ".kanonignore": "*\n!a.md\n" })
      await engine.ingest()
      expect(await paths(engine)).toEqual(["a.md"])
      expect(readFileSync(join(vault, "local.md"), "utf8")).toBe("# Not in the area")
    }))
})

describe("file names", () => {
  it("of Markdown end in .md, .markdown or .mdx; other texts are named in one remark", async () => {
    const vault = folder()
    write(vault, {
      "a.md": "See [[b]] and [c](c.mdx).",
      "b.markdown": "# Beacon\n\nThe beacon is red.",
      "c.mdx": "# Capstan\n\nThe capstan turns.",
      "d.org": "* Org",
      "e.org": "* Org",
      "f.rst": "Text"
    })
    const engine = await createEngine({ vault, data: ":memory:" })
    try {
      const { documents, warnings } = await engine.ingest()
      expect(documents).toMatchObject({ created: 3, failed: 0 })
      expect(warnings).toEqual([
        {
          path: "",
          code: "files_skipped",
          message: "Text files of formats that are not read: 2 .org, 1 .rst."
        }
      ])
      expect((await engine.search("beacon red")).results[0]?.docPath).toBe("b.markdown")
      const { items } = await engine.relations.list({ type: "links_to" })
      expect(items).toHaveLength(2)
    } finally {
      await engine.close()
    }
  })
})

describe("front matter", () => {
  const read = (text: string) => parseContent("page.md", text, { maxChars: 1500, overlapChars: 150 })

  it.each([
    [
      "TOML",
      '+++\ntitle = "North quay"\ndate = 2024-05-06\ntags = ["wind", "quay"]\n[owner]\nname = "Ada"\n+++\nThe quay closes.\n'
    ],
    [
      "JSON",
      '{\n  "title": "North quay",\n  "date": "2024-05-06",\n  "tags": ["wind", "quay"],\n  "owner": { "name": "Ada" }\n}\nThe quay closes.\n'
    ]
  ])("in %s is read", (_, text) => {
    const { frontMatter, title, warnings } = read(text)
    expect(title).toBe("North quay")
    expect(warnings).toEqual([])
    expect(frontMatter).toMatchObject({ tags: ["wind", "quay"], other: { owner: { name: "Ada" } } })
    expect(String(frontMatter.other["date"])).toMatch(/^2024-05-06/)
  })

  it("takes reserved characters and second colons as text", () => {
    const { frontMatter, title, warnings } = read(
      "---\ntitle: Harbour: a history: part 2\nauthor: @ada\ncommand: `make all`\nquote: it's: so\ntags: [a, b]\n---\nText.\n"
    )
    expect(warnings).toEqual([])
    expect(title).toBe("Harbour: a history: part 2")
    expect(frontMatter).toMatchObject({
      tags: ["a", "b"],
      other: { author: "@ada", command: "`make all`", quote: "it's: so" }
    })
  })

  it("loses only the line that cannot be read", () => {
    const { frontMatter, title, warnings } = read(
      "---\ntitle: Quay\nlist:\n  - one\n\t- two\n  - three\nbroken: [a, b\nowner: Ada\ntags: [x]\n---\nText.\n"
    )
    expect(warnings.map(({ code, message }) => [code, /Line (\d+)/.exec(message)?.[1]])).toEqual([
      ["front_matter_line", "5"],
      ["front_matter_line", "7"]
    ])
    expect(title).toBe("Quay")
    expect(frontMatter).toMatchObject({ tags: ["x"], other: { list: ["one", "three"], owner: "Ada" } })
  })

  it("leaves a text that merely starts with a brace or plus signs alone", () => {
    const { frontMatter } = read("{ not: json }\n\n+++\n")
    expect(frontMatter).toMatchObject({ title: null, tags: [], other: {} })
  })
})

describe("notes of Obsidian and Logseq", () => {
  it("have tags in their text, and a tag finds those nested in it", () =>
    using(
      {
        "a.md":
          "# A\n\nAbout #harbour/crane and #Wind. Issue #12, `#code`, [x](#anchor), https://a.example/#part, #fff000.\n\n```\n#include\n```\n",
        "b.md": "# B\n\n- A list with #harbour\n"
      },
      async (engine) => {
        const tagged = async (tag: string) =>
          (await engine.documents.list({ tag })).items.map(({ path }) => path)
        for (const tag of ["12", "code", "anchor", "part", "fff000", "include"])
          expect(await tagged(tag)).toEqual([])
        expect(await tagged("wind")).toEqual(["a.md"])
        expect(await tagged("harbour")).toEqual(["a.md", "b.md"])
        expect(await tagged("#harbour/crane")).toEqual(["a.md"])
        expect(await tagged("harb")).toEqual([])
        expect(
          (await engine.search("list", { tag: "harbour" })).results.map(({ docPath }) => docPath)
        ).toContain("b.md")
      }
    ))

  it("have comments that are neither found nor linked", () =>
    using(
      {
        "a.md":
          "# A\n\nVisible %%hidden zebra%% words.\n\n%%\nA giraffe, see [[b]].\n%%\n\nThe code `%%kept okapi%%` stays, and 50%% of it.\n\n```\n%% kept tapir %%\n```\n",
        "b.md": "# B\n\nText.\n"
      },
      async (engine) => {
        for (const word of ["zebra", "giraffe"]) expect((await engine.search(word)).results).toEqual([])
        for (const word of ["okapi", "tapir", "visible"])
          expect((await engine.search(word)).results).toHaveLength(1)
      }
    ))

  it("have page properties", () => {
    const { frontMatter, title } = parseContent(
      "page.md",
      "title:: Cranes\nalias:: Big Blue, [[The Blue One]]\ntags:: cranes, #harbour\n\n- The crane lifts 40 tonnes.\n",
      { maxChars: 1500, overlapChars: 150 }
    )
    expect(title).toBe("Cranes")
    expect(frontMatter).toMatchObject({
      aliases: ["Big Blue", "The Blue One"],
      tags: ["cranes", "harbour"]
    })
  })

  it("link by bare name, by vault path, and to names with brackets", async () => {
    const vault = folder()
    write(vault, {
      "deep/in/source.md": "[n](Note.md) and [p](deep/Other.md) and [[a [b] c]] and [r](README.md).\n",
      "elsewhere/Note.md": "# A note",
      "deep/Other.md": "# Another",
      "x/a [b] c.md": "# Bracketed",
      "README.md": "# Home"
    })
    const engine = await createEngine({ vault, data: ":memory:" })
    try {
      await engine.ingest()
      const { items } = await engine.relations.list({ type: "links_to" })
      expect(items.map(({ dstName }) => dstName).sort()).toEqual(["A note", "Another", "Bracketed"])
    } finally {
      await engine.close()
    }
  })

  it("still resolve by file name after a move, where only the title would lead on", () =>
    using(
      {
        "Old name.md": "# Old name\n\nText.\n",
        "source.md": "See [[Old name]] and [[Old name|label]].\n"
      },
      async (engine) => {
        const { id } = await engine.documents.getByPath("Old name.md")
        await engine.documents.move(id, "New name.md")
        expect((await engine.documents.getByPath("source.md")).content).toBe(
          "See [[New name]] and [[New name|label]].\n"
        )
      }
    ))

  it("that hold drawings or encoded data are not read, with a remark", async () => {
    const vault = folder()
    write(vault, {
      "sketch.excalidraw.md":
        "---\nexcalidraw-plugin: parsed\ntags: [sketch]\n---\n# Excalidraw Data\n\n## Text Elements\nwombat ^abc\n",
      "blob.md": `# Blob\n\n${"A7x".repeat(4000)}\n`,
      "text.md": "# Text\n\nA wombat lives here.\n",
      "unspaced.md": `# Unspaced\n\n${"港口的起重机可以吊起四十吨。".repeat(300)}\n`
    })
    const engine = await opened(vault)
    try {
      const { warnings } = await engine.ingest()
      expect(warnings.map(({ code, path }) => [path, code])).toEqual([
        ["blob.md", "body_skipped"],
        ["sketch.excalidraw.md", "body_skipped"]
      ])
      expect((await engine.search("wombat")).results.map(({ docPath }) => docPath)).toEqual(["text.md"])
      expect((await engine.documents.list({ tag: "sketch" })).items).toHaveLength(1)
    } finally {
      await engine.close()
    }
  })
})

describe("a first ingest", () => {
  let vault = ""
  beforeAll(() => {
    vault = folder()
    for (let page = 0; page < 200; page++)
      write(vault, { [`page-${page}.md`]: `# Page ${page}\n\nThe lantern ${page} is green.\n` })
  })

  it("shows in answers and search results how far it is", async () => {
    const engine = await opened(vault)
    try {
      const seen: Array<unknown> = []
      let asked: Promise<unknown> | undefined
      await engine.ingest({
        onProgress: ({ done, total }) => {
          if (asked !== undefined || done === 0 || done === total) return
          asked = Promise.all([
            engine.search("lantern").then(({ indexing }) => seen.push(indexing)),
            engine.ask("Which colour is the lantern?").then(({ indexing }) => seen.push(indexing))
          ])
        }
      })
      await asked
      expect(seen).toContainEqual({ done: expect.any(Number), total: 200 })
      expect((await engine.search("lantern")).indexing).toBeUndefined()
      expect((await engine.ask("Which colour is the lantern?")).indexing).toBeUndefined()
      expect(await engine.unsyncedFiles()).toBe(0)
      write(vault, { "page-3.md": "# Page 3\n\nThe lantern is blue, and new.\n" })
      expect(await engine.unsyncedFiles()).toBe(1)
    } finally {
      await engine.close()
    }
  })
})
