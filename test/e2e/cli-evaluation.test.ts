import { mkdirSync, readFileSync, writeFileSync } from "node:fs"
import { join } from "node:path"
import { describe, expect, it } from "vitest"
import { folder, kanon, vault, write } from "../support/cli.js"

const lines = (items: ReadonlyArray<object>) =>
  `\uFEFF${items.map((item) => JSON.stringify(item)).join("\n")}\n`
const longId = `https://example.org/${"very-long-".repeat(11)}7`

/** A collection with what is odd in public ones. */
const collection = () => {
  const made = folder()
  mkdirSync(join(made, "qrels"))
  const birds = [
    "heron fishes in water",
    "kestrel hunts voles",
    "osprey dives for fish",
    "wren nests in hedges"
  ]
  const ids = ["ghost/heron/1", longId, "osprey", "wren"]
  writeFileSync(
    join(made, "corpus.jsonl"),
    lines(birds.map((text, at) => ({ _id: ids[at], title: "", text: `The ${text}.` })))
  )
  writeFileSync(
    join(made, "queries.jsonl"),
    lines([
      { _id: "q 1", text: "Which bird hunts voles?" },
      { _id: "osprey", text: "The osprey dives for fish." },
      { _id: "empty", text: "  " },
      { _id: "bad", text: "Which bird is unlike the others?" }
    ])
  )
  const qrels = [
    ["q 1", longId, "1.0"],
    ["q 1", "wren", "-2"],
    ["osprey", "ghost/heron/1", "1"],
    ["osprey", "gone", "1"],
    ["empty", "wren", "1"],
    ["bad", "wren", "-2"]
  ]
  writeFileSync(
    join(made, "qrels", "test.tsv"),
    `\uFEFFquery-id\tcorpus-id\tscore\n${qrels.map((row) => row.join("\t")).join("\n")}\n`
  )
  return made
}

describe("a bench of a collection as researchers bring it", () => {
  const made = collection()
  const bench = (...words: ReadonlyArray<string>) =>
    kanon(["bench-retrieval", "--collection", made, "--channels", "fts", ...words])

  it("names judged documents that the corpus lacks, and goes no further", () => {
    const { status, stderr } = bench("--output", join(made, "none"))
    expect(status).toBe(1)
    expect(stderr).toMatch(/The corpus lacks 1 judged document \(gone\)\. --allow-missing goes on/)
  })

  it("takes its ids and grades, and tells what it skipped", () => {
    const output = join(made, "results")
    const { status, stderr, stdout } = bench(
      "--output",
      output,
      "--rrf-k",
      "60",
      "--demotion",
      "yes,no",
      "--allow-missing"
    )
    expect({ status, stderr }).toMatchObject({ status: 0 })
    expect(stderr).toMatch(/Skipped 1 topic \(empty\) whose question is empty\./)
    expect(stderr).toMatch(/Skipped 1 topic \(bad\) without a relevant document\./)
    expect(stderr).toMatch(/The corpus lacks 1 judged document \(gone\); they count as not found\./)
    expect(stdout).toMatch(
      /\| baseline \| run \| difference \| interval low \| interval high \| p \| p corrected \|/
    )
    const topics = readFileSync(join(output, "topics.csv"), "utf8").split("\n")
    expect(topics[0]).toBe("run,topic,ndcg@10,ap,rr,recall@100,p@10,judged@10")
    // Found at rank 1, though its id has slashes and 131 characters.
    expect(topics.find((line) => line.startsWith("fts,q 1,"))).toMatch(/^fts,q 1,1,1,1,1,/)
    // The query's own document comes first; one of two relevant documents is missing.
    expect(topics.find((line) => line.startsWith("fts,osprey,"))).toMatch(/^fts,osprey,0\.\d+,/)
    expect(readFileSync(join(output, "results.csv"), "utf8")).toMatch(/ndcg@10 p corrected\n/)
    expect(readFileSync(join(output, "results.tex"), "utf8")).toContain("p corrected")
    expect(readFileSync(join(output, "fts.run"), "utf8")).toContain(`q%201 Q0 ${longId} 1 `)
    const manifest = JSON.parse(readFileSync(join(output, "manifest.json"), "utf8"))
    expect(manifest.collection).toMatchObject({
      topics: 2,
      missing: ["gone"],
      skipped: { emptyQuery: ["empty"], noQuery: [], noRelevant: ["bad"] }
    })
  })

  it("leaves the query's own document out when it is told to", () => {
    const output = join(made, "identical")
    expect(bench("--output", output, "--allow-missing", "--ignore-identical-ids").status).toBe(0)
    const run = readFileSync(join(output, "fts.run"), "utf8")
    expect(run).not.toContain("osprey Q0 osprey ")
    expect(run).toContain("q%201 Q0 ")
  })
})

