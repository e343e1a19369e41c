import { join } from "node:path"
import { setTimeout as sleep } from "node:timers/promises"
import * as fc from "fast-check"
import { describe, expect, it } from "vitest"
import type { Engine } from "../../../../adapters/sqlite/index.js"
import { createEngine } from "../../../support/database.js"
import { withFolder } from "../../../support/documents.js"
import { runs } from "../../../support/runs.js"

const words = ["alder", "birch", "cedar", "damson", "elder"]
const text = fc
  .array(fc.constantFrom(...words), { minLength: 1, maxLength: 12 })
  .map(
    (found) =>
      `# ${found[0]}\n\nThe ${found.slice(0, 6).join(" ")} stands.\n\n## More\n\nAlso ${found.join(" ")}.\n`
  )

/** One change of one of a few documents or entities; what cannot be done at present is left out. */
const change = fc.record({
  which: fc.nat(3),
  content: text,
  kind: fc.constantFrom(
    "write",
    "write",
    "remove",
    "restore",
    "verify",
    "deprecate",
    "move",
    "authority",
    "rename",
    "removeEntity"
  ),
  to: fc.nat(2)
})
type Change = typeof change extends fc.Arbitrary<infer Value> ? Value : never

interface World {
  readonly engine: Engine
  readonly documents: Map<number, string>
  readonly entities: Map<number, string>
}

const ignoring = (work: Promise<unknown>): Promise<unknown> =>
  work.catch((fault: unknown) => {
    if (!(fault instanceof Error) || !("code" in fault)) throw fault
  })

const apply = async ({ documents, engine, entities }: World, { content, kind, to, which }: Change) => {
  const id = documents.get(which)
  if (kind === "write" && id === undefined) {
    const made = await engine.documents.create({ path: `d${which}.md`, content })
    documents.set(which, made.docId)
    return
  }
  if (kind === "rename" || kind === "authority" || kind === "removeEntity") {
    const known = entities.get(which)
    if (known === undefined) {
      entities.set(which, (await engine.entities.create({ name: `Thing ${which}`, type: "thing" })).id)
      return
    }
    if (kind === "rename")
      await ignoring(engine.entities.update(known, { name: `Thing ${which} ${to}`, aliases: [`t${to}`] }))
    else if (kind === "authority")
      await ignoring(
        engine.entities.setAuthority(known, (["asserted", "curated", "certified"] as const)[to] ?? "curated")
      )
    else await ignoring(engine.entities.remove(known))
    return
  }
  if (id === undefined) return
  if (kind === "write") await ignoring(engine.documents.replace(id, content))
  else if (kind === "remove") await ignoring(engine.documents.remove(id))
  else if (kind === "restore") await ignoring(engine.documents.restore(id))
  else if (kind === "verify") await ignoring(engine.documents.verify(id, to === 0 ? "certified" : "verified"))
  else if (kind === "deprecate") await ignoring(engine.documents.verify(id, "deprecated"))
  else await ignoring(engine.documents.move(id, `moved/${to}-${which}.md`))
}

const orNull = <A>(work: Promise<A>): Promise<A | null> =>
  work.catch((fault: { readonly code?: string }) => {
    if (fault.code === "not_found") return null
    throw fault
  })

/** Everything that a reader of a moment can see, without ranks, whose statistics are those of today. */
const seen = async ({ documents, engine, entities }: World, asOf?: string) => {
  const options = asOf === undefined ? {} : { asOf }
  const texts = []
  for (const id of documents.values()) {
    const found = await orNull(engine.documents.get(id, options))
    texts.push(
      found === null
        ? null
        : {
            id,
            path: found.path,
            title: found.title,
            content: found.content,
            hash: found.contentHash,
            version: found.version,
            verification: found.verification,
            nextVerifyAt: found.nextVerifyAt
          }
    )
  }
  const things = []
  for (const id of entities.values()) {
    const found = await orNull(engine.entities.get(id, options))
    const { curation, asOf: _, ...entity } = found ?? { curation: null }
    things.push(curation === null ? null : { ...entity, curation: { ...curation, sourceRefs: [] } })
  }
  const passages: Array<unknown> = []
  for (const word of words) {
    const { results, total } = await engine.search(word, { limit: 50, ...options })
    passages.push([
      total,
      results
        .map(({ chunkId, docId, docPath, docTitle, headingPath, snippet, verification }) =>
          JSON.stringify([chunkId, docId, docPath, docTitle, headingPath, snippet, verification])
        )
        .sort()
    ])
  }
  const verified = await engine.search("alder", { limit: 50, verification: "verified", ...options })
  return { texts, things, passages, verified: verified.results.map(({ chunkId }) => chunkId).sort() }
}

const moment = async (): Promise<string> => {
  await sleep(3)
  const at = new Date().toISOString()
  await sleep(3)
  return at
}

