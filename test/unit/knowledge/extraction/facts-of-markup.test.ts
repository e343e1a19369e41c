// Shows what of the markup of a document is read as names, tags and relations.
import { describe, expect, it } from "vitest"
import { noFrontMatter } from "../../../../core/files/markdown/front-matter.js"
import { parseMarkdown, withBodyFields } from "../../../../core/files/markdown/index.js"
import { readFacts } from "../../../../core/knowledge/document-facts/index.js"
import { loadTagger } from "../../../../core/knowledge/prose/index.js"

await loadTagger()

const factsOf = (source: string) =>
  readFacts({ path: "a.md", title: "A", frontMatter: noFrontMatter }, `# A\n\n${source}\n`)
const relationsIn = (source: string) =>
  (factsOf(source).prose?.relations ?? []).map(({ from, to, type }) => `${from} ${type} ${to}`)
const typesIn = (source: string) =>
  new Map((factsOf(source).prose?.names ?? []).map(({ name, type }) => [name, type]))

describe("sentences", () => {
  it("end at a line break of HTML", () => {
    expect(relationsIn("The team of Heron<br/>uses Redis for the rest of it.")).toEqual([])
    expect(relationsIn("The note is about it.<br/>Heron uses Redis.")).toEqual(["Heron uses Redis"])
  })
  it("hold identifiers of code as names of no type, under their whole name", () => {
    const text = "In the file the field `GAS_CREATE` is replaced by `CREATE_ACCESS`."
    expect(relationsIn(text)).toEqual(["CREATE_ACCESS replaces GAS_CREATE"])
    expect(typesIn("It is the `HostHeader` rule. It is the HostHeader rule.").get("HostHeader")).toBe(
      "product"
    )
    expect(typesIn("It is the `HostHeader` rule of the file.").get("HostHeader")).toBe(null)
  })
  it("hold no names in commands, components and imports", () => {
    const text =
      'import { Takeaway, TabItem } from "@theme/Tabs"\n\nRun `Heron install Lantern` for it.\n\n<Takeaway\n  title="Gearbox Suite"\n  kind="Lantern Suite"\n>\nIt is the end of it.\n\n</Takeaway>'
    expect([...typesIn(text).keys()]).toEqual([])
  })
})

describe("lists of names", () => {
  it("hold no commands, components and channels", () => {
    const { named } = factsOf("## Tools\n\n- Gearbox\n- `Lantern`\n- <Takeaway>\n- #ops\n")
    expect(named).toEqual([{ name: "Gearbox", type: "product" }])
  })
})

describe("tags", () => {
  it.each([
    ["About #pumps and #valves/ball.", ["pumps", "valves/ball"]],
    ["Ask in the #ops-north channel.", []],
    ["Ask in the #ops Slack channel, see #pumps.", ["pumps"]],
    ["Slack: #ops", []],
    ["The channels are #ops and #dev", []],
    ["It is on Slack. #pumps", ["pumps"]]
  ])("of %s are %j", (source, tags) => {
    expect(withBodyFields(noFrontMatter, parseMarkdown(source, 0)).tags).toEqual(tags)
  })
})
