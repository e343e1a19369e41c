import { mkdirSync, rmSync, writeFileSync } from "node:fs"
import { join } from "node:path"
import fc from "fast-check"
import { describe, expect, it } from "vitest"
import type { Engine } from "../../../../adapters/sqlite/index.js"
import { createEngine } from "../../../support/database.js"
import { withFolder } from "../../../support/documents.js"
import { runs } from "../../../support/runs.js"

/** Returns the graph as the engine shows it, without ids and history. */
const seen = async (engine: Engine) => {
  const { entities } = await engine.entities.list({ limit: 200 })
  const mentioned = await Promise.all(
    entities.map(async ({ id, name, type }) => {
      const { items } = await engine.entities.mentions(id, { limit: 200 })
      return items.map(
        ({ confidence, docPath, quote }) => `${type}/${name}: ${docPath} ${quote} ${confidence}`
      )
    })
  )
  return {
    entities: entities.map(({ name, type }) => `${type}/${name}`).sort(),
    mentions: mentioned.flat().sort()
  }
}

type Files = Readonly<Record<string, string | null>>

/** Writes files of a vault, and removes those of which there is no text. */
const put = (vault: string, files: Files) => {
  for (const [path, text] of Object.entries(files))
    if (text === null) rmSync(join(vault, path), { force: true })
    else writeFileSync(join(vault, path), text)
}

/** Takes files in step by step, and what is left of them all at once; both have to show the same, and the doctor nothing. */
const compared = (steps: ReadonlyArray<Files>) =>
  withFolder(async (root) => {
    const vault = join(root, "vault")
    mkdirSync(vault)
    const engine = await createEngine({ vault, data: ":memory:", thread: false })
    const shown: Array<Awaited<ReturnType<typeof seen>>> = []
    try {
      for (const files of steps) {
        put(vault, files)
        await engine.ingest()
        shown.push(await seen(engine))
        const { findings } = await engine.doctor()
        expect(findings.filter(({ severity }) => severity === "difference")).toEqual([])
      }
    } finally {
      await engine.close()
    }
    const atOnce = await createEngine({ vault, data: ":memory:", thread: false })
    try {
      await atOnce.ingest()
      expect(shown.at(-1)).toEqual(await seen(atOnce))
    } finally {
      await atOnce.close()
    }
    return shown
  })

const paths = ["c.md", "d.md", "e.md", "f.md"]
const [one, many] = ["We read the EIP today, as the EIP stands.", "We list all EIPs, and other EIPs follow."]
const both = `# Page\n\n${one} ${many}\n`
/** A name by itself, small, and as a plural: what decides whether the plural is a name of its own. */
const text = fc.oneof(
  { weight: 1, arbitrary: fc.constant(both) },
  { weight: 4, arbitrary: fc.constant("# Page\n\nHere an eip is written small.\n") },
  {
    weight: 2,
    arbitrary: fc
      .tuple(
        fc.constantFrom("Page", "EIP", "EIPs"),
        fc.subarray([one, many, "Here all eips are written small.", "Here an eip is written small."])
      )
      .map(([title, body]) => `# ${title}\n\n${body.join("\n\n")}\n`)
  },
  { weight: 1, arbitrary: fc.constant(null) }
)
const change = fc.dictionary(fc.constantFrom(...paths), text, { minKeys: 1, maxKeys: 4, size: "max" })

describe("a graph that grows step by step", () => {
  const big = (at: number) =>
    `# Doc ${at}\n\nWe read the EIP today, as an EIP is short. All EIPs are listed. Other EIPs follow, and more EIPs come. The EIP stands.\n`
  const small = (at: number) => `# Note ${at}\n\nan eip here is written small, the eip again.\n`

  it("has the plural for a name while most write the singular small, and no longer", async () => {
    const notes = [1, 2, 3, 4].map((at) => [`n${at}.md`, small(at)] as const)
    const shown = await compared([
      Object.fromEntries([1, 2, 3].map((at) => [`d${at}.md`, big(at)])),
      Object.fromEntries(notes),
      Object.fromEntries(notes.map(([path]) => [path, null]))
    ])
    const names = shown.map(({ entities }) => entities.filter((name) => name.startsWith("concept/")))
    expect(names).toEqual([["concept/EIP"], ["concept/EIPs"], ["concept/EIP"]])
  })

  it("is the one that the same files give at once", async () => {
    const steps = fc.array(change, { minLength: 1, maxLength: 3, size: "max" })
    await fc.assert(
      fc.asyncProperty(
        steps,
        async (later) => void (await compared([{ "a.md": both, "b.md": both }, ...later]))
      ),
      { numRuns: runs(12) }
    )
  })

  const notes = {
    "plan.md": "---\ntags: [orbit]\n---\n# Plan\n\nWe fly.\n",
    "note.md": "# Note\n\nThe moon keeps its orbit.\n"
  }

  /** Does something to the tag of the notes; what a reader sees before, after, and once all is read again. */
  const tagged = (act: (engine: Engine, tag: string) => Promise<unknown>) =>
    withFolder(async (root) => {
      const vault = join(root, "vault")
      mkdirSync(vault)
      put(vault, notes)
      const engine = await createEngine({ vault, data: ":memory:", thread: false })
      try {
        await engine.ingest()
        const before = await seen(engine)
        const [tag] = (await engine.entities.list({ type: "tag" })).entities
        await act(engine, tag?.id ?? "")
        await engine.ingest()
        const after = await seen(engine)
        const { findings } = await engine.doctor()
        expect(findings.filter(({ severity }) => severity === "difference")).toEqual([])
        await engine.jobs.start("reextract")
        await engine.ingest()
        return { before: before.mentions, after: after.mentions, again: (await seen(engine)).mentions }
      } finally {
        await engine.close()
      }
    })

  it("reads a name in small letters once a person describes what it names, as a rebuild does", async () => {
    const { after, again, before } = await tagged((engine, tag) =>
      engine.entities.update(tag, { aliases: ["Umlaufbahn"] })
    )
    const word = "tag/orbit: note.md orbit 1"
    expect([before.includes(word), after.includes(word)]).toEqual([false, true])
    expect(again).toEqual(after)
  })

  it("reads as many mentions of what was deleted or merged and restored as before", async () => {
    const acts: ReadonlyArray<Parameters<typeof tagged>[0]> = [
      (engine, tag) => engine.entities.remove(tag),
      async (engine, tag) => {
        const [plan] = (await engine.entities.list({ type: "document" })).entities
        await engine.entities.merge(tag, plan?.id ?? "")
      }
    ]
    for (const act of acts) {
      const { after, again, before } = await tagged(async (engine, tag) => {
        await act(engine, tag)
        await engine.ingest()
        await engine.trash.restore(tag)
      })
      expect([after, again]).toEqual([before, before])
    }
  })
})
