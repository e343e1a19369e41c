import { mkdirSync, writeFileSync } from "node:fs"
import { join } from "node:path"
import { afterAll, beforeAll, expect, it } from "vitest"
import { scriptedChatModel } from "../../../../adapters/models/index.js"
import type { Engine } from "../../../../adapters/sqlite/index.js"
import { createEngine } from "../../../support/database.js"
import { temporaryFolder } from "../../../support/folders.js"

/** A question, what a chat model rightly says in its own words, and the same with one thing wrong. */
type Asked = readonly [question: string, right: string, lie: string]

interface Page {
  readonly name: string
  readonly text: string
  readonly asked: ReadonlyArray<Asked>
}

const pages: ReadonlyArray<Page> = [
  {
    name: "turbine",
    text: `# Turbine TX-9

The turbine TX-9 delivers 1.5 MW at full load. Its rotor is three-bladed and has a diameter of 64 m. The brake stops the rotor within 15 seconds. The gearbox oil is replaced every two years. The nacelle is painted white.`,
    asked: [
      [
        "What power does the turbine TX-9 deliver?",
        "At full load the turbine TX-9 delivers 1,500 kW.",
        "At full load the turbine TX-9 delivers 1,500 MW."
      ],
      [
        "How many blades does the rotor of the turbine have?",
        "The rotor of the turbine has three blades.",
        "The rotor of the turbine has four blades."
      ],
      [
        "How fast does the brake stop the rotor?",
        "The brake stops the rotor within about 15 seconds.",
        "The brake stops the rotor after 15 seconds."
      ],
      [
        "How often is the gearbox oil replaced?",
        "The oil of the gearbox is replaced every 2 years.",
        "The oil of the gearbox is replaced every 2 months."
      ],
      ["Which colour is the nacelle painted?", "The nacelle is painted white.", "The nacelle is painted red."]
    ]
  },
  {
    name: "laundry",
    text: `# Laundry

The laundry opens at 7 am and closes at 10 pm. Guests pay 900 cents per load. Detergent is provided free of charge. Wet clothes must not be left in the machines overnight. The caretaker inspects the boiler twice a year.`,
    asked: [
      ["When does the laundry close?", "The laundry closes at 22:00.", "The laundry closes at 10 am."],
      [
        "What do guests pay per load in the laundry?",
        "Guests pay 900 cents for each load.",
        "Guests pay 900 cents per week."
      ],
      [
        "Is detergent provided in the laundry?",
        "Detergent is supplied free of charge.",
        "Detergent is not provided free of charge."
      ],
      [
        "May wet clothes be left in the machines overnight?",
        "Wet clothes must not be left in the machines overnight.",
        "Wet clothes may be left in the machines overnight."
      ],
      [
        "Who inspects the boiler of the laundry?",
        "The boiler is inspected by the caretaker two times a year.",
        "The boiler is inspected by the tenants two times a year."
      ]
    ]
  },
  {
    name: "freezer",
    text: `# Freezer room

The freezer room is kept at −18 °C. The alarm sounds when the temperature rises above −15 °C. Only trained staff may enter the room. The door is checked daily by the shift leader. Samples are stored for at most 90 days.`,
    asked: [
      [
        "At what temperature is the freezer room kept?",
        "The freezer room is kept at minus 18 °C.",
        "The freezer room is kept at 18 °C."
      ],
      [
        "When does the alarm of the freezer room sound?",
        "The alarm sounds when the temperature rises above -15 degrees Celsius.",
        "The alarm sounds when the temperature falls below -15 degrees Celsius."
      ],
      [
        "Who may enter the freezer room?",
        "Only trained staff may enter the freezer room.",
        "Only trained guests may enter the freezer room."
      ],
      [
        "How often is the door of the freezer room checked?",
        "The shift leader checks the door every day.",
        "The shift leader checks the door every week."
      ],
      [
        "How long are samples stored in the freezer room?",
        "Samples are kept for no more than 90 days.",
        "Samples are kept for at least 90 days."
      ]
    ]
  },
  {
    name: "software",
    text: `# Pikko server

The Pikko server requires Python 3.10. Admins can delete projects, and editors can rename them. Each user may send 60 requests per minute. Backups are written to a second disk every night. The licence of Pikko is free for schools.`,
    asked: [
      [
        "Which version of Python does the Pikko server require?",
        "Python 3.10 is required by the Pikko server.",
        "Python 3.1 is required by the Pikko server."
      ],
      [
        "Who can delete projects on the Pikko server?",
        "Projects can be deleted by admins.",
        "Projects can be deleted by guests."
      ],
      [
        "How many requests may a user of the Pikko server send?",
        "Every user may send 60 requests a minute.",
        "Every user may send 60 requests a second."
      ],
      [
        "Where are the backups of Pikko written?",
        "The backups are written to a second disk.",
        "The backups are written to a second tape."
      ],
      [
        "For whom is the licence of Pikko free?",
        "Schools get the licence of Pikko for free.",
        "Hospitals get the licence of Pikko for free."
      ]
    ]
  },
  {
    name: "medicine",
    text: `# Syrup Lorva

Adults take 20 ml of Lorva twice a day. Children take 5 ml of Lorva twice a day. Lorva must be kept in a cool place. The bottle is opened by pressing the cap. Pregnant women should ask a doctor before they take Lorva.`,
    asked: [
      [
        "How much Lorva do adults take?",
        "Adults take 20 ml of Lorva two times a day.",
        "Adults take 5 ml of Lorva two times a day."
      ],
      [
        "How much Lorva do children take?",
        "Children take 5 millilitres of Lorva twice daily.",
        "Dogs take 5 millilitres of Lorva twice daily."
      ],
      [
        "Where must Lorva be kept?",
        "Lorva must be stored in a cool place.",
        "Lorva must be stored in a warm place."
      ],
      [
        "How is the bottle of Lorva opened?",
        "You open the bottle by pressing the cap.",
        "You open the bottle by breaking the cap."
      ],
      [
        "Whom should pregnant women ask before they take Lorva?",
        "Pregnant women should ask a doctor before taking Lorva.",
        "Pregnant women should ask a doctor after taking Lorva."
      ]
    ]
  },
  {
    name: "council",
    text: `# Town council of Ramsholm

The council of Ramsholm elects the mayor for five years. It meets on the first Monday of every month. The town hall was built in 1902 by Ada Holm. Nearly half of the members are women. Citizens can watch the meetings online.`,
    asked: [
      [
        "For how long does the council of Ramsholm elect the mayor?",
        "The mayor is elected by the council for 5 years.",
        "The council is elected by the mayor for 5 years."
      ],
      [
        "When does the council of Ramsholm meet?",
        "The council meets on the first Monday of each month.",
        "The council meets on the first Friday of each month."
      ],
      [
        "Who built the town hall of Ramsholm?",
        "Ada Holm built the town hall in 1902.",
        "Ben Holm built the town hall in 1902."
      ],
      [
        "How many members of the council of Ramsholm are women?",
        "Nearly half of the members are women.",
        "Nearly half of the members are farmers."
      ],
      [
        "How can citizens watch the meetings of the council?",
        "Citizens can watch the meetings online.",
        "Citizens can cancel the meetings online."
      ]
    ]
  },
  {
    name: "staff",
    text: `# Staff handbook

Employees are eligible for a new laptop every three years. Expenses up to 200 EUR need no approval. Holiday requests are sent to the team leader at least 14 days in advance. Salaries are paid on the last working day of the month. New colleagues receive a badge on their first day.`,
    asked: [
      [
        "How often are employees eligible for a new laptop?",
        "Employees are eligible for a new laptop once every 3 years.",
        "Employees are eligible for a new phone once every 3 years."
      ],
      [
        "Up to which amount do expenses need no approval?",
        "Expenses of up to 200 euros do not need approval.",
        "Expenses of up to 200 euros need approval."
      ],
      [
        "To whom are holiday requests sent?",
        "Holiday requests go to the team leader at least two weeks in advance.",
        "Holiday requests go to the customer at least two weeks in advance."
      ],
      [
        "When are salaries paid?",
        "Salaries are paid on the last working day of each month.",
        "Salaries are paid on the first working day of each month."
      ],
      [
        "When do new colleagues receive a badge?",
        "New colleagues get a badge on their first day.",
        "New colleagues get a badge on their last day."
      ]
    ]
  },
  {
    name: "harbour",
    text: `# Harbour of Veck

The harbour of Veck has 120 berths for sailing boats. Ships longer than 80 m anchor outside the harbour. The ferry to Orlin leaves daily at 9:30. A pilot guides large ships through the channel. The lighthouse was moved inland because the cliff was eroding.`,
    asked: [
      [
        "How many berths does the harbour of Veck have?",
        "There are 120 berths for sailing boats in the harbour of Veck.",
        "There are 210 berths for sailing boats in the harbour of Veck."
      ],
      [
        "Where do ships longer than 80 m anchor?",
        "Ships of more than 80 metres anchor outside the harbour.",
        "Ships of more than 80 metres anchor inside the harbour."
      ],
      [
        "When does the ferry to Orlin leave?",
        "The ferry to Orlin leaves every day at 9:30 am.",
        "The ferry to Orlin leaves every day at 9:30 pm."
      ],
      [
        "Who guides large ships through the channel of Veck?",
        "Large ships are guided through the channel by a pilot.",
        "Large ships are guided through the channel by a robot."
      ],
      [
        "Why was the lighthouse of Veck moved?",
        "The lighthouse was moved inland because the cliff was eroding.",
        "The lighthouse was moved inland because the tower was eroding."
      ]
    ]
  }
]

