import type { Inspector } from "../../platform/kernel/index.js"

/** Kinds of findings about the graph. */
export const graphFindings = {
  edges_differ: "difference",
  graph_behind: "remark",
  graph_cursor_ahead: "difference",
  graph_rows_stray: "difference",
  graph_unattended: "difference",
  mentions_differ: "difference",
  names_differ: "difference",
  ranks_behind: "remark",
  ranks_differ: "difference",
  readings_differ: "difference",
  relations_differ: "difference",
  surfaces_differ: "difference"
} as const

export type GraphInspector = Inspector<keyof typeof graphFindings>
