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
  verdicts: {
    answer: "Answered",
    answer_with_caveats: "Answered with caveats",
    clarify: "Has several readings",
    abstain_with_pointers: "Not answered"
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
  ask: {
    title: "Ask",
    heading: "What do you want to know?",
    lead: (workspace: string) =>
      `Answers come from the documents of ${workspace}, with the passages they rest on.`,
    label: "Question",
    placeholder: "Ask a question…",
    followUp: "Ask a follow-up…",
    submit: "Ask",
    stop: "Stop",
    newConversation: "New conversation",
    options: "Options",
    optionsActive: (count: number) => `Options (${count})`,
    maxSources: "Sources at most",
    includeData: "Use live data",
    folder: "Only in folder",
    tag: "Only with tag",
    verification: "Only with standing",
    anyVerification: "Any",
    policyMode: "Policy gate",
    policyModes: {
      "": "As the workspace sets it",
      off: "Off",
      shadow: "Judge, but answer always",
      enforce: "Enforce"
    },
    stages: {
      gather: "Searching the documents",
      select: "Choosing passages",
      gate: "Judging the question",
      generate: "Writing the answer",
      ground: "Checking each sentence",
      compare: "Comparing the sources",
      judge: "Deciding on the verdict"
    },
    stopped: "You stopped this question.",
    understood: (question: string) => `Understood as: ${question}`,
    readings: "Which one do you mean?",
    noSubject: "Name what the question is about.",
    why: "Why this answer?",
    reasons: "Reasons",
    rules: "Rules before the answer",
    passages: (chosen: number, found: number) =>
      `${formatNumber(chosen)} of ${counted(found, "passage", "passages")} chosen`,
    passageUsed: (id: string) => `used as ${id}`,
    passageUnused: "not used",
    withheld: "Left out, because nothing supports it",
    steps: "Time and cost",
    fired: "applies",
    passed: "passed",
    skipped: "skipped",
    decision: "Open the decision",
    noDecision: "The decision is kept only where the policy gate is on and your access includes it.",
    link: "Link to this answer",
    asked: "Asked",
    by: "by",
    model: (name: string) => `Written by ${name}`,
    cost: (usd: string) => `$${usd}`,
    indexing: (done: number, total: number) =>
      `New files are still being read (${formatNumber(done)} of ${formatNumber(total)}); the answer may be incomplete.`,
    feedback: "Was this helpful?",
    helpful: "Helpful",
    notHelpful: "Not helpful",
    thanks: "Thank you. It is kept with the answer.",
    feedbackNote: "What is wrong? A correction helps whoever keeps these documents.",
    feedbackSend: "Send",
    feedbackKept: (kind: string) => `Feedback: ${kind}`,
    history: "History",
    historyMine: "My questions",
    historyAll: "All questions",
    historySearch: "Find a question",
    historyEmpty: "No questions yet",
    historyEmptyHint: "What you ask appears here.",
    noAnswer: "This answer is no longer kept.",
    sources: "Sources"
  },
  source: {
    title: "Source",
    close: "Close the source",
    open: "Open the document",
    original: "Original",
    version: (version: number) => `Version ${version}`,
    changed: (current: number) => `The document has changed since; its current version is ${current}.`,
    data: "Live data",
    dataRows: (count: number, at: string) => `${counted(count, "row", "rows")}, read ${at}`,
    openData: "Open the call",
    missing: "The file cannot be read at the moment."
  },
  reasonWords: {
    no_evidence: "No passage speaks about this.",
    missing_subject: "The question does not say what it is about.",
    ambiguous_entity: (name: string) => `“${name}” can mean several things.`,
    unknown_term: (term: string) => `“${term}” stands nowhere in the documents.`,
    insufficient_evidence: "The passages hold too little of the question.",
    low_prior: "Questions like this one are rarely answered right.",
    confidence_floor: "The confidence is below the floor of this workspace.",
    threshold_uncertified: "The confidence is an estimate; this workspace has no calibration of its own.",
    judge_unavailable: "The judge model did not answer; rules decided alone.",
    model_abstained: "The model found no answer in the passages.",
    policy_off: "The policy gate was off."
  },
  search: {
    title: "Search",
    label: "Search the documents",
    placeholder: "Words, names, codes…",
    submit: "Search",
    folder: "Folder",
    tag: "Tag",
    verification: "Standing",
    any: "Any",
    rerank: "Reorder with a model",
    found: (count: number) => counted(count, "passage", "passages"),
    none: "Nothing was found",
    noneHint: "Try other words, or remove a filter.",
    start: "Search finds words, their forms, and passages of like meaning.",
    startHint: "Type what you look for. The best passages come first.",
    beside: "Show beside",
    channels: { fts: "words", vector: "meaning" },
    askInstead: "Ask this as a question"
  },
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
