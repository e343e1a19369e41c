/** Questions over pages as manuals have them: options in lists, entries of tables, definitions, steps, values of an item. */
import { describe, expect, it } from "vitest"
import { answerTo, pageOf } from "../../../support/answers.js"

const options = pageOf(
  "Loom client",
  `# Loom client

The loom client is a program that sends rolls of fabric to the dye works. It runs on every weaving machine.

## Options

The client takes these options:

- \`--dry-run\` prints the rolls that would be sent.
- \`--skip-rolls-over length\` leaves out rolls that are longer than the given length.
- **retry_delay** (*optional*, duration): The time to wait before a roll is sent again. Can be switched off with 0. Defaults to 45s.
- **buffer** (*optional*, number): The number of rolls that are kept while the works cannot be reached.

  If the buffer is full, the machine stops after 20 seconds.

Modes:

- \`eco\`: dyes with cold water only.
- \`rapid\`: dyes two rolls at once.

## Cores

You can set the variable \`LOOM_THREADS\` to limit the number of used CPU cores. For example, use LOOM_THREADS=1 for a single CPU core.

## See also

- /loom/options/default/retry/delay
- /loom/default/buffer
`
)

const codes = pageOf(
  "Signals",
  `# Signals

## Signal codes

| Code | Meaning |
| --- | --- |
| 3 | The roll is torn |
| 13 | The vat is empty |

A place where rolls dry is called a "loft".
`
)

const prices = pageOf(
  "Tickets",
  `# Tickets

- Child: 6 €
- Season pass: 140 €

## Can I pause a season pass that was started?

Yes, at the counter. This does not change its last day.

## Repairs

Keep a copy of the pattern card. This lets you weave the piece again after a break.
`
)

const store = pageOf(
  "Store",
  `# Roll store

### Size of the store (\`store.size\`)

Size of the roll store, defaulting to 10,000 rolls. It is the number of rolls that can be kept at the same time.

\`\`\`yaml
# Default size of the roll store
roll_store_default_size: 10000
\`\`\`
`
)

const library = pageOf(
  "History",
  `# History

The library was founded in 1894 by the teacher Emilie Brunner. It burned down in 1931 and was rebuilt in 1934 after plans of the architect Otto Keller. Since 2011 it has been part of the Weir valley network.

The director is Nora Steiner. Her predecessor, Hugo Frei, retired in 2022.
`
)

describe("the options of a manual", () => {
  it.each([
    ["How long does the client wait before a roll is sent again?", /45s/],
    ["What is the default of retry_delay?", /^retry_delay: Defaults to 45s/],
    ["Which option leaves out long rolls?", /--skip-rolls-over/],
    ["Which variable limits how many CPU cores are used?", /LOOM_THREADS/],
    ["What does --dry-run do?", /prints the rolls/],
    ["What does the mode eco do?", /cold water/],
    ["What is the loom client?", /is a program that sends/],
    ["When does the machine stop if the buffer is full?", /20 seconds/]
  ])("%s", (question, expected) => {
    expect(answerTo(question, [options]).join(" ")).toMatch(expected)
  })

  it("a list of links answers nothing", () => {
    expect(answerTo("What is the default of the buffer?", [options]).join(" ")).not.toMatch(/\/loom\//)
  })
})

describe("what a thing is", () => {
  it.each([
    ["What does signal code 13 mean?", /The vat is empty/],
    ["What is a loft?", /A place where rolls dry/]
  ])("%s", (question, expected) => {
    const answer = answerTo(question, [codes]).join(" ")
    expect(answer).toMatch(expected)
    expect(answer).not.toMatch(/torn/)
  })

  it("no other entry stands in for one that is missing", () => {
    expect(answerTo("What does signal code 7 mean?", [codes]).join(" ")).toBe("")
  })
})

describe("what lacks the kind of thing that is asked for stands behind what has it", () => {
  it.each([
    ["What is the default size of the roll store?", store, /10000/],
    ["Who was director before Nora Steiner?", library, /Hugo Frei/]
  ])("%s", (question, page, expected) => {
    expect(answerTo(question, [page]).join(" ")).toMatch(expected)
  })

  it("nothing is given where nothing has it", () => {
    expect(answerTo("How many people may enter the roll store?", [store]).join(" ")).toBe("")
  })
})

describe("what stands beside the words of the question", () => {
  it.each([
    ["How much does a season pass cost?", /140 €/],
    ["Was kostet der Season pass?", /140 €/],
    ["Can I pause a season pass that was begun?", /Yes, at the counter/],
    ["Why should I keep a copy of the pattern card?", /lets you weave the piece again/]
  ])("%s", (question, expected) => {
    expect(answerTo(question, [prices]).join(" ")).toMatch(expected)
  })
})
