import type { Neighborhood, RelationPage } from "../../core/knowledge/graph/index.js"
import { operations } from "../../core/operations.js"
import type { DuplicatePage } from "../../core/upkeep/overview/index.js"
import { group, operationCommand } from "./command.js"
import { curationCommands, entity, entityId } from "./curation.js"
import { dayOf, factLines, listing, listOf, tableOf, wordsOf } from "./tables.js"
import { paint, proseColumns } from "./terminal.js"
import { cleanLine, counted, wrap } from "./text.js"

const list = operationCommand("list", operations.listEntities, {
  description: "List entities, the most central first.",
  print: (page) =>
    listOf(
      ["entity", "entities"],
      page.entities,
      page,
      ["name", "type", ["rank", ({ pagerank }) => pagerank?.toFixed(5)], "id"],
      { shrink: ["name", "type"], right: ["rank"] }
    )
})

const show = operationCommand("show", operations.getEntity, {
  description: "Show one entity with its curation.",
  arguments: { id: entity },
  flags: { asOf: { placeholder: "DAY" } },
  print: ({ aliases, curation, description, id, name, origin, type }) =>
    [
      `${paint.bold(cleanLine(name))} ${paint.dim(cleanLine(type))}`,
      ...(description === null ? [] : [wrap(cleanLine(description), proseColumns())]),
      ...factLines([
        ["also called", aliases.map(cleanLine).join(", ")],
        ["authority", wordsOf(curation.authority)],
        ["life cycle", wordsOf(curation.lifecycleStatus)],
        ["origin", wordsOf(origin)],
        ["owner", cleanLine(curation.ownerId ?? "")],
        ["reviewed", dayOf(curation.lastReviewedAt)],
        ["replaced by", curation.supersededBy],
        ["found in", curation.sourceRefs.length === 0 ? "" : counted(curation.sourceRefs.length, "passage")],
        ["id", id]
      ])
    ].join("\n")
})

const neighborhood = operationCommand("neighborhood", operations.getNeighborhood, {
  description: "Show what an entity is related to.",
  arguments: { id: entity },
  flags: {
    asOf: { placeholder: "DAY" },
    depth: { description: "Number of steps" },
    perHopCap: { description: "Maximum number of neighbours of one entity" },
    totalCap: { description: "Maximum number of entities" }
  },
  print: (found) => describeNeighborhood(found)
})

const describeNeighborhood = ({ edges, entity: center, nodes, truncated }: Neighborhood): string => {
  const names = new Map<string, string>(nodes.map(({ id, name }) => [id, name]))
  const rows = tableOf(
    edges,
    [
      ["from", ({ src }) => names.get(src) ?? src],
      ["relation", "type"],
      ["to", ({ dst }) => names.get(dst) ?? dst],
      ["passages", "mentionCount"]
    ],
    {
      shrink: ["from", "relation", "to"],
      right: ["passages"],
      paint: { relation: paint.cyan, to: (cell) => cell }
    }
  )
  return [
    `${paint.bold(cleanLine(center.name))} ${paint.dim(cleanLine(center.type))}  ${paint.dim(counted(center.mentionCount, "mention"))}`,
    "",
    edges.length === 0 ? "No relations." : rows,
    "",
    paint.dim(
      `${counted(nodes.length, "entity", "entities")}, ${counted(edges.length, "relation")}` +
        (truncated ? "; there are more: raise --per-hop-cap or --total-cap" : "")
    )
  ].join("\n")
}

const duplicates = operationCommand("duplicates", operations.listDuplicates, {
  description: "List pairs of entities that may be duplicates, with the reasons; merges nothing.",
  flags: {
    id: {
      name: "entity",
      placeholder: "ID-OR-NAME",
      description: "Only pairs with this entity.",
      resolve: entityId
    },
    minScore: { description: "Minimum score of a pair" }
  },
  print: (page) => describeDuplicates(page)
})

const describeDuplicates = (page: DuplicatePage): string => {
  const pairs = page.items.map(({ duplicate, head, reasons, score }) =>
    [
      `${paint.bold(score.toFixed(2))}  ${cleanLine(head.name)} ${paint.dim(`(${cleanLine(head.type)})`)} = ${cleanLine(duplicate.name)} ${paint.dim(`(${cleanLine(duplicate.type)})`)}`,
      ...reasons.map(({ detail }) => `      ${cleanLine(detail)}`),
      paint.dim(`      kanon entities merge ${duplicate.id} ${head.id}`)
    ].join("\n")
  )
  return listing(pairs.join("\n"), page, page.items.length, "likely duplicate")
}

const mentions = operationCommand("mentions", operations.listMentions, {
  description: "List where an entity is mentioned, with the words.",
  flags: {
    entityId: {
      name: "entity",
      placeholder: "ID-OR-NAME",
      description: "The entity.",
      resolve: entityId
    },
    docId: { name: "document", placeholder: "ID", description: "Only in this document." }
  },
  print: (page) =>
    listOf(["mention", "mentions"], page.items, page, ["name", ["document", "docPath"], ["words", "quote"]], {
      shrink: ["words", "document"]
    })
})

const describeRelations = (page: RelationPage, { offset }: { readonly offset: number }): string => {
  const shown = page.items.map(({ dstName, evidence, id, mentionCount, origin, srcName, type }) =>
    [
      `${paint.bold(cleanLine(srcName))} ${paint.cyan(cleanLine(type))} ${paint.bold(cleanLine(dstName))}  ${paint.dim(`${wordsOf(origin)}, ${counted(mentionCount, "passage")}, ${id}`)}`,
      ...evidence.map(({ docId, quote }) => `      ${cleanLine(quote)}  ${paint.dim(docId ?? "")}`)
    ].join("\n")
  )
  return listing(shown.join("\n"), { total: page.total, offset }, page.items.length, "relation")
}

export const relationCommands = group(
  "relations",
  "How entities are related, with the sentences and links that say so.",
  [
    operationCommand("list", operations.listRelations, {
      description: "List relations with their evidence.",
      flags: {
        entityId: {
          name: "entity",
          placeholder: "ID-OR-NAME",
          description: "Only relations of this entity.",
          resolve: entityId
        },
        type: { description: "Only of this type" },
        origin: { description: "Only of this origin" }
      },
      print: describeRelations
    })
  ],
  "list"
)

export const entityCommands = group("entities", "What the documents are about.", [
  list,
  show,
  neighborhood,
  mentions,
  duplicates,
  ...curationCommands
])
