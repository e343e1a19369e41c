import { setTimeout as pause } from "node:timers/promises"
import { expect } from "vitest"
import { z } from "zod"
import { CurationMeta } from "../../core/knowledge/entities/index.js"
import { DocumentLineage } from "../../core/upkeep/overview/index.js"
import type { ClockedServer } from "./clocked-server.js"
import { sure } from "./governed-vocabulary.js"
import { live } from "./independent-counts.js"
import type { ThesaurusConcept } from "./thesaurus.js"

const Refusal = z.object({ error: z.string() })
const Jobs = z.object({ items: z.array(z.object({ status: z.string(), error: z.string().nullable() })) })
const Entity = z.looseObject({ id: z.string(), description: z.string().nullable(), curation: CurationMeta })
const Answer = z.object({
  claims: z.array(z.object({ citations: z.array(z.string()) })),
  sources: z.array(z.object({ id: z.string(), docId: z.string(), snippet: z.string() }))
})

/** Calls of a governed vocabulary on a server, and what they have seen so far. */
export const governedCalls = (server: ClockedServer) => {
  /** The entity of each concept, by its IRI. */
  const ids = new Map<string, string>()
  const idOf = ({ iri }: ThesaurusConcept): string => sure(ids.get(iri))
  /** The report which all this touches, and how many answers cite it. */
  const seen = { touchedId: "", asked: 0 }

  const read = async <Output extends z.ZodType>(path: string, shape: Output): Promise<z.output<Output>> => {
    const { body, status } = await server.call("GET", path)
    expect([path, status]).toEqual([path, 200])
    return shape.parse(body)
  }
  const post = async <Output extends z.ZodType>(
    path: string,
    body: unknown,
    shape: Output,
    wanted = 200
  ): Promise<z.output<Output>> => {
    const answer = await server.call("POST", path, body)
    expect([path, answer.status, answer.status === wanted ? null : answer.body]).toEqual([path, wanted, null])
    return shape.parse(answer.body)
  }
  const refused = async (path: string, body: unknown, status: number, error: string) =>
    expect((await post(path, body, Refusal, status)).error).toBe(error)

  /** Waits until nothing is left to do. */
  const settled = async (): Promise<void> => {
    for (;;) {
      const { items } = await read("/jobs?limit=200", Jobs)
      expect(items.filter(({ status }) => status === "dead")).toEqual([])
      if (items.every(({ status }) => status === "succeeded")) return
      await pause(50)
    }
  }

  const entity = (concept: ThesaurusConcept) => read(`/entities/${idOf(concept)}`, Entity)
  const lineage = () => read(`/documents/${seen.touchedId}/lineage`, DocumentLineage)
  /** The document's lineage once recurring work has told that it is overdue: it looks every few seconds. */
  const lineageOverdue = async (): Promise<z.infer<typeof DocumentLineage>> => {
    for (;;) {
      const told = await lineage()
      if (told.audit.some(({ action }) => action === "document.overdue")) return told
      await pause(100)
    }
  }

  /** Asks, and notes whether the answer cites the report; gives how many answers do so now. */
  const ask = async (question: string): Promise<number> => {
    const { claims, sources } = await post("/query", { question }, Answer)
    const cited = new Set(claims.flatMap(({ citations }) => citations))
    if (sources.some(({ docId, id }) => docId === seen.touchedId && cited.has(id))) seen.asked += 1
    return seen.asked
  }

  /** All that a merge moves: what is around both, where they stand, what they are called, what every entity ranks. */
  const pictureOf = async (...these: ReadonlyArray<ThesaurusConcept>) => ({
    around: await Promise.all(
      these.map((one) => read(`/entities/${idOf(one)}/neighborhood?depth=2`, z.unknown()))
    ),
    mentions: await Promise.all(
      these.map((one) => read(`/mentions?entityId=${idOf(one)}&limit=200`, z.unknown()))
    ),
    called: await Promise.all(
      these.map(async (one) => {
        const { curation: _curation, ...rest } = await entity(one)
        return rest
      })
    ),
    ranks: server.rows(`select id, pagerank from entity where ${live} order by id`)
  })

  return { ids, seen, read, post, refused, settled, idOf, entity, lineage, lineageOverdue, ask, pictureOf }
}
