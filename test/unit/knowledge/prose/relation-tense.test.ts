// Shows when a sentence states a relation as one that has ended: the words of the relation decide, no others.
import { describe, expect, it } from "vitest"
import { hasEnded } from "../../../../core/knowledge/prose/index.js"

type Case = readonly [type: string, sentence: string, from: string, to: string]

const holds: ReadonlyArray<Case> = [
  ["leads", "Merrow Yard is led by Ada Holm.", "Ada Holm", "Merrow Yard"],
  ["leads", "Merrow Yard, led by Ada Holm, was founded in 1990.", "Ada Holm", "Merrow Yard"],
  ["leads", "Ada Holm, who was born in Umeå, leads Merrow Yard.", "Ada Holm", "Merrow Yard"],
  ["leads", "Ada Holm has led Merrow Yard since 2019.", "Ada Holm", "Merrow Yard"],
  [
    "leads",
    "Ines Calder, chief executive of Harrow Medical, was born in Porto.",
    "Ines Calder",
    "Harrow Medical"
  ],
  ["leads", "Ada Holm was appointed chief executive of Merrow Yard.", "Ada Holm", "Merrow Yard"],
  ["leads", "Merrow Yard was bought by Lantern AB, which is run by Ben Orr.", "Ben Orr", "Lantern AB"],
  ["leads", "Led Lighting AB is headed by Ada Holm.", "Ada Holm", "Led Lighting AB"],
  ["leads", "Ada Holm leads Merrow Yard, which was led by Ben Orr until 2019.", "Ada Holm", "Merrow Yard"],
  ["leads", "Ben Orr retired in 2019; Ada Holm leads Merrow Yard.", "Ada Holm", "Merrow Yard"],
  ["acquired", "Merrow Yard was acquired by Lantern AB.", "Lantern AB", "Merrow Yard"],
  ["owns", "Merrow Yard, which was founded in 1990, is owned by Lantern AB.", "Lantern AB", "Merrow Yard"],
  ["based_in", "Lantern AB, which was founded in 1990, is headquartered in Umeå.", "Lantern AB", "Umeå"]
]
const ended: ReadonlyArray<Case> = [
  ["leads", "Merrow Yard was led by Ben Orr.", "Ben Orr", "Merrow Yard"],
  ["leads", "Ben Orr led Merrow Yard.", "Ben Orr", "Merrow Yard"],
  ["leads", "Ben Orr was the chief executive of Merrow Yard.", "Ben Orr", "Merrow Yard"],
  ["leads", "Merrow Yard's chief executive was Ben Orr.", "Ben Orr", "Merrow Yard"],
  ["leads", "Ada Holm leads Merrow Yard, which was led by Ben Orr.", "Ben Orr", "Merrow Yard"],
  ["leads", "Ben Orr, chief executive of Merrow Yard until 2019, sails.", "Ben Orr", "Merrow Yard"],
  ["owns", "Merrow Yard was owned by Lantern AB.", "Lantern AB", "Merrow Yard"],
  ["acquired", "Lantern AB acquired Merrow Yard in 2015 and sold it in 2019.", "Lantern AB", "Merrow Yard"],
  ["based_in", "Lantern AB was based in Umeå.", "Lantern AB", "Umeå"],
  ["depends_on", "Heron relied on PostgreSQL.", "Heron", "PostgreSQL"]
]

describe("a sentence that states a relation", () => {
  it.each(holds)("as %s holds: %s", (type, sentence, ...ends) => {
    expect(hasEnded(type, sentence, ends)).toBe(false)
  })
  it.each(ended)("as %s has ended: %s", (type, sentence, ...ends) => {
    expect(hasEnded(type, sentence, ends)).toBe(true)
  })
})
