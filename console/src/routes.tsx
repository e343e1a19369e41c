import { lazy } from "react"
import type { PageRoute } from "./page-route.js"
import type { strings } from "./strings.js"

/** An entry of the navigation; `name` is in `data-testid` as `nav-NAME`. */
export interface NavItem {
  readonly name: keyof typeof strings.nav & string
  readonly href: string
  /** Paths below it that belong to it, too. */
  readonly also?: ReadonlyArray<string>
}

const page = (load: () => Promise<{ readonly default: PageRoute["page"] }>) => lazy(load)

const ask = page(() => import("./pages/ask/index.js"))
const documents = page(() => import("./pages/documents/index.js"))
const entities = page(() => import("./pages/entities/index.js"))
const graph = page(() => import("./pages/graph/index.js"))
const requests = page(() => import("./pages/requests/index.js"))
const decisions = page(() => import("./pages/decisions/index.js"))

/** The first that fits is shown. Each page is loaded when it is first opened. */
export const routes: ReadonlyArray<PageRoute> = [
  { path: "/", page: ask },
  { path: "/answers/:id", page: ask },
  { path: "/search", page: page(() => import("./pages/search/index.js")) },
  { path: "/documents/:id?", page: documents },
  { path: "/entities/:id?", page: entities },
  { path: "/graph/:id?", page: graph },
  { path: "/requests/:id?", page: requests },
  { path: "/inbox", page: page(() => import("./pages/inbox/index.js")) },
  { path: "/decisions/:id?", page: decisions },
  { path: "/audit", page: page(() => import("./pages/audit/index.js")) },
  { path: "/jobs", page: page(() => import("./pages/jobs/index.js")) },
  { path: "/data", page: page(() => import("./pages/data/index.js")) },
  { path: "/agents/:slug?", page: page(() => import("./pages/agents/index.js")) },
  { path: "/runs/:id", page: page(() => import("./pages/runs/index.js")) },
  { path: "/evals/:id?", page: page(() => import("./pages/evaluation/index.js")) },
  { path: "/connectors/:id?", page: page(() => import("./pages/connectors/index.js")) },
  { path: "/reports/:id?", page: page(() => import("./pages/reports/index.js")) },
  { path: "/settings/:section?", page: page(() => import("./pages/settings/index.js")) }
]

export const navigation: ReadonlyArray<{
  readonly title: keyof typeof strings.nav.groups
  readonly items: ReadonlyArray<NavItem>
}> = [
  {
    title: "ask",
    items: [
      { name: "ask", href: "/", also: ["/answers"] },
      { name: "search", href: "/search" }
    ]
  },
  {
    title: "knowledge",
    items: [
      { name: "documents", href: "/documents" },
      { name: "entities", href: "/entities" },
      { name: "graph", href: "/graph" },
      { name: "connectors", href: "/connectors" }
    ]
  },
  {
    title: "governance",
    items: [
      { name: "inbox", href: "/inbox" },
      { name: "requests", href: "/requests" },
      { name: "decisions", href: "/decisions" },
      { name: "audit", href: "/audit" },
      { name: "reports", href: "/reports" }
    ]
  },
  {
    title: "work",
    items: [
      { name: "agents", href: "/agents", also: ["/runs"] },
      { name: "data", href: "/data" },
      { name: "evaluation", href: "/evals" },
      { name: "jobs", href: "/jobs" },
      { name: "settings", href: "/settings" }
    ]
  }
]
