import fc from "fast-check"
import { describe, expect, it } from "vitest"
import { makeEvidence } from "../../../../core/answers/evidence/evidence.js"
import { extractAnswer } from "../../../../core/answers/extractive/extractive.js"
import { checkGrounding } from "../../../../core/answers/grounding/grounding.js"
import { selectPassages } from "../../../../core/answers/selection/choose-passages.js"
import type { Passage } from "../../../../core/files/documents/index.js"
import { readQuestion } from "../../../../core/language/questions/question.js"
import { analyse } from "../../../../core/language/tokenization/index.js"
import { passageOf } from "../../../support/passages.js"
import { isLong, sampled } from "../../../support/runs.js"

const evidenceOf = (question: string, passages: ReadonlyArray<Passage>) =>
  makeEvidence({ question: readQuestion(question, analyse), passages, idf: rarity(passages), analyse })

/** Inverse document frequency over the passages given. */
const rarity = (passages: ReadonlyArray<Passage>) => {
  const held = passages.map(
    ({ docTitle, text }) => new Set(analyse(`${docTitle} ${text}`).map(({ term }) => term))
  )
  return (term: string) => {
    const count = held.filter((terms) => terms.has(term)).length
    return Math.log(1 + (passages.length + 20 - count + 0.5) / (count + 0.5))
  }
}

const handbook = [
  passageOf({
    title: "Leave",
    path: "handbook/leave.md",
    text: "Employees get 28 days of paid leave a year. Requests go to the team lead.\n\nSick leave needs a note after three days."
  }),
  passageOf({
    title: "Travel",
    path: "handbook/travel.md",
    text: "| Country | Hotel limit |\n| --- | --- |\n| Britain | £145 |\n| France | €160 |\n\nTrains are preferred to flights. Expenses are repaid within 14 days."
  }),
  passageOf({
    title: "Orlin",
    path: "services/orlin.md",
    text: "Orlin is the archive service. It was launched on 4 March 2021. It is owned by the platform team.\n\nTo restore a file, open the console:\n\n- choose the vault\n- choose the version\n- press restore"
  }),
  passageOf({
    title: "Urlaub",
    path: "de/urlaub.md",
    text: "Beschäftigte in Bremerhaven haben 30 Urlaubstage im Jahr. Der Antrag geht an die Teamleitung."
  }),
  passageOf({
    title: "Congés",
    path: "fr/conges.md",
    text: "Les salariés de Kerzanec ont 25 jours de congés payés par an. La demande se fait par courriel."
  })
]

const answerTo = (question: string) => extractAnswer(evidenceOf(question, handbook))

