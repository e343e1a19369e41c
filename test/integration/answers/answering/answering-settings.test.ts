import fc from "fast-check"
import { describe, expect, it } from "vitest"
import { settingsIn } from "../../../../core/files/markdown/settings.js"
import { textUnits } from "../../../../core/language/text-analysis/units.js"
import { answerTo } from "../../../support/answers.js"
import { passageOf } from "../../../support/passages.js"
import { runs } from "../../../support/runs.js"

const body = `ferry:
  retries: 3
  archive:
    keep_days: 3650 # ten years
  zones: [north, south]
store:
  host: "db3.example"
  port: 5433
`

const pathsOf = (tag: string, text: string) =>
  settingsIn(tag, text).map(({ path, text: line }) => `${path} | ${line}`)

describe("keys of a block of configuration", () => {
  it("stand below the keys that they are nested in", () => {
    expect(pathsOf("yaml", body)).toEqual([
      "ferry | retries: 3",
      "ferry.archive | keep_days: 3650 # ten years",
      "ferry | zones: [north, south]",
      'store | host: "db3.example"',
      "store | port: 5433"
    ])
    expect(pathsOf("toml", "top = 1\n[index.main]\nshards = 6\n")).toEqual([
      " | top = 1",
      "index.main | shards = 6"
    ])
    expect(pathsOf("json", '{\n  "store": {\n    "port": 5433,\n    "on": true\n  }\n}')).toEqual([
      'store | "port": 5433',
      'store | "on": true'
    ])
    expect(pathsOf("env", "STORE_PORT=5433\n# PORT=1\n")).toEqual([" | STORE_PORT=5433"])
  })

  it("are no keys in a program", () => {
    expect(pathsOf("ts", "const port: number = 5433")).toEqual([])
    expect(pathsOf("", "port: 5433")).toEqual([])
  })

  it("are units that stand where they say, whatever the block holds", () => {
    fc.assert(
      fc.property(fc.string({ unit: fc.constantFrom(..."ab:=[]{}\"' #\n-_.,1"), maxLength: 120 }), (text) => {
        const page = `# Page\n\n\`\`\`yaml\n${text}\n\`\`\`\n`
        for (const unit of textUnits(page)) {
          if (unit.kind !== "setting") continue
          expect(page.slice(unit.start, unit.end)).not.toMatch(/\n/u)
          expect(unit.text).not.toBe("")
        }
      }),
      { numRuns: runs(100) }
    )
  })
})

describe("who asks for a key", () => {
  const passages = [
    passageOf({
      title: "Configuration of Ferry",
      path: "ferry.md",
      text: `# Configuration of Ferry\n\nFerry copies files at night.\n\n\`\`\`yaml\n${body}\`\`\`\n`
    })
  ]

  it.each([["How many days does the archive of Ferry keep?", "ferry.archive: keep_days: 3650 # ten years"]])(
    "%s is given it with its value",
    (question, expected) => {
      expect(answerTo(question, passages)[0]).toBe(expected)
    }
  )

  it("is given none for another", () => {
    expect(answerTo("How many shards does Ferry have?", passages)).toEqual([])
  })
})
