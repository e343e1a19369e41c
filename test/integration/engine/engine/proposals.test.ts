import { join } from "node:path"
import { describe, expect, it } from "vitest"
import { scriptedChatModel } from "../../../../adapters/models/index.js"
import type { Engine, EngineOptions } from "../../../../adapters/sqlite/index.js"
import type { ChatRequest } from "../../../../core/platform/models/index.js"
import { createEngine, importWorkspace } from "../../../support/database.js"
import { withFolder } from "../../../support/documents.js"

const crane = (load: number) =>
  `# Harbour crane\n\nThe harbour crane stands on the north quay. The harbour crane lifts ${load} tonnes. It was built on 4 May 1998.\n`
const rota =
  "# Rota\n\nThe harbour crane is operated by two drivers. The ferry leaves at noon.\n\nIn March 2021 the harbour crane got new brakes.\n"

const withEngine = (
  use: (engine: Engine, root: string) => Promise<void>,
  options: Partial<EngineOptions> = {}
) =>
  withFolder(async (root) => {
    const engine = await createEngine({ vault: root, data: join(root, ".kanon"), ...options })
    await use(engine, root)
    await engine.close()
  })

const bodyOf = (content: string): string => content.slice(content.indexOf("\n---\n") + 5)

describe("topic pages", () => {
  it("quote facts, values and a timeline with footnotes, and nothing of other subjects", () =>
    withEngine(async (engine) => {
      const { docId } = await engine.documents.create({ path: "yard/crane.md", content: crane(40) })
      await engine.documents.create({ path: "rota.md", content: rota })
      await engine.documents.create({
        path: "plan.md",
        content: "# Plan\n\nThe harbour crane lifts 55 tonnes on the north quay.\n"
      })
      await engine.contradictions.find()
      const proposal = await engine.proposals.compile({ topic: "harbour crane" })
      expect(proposal).toMatchObject({
        status: "open",
        path: "topics/harbour-crane.md",
        baseVersion: null,
        docId: null,
        dropped: 0
      })
      expect(proposal.sources).toContainEqual({ docId, version: 1 })
      const body = bodyOf(proposal.content)
      expect(body).toContain("# harbour crane")
      expect(body).toMatch(/- The harbour crane stands on the north quay\.\[\^1\]/)
      expect(body).toMatch(/\| 40 tonnes \| The harbour crane lifts 40 tonnes\. \| \[\^\d\] \|/)
      expect(body).toMatch(
        /- \*\*4 May 1998:\*\* It was built on 4 May 1998\.\[\^\d\]\n- \*\*March 2021:\*\*/
      )
      expect(body).toContain("## Open contradictions")
      expect(body).toMatch(/\[\^\d\]: \[Harbour crane\]\(\.\.\/yard\/crane\.md\), version 1/)
      expect(body).not.toContain("ferry")
      // Nothing is in the vault before a person approves.
      expect((await engine.documents.list()).total).toBe(3)
      await expect(engine.proposals.compile({ topic: "submarine cable" })).rejects.toMatchObject({
        code: "invalid_body"
      })
    }))

  it("are written when approved, become stale with a source, and are proposed again", () =>
    withEngine(async (engine) => {
      const { docId } = await engine.documents.create({ path: "crane.md", content: crane(40) })
      await engine.documents.create({ path: "rota.md", content: rota })
      const first = await engine.proposals.compile({ topic: "harbour crane" })
      const second = await engine.proposals.compile({ topic: "Harbour  Crane" })
      expect((await engine.proposals.get(first.id)).status).toBe("withdrawn")
      const approved = await engine.proposals.approve(second.id, "Good.")
      expect(approved).toMatchObject({ version: 1, proposal: { status: "approved", reviewNote: "Good." } })
      await expect(engine.proposals.reject(second.id)).rejects.toMatchObject({ code: "not_open" })
      const page = await engine.documents.get(approved.docId)
      expect(page).toMatchObject({ path: "topics/harbour-crane.md", content: second.content })
      expect(page.content).toMatch(/compiled: true\ntopic: .*\nsources:\n {2}- id: doc_/)
      await engine.ingest()
      expect((await engine.proposals.list()).items.map(({ status }) => status)).toEqual([
        "approved",
        "withdrawn"
      ])

      await engine.documents.replace(docId, crane(45))
      await engine.ingest()
      const { items } = await engine.proposals.list()
      expect(items.map(({ status }) => status)).toEqual(["open", "stale", "withdrawn"])
      const [waiting] = items
      expect(waiting).toMatchObject({ baseVersion: 1, docId: approved.docId, note: "Changed: crane.md." })
      const { base, content } = await engine.proposals.get(waiting?.id ?? "")
      expect(base).toBe(page.content)
      expect(content).toContain("45 tonnes")
      expect(content).not.toContain("40 tonnes")
      const answer = await engine.ask("What does the harbour crane lift?", { pathPrefix: "topics/" })
      expect(answer.sources.map(({ reviewDue }) => reviewDue)).toContain(true)
      expect(answer.sources.every((one) => one.docId === approved.docId && one.reviewDue)).toBe(true)

      // The page changes: what was proposed for its first version is refused, and stays open.
      await engine.documents.replace(approved.docId, `${page.content}\nBy hand.\n`)
      await expect(engine.proposals.approve(waiting?.id ?? "")).rejects.toMatchObject({ code: "conflict" })
      expect((await engine.proposals.get(waiting?.id ?? "")).status).toBe("open")
      const third = await engine.proposals.compile({ topic: "harbour crane" })
      expect(third.baseVersion).toBe(2)
      expect((await engine.proposals.approve(third.id)).version).toBe(3)
      await engine.ingest()
      expect((await engine.proposals.list({ status: "open" })).total).toBe(0)
      const { items: events } = await engine.audit.list({ limit: 200 })
      const actions = events.filter(({ subjectId }) => subjectId === third.id).map(({ action }) => action)
      expect(actions).toEqual(["proposal.approve", "proposal.create"])
    }))

  it("leave a proposal open when its path is taken, and let one of many approvals win", () =>
    withEngine(async (engine) => {
      await engine.documents.create({ path: "crane.md", content: crane(40) })
      const proposal = await engine.proposals.compile({ topic: "harbour crane", path: "cranes.md" })
      const other = await engine.documents.create({ path: "Cranes.md", content: "# Mine\n" })
      await expect(engine.proposals.approve(proposal.id)).rejects.toMatchObject({ code: "conflict" })
      expect((await engine.proposals.get(proposal.id)).status).toBe("open")
      await engine.documents.remove(other.docId)
      const outcomes = await Promise.allSettled([1, 2, 3, 4].map(() => engine.proposals.approve(proposal.id)))
      expect(outcomes.filter(({ status }) => status === "fulfilled")).toHaveLength(1)
      expect((await engine.proposals.list()).items).toMatchObject([{ status: "approved" }])
    }))

  it("are exported and imported with their states", () =>
    withEngine(async (engine, root) => {
      await engine.documents.create({ path: "crane.md", content: crane(40) })
      const { id } = await engine.proposals.compile({ topic: "harbour crane", note: "For new drivers." })
      await engine.proposals.reject(id, "Too short.")
      await engine.proposals.compile({ topic: "harbour crane" })
      const place = { vault: join(root, "copy"), data: join(root, "copy-data"), worker: false }
      await importWorkspace(engine.export(), place)
      const copy = await createEngine(place)
      expect(await copy.proposals.list()).toEqual(await engine.proposals.list())
      await copy.close()
    }))
})

