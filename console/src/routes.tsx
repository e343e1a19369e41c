import { lazy } from "react"
import type { KeyScope } from "../../server/client/index.js"
import { loadPage } from "./load-page.js"
import type { PageRoute } from "./page-route.js"
import type { strings } from "./strings.js"

/** An entry of the navigation; `name` is in `data-testid` as `nav-NAME`. */
export interface NavItem {
  readonly name: keyof typeof strings.nav & string
  readonly href: string
  /** Paths below it that belong to it, too. */
  readonly also?: ReadonlyArray<string>
  /** One of these opens the page; left out, everybody may. What a session may not open is not in the side bar. */
  readonly scopes?: ReadonlyArray<KeyScope>
}

const page = (load: () => Promise<{ readonly default: PageRoute["page"] }>) => lazy(() => loadPage(load))

const ask = page(() => import("./pages/ask/index.js"))
const documents = page(() => import("./pages/documents/index.js"))
const entities = page(() => import("./pages/entities/index.js"))
const graph = page(() => import("./pages/graph/index.js"))
const requests = page(() => import("./pages/requests/index.js"))
const decisions = page(() => import("./pages/decisions/index.js"))

/** The first that fits is shown. Each page is loaded when it is first opened. */
export const routes: ReadonlyArray<PageRoute> = [
  // One route: a conversation gets its address with its first question, and the page goes on.
  { path: /^\/(?:c\/(?<conversation>[^/]+)|answers\/(?<answer>[^/]+))?$/, page: ask },
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
  { path: "/connect", page: page(() => import("./pages/connect/index.js")) },
  { path: "/settings/:section?", page: page(() => import("./pages/settings/index.js")) }
]

/** Entries of the side bar. Groups with a name can be closed; the first has what a member needs every day. */
export const navigation: ReadonlyArray<{
  readonly title: keyof typeof strings.nav.groups | null
  readonly items: ReadonlyArray<NavItem>
}> = [
  {
    title: null,
    items: [
      { name: "ask", href: "/", also: ["/answers", "/c"] },
      { name: "search", href: "/search", scopes: ["kb:read"] },
      { name: "documents", href: "/documents", scopes: ["kb:read"] },
      { name: "entities", href: "/entities", scopes: ["kb:read", "runs:read"] },
      { name: "graph", href: "/graph", scopes: ["kb:read", "runs:read"] },
      { name: "inbox", href: "/inbox" },
      { name: "agents", href: "/agents", also: ["/runs"], scopes: ["kb:read", "runs:read", "agents:run"] },
      { name: "settings", href: "/settings" }
    ]
  },
  {
    title: "govern",
    items: [
      { name: "requests", href: "/requests", scopes: ["kb:read"] },
      { name: "decisions", href: "/decisions", scopes: ["kb:read", "runs:read"] },
      { name: "evaluation", href: "/evals", scopes: ["kb:read", "runs:read"] },
      { name: "reports", href: "/reports", scopes: ["reports:read"] },
      { name: "audit", href: "/audit", scopes: ["workspace:admin"] }
    ]
  },
  {
    title: "operate",
    items: [
      { name: "connectors", href: "/connectors", scopes: ["data:read"] },
      { name: "data", href: "/data", scopes: ["data:read"] },
      { name: "jobs", href: "/jobs", scopes: ["kb:read"] }
    ]
  }
]