describe("judgments and gates over the command line", () => {
  const notes = vault({
    "birds/heron.md": "# Heron\n\nThe heron fishes in water.\n",
    "wren.md": "# Wren\n\nThe wren nests.\n"
  })
  const run = (...words: ReadonlyArray<string>) => kanon([...words, "--vault", notes])
  kanon(["ingest", "--vault", notes])
  const files = folder()
  write(files, {
    "judged.tsv":
      "\uFEFFquery-id\tcorpus-id\tscore\nq 1\tbirds/heron.md\t1.0\nq 1\twren.md\t-2\nempty\twren.md\t1\nq2\tgone.md\t1\nq2\twren.md\t1\n",
    "queries.jsonl": lines([
      { _id: "q 1", text: "What fishes in water?" },
      { _id: "empty", text: "" },
      { _id: "q2", text: "What nests?" }
    ])
  })
  const judged = ["qrels", "import", join(files, "judged.tsv"), "--format", "beir", "--set", "birds"] as const
  const withQueries = [...judged, "--queries", join(files, "queries.jsonl")] as const

  it("name missing documents and empty questions, and take odd grades and ids", () => {
    const refused = run(...withQueries)
    expect(refused).toMatchObject({
      status: 1,
      stderr: expect.stringMatching(/lacks 1 judged document \(gone\.md\)/)
    })
    const taken = run(...withQueries, "--allow-missing")
    expect(taken).toMatchObject({ status: 0, stdout: expect.stringMatching(/^3 created/) })
    expect(taken.stderr).toMatch(/Left out 1 judged document \(gone\.md\)\./)
    expect(taken.stderr).toMatch(/Skipped 1 topic \(empty\) whose question is empty\./)
    const { items } = JSON.parse(run("qrels", "list", "--set", "birds", "--json").stdout)
    expect(
      items.map(({ grade, queryId }: Readonly<Record<string, unknown>>) => [queryId, grade]).sort()
    ).toEqual([
      ["q%201", 0],
      ["q%201", 1],
      ["q2", 1]
    ])
  })

  it("refuse vectors alone where there are none", () => {
    const { status, stderr } = run("eval", "run", "--set", "birds", "--channels", "vector")
    expect(status).toBe(2)
    expect(stderr).toMatch(/no vectors: it has \d+ passages, and built-in vectors need \d+/)
  })

  it("do not ask a gate of an index that files have overtaken", () => {
    const first = run("eval", "run", "--set", "birds", "--json")
    const { id } = JSON.parse(first.stdout).eval
    const gate = ["eval", "run", "--set", "birds", "--baseline", id, "--fail-below", "ndcg@10=-0.9"] as const
    expect(run(...gate).status).toBe(0)
    write(notes, { "new.md": "# New\n\nA new note.\n" })
    const stale = run(...gate)
    expect(stale).toMatchObject({
      status: 2,
      stderr: expect.stringMatching(/The gate was not asked: 1 file has changed since the last ingest/)
    })
  })
})
