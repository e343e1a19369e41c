import { readFileSync } from "node:fs"
import { describe, expect, it } from "vitest"
import { english, englishFiles, german, textsOf } from "../../browser/console-words.js"

/** Names, units and words that both languages write alike. */
const alike = new Set(
  `Kanon|Graph|curl|kanon/client|System|Version 1|Version 2|Original|MediaWiki|Confluence|WebDAV|Slack|GitHub|Jira Cloud
  |Wiki|Version|Text in Markdown|Bucket|Region|Branch|Sitemap|Name|Text|Parameter|Plan|Host|Port|Agent|Live|Budgets|p (Holm)|95 %|feedback|Uploads
  |nDCG@10|MRR|MAP|AP|RR|Link|Chat|Edge|Opera|Safari|Filter|Definition|1: 1|2: 2|1 ms|2 ms|1–1 %|2–2 %`
    .split("|")
    .map((one) => one.trim())
)

const pathsOf = (sections: Record<string, unknown>): ReadonlyArray<string> =>
  textsOf(sections)
    .map(({ path }) => path)
    .sort()

describe("the texts of the console", () => {
  it("have the same keys in each language", () => {
    expect(pathsOf(german)).toEqual(pathsOf(english))
  })

  it("are taken from a section that each language has", () => {
    const sources = englishFiles.map((file) => readFileSync(file, "utf8")).join("\n")
    const taken = [...sources.matchAll(/inLanguage\("(\w+)"/g)].map(([, name]) => name)
    expect(taken.toSorted()).toEqual(Object.keys(german).toSorted())
  })

  it("are translated: no German one is the English one, apart from names and words that are alike", () => {
    const englishTexts = new Map(textsOf(english).map(({ path, text }) => [path, text]))
    const same = textsOf(german).filter(
      ({ path, text }) => text.trim() === "" || (englishTexts.get(path) === text && !alike.has(text))
    )
    expect(same).toEqual([])
  })

  it("use the quotation marks of their language", () => {
    const foreign = textsOf(german).filter(({ text }) => /[“"]/.test(text.replaceAll(/„[^“]*“/g, "")))
    expect(foreign).toEqual([])
  })
})
