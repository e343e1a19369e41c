import { describe, expect, it } from "vitest"
import { findConflicts } from "../../../../core/answers/conflicts/conflicts.js"
import { extractAnswer } from "../../../../core/answers/extractive/extractive.js"
import type { Passage } from "../../../../core/files/documents/index.js"
import { languageOf } from "../../../../core/language/languages/index.js"
import { corrected } from "../../../../core/language/questions/correct-spelling.js"
import { readQuestion } from "../../../../core/language/questions/question.js"
import { findAnchors } from "../../../../core/language/text-analysis/anchors.js"
import { TextCache } from "../../../../core/language/text-analysis/text-cache.js"
import { textUnits } from "../../../../core/language/text-analysis/units.js"
import { analyse } from "../../../../core/language/tokenization/index.js"
import { answerTo, evidenceOf, pageOf } from "../../../support/answers.js"

const devices = pageOf(
  "Lumo devices",
  `# Lumo devices

## How long does the battery of the Lumo 2 last?

About 9 hours with the light on.

## How do I reset it?

Hold the button for 12 seconds until the light blinks red.

## Do you ship to Iceland?

Not at the moment.

**Where are the spare keys?** In the drawer below the till.

- Will it speak Danish? Undecided.`
)

describe("a page of questions and answers", () => {
  it.each([
    ["How long does the battery of the Lumo 2 last?", "About 9 hours with the light on."],
    ["How do I reset the Lumo?", "Hold the button for 12 seconds until the light blinks red."],
    ["Do you ship to Iceland?", "Not at the moment."],
    ["Where are the spare keys?", "In the drawer below the till."]
  ])("answers %s with what stands below it", (question, expected) => {
    expect(answerTo(question, [devices])[0]).toBe(expected)
  })

  it.each(["Who resets the Lumo?", "Why do you not ship to Iceland?"])(
    "does not answer %s with the reply to another question",
    (question) => {
      expect(answerTo(question, [devices]).join(" ")).not.toMatch(/12 seconds|at the moment|9 hours/u)
    }
  )
})

const branches = pageOf(
  "Branches",
  `# Branches

**Kirkwall** - 12 Broad Street. Open Mon-Fri 9:00-16:30. Manager: Isla Rendall.

**Lerwick** - 88 Commercial Road. Open Mon-Sat 9:00-17:00. Manager: Magnus Flett.

Chief Auditor
: Edda Moe, since 2021.

batteries: Volthaus, lead time 6 weeks
filters: made in house since 2026
boards: Senko, lead time 11 weeks`
)

describe("labels", () => {
  it("lead what stands behind them", () => {
    const leads = new Map(textUnits(branches.text).map(({ lead, text }) => [text, lead]))
    expect(leads.get("Manager: Isla Rendall.")).toBe("Kirkwall")
    expect(leads.get("Edda Moe, since 2021.")).toBe("Chief Auditor")
    expect(leads.get("filters: made in house since 2026")).toBe("")
  })

  it("are no label where a word is stressed", () => {
    const leads = textUnits("**Never** copy the keys to a laptop. Ask first.").map(({ lead }) => lead)
    expect(leads).toEqual(["", ""])
  })

  it.each([
    ["Who is the manager of the Lerwick branch?", "Lerwick: Manager: Magnus Flett."],
    ["Who has been chief auditor since 2021?", "Chief Auditor: Edda Moe, since 2021."],
    ["What is the lead time of the boards?", "boards: Senko, lead time 11 weeks"]
  ])("%s is answered by what is said of it, behind its label", (question, expected) => {
    expect(answerTo(question, [branches])).toEqual([expected])
  })
})

const handbook = pageOf(
  "Handbook",
  `# Handbook

- [Summer hours](#summer-hours)
- [Ferries](#ferries)

<h2 id="summer-hours">Summer hours ¶</h2>

From May through August the yard works four days a week.

## Ferries

During summer hours the ferry takes bicycles.

<dl>
<dt>Slack tide</dt>
<dd>
<p>The half hour without a current.</p>
<p>Boats leave then.</p>
</dd>
</dl>

## Locking up

If you want to lock the boat house, this is the way.

Turn the key twice.

Your berth is the strip of water between two posts.`
)

