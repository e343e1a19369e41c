import { describe, expect, it } from "vitest"
import { makeEvidence } from "../../../../core/answers/evidence/index.js"
import { checkClaim, checkJudged } from "../../../../core/answers/grounding/grounding.js"
import { readQuestion } from "../../../../core/language/questions/index.js"
import { analyse } from "../../../../core/language/tokenization/index.js"
import { passageOf } from "../../../support/passages.js"

/** The verdict on a claim that cites every text, and the words that are marked in it. */
const checked = (claim: string, ...texts: ReadonlyArray<string>) => {
  const evidence = makeEvidence({
    question: readQuestion(claim, analyse),
    passages: texts.map((text, at) => passageOf({ title: "Notes", path: `notes-${at}.md`, text })),
    idf: () => 1,
    analyse
  })
  const cited = { text: claim, citations: evidence.sources.map(({ id }) => id) }
  const { status, unmatched = [] } = checkClaim(cited, evidence)
  return { status, marked: unmatched.map(({ end, start }) => claim.slice(start, end)), cited, evidence }
}

const handbook = [
  "Corvo pumps are painted green. The rotor is three-bladed.",
  "Adults take 20 mg of the syrup twice a day. Children take 5 mg of the syrup twice a day.",
  "The freezer runs at −18 °C. The limit is <5 mg. The language is C++. The expression is x != 0.",
  "The rent is 900 euros per month. Requests are limited to 60 per minute. The report is due monthly.",
  "Python 3.10 is required. The gate closes at 10 pm. The turbine delivers 1.5 MW.",
  "Admins can delete projects. Employees are eligible for a laptop replacement every three years.",
  "Visitors park in the north lot. Staff park in the basement.",
  "The server restarts automatically after an update. Refunds are paid within 14 days.",
  "Ann Orlin inspects the boiler of the laundry. The council elects the mayor of the town."
]
const page = handbook.join("\n\n")

const rules = [
  "You can take ten days of leave for the death of an immediate relative, and three days of leave for an extended relative.",
  "We limit ourselves to a 40-hour (32-hour in the summer) week. The crew does not administer or contribute to the fund.",
  "There is a seven day wait for Short Term plans. There's a 90 day wait for Long Term plans.",
  "It is not allowed to store keys on tablets. The company pays the premium.",
  "You must host services on subdomains of internal.orlin.org. You may go on with office.orlin.org for old services.",
  "Kickoffs are due on the second Friday. Teams plan with them.",
  "Heartbeats are due on the first Friday. Teams look back with them."
]

describe("a sentence that says two things", () => {
  const list = `${rules.slice(0, 5).join("\n\n")}\n\n- ${rules.slice(5).join("\n- ")}`

  it.each([
    "You can take ten days of leave for the death of an extended relative.",
    "You can take three days of leave for the death of an immediate relative.",
    "The week is limited to 32 hours, or 40 hours in the summer.",
    "There's a 90 day wait for Short Term plans.",
    "The crew contributes to the fund.",
    "Kickoffs are due on the first Friday.",
    "It is allowed to store keys on tablets.",
    "You must host services on subdomains of office.orlin.org."
  ])("does not support %s", (claim) => {
    expect(checked(claim, list).status).not.toBe("supported")
  })

  it("marks no word where the source has each of them, in other halves", () => {
    const claim = "You can take ten days of leave for the death of an extended relative."
    const beside = "Tell your manager when you take leave for an extended relative."
    expect(checked(claim, `${list}\n\n${beside}`)).toMatchObject({ status: "contradicted", marked: [] })
  })

  it.each([
    "You can take ten days of leave for the death of an immediate relative.",
    "You can take three days of leave for an extended relative.",
    "The crew does not contribute to the fund.",
    "There is a 90 day wait for Long Term plans.",
    "Kickoffs are due on the second Friday.",
    "You must host services on subdomains of internal.orlin.org.",
    "Employees can take ten days of leave for the death of an immediate relative."
  ])("supports %s", (claim) => {
    expect(checked(claim, list).status).toBe("supported")
  })
})

