export const settingsText = {
  title: "Settings",
  lead: "What this workspace does, with which models, and who may do what.",
  sections: {
    general: "General",
    policy: "Policy",
    models: "Models",
    keys: "Keys",
    members: "Members",
    sessions: "Sessions",
    retention: "Retention"
  },
  saved: "The settings were saved.",
  stale:
    "Somebody changed the settings meanwhile. They were read again; what you typed is still here. Compare and save again.",
  unchanged: "Nothing has changed.",
  general: {
    name: "Name of the workspace",
    review: "Days between reviews",
    cache: "Answer cache",
    cacheModes: { off: "Off", shadow: "Shadow: compare only", on: "On: give kept answers again" },
    gitignore: "Leave out what .gitignore names",
    caps: "Limits",
    cap: {
      agentSpendUsd: "US dollars for agents a month",
      activeRuns: "Runs at once",
      dataRows: "Rows of a query",
      dataBytes: "Bytes of a query",
      dataTimeoutMs: "Time of a query in ms"
    },
    budgets: "Budget of a run",
    usage: "This month",
    spend: "Spent by agents",
    of: "of",
    tokens: "Tokens",
    active: "Active runs"
  },
  policy: {
    mode: "Mode",
    modes: {
      off: "Off: no decisions are made or kept",
      shadow: "Shadow: decide and log, but change no answer",
      enforce: "Enforce: ask back or abstain where the evidence does not carry an answer"
    },
    thresholds: "Thresholds",
    threshold: {
      coverage: "Share of the question's words that passages must hold",
      cosine: "Least similarity (empty: none)",
      confidence: "Confidence to answer without caveat (empty: of the calibration)",
      floor: "Confidence below which it abstains"
    },
    unsupported: "Sentences that no source supports",
    unsupportedKinds: {
      "": "As usual (show)",
      show: "Show them, marked",
      withhold: "Leave them out, and say so"
    },
    keepQuestions: "Keep questions and answers in the log"
  },
  retention: {
    versionsPerDocument: "Versions kept of a document",
    answerDays: "Days that answers are kept (0: none)",
    decisionDays: "Days that decisions are kept",
    dataRowDays: "Days that rows of queries are kept",
    trashDays: "Days in the trash"
  },
  models: {
    roles: {
      chat: "Chat",
      judge: "Judge",
      embedding: "Embedding",
      reranker: "Reranker",
      extraction: "Extraction"
    },
    hints: {
      chat: "Writes answers and works as agent.",
      judge: "Checks what answers claim.",
      embedding: "Makes vectors. Another one embeds everything anew.",
      reranker: "Reorders results.",
      extraction: "Reads documents for the graph. Another one reads every document again."
    },
    server: "As the server was given",
    provider: "Provider",
    model: "Model",
    address: "Address (empty: the provider's own)",
    credential: "Key",
    credentialHint: "Stored sealed; it is never shown again.",
    kept: "One is stored. Leave it empty to keep it.",
    enabled: "Enabled",
    works: "in use",
    notInUse: "none",
    test: "Test",
    testing: "Asking…",
    fallback: "Fall back to the built-in model while the chat model is down",
    tested: {
      answered: (model: string, ms: number) => `${model} answered after ${ms} ms.`,
      failed: (model: string, error: string) => `${model}: ${error}`,
      builtIn: "No model is chosen; what is built in works."
    }
  },
  keys: {
    create: "New key",
    name: "Name",
    scopes: "Scopes",
    expires: "Expires",
    expiresNever: "never",
    secretTitle: "The new key",
    secretHint: "Copy it now: it is shown this once and stored only as a hash.",
    copy: "Copy",
    copied: "Copied",
    lastUsed: "last used",
    created: "created",
    revoke: "Revoke",
    revokeTitle: (name: string) => `Revoke the key “${name}”?`,
    revokeText: "Whatever uses it is refused from the next request on. This cannot be undone.",
    rotate: "Rotate",
    rotateTitle: (name: string) => `Rotate the key “${name}”?`,
    rotateText: "A new key with the same scopes takes its place; the old one stays good for an hour.",
    revoked: "Revoked",
    expired: "Expired",
    kinds: { workspace: "Workspace", user: "User" },
    states: { all: "All", active: "Active", revoked: "Revoked", expired: "Expired" },
    done: "The key was revoked.",
    tooMuch: "A key holds no more than yours: this scope is not among yours.",
    empty: "No keys",
    noScope: "Choose at least one scope."
  },
  members: {
    owned: "owns",
    stewarded: "stewards",
    overdue: "overdue reviews",
    admin: "Administrator",
    member: "Member",
    empty: "No members",
    hint: "Members are added on the command line (kanon members add) or by signing in through your organisation."
  },
  sessions: {
    current: "This one",
    methods: { key: "With a key", link: "By link", oidc: "Through the organisation" },
    seen: "last seen",
    ends: "ends",
    revoke: "Sign out",
    revokeLabel: (who: string) => `Sign out ${who}`,
    done: "The session was ended.",
    browser: (name: string, version: string, system: string) => `${name} ${version} on ${system}`,
    browsers: { Edg: "Edge", OPR: "Opera", Version: "Safari" } as Readonly<Record<string, string>>,
    unknownBrowser: "Unknown browser"
  }
}