describe("a handbook with headings and definitions in HTML", () => {
  it("names its headings without their permalinks", () => {
    const heading = textUnits(handbook.text).find(({ text }) => text.startsWith("From May"))?.heading
    expect(heading).toMatch(/Summer hours$/u)
  })

  it.each([
    ["When are summer hours?", "From May through August"],
    ["What is slack tide?", "The half hour without a current."],
    ["What is a berth?", "strip of water between two posts"]
  ])("answers %s", (question, expected) => {
    expect(answerTo(question, [handbook])[0]).toContain(expected)
  })

  it("does not say when summer hours are with what happens during them", () => {
    expect(answerTo("When are summer hours?", [handbook]).join(" ")).not.toMatch(/bicycles/u)
  })
})

const changes = pageOf(
  "Changes of Lumo Home",
  "## 4.2.0 (2026-03-11)\n\n- dark mode was added\n- the login with Nimbus was removed\n\n## 4.1.0 (2025-10-01)\n\n- new icons were added"
)

describe("what stands above a statement", () => {
  it.each([
    ["When was dark mode added?", "4.2.0 (2026-03-11): dark mode was added"],
    ["Which version removed the login with Nimbus?", "4.2.0 (2026-03-11): the login with Nimbus was removed"]
  ])("%s is answered with its heading", (question, expected) => {
    expect(answerTo(question, [changes])[0]).toContain(expected.slice(0, 20))
    expect(answerTo(question, [changes]).join(" ")).toContain(expected.slice(expected.indexOf(": ") + 2))
  })
})

describe("a misspelt question", () => {
  const said = (question: string, passages: ReadonlyArray<Passage>) =>
    corrected(readQuestion(question, analyse), passages, new TextCache(analyse, 1_000_000), analyse)
  const routers = pageOf("Router", "Three replicas run in each region. The trained model is small.")

  it.each([
    ["how mny replicas run in each reigon?", "how many replicas run in each region?"],
    ["Who is the trainer?", "Who is the trainer?"],
    ["Is Regiom a region?", "Is Regiom a region?"]
  ])("%s", (question, expected) => {
    expect(said(question, [routers])).toMatchObject({ text: expected, original: question })
  })
})

describe("amounts", () => {
  const rules = pageOf(
    "Cash",
    "# Cash\n\nDo not open the till if the difference is above EUR 5: call the owner. The fee is EUR 500."
  )

  it("with a currency before them are no codes", () => {
    expect(
      findAnchors("A fee of EUR 500 or EUR 10,000, says EIP 1559.", "en").map(({ kind, text }) => [
        kind,
        text
      ])
    ).toEqual([
      ["code", "EIP 1559"],
      ["value", "500"],
      ["value", "10,000"]
    ])
  })

  it("below a bound are not spoken of", () => {
    expect(answerTo("What should I do if the difference is EUR 2?", [rules])).toEqual([])
  })
})

describe("what is no answer", () => {
  const team = pageOf(
    "Team",
    "# Team\n\nOskar Thiele left the company in 2022 and now advises it. Information Security: the chief security officer is Rafael Moe. A transfer abroad costs 25 euros."
  )

  it.each([
    ["Why did Oskar Thiele leave the company?", "a sentence without a reason"],
    ["How much does a domestic transfer cost?", "the opposite of what is asked"]
  ])("%s: %s", (question) => {
    expect(answerTo(question, [team])).toEqual([])
  })

  it("is what a page says that is out of use, where another still holds", () => {
    const [old, current] = [
      pageOf("Sessions 2", "# Sessions 2\n\nRemote sessions end after 60 minutes without activity."),
      pageOf("Sessions", "# Sessions\n\nRemote sessions end after 30 minutes without activity.")
    ]
    const evidence = evidenceOf("When do remote sessions end?", [old, current])
    const said = (retired: ReadonlyArray<Passage>) =>
      extractAnswer({
        ...evidence,
        retired: new Set(retired.map(({ documentId }) => documentId))
      }).claims.map(({ text }) => text)
    expect(said([old])).toEqual(["Remote sessions end after 30 minutes without activity."])
    expect(said([current])).toEqual(["Remote sessions end after 60 minutes without activity."])
  })
})

