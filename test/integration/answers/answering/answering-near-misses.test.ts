import { describe, expect, it } from "vitest"
import type { Passage } from "../../../../core/files/documents/index.js"
import { findVersions } from "../../../../core/language/text-analysis/anchors.js"
import { ReadText } from "../../../../core/language/text-analysis/index.js"
import { analyse } from "../../../../core/language/tokenization/index.js"
import { findDates } from "../../../../core/language/values/dates.js"
import { findValues } from "../../../../core/language/values/values.js"
import { answerTo, pageOf } from "../../../support/answers.js"

const said = (question: string, ...passages: ReadonlyArray<Passage>) => answerTo(question, passages)

const lamps = pageOf(
  "Lamps",
  `# Lamps

| Lamp | Light limit | Price (EUR) | Keeper |
|---|---|---|---|
| Falcon | 400 lumen | 70.00 | Nadia Fell |
| Red Kestrel | 90 lumen | 24.00 | - |

The light limit of mercury is 0.3 lumen. The brass lamp Merlin was built in 1911 and sold in 1968.

The lamp Osprey was built in 1954.

Oil lamps are not accepted.`
)

describe("a near miss", () => {
  it.each([
    ["What is the light limit of neon?", "the value of another thing"],
    ["Are candles accepted?", "what is said of other things"],
    ["Who is the architect of the lamps?", "another role"],
    ["Who is the keeper of the Red Kestrel?", "a row whose cell is empty, or another row"],
    ["When was the Osprey sold?", "another event, or another lamp"]
  ])("%s is not answered with %s", (question) => {
    expect(said(question, lamps)).toEqual([])
  })

  it.each([
    ["What is the light limit of mercury?", "The light limit of mercury is 0.3 lumen."],
    ["Are oil lamps accepted?", "Oil lamps are not accepted."],
    [
      "Who is the keeper of the Falcon?",
      "Lamp: Falcon; Light limit: 400 lumen; Price (EUR): 70.00; Keeper: Nadia Fell"
    ],
    ["When was the Merlin sold?", "The brass lamp Merlin was built in 1911 and sold in 1968."]
  ])("%s is answered where it is said", (question, expected) => {
    expect(said(question, lamps)[0]).toBe(expected)
  })

  it("is another model of the same name", () => {
    const [old, current] = [
      pageOf("Orca 200", "# Orca 200\n\nThe analyser for teaching."),
      pageOf("Orca 320", "# Orca 320\n\nThe Orca was bought for 68,400 euros.")
    ]
    expect(said("How much did the Orca 200 cost?", old, current)).toEqual([])
    const models = (text: string) => findVersions(text, findValues(text)).map((one) => one.text)
    expect(models("Does the Orca 320 fit in Room 12 of May 2020 for 5 people?")).toEqual(["Orca 320"])
  })

  it("is another version, release or key", () => {
    const api = pageOf(
      "API",
      "# API\n\nVersion 3 is switched off in May 2027. 26.39 was rolled back because vouchers were charged twice. Release 26.40 was made in October.\n\n| Key | Default |\n|---|---|\n| store.timeout | 8s |\n| store.items | 25 |\n\nKeys such as store.locale are gone. Version 4 is new."
    )
    expect(said("When is version 4 switched off?", api)).toEqual([])
    expect(said("Why was release 26.40 rolled back?", api)).toEqual([])
    expect(said("What is the default of store.locale?", api).join()).not.toContain("Default:")
    expect(said("When is version 3 switched off?", api)).toEqual(["Version 3 is switched off in May 2027."])
    expect(said("Why was release 26.39 rolled back?", api)[0]).toContain("charged twice")
    expect(said("What is the default of store.items?", api)[0]).toContain("25")
  })
})

describe("what things cost", () => {
  const scale = pageOf(
    "Scale",
    "# Scale\n\nIt was bought in May for 6,840 euros. The service contract costs 515 euros a year. It is ready after three weeks."
  )

  it("is told by the sentence that says so", () => {
    expect(said("How much does the service contract cost?", scale)).toEqual([
      "The service contract costs 515 euros a year."
    ])
  })

  it("is an amount of money, or a number below a price", () => {
    expect(said("How much is the Falcon?", lamps)[0]).toContain("70.00")
    expect(said("How much is a scale?", pageOf("Scales", "A scale is ready after three weeks."))).toEqual([])
  })
})

describe("what answers in another form", () => {
  const works = pageOf(
    "Works",
    `# Works

Reject a run when the screen is below 8 %. The run lasts a day.

The steam ferry Ludmilla was built in 1911. She is 31 metres long.

## Collection of waste

- Organic waste: every week from May to October, otherwise every two weeks
- Paper: every month

## Orders

The lead time of argon is 5 working days. In all, 63 % of the grains were quartz.

## Team Swift

Owns the search.`
  )

  it.each([
    ["When must a run be rejected?", "Reject a run when the screen is below 8 %."],
    ["How long is the lead time of argon?", "The lead time of argon is 5 working days."],
    ["What share of the grains were quartz?", "In all, 63 % of the grains were quartz."],
    ["Which team owns the search?", "Team Swift: Owns the search."]
  ])("%s", (question, expected) => {
    expect(said(question, works)[0]).toBe(expected)
  })

  it("is the latest of several dates where the next is asked for", () => {
    const [may, june] = [
      pageOf("Minutes of May", "Next meeting: 8 June 2026, room 3."),
      pageOf("Minutes of June", "Next meeting: 13 July 2026, room 3.")
    ]
    const told = [said("When is the next meeting?", may, june), said("When is the next meeting?", june, may)]
    expect(told.map(([first]) => first)).toEqual([june.text, june.text])
  })

  it("is said of each of two things behind an abbreviation", () => {
    const services = pageOf(
      "Services",
      "| Service | SLO |\n|---|---|\n| Checkout | 99.95 % |\n| Mailer | 99 % |\n| Archive | 98 % |"
    )
    expect(said("What is the SLO of Checkout and of Mailer?", services)).toHaveLength(2)
  })
})

