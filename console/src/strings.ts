/** Every text of the console. Sections follow the pages; functions fill in numbers and names. */
import type { KeyScope } from "../../server/client/index.js"

const number = new Intl.NumberFormat()
/** A number as people of this browser write it. */
export const formatNumber = (value: number): string => number.format(value)
/** `1 document`, `2 documents`. */
export const counted = (count: number, one: string, many: string): string =>
  `${formatNumber(count)} ${count === 1 ? one : many}`

export const strings = {
  product: "Kanon",
  skip: "Skip to the content",
  loading: "Loading…",
  nav: {
    label: "Main",
    groups: { ask: "Ask", knowledge: "Knowledge", governance: "Governance", work: "Automation" },
    ask: "Ask",
    search: "Search",
    documents: "Documents",
    entities: "Entities",
    graph: "Graph",
    requests: "Requests",
    inbox: "Inbox",
    decisions: "Decisions",
    audit: "Audit",
    jobs: "Jobs",
    data: "Data",
    agents: "Agents",
    evaluation: "Evaluation",
    connectors: "Connectors",
    reports: "Reports",
    settings: "Settings",
    menu: "Menu",
    closeMenu: "Close the menu"
  },
  shell: {
    workspace: "Workspace",
    signOut: "Sign out",
    signedInAs: (name: string) => `Signed in as ${name}`,
    withKey: "Signed in with a key",
    theme: "Theme",
    themes: { system: "As the system", light: "Light", dark: "Dark" },
    palette: "Search or go to…",
    notFound: "There is no such page.",
    notFoundHint: "The address may be mistyped, or the page has moved.",
    toAsk: "Go to Ask",
    inboxCount: (count: number) => counted(count, "thing waits for you", "things wait for you")
  },
  actions: {
    cancel: "Cancel",
    close: "Close",
    save: "Save",
    delete: "Delete",
    edit: "Edit",
    undo: "Undo",
    retry: "Try again",
    refresh: "Refresh",
    copy: "Copy",
    copied: "Copied",
    more: "More",
    back: "Back",
    clear: "Clear",
    apply: "Apply",
    create: "Create",
    show: "Show",
    hide: "Hide"
  },
  reasons: {
    scope: (scope: KeyScope) =>
      `Your access does not include ${scope}. Ask an administrator of this workspace.`,
    noMember:
      "This session belongs to a key without a member. Only a signed-in owner or steward may decide this.",
    busy: "This is being done already."
  },
  errors: {
    requestId: "Request",
    unknown: "Something went wrong in this page.",
    network: "The server cannot be reached. Check your connection; what you typed is still here.",
    timeout: "The server took too long to answer. Try again.",
    crashed: "This page stopped working.",
    reload: "Load the page again",
    byCode: {
      unauthorized: "You are signed out. Sign in to continue.",
      csrf: "The server refused this because it did not come from this console. Load the page again.",
      workspace_forbidden: "You have no access to this workspace.",
      insufficient_scope: "Your access does not include this.",
      not_found: "It does not exist, or it was deleted.",
      database_unavailable: "The database does not answer at the moment. Try again in a little while.",
      model_unavailable: "The model does not answer at the moment. Try again in a little while.",
      "no-model-configured": "This workspace has no chat model. Choose one in Settings, Models.",
      shutting_down: "The server is being restarted. Try again in a few seconds.",
      insecure_connection: "Signing in needs HTTPS beyond this machine.",
      too_many_requests: "Too many requests at once. Wait a moment and try again."
    } as Readonly<Record<string, string>>
  },
  empty: { title: "Nothing here yet" },
  apiCall: {
    title: "As an API call",
    curl: "curl",
    client: "kanon/client"
  },
  time: {
    never: "never",
    unknown: "unknown"
  },
  signIn: {
    title: "Sign in to Kanon",
    again: "Sign in again",
    againHint: "Your session has ended. Nothing on this page is lost.",
    key: "Key",
    keyHint:
      "A user key (svc_uk_…) signs you in as its owner. A workspace key (svc_sk_…) can read and work, but not approve.",
    submit: "Sign in",
    oidc: "Sign in with your organisation",
    or: "or",
    linkUsed:
      "This link has been used or has expired. Run “kanon console” again for a new one, or sign in with a key.",
    failed: "This key is not known, or it has expired.",
    problem: "Signing in does not work here",
    errors: (code: string) => `Signing in did not work (${code}). Try again.`
  },
  standing: {
    unverified: "Unverified",
    verified: "Verified",
    certified: "Certified",
    deprecated: "Deprecated",
    overdue: "Review overdue"
  },
  authority: {
    machine_extracted: "Machine-extracted",
    asserted: "Asserted",
    curated: "Curated",
    certified: "Certified"
  },
  palette: {
    title: "Go to",
    placeholder: "A page, a document, an entity, or a question…",
    empty: "Nothing matches.",
    pages: "Pages",
    documents: "Documents",
    entities: "Entities",
    askThis: (question: string) => `Ask “${question}”`,
    searchThis: (words: string) => `Search for “${words}”`,
    actions: "Actions"
  },
  ask: {},
  search: {},
  documents: {},
  entities: {},
  graph: {},
  requests: {},
  inbox: {},
  decisions: {},
  audit: {},
  jobs: {},
  data: {},
  agents: {},
  evaluation: {},
  connectors: {},
  reports: {},
  settings: {}
} as const