describe("the built-in extractive model", () => {
  it.each([
    ["How many days of paid leave do employees get?", "28 days of paid leave"],
    ["When was Orlin launched?", "4 March 2021"],
    ["Who owns Orlin?", "platform team"],
    ["What is Orlin?", "Orlin is the archive service."],
    ["What is the hotel limit in Britain?", "Country: Britain; Hotel limit: £145"],
    ["When are expenses repaid?", "within 14 days"],
    ["Wie viele Urlaubstage haben Beschäftigte in Bremerhaven?", "30 Urlaubstage"],
    ["Combien de jours de congés ont les salariés de Kerzanec ?", "25 jours"]
  ])("answers %s", (question, expected) => {
    const { answer, answerable, claims } = answerTo(question)
    expect(answerable).toBe(true)
    expect(claims[0]?.text).toContain(expected)
    expect(answer.startsWith(claims[0]?.text ?? "-")).toBe(true)
    expect(claims.length).toBeLessThanOrEqual(3)
  })

  it.each([
    "Who won the 2018 football world cup?",
    "What is the hotel limit in Japan?",
    "When was Merrow launched?",
    "How many weeks of notice does KX-2041 need?",
    "Wie viele Parkplätze gibt es in Hamburg?",
    "What is the daily charter rate of Orlin?",
    "?"
  ])("does not answer %s", (question) => {
    expect(answerTo(question)).toEqual({ answerable: false, answer: "", claims: [] })
  })

  it("names the person whom a pronoun stands for", () => {
    const text =
      "Wei Chen joined the company in 2022. He is responsible for the billing service. He likes tea."
    const passages = [passageOf({ title: "Engineers", path: "engineers.md", text })]
    const { claims } = extractAnswer(evidenceOf("Who is responsible for the billing service?", passages))
    expect(claims).toEqual([
      { text: "Wei Chen joined the company in 2022.", citations: ["S1"] },
      { text: "He is responsible for the billing service.", citations: ["S1"] }
    ])
  })

  it("takes one version for no other", () => {
    const text =
      "Version 2.0 was released on 14 May 2024. Some 3,200 people use it, 3.1 hours a day, from 0 to 24."
    const passages = [passageOf({ title: "Lotus", path: "lotus.md", text })]
    const asked = (version: string) =>
      extractAnswer(evidenceOf(`When was Lotus ${version} released?`, passages)).claims.map(
        (claim) => claim.text
      )
    expect(asked("2.0")).toEqual(["Version 2.0 was released on 14 May 2024."])
    expect(asked("3.0")).toEqual([])
    expect(asked("3.2")).toEqual([])
  })

  it.each(["How do I deploy?", "What are the steps to deploy?", "How to deploy"])(
    "answers %s with the steps under that heading",
    (question) => {
      const steps = "1. Merge the pull request.\n2. Wait for the pipeline.\n3. Run `make release`."
      const text = `# How to deploy\n\n${steps}\n\nOnly members of the group deployers can deploy.`
      const { claims } = extractAnswer(
        evidenceOf(question, [passageOf({ title: "How to deploy", path: "deploy.md", text })])
      )
      expect(claims[0]).toEqual({
        text: "Merge the pull request. Wait for the pipeline. Run make release.",
        citations: ["S1"]
      })
    }
  )

  it.each([
    ["Is the Falcon waterproof?", "It is waterproof."],
    ["How heavy is the Kestrel?", "The Kestrel drone weighs 1.2 kg and flies for 38 minutes."],
    ["How long can the Falcon fly?", "The Falcon drone weighs 2.6 kg and flies for 55 minutes."],
    ["How much does Cloudflare cost?", "We pay Cloudflare 900 USD per month."],
    ["What is the contract number of Hetzner?", "Contract number C-88-1204."]
  ])("tells two things of one page apart: %s", (question, expected) => {
    const drones =
      "The Kestrel drone weighs 1.2 kg and flies for 38 minutes. It is made of wood. The camera has a resolution of 48 megapixels.\n\nThe Falcon drone weighs 2.6 kg and flies for 55 minutes. It is waterproof."
    const vendors =
      "## Hetzner\nContract number C-88-1204. Monthly cost: 4,250 EUR.\n\n## Cloudflare\nWe pay Cloudflare 900 USD per month."
    const { claims } = extractAnswer(
      evidenceOf(question, [
        passageOf({ title: "Kestrel drone", path: "kestrel.md", text: drones }),
        passageOf({ title: "Vendors", path: "vendors.md", text: vendors })
      ])
    )
    expect(claims.map(({ text }) => text)).toEqual(expected === undefined ? [] : [expected])
  })

  it.each([
    ["Wer leitet das Werk Linz?", "Werksleiter ist Martin Gruber."],
    ["Wann beginnt die Frühschicht?", "Die Frühschicht beginnt um 6 Uhr."],
    ["Wie schwer ist das Getriebe?", "Das Getriebe wiegt 85 kg."]
  ])("answers %s", (question, expected) => {
    const text =
      "Das Werk Linz wurde 1987 gegründet und hat 420 Mitarbeiter. Werksleiter ist Martin Gruber.\n\nDie Frühschicht beginnt um 6 Uhr. Das Getriebe wiegt 85 kg."
    const { claims } = extractAnswer(
      evidenceOf(question, [passageOf({ title: "Werk Linz", path: "linz.md", text })])
    )
    expect(claims.map((claim) => claim.text)).toEqual([expected])
  })

  it.each([
    ["What is the height of the tower?", ["The tower is 300 m tall."]],
    ["How old is the tower?", ["The tower was finished in 1911."]],
    ["How heavy is the tower?", []],
    ["How cold is the tower?", []]
  ])("takes a measure of one kind for no other: %s", (question, expected) => {
    const text = "The tower is 300 m tall. The tower was finished in 1911."
    const { claims } = extractAnswer(
      evidenceOf(question, [passageOf({ title: "Sights", path: "s.md", text })])
    )
    expect(claims.map((claim) => claim.text)).toEqual(expected)
  })

  it("prefers what holds to what no longer does, unless that is asked for by name", () => {
    const passages = [
      passageOf({
        title: "Remote work (KX-2022)",
        path: "old.md",
        text: "Working from abroad is not allowed.",
        verification: "deprecated"
      }),
      passageOf({
        title: "Remote work",
        path: "new.md",
        text: "Working from abroad is limited to 20 days a year and needs approval."
      })
    ]
    const first = (question: string) => extractAnswer(evidenceOf(question, passages)).claims[0]?.text
    expect(first("Is working from abroad allowed by KX-2022?")).toContain("not allowed")
  })

  it.each([
    ["How far ahead must flights be booked?", "Flights must be booked at least 14 days ahead."],
    ["What is the hotel limit in Zurich?", "Hotels are refunded up to 140 EUR, in Zurich up to 220 EUR."],
    [
      "How many days can I work abroad?",
      "Working abroad is limited to 20 days a year and needs approval from HR."
    ]
  ])("answers %s", (question, expected) => {
    const travel =
      "Flights must be booked at least 14 days ahead. Hotels are refunded up to 140 EUR, in Zurich up to 220 EUR."
    const remote =
      "Working abroad is limited to 20 days a year and needs approval from HR. Equipment allowance: 500 EUR once."
    const server =
      "Mercury is the build server in room B12. It has 96 cores. It was bought in 2020 and is maintained by Ivo Kern."
    const { claims } = extractAnswer(
      evidenceOf(question, [
        passageOf({ title: "Travel policy", path: "travel.md", text: travel }),
        passageOf({ title: "Remote work", path: "remote.md", text: remote }),
        passageOf({ title: "Mercury (server)", path: "mercury.md", text: server })
      ])
    )
    expect(claims.map(({ text }) => text)).toEqual([expected])
  })

  it.each([
    ["How long must passwords be?", "Passwords must have at least 14 characters."],
    [
      "Which security rules are there?",
      "Passwords must have at least 14 characters. Access reviews take place every quarter."
    ]
  ])("answers %s from a list", (question, expected) => {
    const text =
      "# Security rules\n\n- Passwords must have at least 14 characters.\n- Access reviews take place every quarter."
    const { claims } = extractAnswer(
      evidenceOf(question, [passageOf({ title: "Security rules", path: "rules.md", text })])
    )
    expect(claims.map((claim) => claim.text)).toEqual([expected])
  })

  it("finds an owner by what the owner does", () => {
    const passages = [
      passageOf({
        title: "Hosts",
        path: "hosts.md",
        text: "| Host | Owner |\n| --- | --- |\n| cygnus | Mira Holt |"
      })
    ]
    const { claims } = extractAnswer(evidenceOf("Who owns cygnus?", passages))
    expect(claims).toEqual([{ text: "Host: cygnus; Owner: Mira Holt", citations: ["S1"] }])
  })

  it("cites every source that holds the very same sentence", () => {
    const text = "The archive keeps invoices for ten years."
    const passages = [
      passageOf({ title: "A", path: "a.md", text }),
      passageOf({ title: "B", path: "b.md", text: `${text} More follows.` })
    ]
    const { claims } = extractAnswer(evidenceOf("How long does the archive keep invoices?", passages))
    expect(claims).toEqual([{ text, citations: ["S1", "S2"] }])
  })

  it("shows both sides where sources differ in a number", () => {
    const passages = [
      passageOf({
        title: "Limits",
        path: "limits.md",
        text: "Crew transfer is allowed up to a wave height of 1.2 m."
      }),
      passageOf({
        title: "Handbook",
        path: "handbook.md",
        text: "Crew transfer is allowed up to a wave height of 1.5 m."
      })
    ]
    const { claims } = extractAnswer(
      evidenceOf("Up to which wave height is crew transfer allowed?", passages)
    )
    expect(claims.map(({ text }) => text).join()).toMatch(/1\.2 m.*1\.5 m/u)
  })

  const words = fc.constantFrom(
    ..."Orlin archive the of 28 days £145 [S1] [S2](x) **bold** `code` | --- | # ## - 1. ``` ~~~ 2021-03-04 KX-2041 Who what ? . ! 。 你好 ではない <b> --> \u202e \u0000 \n \n\n".split(
      " "
    )
  )
  const text = fc.oneof(
    fc.array(words, { maxLength: 60 }).map((parts) => parts.join(" ")),
    fc.string({ unit: "binary", maxLength: 300 })
  )

  it("quotes the evidence to the letter, cites what exists, and its claims hold, whatever the text", () => {
    fc.assert(
      fc.property(text, fc.array(text, { maxLength: 4 }), (question, texts) => {
        const evidence = evidenceOf(
          question,
          texts.map((body, at) => passageOf({ title: `T${at}`, path: `${at}.md`, text: body }))
        )
        const { answerable, claims } = extractAnswer(evidence)
        expect(answerable).toBe(claims.length > 0)
        for (const { citations, text: said } of claims) {
          expect(citations.length).toBeGreaterThan(0)
          for (const id of citations) {
            const cited = evidence.sources.find((one) => one.id === id)
            expect(cited?.units.some((unit) => unit.text === said)).toBe(true)
          }
        }
        const { total, verified } = checkGrounding(claims, evidence)
        expect(verified).toBe(total)
        expect(extractAnswer(evidence)).toEqual(extractAnswer(evidence))
      }),
      { numRuns: isLong ? 300 : 150 }
    )
  })

  const pieces = [
    "Aa Bb. ",
    "1 2021 May 4 ",
    "- - ",
    "| a | 1 |\n",
    "`a. ",
    "[a](b ",
    "你好。",
    "a-1 b_2 ",
    "not "
  ]
  it.each(sampled(pieces, 3))("is done with passages and a question full of %j", (piece) => {
    const passages = Array.from({ length: 8 }, (_, at) =>
      passageOf({
        title: piece.repeat(20),
        path: `${at}.md`,
        text: at === 0 ? piece.repeat(300_000) : piece.repeat(1500)
      })
    )
    const evidence = evidenceOf(piece.repeat(400).slice(0, 4000), passages)
    const { claims } = extractAnswer(evidence)
    expect(checkGrounding(claims, evidence).total).toBe(claims.length)
  })

  it("never gives an answer back when the only document that carries it is gone", () => {
    for (const gone of handbook) {
      const rest = handbook.filter((one) => one !== gone)
      const { claims } = extractAnswer(evidenceOf("When was Orlin launched?", rest))
      expect(claims.length > 0).toBe(gone.docPath !== "services/orlin.md")
    }
  })
})

