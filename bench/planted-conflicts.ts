import { readFileSync } from "node:fs"
import { z } from "zod"
import { findConflicts } from "../core/answers/conflicts/conflicts.js"
import { declaredStanding } from "../core/answers/conflicts/index.js"
import { makeEvidence } from "../core/answers/evidence/evidence.js"
import type { PolicyBlock } from "../core/answers/policy/index.js"
import type { Passage } from "../core/files/documents/index.js"
import { chunkDocument } from "../core/files/markdown/chunk.js"
import { parseFrontMatter } from "../core/files/markdown/front-matter.js"
import { parseMarkdown } from "../core/files/markdown/parse-markdown.js"
import { readQuestion } from "../core/language/questions/index.js"
import { analyse } from "../core/language/tokenization/index.js"
import { ChunkId, DocumentId } from "../core/platform/kernel/index.js"
import { Settings } from "../core/platform/workspace/index.js"

const Decoy = z.object({ question: z.string(), sources: z.array(z.string()), why: z.string() })
const Planted = Decoy.omit({ why: true }).extend({ kind: z.string() })
const demo = (path: string): string => readFileSync(new URL(`../demo/${path}`, import.meta.url), "utf8")

/** Pages of the demonstration vault that contradict each other, and some that only look so. */
export const planted = z
  .object({ conflicts: z.array(Planted), decoys: z.array(Decoy) })
  .parse(JSON.parse(demo("conflicts.json")))

type Conflict = PolicyBlock["conflicts"][number]

/** Returns all conflicts found in the named pages, the planted one and any other. */
export const plantedFindings = (one: {
  readonly question: string
  readonly sources: ReadonlyArray<string>
  readonly kind?: string
}) => {
  const passages = one.sources.flatMap(passagesOf)
  const evidence = makeEvidence({
    question: readQuestion(one.question, analyse),
    passages,
    idf: () => 1,
    analyse
  })
  const pathOf = (id: string) => evidence.sources.find((source) => source.id === id)?.passage.docPath
  const documents = new Map(passages.map((passage) => [passage.documentId, declaredOf(passage.docPath)]))
  const all = findConflicts(evidence, [], { entities: [], documents })
  const isPlanted = ({ kind, sides }: Conflict): boolean =>
    kind === one.kind && one.sources.every((path) => sides.some(({ sourceId }) => pathOf(sourceId) === path))
  const others = all.filter((conflict) => !isPlanted(conflict))
  return { all, isFound: all.some(isPlanted), others }
}

const declaredOf = (path: string) =>
  declaredStanding(parseFrontMatter(demo(`vault/${path}`)).frontMatter.other)

const { chunking } = Settings.parse({})

const passagesOf = (path: string): ReadonlyArray<Passage> => {
  const text = demo(`vault/${path}`)
  const front = parseFrontMatter(text)
  const name = [...path].reduce((sum, char) => (sum * 31 + char.charCodeAt(0)) % 1e9, 7)
  return chunkDocument(parseMarkdown(text, front.bodyStart), chunking).map((chunk, ordinal) => ({
    id: ChunkId.parse(`chk_${(name * 100 + ordinal).toString().padStart(26, "0")}`),
    documentId: DocumentId.parse(`doc_${name.toString().padStart(26, "0")}`),
    label: name * 100 + ordinal,
    ordinal,
    headingPath: chunk.headingPath,
    text: chunk.text,
    start: chunk.start,
    end: chunk.end,
    docTitle: front.frontMatter.title ?? path,
    docPath: path,
    docVerification: "unverified",
    docUpdatedAt: "2026-01-01T00:00:00.000Z"
  }))
}
