import { counted, formatNumber } from "../strings.js"

export const graphText = {
  title: "Graph",
  lead: "Start from an entity, expand what interests you. A list beside it says the same.",
  start: "Start from an entity",
  hubs: "Central entities",
  hubsHint: "Those that most relations point to.",
  empty: "There is no graph yet",
  emptyHint: "Entities and relations are found in documents. Add documents first.",
  toDocuments: "Add documents",
  canvas: (name: string, nodes: number, edges: number) =>
    `Graph around ${name}: ${counted(nodes, "entity", "entities")} and ${counted(edges, "relation", "relations")}. The list view says the same.`,
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
  pathSet: (name: string) => `A path begins at ${name}. Choose its end.`,
  noPath: "Among what is shown there is no path. Expand more.",
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
  choose: "Choose an entity to see more of it."
}
