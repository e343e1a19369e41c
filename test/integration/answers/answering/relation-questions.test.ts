import { readFileSync, writeFileSync } from "node:fs"
import { join } from "node:path"
import { afterAll, beforeAll, describe, expect, it } from "vitest"
import { createEngine } from "../../../support/database.js"
import { temporaryFolder } from "../../../support/folders.js"

interface Trade {
  readonly notes: Readonly<Record<string, string>>
  readonly answered: ReadonlyArray<readonly [question: string, sentences: ReadonlyArray<string>]>
  readonly unanswered: ReadonlyArray<string>
}

const energy: Trade = {
  notes: {
    "norrland.md":
      "# Norrland Energy\n\nNorrland Energy AB acquired Fjordkraft Systems in 2021. The group runs eleven hydropower stations.\nNorrland Energy is headquartered in Umeå.\n",
    "people.md":
      "# People\n\nAnna Lindqvist is the chief executive of Norrland Energy AB. Before that she managed a paper mill.\nErik Holm, head of operations at Fjordkraft Systems, reports to Anna Lindqvist.\n",
    "fjordkraft.md":
      "# Fjordkraft\n\nFjordkraft Systems supplies Helios Grid with inverters. Fjordkraft Systems uses Gridwatch for its monitoring.\n"
  },
  answered: [
    ["Who leads Norrland Energy?", ["Anna Lindqvist is the chief executive of Norrland Energy AB."]],
    ["Who is the CEO of Norrland Energy?", ["Anna Lindqvist is the chief executive of Norrland Energy AB."]],
    ["Which companies did Norrland acquire?", ["Norrland Energy AB acquired Fjordkraft Systems in 2021."]],
    [
      "Where is the parent of Fjordkraft based?",
      ["Norrland Energy AB acquired Fjordkraft Systems in 2021.", "Norrland Energy is headquartered in Umeå."]
    ],
    [
      "Who leads the parent of Fjordkraft?",
      [
        "Norrland Energy AB acquired Fjordkraft Systems in 2021.",
        "Anna Lindqvist is the chief executive of Norrland Energy AB."
      ]
    ],
    ["Who owns Fjordkraft?", ["Norrland Energy AB acquired Fjordkraft Systems in 2021."]],
    ["Who are the customers of Fjordkraft?", ["Fjordkraft Systems supplies Helios Grid with inverters."]]
  ],
  unanswered: [
    "Who founded Fjordkraft?",
    "Who acquired Norrland Energy?",
    "Who is the chairman of Norrland Energy?",
    "Where is Fjordkraft based?",
    "Who leads Helios Grid?",
    "Which companies did Fjordkraft acquire?",
    "Where is the parent of Norrland Energy based?"
  ]
}

const brewing: Trade = {
  notes: {
    "brewery.md":
      "# Halden Brewery\n\nHalden Brewery bought Tidewater Ales in 2017 and Northgate Cider in 2020. Its beer is brewed in open vats.\nHalden Brewery is located in Bergen.\n",
    "people.md":
      "# People of the trade\n\nIngrid Solberg founded Halden Brewery. Tomas Brandt leads Tidewater Ales.\nTomas Brandt reports to Ingrid Solberg.\n",
    "supply.md":
      "# Supply\n\nMoorland Malt supplies Halden Brewery with malt. Tidewater Ales is a customer of Keller Glass.\nNorthgate Cider is a member of the Cider Guild.\n"
  },
  answered: [
    ["Who supplies Halden Brewery?", ["Moorland Malt supplies Halden Brewery with malt."]],
    [
      "Which companies did Halden Brewery buy?",
      ["Halden Brewery bought Tidewater Ales in 2017 and Northgate Cider in 2020."]
    ],
    ["Who runs Tidewater Ales?", ["Tomas Brandt leads Tidewater Ales."]],
    [
      "Who founded the owner of Northgate Cider?",
      [
        "Halden Brewery bought Tidewater Ales in 2017 and Northgate Cider in 2020.",
        "Ingrid Solberg founded Halden Brewery."
      ]
    ],
    [
      "Where is the parent of Tidewater Ales located?",
      [
        "Halden Brewery bought Tidewater Ales in 2017 and Northgate Cider in 2020.",
        "Halden Brewery is located in Bergen."
      ]
    ],
    ["Who supplies Tidewater Ales?", ["Tidewater Ales is a customer of Keller Glass."]],
    ["Who does Tomas Brandt report to?", ["Tomas Brandt reports to Ingrid Solberg."]]
  ],
  unanswered: [
    "Who founded Tidewater Ales?",
    "Who leads Northgate Cider?",
    "Who acquired Keller Glass?",
    "Where is Northgate Cider based?",
    "Who supplies Keller Glass?",
    "Which companies did Moorland Malt acquire?"
  ]
}

