// Shows how files of judged collections are read: fields, columns, forms, and what stands twice.
import { mkdirSync, writeFileSync } from "node:fs"
import { dirname, join } from "node:path"
import { describe, expect, it } from "vitest"
import { collectionFiles, documentsOf, qrelsOf, queriesOf } from "../../../server/cli/bench-collection.js"
import { writeVault } from "../../../server/cli/bench-workspace.js"
import { parseQrels, parseTopics } from "../../../server/cli/qrels-files.js"
import { temporaryFolder } from "../../support/folders.js"

const folder = temporaryFolder("collections")
let files = 0
const fileOf = (name: string, text: string): string => {
  const file = join(folder, `${files++}`, name)
  mkdirSync(dirname(file), { recursive: true })
  writeFileSync(file, text)
  return file
}
const json = (value: object) => `${JSON.stringify(value)}\n`
const documents = async (...lines: ReadonlyArray<object>) => {
  const found: Array<unknown> = []
  for await (const one of documentsOf(fileOf("corpus.jsonl", lines.map(json).join("")))) found.push(one)
  return found
}
const judged = async (text: string, name = "qrels.txt") =>
  [...(await qrelsOf(fileOf(name, text))).qrels].flatMap(([topic, grades]) =>
    [...grades].map(([document, grade]) => `${topic} ${document} ${grade}`)
  )

describe("a document of a corpus", () => {
  it.each(["text", "body", "contents", "content", "segment", "passage", "abstract"])(
    "has its text in the field %s",
    async (field) => {
      expect(await documents({ id: "d1", [field]: "The heron eats fish." })).toEqual([
        { id: "d1", title: "", text: "The heron eats fish." }
      ])
    }
  )
  it.each(["_id", "id", "docid", "doc_id", "pid"])("has its id in the field %s", async (field) => {
    expect(await documents({ [field]: 7, title: "Heron", text: null })).toEqual([
      { id: "7", title: "Heron", text: "" }
    ])
  })
  it("ends the reading where its text or its id is in no known field, with the line and its fields", async () => {
    await expect(documents({ id: "d1", text: "a" }, { id: "d2", title: "T", prose: "b" })).rejects.toThrow(
      /^Line 2 has no text of a document: it has the fields id, title, prose\./u
    )
    await expect(documents({ key: "d1", text: "a" })).rejects.toThrow(
      /^Line 1 has no id of a document: it has the fields key, text\./u
    )
  })
  it("is taken once where its id stands twice, and the others are named", async () => {
    const corpus = fileOf("corpus.jsonl", [1, 2, 1].map((id) => json({ id, text: `t${id}` })).join(""))
    const written = await writeVault(corpus, join(folder, "vault"))
    expect(written).toMatchObject({ documents: 2, repeated: ["1"] })
  })
})

describe("a question", () => {
  it.each([
    [json({ id: "q1", query: "fish" })],
    [json({ query_id: "q1", title: "fish", description: "What eats fish?" })],
    [json({ _id: "q1", text: "fish", title: "" })],
    ["q1\tfish\n"],
    ["<top>\n<num> Number: q1\n<title> fish\n<desc> Description:\nWhat eats fish?\n</top>\n"],
    ['<topics>\n<topic number="q1">\n<query>fish</query>\n</topic>\n</topics>\n']
  ])("is read from %s", async (text) => {
    expect([...(await queriesOf(fileOf("queries", text))).asked]).toEqual([["q1", "fish"]])
  })
  it("ends the reading where it has no known field or no tab, and is named where its id stands twice", async () => {
    await expect(queriesOf(fileOf("queries.jsonl", json({ id: "q1", prompt: "fish" })))).rejects.toThrow(
      /^Line 1 has no text of a question: it has the fields id, prompt\./u
    )
    expect(() => parseTopics(json({ id: "q1", prompt: "fish" }))).toThrow(/fields id, prompt/u)
    await expect(queriesOf(fileOf("queries.tsv", "q1 fish\n"))).rejects.toThrow(/Line 1/u)
    const { asked, repeated } = await queriesOf(fileOf("queries.tsv", "q1\ta\nq1\tb\n"))
    expect([[...asked], repeated]).toEqual([[["q1", "a"]], ["q1"]])
  })
})

const forms: ReadonlyArray<readonly [form: string, text: string]> = [
  ["TREC", "q1 0 d1 2\n"],
  ["TREC with tabs", "q1\t0\td1\t2\n"],
  ["three columns", "q1 d1 2\n"],
  ["BEIR", "query-id\tcorpus-id\tscore\nq1\td1\t2\n"],
  ["BEIR with a fourth column", "query-id\tcorpus-id\tscore\titeration\nq1\td1\t2\t1\n"],
  ["a header with underscores", "query_id doc_id relevance iteration\nq1 d1 2 1\n"],
  ["swapped columns", "score\tcorpus-id\tquery-id\n2\td1\tq1\n"],
  ["a probability behind the grade", "q1 0 d1 2 0.75\n"],
  ["a judge behind the grade", "q1\t0\td1\t2\tann\n"],
  ["a number behind the grade", "q1 0 d1 2 1\n"],
  ["JSON lines", json({ "query-id": "q1", "corpus-id": "d1", score: 2 })]
]

describe("judgments", () => {
  it.each(forms)("are read in the form of %s, by the bench and by the import", async (_, text) => {
    expect(await judged(text)).toEqual(["q1 d1 2"])
    expect(parseQrels(text).qrels).toEqual([{ queryId: "q1", document: "d1", grade: 2 }])
  })
  it("of a workspace may name a path with blanks, and are from 0 to 4", () => {
    expect(parseQrels("q1 0 my notes/n 1.md 16\nq1 0 b.md -2\n")).toEqual({
      qrels: [
        { queryId: "q1", document: "my notes/n 1.md", grade: 4 },
        { queryId: "q1", document: "b.md", grade: 0 }
      ],
      lowered: 1,
      raised: 1
    })
  })
  it("keep grades above 4 and below 0 in the bench, and name pairs that are judged twice", async () => {
    expect(await judged("q1 0 a 16\nq1 0 b -1\n")).toEqual(["q1 a 16", "q1 b -1"])
    const { qrels, repeated } = await qrelsOf(fileOf("qrels", "q1 0 a 1\nq1 0 a 2\n"))
    expect([qrels.get("q1")?.get("a"), repeated]).toEqual([2, ["q1 a"]])
  })
  it.each([
    ["q1 d1\n", /^Line 1 is no judgment/u],
    ["q1 0 d1 2\nq1 0 d1 much\n", /^Line 2 is no judgment/u],
    [json({ qid: "q1", note: "d1" }), /^Line 1 is no judgment: it has the fields qid, note/u],
    [
      "query-id\tcorpus-id\tscore\nq1\td1\t\n",
      /^Line 2 is no judgment: a column that the header names is empty/u
    ]
  ])("that cannot be read name their line: %s", async (text, message) => {
    await expect(judged(text)).rejects.toThrow(message)
    expect(() => parseQrels(text)).toThrow(message)
  })
  it("are found in a folder of splits, as tables or as JSON lines", () => {
    for (const name of ["qrels/test.jsonl", "qrels/train.tsv", "qrels/validation.jsonl"]) {
      const file = fileOf(name, "")
      expect(collectionFiles(dirname(dirname(file))).qrels).toBe(file)
    }
    const other = fileOf("qrels/other.csv", "")
    expect(collectionFiles(dirname(dirname(other))).qrels).toBeNull()
  })
})
