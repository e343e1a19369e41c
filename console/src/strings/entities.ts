import { counted, inLanguage } from "../language.js"

export const englishEntities = {
  title: "Entities",
  lead: "The concepts in your documents, who owns them, and how they are related.",
  listLabel: "Entities",
  create: "New entity",
  createTitle: "New entity",
  created: (name: string) => `“${name}” was created.`,
  filters: {
    q: "Name",
    type: "Type",
    authority: "Authority",
    lifecycle: "Lifecycle",
    owner: "Owner",
    sort: "Order",
    any: "Any",
    mine: "Mine",
    clear: "Clear the filters"
  },
  sorts: { rank: "Most central first", name: "By name", review: "Next review first" },
  found: (count: number) => counted(count, "entity", "entities"),
  empty: {
    title: "No entities yet",
    hint: "Entities are found in documents. Add documents, or create the first entity by hand.",
    documents: "Add documents",
    filtered: "No entities match these filters"
  },
  picker: {
    placeholder: "Type a name…",
    change: "Change",
    searching: "Searching…",
    none: "No entity has such a name."
  },
  tabs: {
    about: "About",
    relations: "Relations",
    mentions: "Mentions",
    history: "History",
    duplicates: "Duplicates"
  },
  verbs: {
    certify: "Certify",
    review: "Mark as reviewed",
    compile: "Write a page",
    edit: "Edit",
    graph: "Show in the graph",
    retire: "Retire…",
    merge: "Merge…",
    remove: "Delete",
    care: "Change owner and stewards",
    propose: "Propose a change",
    proposeMerge: "Propose a merge…",
    proposeRetire: "Propose to retire…",
    proposeRemove: "Propose to delete"
  },
  care: {
    reason: (name: string) => `${name} answers for this entity. Only its owner and stewards do this.`,
    editedSince: (version: number) => `Certified at version ${version}, edited since`,
    noteFor: "Why (for the person who decides)",
    submit: "Send the proposal",
    mergeText: "Once it is approved, the other entity takes its place. Its owner can then merge the two.",
    removeText: "Its owner or a steward decides. Until then nothing changes."
  },
  done: {
    certified: "Certified. The next review has a new date.",
    reviewed: "Marked as reviewed.",
    compiled: "A proposed page waits in the inbox.",
    authority: (value: string) => `The authority is now: ${value}.`,
    lifecycle: (value: string) => `The lifecycle is now: ${value}.`,
    care: "Owner and stewards were changed.",
    saved: "Saved.",
    removed: (name: string) => `“${name}” is in the trash.`,
    retired: (name: string) => `“${name}” was retired.`,
    merged: (name: string, into: string) => `“${name}” is now part of “${into}”.`,
    relationAdded: "The relation was added.",
    relationRemoved: "The relation is in the trash.",
    restored: (version: number) => `The fields of version ${version} are back, as a new version.`,
    proposed: "The change was proposed."
  },
  curation: {
    title: "Curation",
    authority: "Authority",
    lifecycle: "Lifecycle",
    owner: "Owner",
    stewards: "Stewards",
    reviewed: "Last reviewed",
    next: "Next review",
    overdue: "Overdue",
    version: "Version",
    origin: "Origin",
    nobody: "Nobody",
    successor: "Superseded by",
    terminal:
      "A retired entity no longer changes. Restore an earlier version from its history if you need one.",
    noMove: (to: string) => `It cannot change from here to “${to}”.`
  },
  about: {
    description: "Description",
    noDescription: "No description yet.",
    aliases: "Other names",
    noAliases: "None.",
    note: "Editorial note",
    noteHint: "Visible only to people who can edit.",
    sources: "Where this comes from",
    aliasesHint: "One a line.",
    requests: "Open change requests"
  },
  conflict: {
    title: "Another person changed it meanwhile",
    text: "Nothing is lost. Compare what is stored now with what you typed, then decide.",
    theirs: "Take what is stored",
    mine: "Save mine over it"
  },
  retire: {
    title: (name: string) => `Retire “${name}”`,
    text: "It stays searchable below current entities and is labelled as retired. This cannot be undone.",
    successor: "Successor (optional)",
    successorHint: "A published entity that replaces it. Without one, the entity is deprecated.",
    note: "Reason",
    action: "Retire"
  },
  merge: {
    title: (name: string) => `Merge “${name}” into another entity`,
    into: "Into",
    goes: "Merged",
    stays: "Kept",
    turn: "Swap the two",
    note: "Reason",
    action: "Merge",
    preview: "What would happen",
    mentions: (count: number) => `${counted(count, "mention moves", "mentions move")} over`,
    relations: (count: number) => `${counted(count, "relation moves", "relations move")} over`,
    dropped: (count: number) =>
      `${counted(count, "duplicate relation is", "duplicate relations are")} dropped`,
    aliases: (names: string) => `New other names: ${names}`,
    noAliases: "No new other names",
    undo: "You can undo the merge from the trash."
  },
  remove: {
    title: (name: string) => `Delete “${name}”?`,
    text: "It moves to the trash together with its relations and can be restored from there."
  },
  relations: {
    empty: "No relations yet",
    emptyHint: "Add how this entity relates to another one.",
    add: "Add a relation",
    type: "Type of relation",
    typeHint: "Such as “part of” or “works for”.",
    other: "Other entity",
    direction: "Direction",
    outgoing: (name: string) => `${name} → other`,
    incoming: (name: string) => `other → ${name}`,
    evidence: "Evidence (optional)",
    remove: (type: string, name: string) => `Remove the relation ${type} ${name}`,
    removeShort: "Remove",
    noEvidence: "Stated without a document",
    origin: { manual: "Stated by a person", extraction: "Found in documents", import: "Imported" },
    more: "Show more"
  },
  mentions: {
    empty: "No document mentions it",
    emptyHint: "Add the other names that your documents use.",
    confidence: (share: string) => `${share} sure`
  },
  history: {
    version: (version: number) => `Version ${version}`,
    restore: "Restore",
    restoreLabel: (version: number) => `Restore the fields of version ${version}`,
    current: "Current",
    noDiff: "Only dates changed.",
    via: {
      ui: "in the console",
      api: "over the API",
      mcp: "over MCP"
    } as Readonly<Record<string, string>>,
    byRequest: "by a change request",
    byExtraction: "by extraction",
    kinds: {
      create: "Created",
      update: "Changed",
      certify: "Certified",
      review: "Reviewed",
      set_authority: "Authority set",
      set_owner: "Owner set",
      set_lifecycle: "Lifecycle set",
      deprecate: "Deprecated",
      supersede: "Superseded",
      merge: "Merged",
      delete: "Deleted",
      restore: "Restored"
    }
  },
  duplicates: {
    empty: "Nothing looks like a duplicate",
    emptyHint: "Names, spelling, neighbours and contexts were compared.",
    all: "Possible duplicates",
    score: (share: string) => `${share} likely`,
    merge: "Compare and merge",
    apart: "Not a duplicate",
    keep: (name: string) => `“${name}” would stay`
  },
  form: {
    name: "Name",
    type: "Type",
    typeHint: "Such as person, product or concept."
  }
}

export const entityText = inLanguage("entities", englishEntities)