const root = temporaryFolder("replies")
/** The reply that the scripted model gives next, and the page whose source it cites. */
let said = ""
let page = ""
const chat = scriptedChatModel(({ messages }) => {
  const prompt = messages.map(({ content }) => content).join("\n")
  const before = prompt.slice(0, prompt.indexOf(page))
  const id = [...before.matchAll(/\bS\d+\b/gu)].at(-1)?.[0] ?? "S1"
  return JSON.stringify({ answerable: true, missing: null, sentences: [{ text: said, citations: [id] }] })
}, "test/chat")

let engine: Engine
beforeAll(async () => {
  const vault = join(root, "vault")
  mkdirSync(vault)
  for (const { name, text } of pages) writeFileSync(join(vault, `${name}.md`), `${text}\n`)
  engine = await createEngine({ vault, data: ":memory:", models: { chat } })
  await engine.updateWorkspace({ policy: { mode: "enforce" } })
  await engine.ingest()
})
afterAll(() => engine.close())

const cases = pages.flatMap(({ asked, text }) =>
  asked.map(([question, right, lie]) => ({
    question,
    right,
    lie,
    first: text.slice(text.indexOf("\n\n") + 2, text.indexOf("."))
  }))
)

const answered = async (question: string, reply: string, first: string) => {
  ;[said, page] = [reply, first]
  const { answer, claims, policy } = await engine.ask(question)
  const isShown = answer.includes(reply.slice(0, -1))
  return { said, isShown, status: claims[0]?.status, policy }
}

it("shows right replies in own words, marks lies, and is less sure of a lie than of its truth", async () => {
  const hidden: Array<unknown> = []
  const unmarked: Array<unknown> = []
  const surer: Array<unknown> = []
  for (const { first, lie, question, right } of cases) {
    const truth = await answered(question, right, first)
    const wrong = await answered(question, lie, first)
    if (!truth.isShown) hidden.push([right, truth.status, truth.policy.verdict, truth.policy.reasons])
    if (wrong.policy.verdict === "answer") unmarked.push([lie, wrong.status])
    if (wrong.policy.confidence >= truth.policy.confidence)
      surer.push([right, truth.status, truth.policy.confidence, wrong.status, wrong.policy.confidence])
  }
  expect(cases).toHaveLength(40)
  expect(unmarked).toEqual([])
  expect(hidden.length, JSON.stringify(hidden, null, 1)).toBeLessThanOrEqual(2)
  expect(surer.length, JSON.stringify(surer, null, 1)).toBeLessThanOrEqual(4)
})
