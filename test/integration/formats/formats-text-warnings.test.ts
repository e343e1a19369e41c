/** A warning about the text of a file reaches the person who asks, and the lineage of the document. */

import { mkdirSync, writeFileSync } from "node:fs"
import { join } from "node:path"
import { afterAll, beforeAll, expect, it } from "vitest"
import type { Engine } from "../../../adapters/sqlite/index.js"
import { createEngine } from "../../support/database.js"
import { temporaryFolder } from "../../support/folders.js"

let folder = ""
let engine: Engine

beforeAll(async () => {
  folder = temporaryFolder("textWarnings")
  const vault = join(folder, "vault")
  mkdirSync(vault)
  const page = (text: string) => `<main><h1>Prices</h1><p>${text}</p></main>`
  writeFileSync(join(vault, "berth.html"), page('The berth fee is 9<a href="#note">1</a>0 euros.'))
  writeFileSync(join(vault, "crane.html"), page("The crane fee is 70 euros."))
  engine = await createEngine({ vault, data: ":memory:" })
  await engine.ingest({ wait: true })
})
afterAll(() => engine.close())

const caveatsOf = async (question: string) =>
  (await engine.ask(question, { policyMode: "shadow" })).policy.caveats.filter(
    ({ code }) => code === "text_uncertain"
  )

it("is a caveat of an answer that cites the document, and of no other", async () => {
  expect(await caveatsOf("How much is the berth fee?")).toEqual([
    expect.objectContaining({ code: "text_uncertain", sourceIds: ["S1"] })
  ])
  expect(await caveatsOf("How much is the crane fee?")).toEqual([])
})

it("stands in the lineage of the document", async () => {
  const { items } = await engine.documents.list()
  const [berth, crane] = ["berth.html", "crane.html"].map((path) => items.find((one) => one.path === path))
  const warnings = async (id = "") => (await engine.documents.lineage(id)).origin.warnings
  expect((await warnings(berth?.id)).join()).toContain("“The berth fee is 9 1 0 euros.”")
  expect(await warnings(crane?.id)).toEqual([])
})
