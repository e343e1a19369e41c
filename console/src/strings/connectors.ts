import { counted, formatNumber, inLanguage } from "../language.js"

export const englishConnectors = {
  title: "Connectors",
  lead: "Wikis, document libraries, chats and uploads that become documents here and stay up to date.",
  create: "New connector",
  kinds: {
    wiki: "Wiki",
    document_library: "Document library",
    chat: "Chat or mail",
    markdown_upload: "Uploaded files"
  },
  providers: {
    mediawiki: "MediaWiki",
    confluence: "Confluence",
    web: "Web site or feed",
    webdav: "WebDAV (Nextcloud and others)",
    s3: "S3 bucket",
    git: "Git repository",
    slack: "Slack",
    slack_export: "Slack export",
    mattermost_export: "Mattermost export",
    imap: "Mailbox (IMAP)",
    github: "GitHub",
    jira: "Jira Cloud"
  },
  fields: {
    url: "Address",
    username: "User name",
    bucket: "Bucket",
    endpoint: "Endpoint",
    region: "Region",
    prefix: "Prefix",
    accessKeyId: "Access key id",
    branch: "Branch",
    paths: "Patterns of paths (one a line)",
    namespaces: "Namespaces (one a line)",
    spaces: "Spaces (one a line)",
    channels: "Channels (one a line)",
    mailboxes: "Mailboxes (one a line)",
    since: "Since",
    sitemap: "Sitemap",
    repository: "Repository (owner/name)",
    projects: "Projects (one a line)"
  } as Readonly<Record<string, string>>,
  name: "Name",
  kind: "Kind",
  provider: "Source",
  credential: "Password, token or key",
  credentialHint: "Stored encrypted and never shown again.",
  kept: "A value is stored. Leave empty to keep it.",
  schedule: "Schedule",
  scheduleHint: "Cron expression with five fields, in UTC, such as 0 3 * * *. Empty: only by hand.",
  noSchedule: "only by hand",
  prefix: "Folder",
  prefixHint: "Made from the name when left empty. It cannot be changed.",
  enabled: "Enabled",
  disabled: "Disabled",
  never: "never synced",
  lastSync: "Last sync",
  empty: "No connectors yet",
  emptyHint: "Connect a wiki or a library, or upload files. Nothing is read until the first sync.",
  sync: {
    now: "Sync now",
    full: "Read everything again",
    dry: "Only show what would change",
    removals: "Remove documents that are gone from the source",
    options: "Options",
    started: "The sync was started.",
    disabled: "The connector is disabled.",
    uploadOnly: "Choose files below: this connector takes uploads."
  },
  upload: {
    title: "Upload files",
    choose: "Choose files",
    folder: "Choose a folder",
    hint: "Markdown, Office files, PDFs and other formats; up to 200 files and 10 MB at once.",
    all: "These are all the files: move missing documents to the trash",
    send: (count: number) => `Upload ${counted(count, "file", "files")}`,
    none: "Choose files first.",
    tooMany:
      "At most 200 files at once. Choose fewer, or use kanon connectors sync for a folder of any size.",
    tooLarge: "Together these files are over 7 MB. Choose fewer, or use kanon connectors sync."
  },
  runs: {
    title: "Syncs",
    empty: "No sync yet",
    emptyHint: "Start a sync to import documents.",
    statuses: {
      queued: "Queued",
      running: "Running",
      succeeded: "Done",
      failed: "Failed",
      cancelled: "Cancelled"
    },
    dry: "Dry run",
    modes: { full: "Full", incremental: "Incremental" },
    counts: {
      seen: "found",
      created: "new",
      updated: "changed",
      unchanged: "unchanged",
      removed: "removed",
      failed: "failed",
      warned: "incomplete"
    },
    held: (count: number) =>
      `${counted(count, "document was", "documents were")} kept although the source no longer names ${count === 1 ? "it" : "them"}. Sync again and allow removals if that is right.`,
    failures: (count: number) => `${formatNumber(count)} failed`,
    warnings: (count: number) => `${formatNumber(count)} incomplete`,
    changes: "What would change",
    whole: "The whole sync",
    ops: {
      create: "new",
      update: "change",
      move: "move",
      remove: "remove",
      restore: "restore",
      conflict: "conflict"
    },
    retry: "Failed items are tried again by the next sync."
  },
  edit: "Change",
  disable: "Disable",
  disableHint: "A running sync is cancelled.",
  enable: "Enable",
  remove: "Delete",
  removeTitle: (name: string) => `Delete the connector “${name}”?`,
  removeText: "Its credential is deleted.",
  removeKeep: "Keep its documents",
  removeTrash: "Move its documents to the trash",
  documents: "Its documents",
  saved: "Saved.",
  removed: "The connector was deleted."
}

export const connectorText = inLanguage("connectors", englishConnectors)
