import { writeFileSync } from "node:fs"
import { join } from "node:path"
import { describe, expect, it } from "vitest"
import { confirmed } from "../../../../core/knowledge/extraction/model-names.js"
import { createEngine } from "../../../support/database.js"
import { temporaryFolder } from "../../../support/folders.js"

describe("the types of relations of a workspace", () => {
  it("are those that sentences are read for, also after the list has changed", async () => {
    const vault = temporaryFolder("types")
    writeFileSync(
      join(vault, "a.md"),
      "# News\n\nNorrland Energy AB acquired Fjordkraft Systems. Anna Lindqvist leads Norrland Energy AB.\n"
    )
    const engine = await createEngine({ vault })
    const types = async () => (await engine.relations.list()).items.map(({ type }) => type).sort()
    try {
      await engine.ingest()
      expect(await types()).toEqual(["acquired", "leads"])
      await engine.updateWorkspace({ policy: { relationTypes: ["leads", "sponsors"] } })
      await engine.ingest()
      expect(await types()).toEqual(["leads"])
      await engine.updateWorkspace({ policy: { relationTypes: null } })
      await engine.ingest()
      expect(await types()).toEqual(["acquired", "leads"])
      await expect(engine.updateWorkspace({ policy: { relationTypes: ["Leads it"] } })).rejects.toThrow()
    } finally {
      await engine.close()
    }
  })
})

describe("what a model proposes", () => {
  const text = "Ada Holm sponsors the Merrow yard. Ben Orr watched."
  const named = (name: string) => ({ name, type: "person", quote: text.slice(0, 34) })
  const relation = {
    from: "Ada Holm",
    type: "sponsors",
    to: "Merrow",
    quote: "Ada Holm sponsors the Merrow yard."
  }
  const read = (relations: ReadonlyArray<typeof relation>, types: ReadonlyArray<string>) =>
    confirmed({ names: [named("Ada Holm"), named("Merrow")], relations: [...relations] }, [text], types)

  it("is kept where the text has the quote, both ends are names of the reply and the type is one of the list", () => {
    expect(read([relation], ["sponsors"])).toMatchObject({ relations: [relation], dropped: 0 })
  })

  it.each([
    ["a quote that is not in the text", { ...relation, quote: "Ada Holm sponsors Ben Orr." }],
    ["an end that is no name of the reply", { ...relation, to: "Ben Orr" }],
    ["a type outside of the list", { ...relation, type: "owns" }],
    ["one thing at both ends", { ...relation, to: "Ada Holm" }]
  ])("is dropped and counted with %s", (_, proposal) => {
    expect(read([proposal], ["sponsors"])).toMatchObject({ relations: [], dropped: 1 })
  })
})