describe("selectPassages", () => {
  it("keeps distinct passages of the pool, at most as many as asked", () => {
    fc.assert(
      fc.property(fc.array(text0, { maxLength: 12 }), fc.integer({ min: 1, max: 8 }), (texts, max) => {
        const pool = evidenceOf(
          "When was Orlin launched?",
          texts.map((body, at) => passageOf({ title: "T", path: `${at}.md`, text: body }))
        )
        const picked = selectPassages(pool, max)
        expect(picked.length).toBeLessThanOrEqual(max)
        expect(new Set(picked).size).toBe(picked.length)
        for (const one of picked) expect(pool.sources.some(({ passage }) => passage === one)).toBe(true)
      })
    )
  })

  it("puts the passage that answers before those that only share a word, and drops copies", () => {
    const noise = Array.from({ length: 10 }, (_, at) =>
      passageOf({
        title: `Note ${at}`,
        path: `n${at}.md`,
        text: `Orlin came up in meeting ${at}, and nothing was said about it that day.`
      })
    )
    const answer = passageOf({
      title: "History",
      path: "h.md",
      text: "Orlin was launched on 4 March 2021 after a year of work."
    })
    const copy = passageOf({ title: "Copy", path: "c.md", text: answer.text })
    const picked = selectPassages(evidenceOf("When was Orlin launched?", [...noise, answer, copy]), 4)
    expect(picked[0]).toBe(answer)
    expect(picked).not.toContain(copy)
  })
})

const text0 = fc.lorem({ mode: "sentences", maxCount: 3 })