/** The sources of a request, by their ids. */
const sourcesIn = ({
  messages
}: ChatRequest): ReadonlyArray<{ readonly id: string; readonly text: string }> =>
  [...(messages.at(-1)?.content ?? "").matchAll(/--- \S+ begin (S\d+)\n([\s\S]*?)\n--- \S+ end \1/g)].map(
    ([, id = "", fenced = ""]) => ({ id, text: fenced.slice(fenced.indexOf("\n\n") + 2) })
  )

const places = ["north quay", "old dock", "east pier", "dry dock", "west mole"]
const people = ["Runa Thorsby", "Ivo Kern", "Ulla Brandt", "Tore Lind", "Mara Voss"]
const things = [
  "Capstan",
  "Gantry",
  "Sheerleg",
  "Derrick",
  "Winch",
  "Hoist",
  "Davit",
  "Stacker",
  "Slipway",
  "Lock"
]

/** Six true statements of a thing. */
const truthsOf = (thing: string, at: number): ReadonlyArray<string> => [
  `The ${thing} lifts ${20 + at * 3} tonnes at a reach of ${10 + at} metres.`,
  `The ${thing} stands on the ${places[at % 5]}.`,
  `The ${thing} is maintained by ${people[at % 5]}.`,
  `The ${thing} was built in ${1970 + at * 4} by a yard in Leith.`,
  `The ${thing} must not be used when the wind exceeds ${8 + at} m/s.`,
  `The ${thing} is inspected every ${100 + at * 10} hours of work.`
]

