import { z } from "zod"
import { FolderRules } from "../../platform/access/index.js"
import { Text } from "../../platform/kernel/index.js"
import type { CredentialNeed, SourceKind } from "./crawler.js"

/** A repository on a server that is reached over SSH. */
export interface SshAddress {
  /** Null where the address names nobody. */
  readonly user: string | null
  /** A name or an IP address, without brackets. */
  readonly host: string
  readonly port: number
  readonly path: string
}

const long = /^ssh:\/\/(?:(\w[\w.-]*)@)?(\[[\da-f:.]+\]|[a-z\d][a-z\d.-]*)(?::(\d{1,5}))?(\/\S+)$/iu
const short = /^(\w[\w.-]*)@([a-z\d][a-z\d.-]*):(?!\/\/)([^\s:]\S*)$/iu

/** Reads `ssh://git@example.org:2222/team/notes.git` or `git@example.org:team/notes.git`; null for anything else. */
export const readSshAddress = (address: string): SshAddress | null => {
  const [whole, user, host = "", port = "22", path = ""] = long.exec(address) ?? []
  if (whole !== undefined)
    return { user: user ?? null, host: host.replace(/^\[|\]$/gu, ""), port: Number(port), path }
  const [, shortUser, shortHost, shortPath] = short.exec(address) ?? []
  return shortUser === undefined || shortHost === undefined || shortPath === undefined
    ? null
    : { user: shortUser, host: shortHost, port: 22, path: shortPath }
}

const Address = (protocols: RegExp, description: string) =>
  z
    .url({ protocol: protocols, normalize: true })
    .max(2000)
    .refine((address) => {
      // Text that is no address is reported by another check.
      if (!URL.canParse(address)) return true
      const { password, username } = new URL(address)
      return username === "" && password === ""
    }, "The address must not hold a user name or a password.")
    .describe(description)

const web = /^https?$/
const Globs = z
  .array(Text.min(1).max(500))
  .max(100)
  .optional()
  .describe(
    "Patterns of paths that are taken, like `docs/**/*.md`; one that begins with `!` leaves out. All files of known formats by default."
  )
const requestsPerSecond = z
  .number()
  .min(0.01)
  .max(1000)
  .optional()
  .describe("Requests to the source each second; 10 by default, no limit on loopback.")
const readers = z
  .enum(["source", "everybody"])
  .optional()
  .describe(
    "Who reads the documents: those whom the `source` names, by default, or `everybody` in the workspace."
  )
const UserName = Text.min(1).max(320)
const Names = z.array(Text.min(1).max(300)).max(500)
const Since = z.iso.date().optional().describe("Nothing from before this day is taken.")

const MediaWikiConfig = z.strictObject({
  provider: z.literal("mediawiki"),
  url: Address(web, "The wiki, or its `api.php`."),
  namespaces: z
    .array(z.int().min(0).max(10_000))
    .min(1)
    .max(100)
    .optional()
    .describe("Numbers of namespaces; [0], the articles, by default."),
  username: UserName.optional().describe(
    "Name of a bot password (`User@bot`); without one the credential is an OAuth 2 access token."
  ),
  requestsPerSecond
})

const ConfluenceConfig = z.strictObject({
  provider: z.literal("confluence"),
  url: Address(web, "The site: `https://example.atlassian.net/wiki`, or that of a Data Center."),
  spaces: Names.optional().describe("Keys of spaces; all that the account sees by default."),
  username: UserName.optional().describe(
    "E-mail address of a Cloud account; without it the credential is a personal access token."
  ),
  readers,
  requestsPerSecond
})