describe("all that is asked for", () => {
  const services = pageOf(
    "Services",
    "# Services\n\n| Service | Owner | Tier |\n| --- | --- | --- |\n| ledger | Quill | 1 |\n| router | Otter | 1 |\n| printer | Otter | 2 |\n\nYou need a role to stop services of tier 1.\n\nTimeout of the ledger: 2 s. Largest batch of the ledger: 500 bookings."
  )

  it("is every row that says so", () => {
    expect(answerTo("Which services are tier 1?", [services])).toEqual([
      "Service: ledger; Owner: Quill; Tier: 1",
      "Service: router; Owner: Otter; Tier: 1"
    ])
  })

  it("is each of the things that are asked of one", () => {
    const { parts } = readQuestion("When was Orlin launched and who owns it?", analyse)
    expect(parts.map(({ text }) => text)).toEqual(["When was Orlin launched?", "who owns Orlin?"])
    expect(answerTo("What is the timeout and the largest batch of the ledger?", [services])).toEqual([
      "Timeout of the ledger: 2 s.",
      "Largest batch of the ledger: 500 bookings."
    ])
  })

  it("is what is said of each of two things that are compared", () => {
    const lamps = [
      pageOf("Falcon", "The Falcon is a lamp for the desk."),
      pageOf("Kestrel", "The Kestrel is a lamp for the wall.")
    ]
    expect(answerTo("What is the difference between the Falcon and the Kestrel?", lamps)).toHaveLength(2)
    expect(answerTo("Compare the Falcon with the Kestrel.", lamps)).toHaveLength(2)
  })
})

describe("sections of one page", () => {
  const conflictsOf = (question: string, texts: ReadonlyArray<string>) => {
    const whole = pageOf("Teams", texts.join("\n\n"))
    const passages = texts.map((text, at) => ({
      ...pageOf("Teams", text),
      documentId: whole.documentId,
      ordinal: at
    }))
    return findConflicts(evidenceOf(question, passages), [])
  }

  it("do not disagree about what each says of its own thing", () => {
    expect(
      conflictsOf("Who leads team Heath?", [
        "## Team Heath\n\nLead: Marc Dahl.",
        "## Team Quill\n\nLead: Aiko Brandt."
      ])
    ).toEqual([])
    expect(
      conflictsOf("When is the Kirkwall branch open?", [
        "**Kirkwall** - opens at 9:00 and has 14 seats for guests.",
        "**Lerwick** - opens at 10:00 and has 20 seats for guests."
      ])
    ).toEqual([])
  })

  it("do where both speak of the same", () => {
    const [conflict] = conflictsOf("How long is the notice period for tenants?", [
      "## Terms\n\nThe notice period for tenants of the hall is 30 days.",
      "## Leaving\n\nThe notice period for tenants of the hall is 60 days."
    ])
    expect(conflict?.kind).toBe("number")
  })
})

it("a sentence ends behind a single letter where a word that begins sentences follows", () => {
  expect(textUnits("It stands opposite bay C. It is checked by J. Finch.").map(({ text }) => text)).toEqual([
    "It stands opposite bay C.",
    "It is checked by J. Finch."
  ])
})

it("an acronym is no function word of another language", () => {
  expect(languageOf("Was bedeutet VE?")).toBe("de")
})

it("a statement below a question speaks for itself, and a listing answers only what asks for code", () => {
  const page = pageOf(
    "Mooring service",
    `# Mooring service

## What is the connection between the mooring service and the harbour?

As of March 2021, the mooring service is a formal branch of the harbour.

## Running it

Mia Falk runs the mooring service at night.

\`\`\`
$ service mooring runs
mooring service: runs since boot
night mode: who runs it is logged
the mooring service runs at night
\`\`\``
  )
  expect(answerTo("Since when is the mooring service a formal branch?", [page])[0]).toMatch(/March 2021/u)
  expect(answerTo("Who runs the mooring service at night?", [page])[0]).toBe(
    "Mia Falk runs the mooring service at night."
  )
})