/** A lie in the manner of a model: another value, name or polarity, another thing, or nothing that was said. */
const lieOf = (sentence: string, kind: number, at: number): string => {
  const lies = [
    sentence.replace(/\d+/, (number) => String(Number(number) + 7)),
    sentence.replace(/ (is|was|must|lifts|stands)\b/, (_, verb: string) =>
      verb === "lifts" || verb === "stands" ? ` never ${verb}` : ` ${verb} never`
    ),
    sentence.replace(/The \w+/, `The ${things[(at + 3) % things.length]}`),
    sentence.replace(/[A-Z]\w+ [A-Z]\w+|Leith|north|old|east|dry|west/, "Gothenburg"),
    `${sentence.slice(0, -1)}, and its drivers are paid twice a week.`
  ]
  const lie = lies[kind % lies.length] ?? sentence
  return lie === sentence ? sentence.replace("The", "Unlike all others, the former") : lie
}

describe("a topic page of a chat model that lies", () => {
  it("has no sentence without a source that supports it", async () => {
    const truths = new Set(things.flatMap(truthsOf))
    const lies = new Set<string>()
    let [said, calls] = [0, 0]
    const chat = scriptedChatModel((request) => {
      const sentences = sourcesIn(request).flatMap(({ id, text }) =>
        text
          .split("\n")
          .filter((line) => truths.has(line.trim()))
          .map((line) => ({ text: line.trim(), citations: [id] }))
      )
      calls += 1
      // Four passes over what the sources say, of which each third sentence is a lie.
      const passes = [0, 1, 2, 3].flatMap((pass) =>
        sentences.map((one, at) => ({ one, isLie: (at + pass) % 3 === 2 }))
      )
      const told = passes.map(({ isLie, one }, at) => {
        if (!isLie) return one
        const lie = lieOf(one.text, calls + at, calls)
        lies.add(lie)
        return { ...one, text: lie }
      })
      said += told.length
      return JSON.stringify({ answerable: true, missing: null, sentences: told })
    })
    await withEngine(
      async (engine) => {
        for (const [at, thing] of things.entries())
          await engine.documents.create({
            path: `${thing.toLowerCase()}.md`,
            content: `# ${thing}\n\n${truthsOf(thing, at).join("\n\n")}\n`
          })
        let dropped = 0
        const kept = new Set<string>()
        for (const thing of things) {
          const proposal = await engine.proposals.compile({ topic: thing })
          dropped += proposal.dropped
          const body = bodyOf(proposal.content)
          for (const lie of lies) expect(body).not.toContain(lie)
          for (const truth of truths) if (body.includes(truth)) kept.add(truth)
          // Every sentence of the page is one of the corpus, with the document that says it.
          const prose = body.slice(0, body.indexOf("## ")).replace(/^# .*$/m, "")
          for (const [, sentence = "", note] of prose.matchAll(/([A-Z][^[]+)\[\^(\d+)\]/g)) {
            expect(truths).toContain(sentence)
            const footnote = new RegExp(`^\\[\\^${note}\\]: .*`, "m").exec(body)?.[0].toLowerCase()
            expect(footnote).toContain(/^The (\w+)/.exec(sentence)?.[1]?.toLowerCase())
          }
        }
        expect(said).toBeGreaterThan(200)
        expect(dropped).toBeGreaterThanOrEqual(Math.floor(said / 3) - things.length)
        expect(kept.size).toBe(truths.size)
      },
      { models: { chat }, worker: false }
    )
  })
})
