import type { Examiner } from "../kernel/index.js"

/** The kinds of what may be wrong with the graph. */
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

export type GraphExaminer = Examiner<keyof typeof graphFindings>
