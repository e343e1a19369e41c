import type { ContentConnectorKind } from "../../../../server/client/index.js"
import type { connectorText } from "../../strings/connectors.js"

export type Provider = keyof typeof connectorText.providers

/** Providers of each kind with the fields of their configuration; `?` marks an optional one. */
export const providers: Readonly<
  Record<ContentConnectorKind, Partial<Readonly<Record<Provider, ReadonlyArray<string>>>>>
> = {
  wiki: {
    mediawiki: ["url", "username?", "namespaces?"],
    confluence: ["url", "username?", "spaces?"],
    web: ["url", "prefix?", "sitemap?"]
  },
  document_library: {
    webdav: ["url", "username", "paths?"],
    s3: ["bucket", "accessKeyId", "endpoint?", "region?", "prefix?", "paths?"],
    git: ["url", "branch?", "username?", "paths?"]
  },
  chat: {
    slack: ["channels?", "since?"],
    slack_export: ["url", "channels?", "since?"],
    mattermost_export: ["url", "channels?", "since?"],
    imap: ["url", "username", "mailboxes?", "since?"],
    github: ["repository", "url?", "since?"],
    jira: ["url", "username", "projects?", "since?"]
  },
  markdown_upload: {}
}

/** Fields that hold several values, one a line. */
export const listFields: ReadonlySet<string> = new Set([
  "paths",
  "namespaces",
  "spaces",
  "channels",
  "mailboxes",
  "projects"
])
/** Lists of numbers. */
export const numberFields: ReadonlySet<string> = new Set(["namespaces"])

export const providersOf = (kind: ContentConnectorKind): ReadonlyArray<Provider> =>
  Object.keys(providers[kind]) as ReadonlyArray<Provider>