describe("a whole number of the question", () => {
  const quay = pageOf(
    "Quay",
    "# Quay\n\nEach connection delivers 6.6 kV and up to 7.5 MVA. Berth 3 is 9 m deep.\n\nThe rope of room 7 is 3.5 m long. Rooms 10 to 14 have a sink. A lock costs 1,200 euros, a key 4.2."
  )

  it.each(["How deep is berth 5?", "How deep is berth 6?", "How long is the rope of room 5?"])(
    "%s is not answered with a part of a decimal or with another number",
    (question) => {
      expect(said(question, quay)).toEqual([])
    }
  )

  it.each([
    ["How deep is berth 3?", "9 m deep"],
    ["How long is the rope of room 7?", "3.5 m long"],
    ["Does room 12 have a sink?", "Rooms 10 to 14"],
    ["Which connection delivers 7.5 MVA?", "7.5 MVA"],
    ["What costs 1200 euros?", "1,200 euros"]
  ])("%s is answered by a statement with the number", (question, expected) => {
    expect(said(question, quay).join()).toContain(expected)
  })

  it("matches decimals as they are written, and keeps the parts of dates, versions and lists", () => {
    const termsOf = (text: string) => new ReadText(text, analyse).set
    const holds = (text: string, ...terms: ReadonlyArray<string>) =>
      terms.map((term) => termsOf(text).has(term))
    expect(holds("3.5-4.5 m and 2,5 m", "3.5", "4.5", "2.5", "3", "5")).toEqual([
      true,
      true,
      true,
      false,
      false
    ])
    expect(holds("1,200 kg", "1200", "200")).toEqual([true, false])
    expect(holds("12.05.2026, version 2.3.1, rooms 1,2,3", "2026", "3", "1")).toEqual([true, true, true])
  })
})

describe("a sibling of what is asked for", () => {
  const siblings = [
    [
      "How many beds does the Elm ward have?",
      "The Elm ward is closed for repairs. The Oak ward has 12 beds."
    ],
    ["Who leads Tarn Ltd?", "Tarn Ltd has no chief executive at present. Vale Ltd is led by Ruth Amin."],
    [
      "How many litres a minute does pump A deliver?",
      "Pump A is out of service. Pump B delivers 40 litres a minute."
    ],
    [
      "How much do citizens of Norway pay for the visa?",
      "Citizens of Norway need no visa. Citizens of Peru pay 60 euros for the visa."
    ],
    ["How many persons does the rear cabin sleep?", "The front cabin sleeps two persons."],
    ["How many dimensions does the medium model output?", "The large model outputs 3072 dimensions."]
  ] as const

  it.each(siblings)("%s is not answered with its value: %s", (question, text) => {
    const value = text.split(". ").at(-1) ?? ""
    expect(said(question, pageOf("Notes", `# Notes\n\n${text}`))).not.toContain(value)
  })

  it.each([
    ["How many beds does the Oak ward have?", "The Elm ward is closed. The Oak ward has 12 beds.", "12 beds"],
    ["How many beds does the Elm ward have?", "The Elm ward has 12 beds, the Oak ward 9.", "12 beds"],
    ["How many persons does the front cabin sleep?", "The front cabin sleeps two persons.", "two persons"]
  ])("%s is answered where the sentence names it: %s", (question, text, expected) => {
    expect(said(question, pageOf("Notes", `# Notes\n\n${text}`)).join()).toContain(expected)
  })
})

describe("an amount", () => {
  it.each([
    ["How many millimetres thick is the bolt?", "The bolt is 11 mm thick."],
    ["How many kilograms does the hook weigh?", "The hook weighs 900 kg."],
    ["How many degrees does the oven reach?", "The oven reaches 840 °C."],
    ["How many euros does a visit cost?", "A visit costs €35."],
    ["How many pounds does the ticket cost?", "The ticket costs £120."],
    ["How many per cent is the share of wind?", "The share of wind is 51 %."],
    ["How many minutes does the tour take?", "The tour takes 45 min."],
    ["How many knots does the boat make?", "The boat makes 28 kn."],
    ["How many kg does the hook weigh?", "The hook weighs 900 kilograms."]
  ])("%s is found in another notation of the unit", (question, text) => {
    expect(said(question, pageOf("Notes", `# Notes\n\n${text}`))).toEqual([text])
  })

  it.each([
    ["How many dimensions does the model output?", "The model outputs 1536 dimensions."],
    ["How many fish does the lake have?", "The lake has 1890 fish."],
    ["How long is the cable?", "The cable is 1500 m long."],
    ["How many litres does the tank hold?", "The tank holds 2000 litres."]
  ])("%s is answered with a number that might be a year", (question, text) => {
    expect(said(question, pageOf("Notes", `# Notes\n\n${text}`))).toEqual([text])
  })

  it("is no amount where a year is meant", () => {
    const years = (text: string) => findDates(text).map(({ end, start }) => text.slice(start, end))
    expect(years("In 2019 members voted. The 2015 elections were held. He won in 1999.")).toEqual([
      "2019",
      "2015",
      "1999"
    ])
    expect(years("We counted 1812 birds, paid $1999 and bought 2000 litres.")).toEqual([])
  })
})