describe("a claim with one exchanged word", () => {
  it.each([
    ["Corvo pumps are painted red.", "red"],
    ["Corvo valves are painted green.", "valves"],
    ["Admins can restore projects.", "restore"],
    ["Admins can delete users.", "users"],
    ["Employees are eligible for a phone replacement every three years.", "phone"],
    ["Adults take 20 mg of the tablets twice a day.", "tablets"],
    ["The server restarts automatically after a crash.", "crash"],
    ["Visitors park in the basement.", "basement"],
    ["The language is C.", "C"]
  ])("%s is partly supported and marks the word", (claim, word) => {
    const { marked, status } = checked(claim, page)
    expect({ status, marked }).toEqual({ status: "partly", marked: [word] })
  })

  it.each([
    ["Dogs take 5 mg of the syrup twice a day.", "Dogs"],
    ["Guests can delete projects.", "Guests"],
    ["The freezer runs at 18 °C.", "18 °C"],
    ["The rent is 900 euros per week.", "900 euros per week"],
    ["Requests are limited to 60 per hour.", "60 per hour"],
    ["The report is due weekly.", "weekly"],
    ["Python 3.1 is required.", "3.1"],
    ["The gate closes at 10 am.", "10 am"],
    ["The limit is 5 mg.", "5 mg"],
    ["The expression is x = 0.", "0"],
    ["The turbine delivers 1.6 MW.", "1.6 MW"]
  ])("%s is not supported and marks the word or value", (claim, words) => {
    const { marked, status } = checked(claim, page)
    expect(["unsupported", "contradicted"]).toContain(status)
    expect(marked).toContain(words)
  })

  it("is refused where two words changed places, but not where the voice changed", () => {
    expect(checked("The mayor elects the council of the town.", page).status).not.toBe("supported")
    expect(checked("The mayor of the town is elected by the council.", page).status).toBe("supported")
    expect(checked("Pears, plums and apples are sold.", "Apples, plums and pears are sold.").status).toBe(
      "supported"
    )
  })

  it("is refused where a word of time turns the relation", () => {
    expect(checked("Refunds are paid after 14 days.", page).status).not.toBe("supported")
  })

  it.each([
    ["Praktikanten haben 30 Tage Urlaub.", "Mitarbeiter haben 30 Tage Urlaub."],
    ["Kinder nehmen zweimal am Tag 20 mg.", "Erwachsene nehmen zweimal am Tag 20 mg."],
    ["Die Miete beträgt 900 Euro pro Woche.", "Die Miete beträgt 900 Euro pro Monat."],
    ["Die Pumpen sind rot lackiert.", "Die Pumpen sind grün lackiert."],
    ["Los clientes pagan el alquiler cada mes.", "Los vecinos pagan el alquiler cada mes."],
    ["El alquiler cuesta 900 euros a la semana.", "El alquiler cuesta 900 euros al mes."]
  ])("%s is not supported by: %s", (claim, source) => {
    expect(checked(claim, source).status).not.toBe("supported")
    expect(checked(source, source).status).toBe("supported")
  })
})

describe("a true claim in other words", () => {
  it.each([
    "Every three years employees are eligible for a laptop replacement.",
    "The freezer runs at minus 18 °C.",
    "The rent is 900 euros a month.",
    "The report is due every month.",
    "The gate closes at 22:00.",
    "The turbine delivers 1,500 kW.",
    "The rotor has three blades.",
    "The limit is less than 5 mg.",
    "Adults take 20 mg of the syrup two times a day.",
    "Also, admins can delete projects.",
    "Refunds are paid within 2 weeks.",
    "The boiler of the laundry is inspected by Ann Orlin."
  ])("%s is supported", (claim) => {
    expect(checked(claim, page).status).toBe("supported")
  })

  it("is supported by two sources together", () => {
    const claim = "Corvo pumps are painted green, and admins can delete projects."
    expect(checked(claim, handbook[0] ?? "", handbook[5] ?? "").status).toBe("supported")
    expect(checked(claim.replace("green", "red"), handbook[0] ?? "", handbook[5] ?? "").status).not.toBe(
      "supported"
    )
  })

  it("is supported item by item, whatever introduces the list", () => {
    const text = "This is what applies: Corvo pumps are painted green; admins can delete projects"
    expect(checked(text, page).status).toBe("supported")
    expect(checked(text.replace("green", "red"), page).status).not.toBe("supported")
  })

  it("is supported when a judge confirms the exchanged word, and not when a value differs", () => {
    const word = checked("Corvo pumps are coated green.", page)
    const judged = checkJudged(word.cited, word.evidence, "yes", "Corvo pumps are painted green.")
    expect([word.status, judged.status]).toEqual(["partly", "supported"])
    const value = checked("The gate closes at 10 am.", page)
    expect(checkJudged(value.cited, value.evidence, "yes", "The gate closes at 10 pm.").supported).toBe(false)
  })
})

describe("a passive and an active", () => {
  const active = "The council of Ramsholm elects the mayor. A pilot guides large ships through the channel."
  it.each([
    ["The mayor is elected by the council.", active, "supported"],
    ["The council is elected by the mayor.", active, "partly"],
    ["The mayor elects the council.", "The mayor is elected by the council.", "partly"],
    ["The council elects the mayor.", "The mayor is elected by the council.", "supported"],
    ["Large ships are guided through the channel by a pilot.", active, "supported"],
    ["Large ships are guided through the channel by a robot.", active, "partly"],
    ["The council of the town elects the mayor.", "The mayor elects the council of the town.", "partly"]
  ])("%s / %s: %s", (claim, text, status) => {
    expect(checked(claim, text).status).toBe(status)
  })
})

describe("a first name that no source has", () => {
  it("is marked where the source has the last name alone, and refused where it has another", () => {
    const { marked, status } = checked(
      "Dr. Alan Grant digs the fossils of Veck.",
      "Grant digs the fossils of Veck."
    )
    expect({ marked, status }).toEqual({ marked: ["Dr. Alan"], status: "partly" })
    expect(
      checked("Ben Grant digs the fossils.", "Alan Grant digs the fossils. Later Grant left.").status
    ).toBe("contradicted")
  })
})

describe("a negation before a relative clause", () => {
  const text = "This is not the same as the atomic number which denotes the number of protons in a nucleus."
  it.each([
    ["The atomic number denotes the number of protons in a nucleus.", "supported"],
    ["This is the same as the atomic number.", "contradicted"],
    [
      "This is the same as the atomic number which denotes the number of protons in a nucleus.",
      "contradicted"
    ]
  ])("%s: %s", (claim, status) => {
    expect(checked(claim, text).status).toBe(status)
  })
})
