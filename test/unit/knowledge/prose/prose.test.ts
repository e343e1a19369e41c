import { describe, expect, it } from "vitest"
import { loadTagger, readProse } from "../../../../core/knowledge/prose/index.js"
import { superLinear } from "../../../support/linear.js"
import { foundBy, markedParagraphs, scoresOf, smallWordsOf } from "../../../support/marked-prose.js"

await loadTagger()

const read = (text: string) => {
  const small = smallWordsOf(text)
  return readProse(text, [{ start: 0, end: text.length }], (word) => small.has(word))
}
const relationsIn = (text: string) =>
  read(text).relations.map(({ from, to, type }) => `${from} ${type} ${to}`)
const namesIn = (text: string) => read(text).names.map(({ aliases, name }) => [name, ...aliases].join(" = "))

describe("relations in sentences", () => {
  it.each([
    [
      "Norrland Energy AB acquired Fjordkraft Systems in 2019.",
      ["Norrland Energy AB acquired Fjordkraft Systems"]
    ],
    [
      "Fjordkraft Systems was bought by Norrland Energy AB.",
      ["Norrland Energy AB acquired Fjordkraft Systems"]
    ],
    [
      "Anna Lindqvist, chief executive of Norrland Energy AB, left.",
      ["Anna Lindqvist leads Norrland Energy AB"]
    ],
    ["Norrland Energy AB, which is headquartered in Boston, grew.", ["Norrland Energy AB based_in Boston"]],
    [
      "Denso Group supplies Toyota, Honda and Volvo with radiators.",
      ["Denso Group supplies Toyota", "Denso Group supplies Honda", "Denso Group supplies Volvo"]
    ],
    [
      "Signpost uses Elasticsearch, depends on PostgreSQL and replaces SharePoint.",
      ["Signpost uses Elasticsearch", "Signpost depends_on PostgreSQL", "Signpost replaces SharePoint"]
    ],
    [
      "Norrland Energy AB bought Fjordkraft Systems in 2019 and Helios Grid in 2021.",
      ["Norrland Energy AB acquired Fjordkraft Systems", "Norrland Energy AB acquired Helios Grid"]
    ],
    ["Atlas uses Redis.", ["Atlas uses Redis"]],
    ["Northgate uses Kafka.", ["Northgate uses Kafka"]],
    ["ClientA and ClientB use RedisStore.", ["ClientA uses RedisStore", "ClientB uses RedisStore"]],
    ["GAS_CREATE is replaced by CREATE_ACCESS.", ["CREATE_ACCESS replaces GAS_CREATE"]],
    ["Cell-Level Deltas uses Gossipsub.", ["Cell-Level Deltas uses Gossipsub"]],
    ["Tomas Brandt leads Tidewater Ales.", ["Tomas Brandt leads Tidewater Ales"]],
    ["Northgate Cider is a member of the Cider Guild.", ["Northgate Cider member_of Cider Guild"]],
    ["Tidewater Ales is a customer of Keller Glass.", ["Tidewater Ales customer_of Keller Glass"]],
    [
      "Anna Lindqvist founded Norrland Energy AB. She reports to Erik Holm.",
      ["Anna Lindqvist founded Norrland Energy AB", "Anna Lindqvist reports_to Erik Holm"]
    ]
  ])("are read: %s", (text, relations) => {
    expect(relationsIn(text)).toEqual(relations)
  })

  it.each([
    "Norrland Energy AB did not acquire Fjordkraft Systems.",
    "Norrland Energy AB may acquire Fjordkraft Systems.",
    "Norrland Energy AB plans to acquire Fjordkraft Systems.",
    "Norrland Energy AB has never acquired Fjordkraft Systems.",
    "Did Norrland Energy AB acquire Fjordkraft Systems?",
    "Anna Lindqvist thinks that Norrland Energy AB acquired Fjordkraft Systems.",
    "It is not true that Norrland Energy AB owns Fjordkraft Systems.",
    "Anna Lindqvist, former chief executive of Norrland Energy AB, left.",
    // Commands and infinitives
    "HostHeader was removed, use RuleHost instead.",
    "For exact matches, use PathName and its form PathPrefix, for regular ones, use PathRegexp.",
    "Gearbox Provider allows you to read secrets of Heron and use the Lantern Driver for it.",
    // What opens a sentence, and stressed words
    "There are several ways to install and run Gearbox on a server.",
    "Never run it under the MCP server.",
    "Clients MUST use another DomainType for it, and the DNS part of it SHOULD BE owned.",
    // One of a kind
    "This EIP replaces EIP-1283.",
    // Neither a person nor a group
    "Powershell works for both Gearbox Shell and Gearbox CLI.",
    "Chocolatey is a package manager for Windows.",
    "Heron Devops runs a Powershell script.",
    "Flux works with Prometheus.",
    // Another thing than the name
    "Lean Ethereum replaces BLS validator keys with XMSS."
  ])("are not read where they are not stated as a fact: %s", (text) => {
    expect(relationsIn(text)).toEqual([])
  })
})

describe("names in sentences", () => {
  it.each([
    ["John F. Kennedy spoke. President Kennedy's brother listened.", ["John F. Kennedy = Kennedy"]],
    ["The World Health Organization (WHO) met. The WHO warned of it.", ["World Health Organization = WHO"]],
    ["Norrland Energy AB grew. Later Norrland Energy shrank.", ["Norrland Energy AB = Norrland Energy"]],
    ["Will Norrland support it? Later Norrland did.", ["Norrland"]],
    ["On Monday the FAQ was moved, at 10 EDT, for 5 USD.", []]
  ])("mean one thing under several names, and no ordinary word: %s", (text, names) => {
    expect(namesIn(text)).toEqual(names)
  })

  it("stay two where two persons have one last name", () => {
    const names = namesIn("Marie Curie met Pierre Curie. Curie was pleased.")
    expect(names).toEqual(expect.arrayContaining(["Marie Curie", "Pierre Curie"]))
  })
})

describe("hostile prose", () => {
  it.each(["Ada, ", "Ada Holm and ", "Ada acquired ", "Who leads ", "A B of the "])(
    "takes linear time: %s",
    (piece) => {
      const long = (length: number) => piece.repeat(Math.ceil(length / piece.length))
      expect(superLinear(read, long, { length: 128 * 1024, limitMs: 20_000 })).toBeNull()
    }
  )
})

describe("marked prose", () => {
  it.each([
    ["that rules were tuned on", true],
    ["that is held out", false]
  ])("%s is read with the recall and precision that are asked for", (_, isOpen) => {
    const paragraphs = markedParagraphs().filter((one) => one.isOpen === isOpen)
    const { kinds, names, relations } = scoresOf(paragraphs, (text) => foundBy(read(text)))
    expect(names.n).toBeGreaterThan(300)
    expect(names.recall).toBeGreaterThan(0.9)
    expect(names.precision).toBeGreaterThan(0.9)
    expect(kinds.precision).toBeGreaterThan(0.9)
    expect(relations.n).toBeGreaterThan(100)
    expect(relations.recall).toBeGreaterThan(0.7)
    expect(relations.precision).toBeGreaterThan(0.85)
  })
})
