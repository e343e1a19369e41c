import { counted, formatNumber, inLanguage } from "../language.js"

export const englishGraph = {
  title: "Graph",
  lead: "Start from an entity and expand its relations. The list view shows the same data.",
  start: "Start from an entity",
  hubs: "Central entities",
  hubsHint: "The entities with the most incoming relations.",
  empty: "No graph yet",
  emptyHint: "Entities and relations are found in documents. Add documents first.",
  toDocuments: "Add documents",
  canvas: (name: string, nodes: number, edges: number) =>
    `Graph around ${name}: ${counted(nodes, "entity", "entities")} and ${counted(edges, "relation", "relations")}. The list view shows the same data.`,
  shown: (nodes: number, edges: number) =>
    `${counted(nodes, "entity", "entities")}, ${counted(edges, "relation", "relations")}`,
  truncated: "Not everything is shown: expand entities to see more of their relations.",
  views: { graph: "Graph", list: "List" },
  depth: "Steps",
  filters: "Filter",
  types: "Types",
  relations: "Relations",
  authority: "Authority",
  clearFilter: "Show everything",
  fit: "Fit",
  keys: "Arrow keys go from entity to entity, Enter expands, + and − zoom, 0 fits.",
  expand: "Expand",
  expandLabel: (name: string) => `Expand ${name}`,
  expanded: (name: string, added: number) =>
    `${name}: ${counted(added, "entity was", "entities were")} added.`,
  open: "Open",
  center: "Start here",
  path: "Path",
  pathFrom: "Path from here",
  pathTo: "Path to here",
  pathSet: (name: string) => `The path starts at ${name}. Choose where it ends.`,
  noPath: "There is no path between the entities shown. Expand more of them.",
  pathOf: (steps: number) => counted(steps, "step", "steps"),
  clearPath: "Clear the path",
  mentions: (count: number) => counted(count, "mention", "mentions"),
  degree: (count: number) => counted(count, "relation", "relations"),
  documents: "Documents",
  columns: {
    name: "Entity",
    type: "Type",
    authority: "Authority",
    relations: "Relations",
    actions: "Actions"
  },
  more: (count: number) => `and ${formatNumber(count)} more`,
  choose: "Select an entity to see its details."
}

export const graphText = inLanguage("graph", englishGraph)