/** Sentences with verbs in the past beside the relation that is asked for. */
const yards: Trade = {
  notes: {
    "merrow.md":
      "# Merrow Yard\n\nMerrow Yard is led by Ada Holm. Merrow Yard was acquired by Lantern AB. Lantern AB is headquartered in Umeå.\n",
    "harrow.md":
      "# Harrow\n\nInes Calder, chief executive of Harrow Medical Group, was born in Porto. Lumen Diagnostics was bought by Harrow Medical Group, which is headquartered in Bristol.\nPieter Vos works at Lumen Diagnostics as head of assays.\n",
    "tarn.md": "# Tarn\n\nRuth Amin led Tarn Ltd. Tarn Ltd was owned by Vale Ltd.\n"
  },
  answered: [
    ["Who leads Merrow Yard?", ["Merrow Yard is led by Ada Holm."]],
    ["Who owns Merrow Yard?", ["Merrow Yard was acquired by Lantern AB."]],
    [
      "Where is the parent of Merrow Yard based?",
      ["Merrow Yard was acquired by Lantern AB.", "Lantern AB is headquartered in Umeå."]
    ],
    [
      "Who is the chief executive of Harrow Medical Group?",
      ["Ines Calder, chief executive of Harrow Medical Group, was born in Porto."]
    ],
    [
      "Who leads Harrow Medical Group?",
      ["Ines Calder, chief executive of Harrow Medical Group, was born in Porto."]
    ],
    [
      "Where was the chief executive of Harrow Medical Group born?",
      ["Ines Calder, chief executive of Harrow Medical Group, was born in Porto."]
    ]
  ],
  unanswered: ["Who leads Tarn Ltd?", "Who owns Tarn Ltd?", "Who leads Lumen Diagnostics?"]
}

describe.each([
  ["energy", energy],
  ["brewing", brewing],
  ["yards", yards]
])("three notes about %s", (trade, { answered, notes, unanswered }) => {
  const folder = temporaryFolder(trade)
  let engine: Awaited<ReturnType<typeof createEngine>>
  beforeAll(async () => {
    for (const [path, text] of Object.entries(notes)) writeFileSync(join(folder, path), text)
    engine = await createEngine({ vault: folder })
    await engine.ingest()
  })
  afterAll(() => engine.close())
  const ask = (question: string, more = {}) => engine.ask(question, { policyMode: "enforce", ...more })

  it.each(answered)("answer %s with the sentences that state it", async (question, sentences) => {
    const { claims, policy, sources } = await ask(question)
    expect(policy.verdict).toMatch(/^answer/u)
    expect(claims.map(({ text }) => text)).toEqual(sentences)
    for (const { citations, text } of claims)
      for (const id of citations)
        expect(sources.find((source) => source.id === id)?.snippet).toContain(text.slice(0, 20))
    expect(claims.every(({ citations }) => citations.length > 0)).toBe(true)
  })

  it.each(unanswered)("do not answer %s", async (question) => {
    const { claims, policy } = await ask(question)
    expect([claims, policy.verdict]).toEqual([[], "abstain_with_pointers"])
  })

  it("answer over no note that the question leaves out, and no longer what a note no longer says", async () => {
    const [question = "", sentences = []] = answered[0] ?? []
    const { sources } = await ask(question)
    const [source] = sources
    const [sentence = ""] = sentences
    expect(source).toBeDefined()
    expect((await ask(question, { pathPrefix: "none/" })).claims).toEqual([])
    const file = join(folder, source?.docPath ?? "")
    writeFileSync(file, readFileSync(file, "utf8").replace(sentence, ""))
    await engine.ingest()
    expect((await ask(question)).claims.map(({ text }) => text)).not.toContain(sentence)
  })
})