const WebConfig = z.strictObject({
  provider: z.literal("web"),
  url: Address(web, "The start page, a sitemap, or with `rss` a feed."),
  depth: z
    .int()
    .min(0)
    .max(100)
    .optional()
    .describe("Links from the start page to the farthest page; 10 by default, with a sitemap 0."),
  prefix: Text.min(1)
    .max(1000)
    .regex(/^\/[^\s?#]*$/, "Expected a path that begins with `/`.")
    .optional()
    .describe("Only pages whose path begins so; the folder of the start page by default."),
  sitemap: Address(web, "A sitemap or an index of sitemaps, which names the pages.").optional(),
  maxPages: z
    .int()
    .min(1)
    .max(100_000)
    .optional()
    .describe("Addresses that one crawl visits at most; 10,000 by default."),
  rss: z.boolean().optional().describe("The address is that of a feed, RSS or Atom; false by default."),
  username: UserName.optional().describe(
    "For HTTP basic authentication; without it the credential is a bearer token."
  ),
  requestsPerSecond
})

const WebDavConfig = z.strictObject({
  provider: z.literal("webdav"),
  url: Address(web, "The folder."),
  username: UserName.optional(),
  paths: Globs,
  folders: FolderRules.optional().describe(
    "Who reads what lies in a folder: `path`, a glob such as `hr/**`, and `read`, a list of `user:usr_…` and `group:NAME`. The longest that matches counts; other documents are for everybody."
  ),
  requestsPerSecond
})

const tokenUrl = Address(web, "Where access tokens are given, if elsewhere than by default.").optional()

const GoogleDriveConfig = z.strictObject({
  provider: z.literal("google_drive"),
  url: Address(web, "The interface; `https://www.googleapis.com` by default.").optional(),
  tokenUrl,
  drive: Text.min(1)
    .max(200)
    .regex(/^[\w-]+$/, "Expected the id of a shared drive.")
    .optional()
    .describe("The id of a shared drive; by default all files that the account sees."),
  username: UserName.optional().describe("Whom a service account acts for: an e-mail address."),
  domain: Text.min(1)
    .max(253)
    .optional()
    .describe("Files shared with all of this domain are for everybody in the workspace."),
  paths: Globs,
  readers,
  requestsPerSecond
})

const SharePointConfig = z.strictObject({
  provider: z.literal("sharepoint"),
  site: Address(/^https$/, "The site: `https://example.sharepoint.com/sites/Team`."),
  tenant: Text.min(1)
    .max(253)
    .regex(/^[\w.-]+$/, "Expected the id or a domain of a tenant.")
    .describe("The tenant in which the app is registered: its id, or a domain of it."),
  libraries: Names.min(1).optional().describe("Names of libraries; all of the site by default."),
  url: Address(web, "Microsoft Graph; `https://graph.microsoft.com` by default.").optional(),
  tokenUrl,
  paths: Globs,
  readers,
  requestsPerSecond
})

const S3Config = z.strictObject({
  provider: z.literal("s3"),
  endpoint: Address(web, "The server; that of AWS in the region by default.").optional(),
  bucket: z.string().regex(/^[a-z0-9][a-z0-9._-]{1,61}[a-z0-9]$/i, "Expected the name of a bucket."),
  prefix: Text.max(1000).optional().describe("Only objects whose key begins so; paths are relative to it."),
  region: z
    .string()
    .regex(/^[a-z0-9-]{1,60}$/)
    .optional()
    .describe("us-east-1 by default."),
  accessKeyId: Text.min(1).max(200),
  paths: Globs,
  requestsPerSecond
})

const WebRepository = Address(/^(?:https?|file)$/, "A repository over HTTP, or one of this host.")
/** An address of one of the two forms; what is wrong with it is told as of an address for HTTP. */
const RepositoryAddress = z
  .string()
  .max(2000)
  .transform((address, context) => {
    if (readSshAddress(address) !== null) return address
    const parsed = WebRepository.safeParse(address)
    if (parsed.success) return parsed.data
    for (const { message } of parsed.error.issues) context.addIssue({ code: "custom", message })
    return z.NEVER
  })
  .describe(
    "The repository: `https:`, `ssh://git@host/path` or `git@host:path`; `file:` only where the host allows local sources."
  )

const GitFields = z.strictObject({
  provider: z.literal("git"),
  url: RepositoryAddress,
  branch: Text.min(1)
    .max(250)
    .regex(/^(?!-)(?!.*(?:\.\.|@\{|[\s~^:?*[\\]))[^/].*[^/.]$|^[\w]$/, "Expected the name of a branch.")
    .optional()
    .describe("The default branch of the repository by default."),
  username: UserName.regex(/^\w[\w.@+-]*$/, "Expected a user name.")
    .optional()
    .describe("`git` by default, which hosts take together with a token."),
  knownHosts: Text.max(20_000)
    .optional()
    .describe("Keys of the server in the form of a known_hosts file; needed for SSH, and only there."),
  paths: Globs,
  requestsPerSecond
})
const GitConfig = GitFields.superRefine(({ knownHosts, url }, context) => {
  const isSsh = readSshAddress(url) !== null
  if (isSsh === (knownHosts !== undefined)) return
  const message = isSsh
    ? "Give the keys of the server, as ssh-keyscan prints them."
    : "Only a repository that is reached over SSH has known hosts."
  context.addIssue({ code: "custom", path: ["knownHosts"], message })
})

const directMessages = z
  .boolean()
  .optional()
  .describe("Also takes conversations of two people and of groups; false by default.")

const SlackConfig = z.strictObject({
  provider: z.literal("slack"),
  url: Address(web, "Address of the Web API; `https://slack.com/api` by default.").optional(),
  channels: Names.optional().describe(
    "Names or ids of channels; all that the app is a member of by default."
  ),
  directMessages,
  since: Since,
  lookbackDays: z
    .int()
    .min(0)
    .max(3650)
    .optional()
    .describe("Days that every sync reads again for edits and deletions; 14 by default."),
  threadDays: z
    .int()
    .min(0)
    .max(3650)
    .optional()
    .describe(
      "Days back in which a thread may have begun whose new replies every sync finds; 60 by default."
    ),
  readers,
  requestsPerSecond
})

const exportConfig = <Provider extends string>(provider: Provider) =>
  z.strictObject({
    provider: z.literal(provider),
    url: Address(
      /^(?:https?|file)$/,
      "The zip file of the export; `file:` only where the host allows local sources."
    ),
    username: UserName.optional().describe("For HTTP basic authentication."),
    channels: Names.optional().describe("Names of channels; all by default."),
    directMessages,
    since: Since,
    readers,
    requestsPerSecond
  })
const SlackExportConfig = exportConfig("slack_export")
const MattermostExportConfig = exportConfig("mattermost_export")

const ImapConfig = z.strictObject({
  provider: z.literal("imap"),
  url: Address(
    /^imaps?$/,
    "The server: `imaps://mail.example.org`; `imap:` upgrades to TLS except on loopback."
  ),
  username: UserName,
  mailboxes: Names.min(1).optional().describe("Paths of mailboxes; [INBOX] by default."),
  since: Since,
  requestsPerSecond
})

const gitHubContent = ["issues", "pull_requests", "discussions", "releases"] as const
const GitHubConfig = z.strictObject({
  provider: z.literal("github"),
  url: Address(web, "The server of a company; `https://github.com` by default.").optional(),
  repository: z
    .string()
    .regex(/^[\w.-]{1,100}\/[\w.-]{1,100}$/, "Expected a repository as `owner/name`.")
    .describe("The repository as `owner/name`."),
  include: z.array(z.enum(gitHubContent)).min(1).max(4).optional().describe("What is read; all by default."),
  since: z.iso.date().optional().describe("Issues and discussions that did not change since are not taken."),
  requestsPerSecond
})

const JiraConfig = z.strictObject({
  provider: z.literal("jira"),
  url: Address(web, "The site: `https://example.atlassian.net`."),
  username: UserName.describe("E-mail address of the account whose API token is the credential."),
  projects: Names.min(1).optional().describe("Keys of projects; all that the account sees by default."),
  since: z.iso.date().optional().describe("Issues that did not change since are not taken."),
  readers,
  requestsPerSecond
})

const UploadConfig = z.strictObject({ provider: z.literal("markdown_upload").default("markdown_upload") })

/** The configuration of each built-in provider. */
export const providerConfigs = {
  mediawiki: MediaWikiConfig,
  confluence: ConfluenceConfig,
  web: WebConfig,
  webdav: WebDavConfig,
  s3: S3Config,
  google_drive: GoogleDriveConfig,
  sharepoint: SharePointConfig,
  git: GitConfig,
  slack: SlackConfig,
  slack_export: SlackExportConfig,
  mattermost_export: MattermostExportConfig,
  imap: ImapConfig,
  github: GitHubConfig,
  jira: JiraConfig,
  markdown_upload: UploadConfig
} as const

/** The name of a built-in provider. */
export type ProviderName = keyof typeof providerConfigs
/** The configuration of a built-in provider. */
export type ProviderConfig<Name extends ProviderName = ProviderName> = z.infer<(typeof providerConfigs)[Name]>

/** The kind of each built-in provider, and whether it needs a credential. */
export const providers: {
  readonly [Name in ProviderName]: { readonly kind: SourceKind; readonly credential: CredentialNeed }
} = {
  mediawiki: { kind: "wiki", credential: "optional" },
  confluence: { kind: "wiki", credential: "optional" },
  web: { kind: "wiki", credential: "optional" },
  webdav: { kind: "document_library", credential: "optional" },
  s3: { kind: "document_library", credential: "required" },
  google_drive: { kind: "document_library", credential: "required" },
  sharepoint: { kind: "document_library", credential: "required" },
  git: { kind: "document_library", credential: "optional" },
  slack: { kind: "chat", credential: "required" },
  slack_export: { kind: "chat", credential: "optional" },
  mattermost_export: { kind: "chat", credential: "optional" },
  imap: { kind: "chat", credential: "required" },
  github: { kind: "chat", credential: "required" },
  jira: { kind: "chat", credential: "required" },
  markdown_upload: { kind: "markdown_upload", credential: "none" }
}
