import { counted, formatNumber, type Words } from "../../language.js"
import type { englishGraph } from "../graph.js"

export const graph: Words<typeof englishGraph> = {
  title: "Graph",
  lead: "Bei einer Entität beginnen und ihre Beziehungen aufklappen. Die Liste zeigt dasselbe.",
  start: "Bei einer Entität beginnen",
  hubs: "Zentrale Entitäten",
  hubsHint: "Die Entitäten, auf die am meisten verweist.",
  empty: "Noch kein Graph",
  emptyHint: "Entitäten und Beziehungen werden in Dokumenten gefunden. Zuerst Dokumente hinzufügen.",
  toDocuments: "Dokumente hinzufügen",
  canvas: (name, nodes, edges) =>
    `Graph um ${name}: ${counted(nodes, "Entität", "Entitäten")} und ${counted(edges, "Beziehung", "Beziehungen")}. Die Liste zeigt dasselbe.`,
  shown: (nodes, edges) =>
    `${counted(nodes, "Entität", "Entitäten")}, ${counted(edges, "Beziehung", "Beziehungen")}`,
  truncated: "Nicht alles ist zu sehen: Beim Aufklappen einer Entität erscheinen mehr ihrer Beziehungen.",
  views: { graph: "Graph", list: "Liste" },
  depth: "Schritte",
  filters: "Filter",
  types: "Arten",
  relations: "Beziehungen",
  authority: "Verlässlichkeit",
  clearFilter: "Alles zeigen",
  fit: "Einpassen",
  keys: "Pfeiltasten gehen von Entität zu Entität, Eingabe klappt auf, + und − zoomen, 0 passt ein.",
  expand: "Aufklappen",
  expandLabel: (name) => `${name} aufklappen`,
  expanded: (name, added) => `${name}: ${counted(added, "Entität", "Entitäten")} hinzugekommen.`,
  open: "Öffnen",
  center: "Hier beginnen",
  path: "Weg",
  pathFrom: "Weg von hier",
  pathTo: "Weg hierher",
  pathSet: (name) => `Der Weg beginnt bei ${name}. Jetzt das Ende wählen.`,
  noPath: "Zwischen den gezeigten Entitäten gibt es keinen Weg. Mehr davon aufklappen.",
  pathOf: (steps) => counted(steps, "Schritt", "Schritte"),
  clearPath: "Weg entfernen",
  mentions: (count) => counted(count, "Erwähnung", "Erwähnungen"),
  degree: (count) => counted(count, "Beziehung", "Beziehungen"),
  documents: "Dokumente",
  columns: {
    name: "Entität",
    type: "Art",
    authority: "Verlässlichkeit",
    relations: "Beziehungen",
    actions: "Aktionen"
  },
  more: (count) => `und ${formatNumber(count)} weitere`,
  choose: "Eine Entität wählen, um mehr zu sehen."
}