const withEngine = (
  use: (engine: Engine) => Promise<void>,
  settings: Parameters<Engine["updateWorkspace"]>[0] = {}
) =>
  withFolder(async (root) => {
    const engine = await createEngine({ vault: join(root), data: join(root, ".kanon"), worker: false })
    if (Object.keys(settings).length > 0) await engine.updateWorkspace(settings)
    await use(engine)
    await engine.close()
  })

describe("the workspace as of a moment", () => {
  it("is what an engine that was stopped then would show", () =>
    fc.assert(
      fc.asyncProperty(fc.array(change, { minLength: 3, maxLength: 14 }), (changes) =>
        withEngine(async (engine) => {
          const world: World = { engine, documents: new Map(), entities: new Map() }
          const past = []
          for (const one of changes) {
            await apply(world, one)
            past.push({ at: await moment(), shown: await seen(world) })
          }
          for (const { at, shown } of past) {
            const then = await seen(world, at)
            const [documents, things] = [shown.texts.length, shown.things.length]
            expect(then.texts.slice(documents)).toEqual(then.texts.slice(documents).map(() => null))
            expect({
              ...then,
              texts: then.texts.slice(0, documents),
              things: then.things.slice(0, things)
            }).toEqual(shown)
          }
        })
      ),
      { numRuns: runs(20) }
    ))

  it("answers with the version that was current, opens it, and names its day", () =>
    withEngine(async (engine) => {
      const prices = ["£41,200", "£44,500", "£47,900"]
      const page = (price: string) => `# PB-7 pitch actuator\n\nA PB-7 pitch actuator costs ${price}.\n`
      const before = await moment()
      const { docId } = await engine.documents.create({ path: "pb7.md", content: page(prices[0] ?? "") })
      const moments = [await moment()]
      for (const price of prices.slice(1)) {
        await engine.documents.replace(docId, page(price))
        moments.push(await moment())
      }
      await engine.documents.remove(docId)
      const question = "What does a PB-7 pitch actuator cost?"
      for (const [place, asOf] of moments.entries()) {
        const answered = await engine.ask(question, { asOf })
        expect(answered.answer).toContain(prices[place])
        expect(answered).toMatchObject({ asOf, sources: [{ docId, docVersion: place + 1 }] })
        expect(answered.policy.reasons).toContain("as_of")
        expect((answered.sources[0]?.validAt ?? "9") <= asOf).toBe(true)
        const opened = await engine.documents.get(docId, { asOf })
        expect(opened).toMatchObject({ version: place + 1, content: page(prices[place] ?? ""), asOf })
        const rendered = await engine.documents.get(docId, { asOf, render: "html" })
        expect(rendered.html).toContain(prices[place])
        expect(rendered.passages?.map(({ chunkId }) => chunkId)).toContain(answered.sources[0]?.chunkId)
      }
      expect((await engine.ask(question)).claims).toEqual([])
      expect((await engine.ask(question, { asOf: before })).claims).toEqual([])
      await expect(engine.documents.get(docId, { asOf: before })).rejects.toMatchObject({ code: "not_found" })
      const parts = []
      for await (const part of engine.ask(question, { asOf: moments[1] ?? "" })) parts.push(part)
      expect(parts.at(-1)).toMatchObject({ type: "answer", answer: { asOf: moments[1] } })
      const today = new Date().toISOString().slice(0, 10)
      expect(await engine.search("actuator", { asOf: today })).toMatchObject({ asOf: today, total: 0 })
      const refused = { code: "invalid_body" }
      await expect(engine.search("actuator", { asOf: "2999-01-01" })).rejects.toMatchObject(refused)
      await expect(engine.search("actuator", { asOf: "yesterday" })).rejects.toMatchObject(refused)
      await expect(engine.ask(question, { asOf: today, includeData: true })).rejects.toMatchObject(refused)
    }))

  it("answers a question that names a version with the document as it was then", () =>
    withEngine(async (engine) => {
      const page = (price: number) => `# Ferry\n\nA ticket of the ferry costs £${price}.\n`
      const { docId } = await engine.documents.create({ path: "ferry.md", content: page(11) })
      for (const price of [12, 13]) {
        await moment()
        await engine.documents.replace(docId, page(price))
      }
      for (const [version, price] of [11, 12].entries()) {
        const answered = await engine.ask(
          `What does a ticket of the ferry cost as of version ${version + 1}?`
        )
        expect(answered.answer).toContain(`£${price}`)
        expect(answered.sources).toMatchObject([{ docId, docVersion: version + 1 }])
        expect(answered.policy.reasons).toContain("as_of")
      }
      expect((await engine.ask("What does a ticket of the ferry cost?")).answer).toContain("£13")
    }))

  it("answers what held before a change, or before a person, with the last version that said it", () =>
    withEngine(async (engine) => {
      const page = (price: number, seller: string) =>
        `# Ferry\n\nA ticket of the ferry costs **£${price}**. A dog costs £2.\n\nTickets are sold by ${seller}.\n`
      const { docId } = await engine.documents.create({ path: "ferry.md", content: page(11, "Anna Berg") })
      for (const [price, seller] of [
        [12, "Jon Vik"],
        [13, "Jon Vik"]
      ] as const) {
        await moment()
        await engine.documents.replace(docId, page(price, seller))
      }
      for (const [question, answer, docVersion] of [
        ["What did a ticket of the ferry cost before?", "£12", 2],
        ["What was the previous price of a ticket of the ferry?", "£12", 2],
        ["Who sold tickets before Jon Vik?", "Anna Berg", 1],
        // The present version says what all others said.
        ["What did a dog cost before?", "£2", 3],
        ["What does a ticket of the ferry cost?", "£13", 3]
      ] as const) {
        const answered = await engine.ask(question)
        expect(answered.answer).toContain(answer)
        expect(answered.sources).toMatchObject([{ docId, docVersion }])
      }
    }))

  it("answers what changed with both versions of each statement that is meant, newest first", () =>
    withEngine(async (engine) => {
      const tariff = (berth: number, crane: number) =>
        `# Harbour tariff\n\nThe berth of a yacht costs **${berth} EUR**.\n\n| Service | Price |\n|---|---|\n| Crane | ${crane} EUR |\n`
      const { docId } = await engine.documents.create({ path: "tariff.md", content: tariff(20, 80) })
      await engine.documents.create({ path: "crew.md", content: "# Crew\n\nTore Lind leads the office.\n" })
      await moment()
      await engine.documents.replace(docId, tariff(24, 80))
      const between = await moment()
      await engine.documents.replace(docId, tariff(31, 95))
      const said = (answered: Awaited<ReturnType<Engine["ask"]>>) =>
        answered.claims.map(({ text: claim }) => claim.match(/\d+ EUR/gu))
      for (const question of [
        "What changed in the harbour tariff?",
        "What changed?",
        "What is new since today?"
      ])
        expect(said(await engine.ask(question)).slice(0, 3), question).toEqual([
          ["31 EUR", "24 EUR"],
          ["95 EUR", "80 EUR"],
          ["24 EUR", "20 EUR"]
        ])
      const berth = await engine.ask("How has the berth of a yacht changed?", { policyMode: "enforce" })
      expect(said(berth)).toEqual([
        ["31 EUR", "24 EUR"],
        ["24 EUR", "20 EUR"]
      ])
      expect(berth.policy).toMatchObject({ verdict: "answer", confidence: 1, conflicts: [] })
      expect(berth.sources.map(({ docVersion }) => docVersion)).toEqual([3, 2, 1])
      for (const [place, { citations, quotes, status, text: claim }] of berth.claims.entries()) {
        expect(citations).toEqual([`S${place + 1}`, `S${place + 2}`])
        expect(status).toBe("supported")
        expect(claim).toContain(`version ${3 - place}`)
        for (const { end, sourceId, start } of quotes ?? []) {
          const source = berth.sources.find(({ id }) => id === sourceId)
          const { items } = await engine.documents.versions(docId, { version: source?.docVersion ?? 0 })
          expect(items[0]?.content?.slice(start, end)).toMatch(/^The berth of a yacht costs/u)
        }
      }
      expect(said(await engine.ask("What changed in the berth of a yacht?", { asOf: between }))).toEqual([
        ["24 EUR", "20 EUR"]
      ])
      for (const [question, answer] of [
        ["What changed in the crew page?", "The versions that are kept show no such change."],
        ["What changed in the harbour tariff last month?", "The versions that are kept show no such change."],
        ["Was hat sich an der Wetterstation geändert?", "Die Dokumente enthalten keine Antwort"]
      ] as const) {
        const unchanged = await engine.ask(question)
        expect(unchanged.claims).toEqual([])
        expect(unchanged.answer).toContain(answer)
      }
    }))

  it("says what retention has erased", () =>
    withEngine(
      async (engine) => {
        const { docId } = await engine.documents.create({
          path: "a.md",
          content: "# Rate\n\nThe rate is 4 %.\n"
        })
        const at = await moment()
        await engine.documents.replace(docId, "# Rate\n\nThe rate is 5 %.\n")
        await engine.documents.create({ path: "b.md", content: "# Lamp\n\nThe lamp is red.\n" })
        const answered = await engine.ask("What is the rate?", { asOf: at })
        expect(answered.answer).not.toContain("5 %")
        expect(answered.policy.caveats.map(({ code }) => code)).toContain("history_incomplete")
        expect(await engine.documents.get(docId, { asOf: at })).toMatchObject({ missing: true, content: "" })
        expect(await engine.search("rate", { asOf: at })).toMatchObject({ historyIncomplete: true, total: 0 })
        const then = await moment()
        expect((await engine.ask("What is the rate?", { asOf: then })).policy.caveats).not.toContainEqual(
          expect.objectContaining({ code: "history_incomplete" })
        )
      },
      { retention: { versionsPerDocument: 1 } }
    ))
})
