import { afterAll, beforeAll, describe, expect, it } from "vitest"
import { answersIn, isRight, readVaults } from "../../../support/asked-vaults.js"
import { type ClockedServer, clockedServer } from "../../../support/clocked-server.js"

describe("questions that name a time", () => {
  it.each(readVaults("dated"))(
    "are answered by what held then, others by what holds now: %s",
    async (_, vault) => {
      const said = await answersIn(vault)
      const missed = vault.checks.flatMap((check, place) =>
        isRight(check, said[place] ?? "") ? [] : [`${check.ask} ${said[place]}`]
      )
      expect(missed).toEqual([])
    }
  )
})

describe("questions about a time of which an earlier version tells", () => {
  const day = 86_400_000
  let world: ClockedServer
  beforeAll(async () => {
    world = await clockedServer("dated")
  })
  afterAll(() => world.close())

  it("are answered by the version of then, where the present one does not say it", async () => {
    const { engine } = world
    const created = new Date()
    const page = (price: number, more = "") =>
      `# Corvo pump\n\nA Corvo pump costs ${price} euros.${more}\n\nThe pump was built in Oslo.\n`
    const { docId } = await engine.documents.create({ path: "corvo.md", content: page(410) })
    const month = created.toLocaleDateString("en", { month: "long", year: "numeric", timeZone: "UTC" })
    world.moveClock(70 * day)
    await engine.documents.replace(docId, page(455))
    world.moveClock(day)
    const then = await engine.ask(`What did a Corvo pump cost in ${month}?`)
    expect(then.answer).toContain("410 euros")
    expect(then.sources[0]).toMatchObject({ docId, docVersion: 1, validAt: expect.any(String) })
    expect(then.policy.reasons).toContain("as_of")
    const now = await engine.ask("What does a Corvo pump cost?")
    expect(now.answer).toContain("455 euros")
    expect(now.policy.reasons).not.toContain("as_of")
    // What the page says of that time today comes before what it said then.
    await engine.documents.replace(docId, page(470, ` In ${month} a Corvo pump cost 405 euros.`))
    const said = await engine.ask(`What did a Corvo pump cost in ${month}?`)
    expect(said.answer).toContain("405 euros")
    expect(said.sources[0]?.docVersion).toBe(3)
  })
})
