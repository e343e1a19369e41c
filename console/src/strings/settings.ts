import { inLanguage } from "../language.js"

export const englishSettings = {
  title: "Settings",
  lead: "How this workspace answers, which models it uses, and who can do what.",
  saved: "The settings were saved.",
  stale:
    "Another person changed the settings meanwhile. They were read again; what you typed is still here. Compare and save again.",
  unchanged: "Nothing has changed.",
  general: {
    name: "Name of the workspace",
    review: "Days between reviews",
    cache: "Answer cache",
    cacheModes: { off: "Off", shadow: "Shadow: compare only", on: "On: reuse stored answers" },
    answers: "Wording of answers",
    instructions: "Instructions for the chat model",
    language: "Language tag (empty: the language of the question)",
    tone: "Tone, such as “formal”",
    gitignore: "Ignore files listed in .gitignore",
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
    keepQuestions: "Keep questions and answers in the log",
    questions: "Who reads what people asked",
    questionReaders: {
      own: "Only the person who asked",
      workspace: "The person who asked, and administrators"
    }
  },
  retention: {
    versionsPerDocument: "Versions to keep per document",
    answerDays: "Days to keep answers (0: none)",
    decisionDays: "Days to keep decisions",
    dataRowDays: "Days to keep rows of queries",
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
      chat: "Writes answers and runs agents.",
      judge: "Checks the claims in answers.",
      embedding: "Creates vectors. Changing it embeds everything again.",
      reranker: "Reorders results.",
      extraction: "Reads documents for the graph. Changing it reads every document again."
    },
    server: "Server default",
    provider: "Provider",
    model: "Model",
    address: "Address (empty: the provider's own)",
    credential: "Key",
    credentialHint: "Stored encrypted and never shown again.",
    kept: "A value is stored. Leave empty to keep it.",
    enabled: "Enabled",
    works: (model: string) => `in use: ${model}`,
    notInUse: "none",
    test: "Test",
    saveFirst: "Save first. The test calls the saved model.",
    testing: "Asking…",
    fallback: "Fall back to the built-in model while the chat model is down",
    tested: {
      answered: (model: string, ms: number) => `${model} answered after ${ms} ms.`,
      failed: (model: string, error: string) => `${model}: ${error}`,
      builtIn: "No model is selected; the built-in model is used."
    }
  },
  keys: {
    create: "New key",
    name: "Name",
    scopes: "Scopes",
    expires: "Expires",
    expiresNever: "never",
    secretTitle: "The new key",
    secretHint: "Copy it now. It is shown only once and stored only as a hash.",
    copy: "Copy",
    copied: "Copied",
    lastUsed: "last used",
    created: "created",
    revoke: "Revoke",
    revokeTitle: (name: string) => `Revoke the key “${name}”?`,
    revokeText: "Programs that use it are refused from their next request. This cannot be undone.",
    rotate: "Rotate",
    rotateTitle: (name: string) => `Rotate the key “${name}”?`,
    rotateText: "A new key with the same scopes replaces it; the old one keeps working for an hour.",
    revoked: "Revoked",
    expired: "Expired",
    kinds: { workspace: "Workspace", user: "User" },
    states: { all: "All", active: "Active", revoked: "Revoked", expired: "Expired" },
    done: "The key was revoked.",
    tooMuch: "You cannot grant this scope because you do not have it.",
    empty: "No keys",
    noScope: "Choose at least one scope."
  },
  members: {
    owned: "owns",
    stewarded: "stewards",
    empty: "No members",
    emptyHint: "Invite the first person with a link.",
    you: "You",
    seen: "Last seen",
    noMethod: "cannot sign in yet",
    passkeys: (count: number) => (count === 1 ? "1 passkey" : `${count} passkeys`),
    logins: "organisation",
    keys: (count: number) => (count === 1 ? "1 key" : `${count} keys`),
    role: "Role",
    roleOf: (name: string) => `Role of ${name}`,
    seeAs: "See as",
    seeAsOf: (name: string) => `See as ${name}`,
    roleHints: {
      admin: "Everything, including members, keys and settings.",
      curator: "Read, write, curate, run agents and queries, create reports.",
      member: "Read, write, curate, run agents and queries.",
      reader: "Ask and read."
    },
    changed: (name: string, role: string) => `${name} is now: ${role}.`,
    invite: "Invite",
    inviteTitle: "Invite a person",
    invitations: "Open invitations",
    invitedBy: "from",
    ends: "ends",
    makeLink: "Make a link",
    link: "Link",
    linkHint: "Works once, for seven days. Copy it now and send it to the person; it is not shown again.",
    newLink: "New link",
    newLinkOf: (name: string) => `New link for ${name}`,
    newLinkTitle: (name: string) => `A new link for ${name}`,
    newLinkHint: "For a member who lost their passkey. The link creates a new one that replaces all others.",
    remove: "Remove",
    removeOf: (name: string) => `Remove ${name}`,
    removeTitle: (name: string) => `Remove ${name}?`,
    removeText: "Their sessions and keys lose access to this workspace immediately. What they wrote stays.",
    revoke: "Revoke",
    revokeKeyOf: (key: string, name: string) => `Revoke ${key} of ${name}`,
    revokeKeyTitle: (key: string) => `Revoke the key ${key}?`
  },
  passkeys: {
    title: "Your passkeys",
    device: "Name of the device",
    add: "Add a passkey",
    made: "made",
    used: "last used",
    remove: "Remove",
    removeOf: (name: string) => `Remove ${name}`,
    removeTitle: (name: string) => `Remove the passkey ${name}?`,
    removeText: "You can no longer sign in with it. Delete it on the device, too."
  },
  sessions: {
    current: "This session",
    methods: {
      key: "With a key",
      link: "By link",
      oidc: "Through the organisation",
      passkey: "With a passkey",
      client: "An assistant"
    },
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

export const settingsText = inLanguage("settings", englishSettings)
