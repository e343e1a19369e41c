import * as Clock from "effect/Clock"
import * as Effect from "effect/Effect"
import { z } from "zod"
import {
  type ChangePage,
  type Checkpoint,
  CheckpointExpired,
  type FetchedItem,
  ItemGone,
  type ItemReaders,
  ItemUnreadable,
  type SourceFault,
  SourceRejected,
  SourceUnauthorized
} from "../../../core/connected/sources/index.js"
import { readCheckpoint } from "../checkpoints.js"
import { readText } from "../html.js"
import { credentialHeaders, jsonOf, sourceHttp } from "../http.js"
import { type Comment, conversationItem, conversationPath } from "../issue-document.js"
import { type CrawlerOptions, providerOf } from "../options.js"
import { issueSecurity } from "./security.js"

/** Each crawl starts this much before the last one, because the API may list a change with a delay. */
const overlapMinutes = 5
const commentsMax = 1000
const commentsPerPage = 100

const Position = z.strictObject({
  /** The moment from which the crawl reads changes; null from the start. */
  since: z.number().nullable(),
  startedAt: z.number(),
  /** The moment to which `-Nm` was reckoned, as the minutes that the query says. */
  minutes: z.int().nullable(),
  token: z.string().nullable()
})
type Position = z.infer<typeof Position>
const IdPosition = z.strictObject({ token: z.string() })

const Named = z.object({ displayName: z.string(), emailAddress: z.string().nullish() }).nullish()
const Label = z.object({ name: z.string() }).nullish()
const Listed = z.object({
  id: z.string(),
  key: z.string(),
  fields: z.object({ summary: z.string(), updated: z.string() })
})
const SearchPage = z.object({
  issues: z.array(Listed),
  nextPageToken: z.string().nullish(),
  isLast: z.boolean().optional()
})
const IdPage = z.object({
  issues: z.array(z.object({ id: z.string() })),
  nextPageToken: z.string().nullish(),
  isLast: z.boolean().optional()
})
const Issue = z.object({
  id: z.string(),
  key: z.string(),
  fields: z.object({
    summary: z.string(),
    updated: z.string(),
    created: z.string(),
    description: z.unknown(),
    security: z.unknown().optional(),
    labels: z.array(z.string()).catch([]),
    status: z.object({ name: z.string() }),
    resolution: Label,
    resolutiondate: z.string().nullish(),
    issuetype: Label,
    priority: Label,
    reporter: Named,
    assignee: Named,
    parent: z.object({ key: z.string() }).nullish()
  })
})
/** The fields of an issue that decide who may read it. */
const Secured = z.object({
  id: z.string(),
  fields: z.object({
    security: z.unknown().optional(),
    reporter: z.unknown().optional(),
    assignee: z.unknown().optional()
  })
})
const SecuredIssues = z.object({ issues: z.array(Secured) })
const securedFields = ["security", "reporter", "assignee"]
const CommentPage = z.object({
  comments: z.array(
    z.object({ author: Named, body: z.unknown(), created: z.string(), visibility: z.unknown().optional() })
  ),
  total: z.int().catch(0)
})

const fieldsOfIssue =
  "summary,updated,created,description,labels,status,resolution,resolutiondate,issuetype,priority,parent,security,reporter,assignee"

/** Jira Cloud, by its REST interface: a document for each issue, with its comments. */
export const jira = (options: CrawlerOptions) =>
  providerOf("jira", (target) =>
    Effect.gen(function* () {
      const { config, credential } = target
      const site = config.url.replace(/\/$/, "")
      const http = yield* sourceHttp(options, {
        url: site,
        requestsPerSecond: config.requestsPerSecond,
        secretHeaders: credentialHeaders(config.username, credential)
      })
      const headers = { accept: "application/json" }
      const projects =
        config.projects === undefined ? [] : [`project in (${config.projects.map(quoted).join(", ")})`]
      // The search takes no query without a bound.
      const bounds = [...projects, `updated >= "${config.since ?? "1970-01-01"}"`]

      const search = <Value>(
        schema: z.ZodType<Value>,
        jql: ReadonlyArray<string>,
        fields: string,
        token: string | null
      ): Effect.Effect<Value, SourceFault | CheckpointExpired> =>
        Effect.gen(function* () {
          const query = new URLSearchParams({
            jql: `${jql.join(" AND ")} ORDER BY created ASC`,
            fields,
            maxResults: String(Math.min(100, options.pageSize ?? 100)),
            ...(token === null ? {} : { nextPageToken: token })
          })
          const request = { url: `${site}/rest/api/3/search/jql?${query}`, headers }
          const response = yield* http.send(request)
          if (response.status === 400 && token !== null)
            return yield* new CheckpointExpired({
              message: "Jira does not know the place of the crawl any more."
            })
          if (!response.ok)
            return yield* new SourceRejected({
              message:
                response.status === 400
                  ? "Jira refuses the search: one of the projects may not exist."
                  : `No REST interface of Jira Cloud was found at the address (status ${response.status}).`
            })
          const parsed = schema.safeParse(yield* jsonOf(response, request))
          return parsed.success
            ? parsed.data
            : yield* new SourceRejected({ message: "The site does not answer as Jira Cloud does." })
        })

      const changes = (checkpoint: Checkpoint | null) =>
        Effect.gen(function* () {
          const now = yield* Clock.currentTimeMillis
          const position: Position =
            checkpoint === null
              ? { since: null, startedAt: now, minutes: null, token: null }
              : yield* readCheckpoint(Position, checkpoint)
          const isFirst = position.token === null
          const startedAt = isFirst ? now : position.startedAt
          // Dates in a query are read in the zone of the account; spans are the same everywhere.
          const minutes = !isFirst
            ? position.minutes
            : position.since === null
              ? null
              : Math.max(0, Math.ceil((now - position.since) / 60_000)) + overlapMinutes
          const jql = [...bounds, ...(minutes === null ? [] : [`updated >= "-${minutes}m"`])]
          const page = yield* search(SearchPage, jql, "summary,updated", position.token)
          const next = page.isLast === true ? null : (page.nextPageToken ?? null)
          return {
            changes: page.issues.map((issue) => ({
              op: "upsert" as const,
              externalId: issue.id,
              version: versionAt(issue),
              path: conversationPath(placeOf(issue))
            })),
            failures: [],
            checkpoint: {
              since: next === null ? startedAt : position.since,
              startedAt,
              minutes: next === null ? null : minutes,
              token: next
            } satisfies Position,
            isLast: next === null,
            total: null
          } satisfies ChangePage
        })

      /** One object; null where there is none, or none that the account sees. */
      const one = <Value>(externalId: string, path: string, schema: z.ZodType<Value>) =>
        Effect.gen(function* () {
          const request = { url: `${site}/rest/api/3/issue/${path}`, headers, mayBeForbidden: true }
          const response = yield* http.send(request)
          if (response.status === 404 || response.status === 410) return null
          if (response.status === 401)
            return yield* new SourceUnauthorized({ message: "Jira does not accept the token (status 401)." })
          const unreadable = (message: string) =>
            new ItemUnreadable({ externalId, message, isPermanent: false })
          if (!response.ok)
            return yield* unreadable(
              response.refusal ?? `Jira does not give the issue (status ${response.status}).`
            )
          const parsed = schema.safeParse(yield* jsonOf(response, request))
          return parsed.success ? parsed.data : yield* unreadable("Jira gives the issue in an unknown form.")
        })

      const security = issueSecurity({ site, http, isForEverybody: config.readers === "everybody" })
      return {
        readers: (externalIds) =>
          Effect.gen(function* () {
            const found = new Map<string, ItemReaders>()
            const ids = externalIds.filter((id) => /^\d{1,15}$/.test(id))
            if (ids.length === 0) return found
            // A search refuses ids of issues that are gone; this leaves them out.
            const request = {
              url: `${site}/rest/api/3/issue/bulkfetch`,
              method: "POST",
              headers: { ...headers, "content-type": "application/json" },
              body: JSON.stringify({ issueIdsOrKeys: ids, fields: securedFields })
            }
            const response = yield* http.send(request)
            const page = response.ok ? SecuredIssues.safeParse(yield* jsonOf(response, request)) : undefined
            if (page?.success !== true)
              return yield* new SourceRejected({
                message: `Jira does not say who may read its issues (status ${response.status}).`
              })
            for (const { fields, id } of page.data.issues) found.set(id, yield* security.readersOf(fields))
            return found
          }),
        traits: { changes: "feed", deletions: "ids" } as const,
        check: search(IdPage, bounds, "id", null).pipe(
          Effect.asVoid,
          Effect.catchTag("CheckpointExpired", ({ message }) => new SourceRejected({ message }))
        ),
        changes,
        listIds: (checkpoint) =>
          Effect.gen(function* () {
            const { token } =
              checkpoint === null ? { token: null } : yield* readCheckpoint(IdPosition, checkpoint)
            const page = yield* search(IdPage, bounds, "id", token)
            const next = page.isLast === true ? null : (page.nextPageToken ?? null)
            return {
              ids: page.issues.map(({ id }) => id),
              failures: [],
              next: next === null ? null : { token: next }
            }
          }),
        fetch: (externalId) =>
          Effect.gen(function* () {
            const issue = /^\d{1,15}$/.test(externalId)
              ? yield* one(externalId, `${externalId}?fields=${fieldsOfIssue}`, Issue)
              : null
            if (issue === null) return yield* new ItemGone({ externalId })
            const readers = yield* security.readersOf(issue.fields)
            const said: Array<z.infer<typeof CommentPage>["comments"][number]> = []
            let total = 0
            do {
              const page: z.infer<typeof CommentPage> | null = yield* one(
                externalId,
                `${externalId}/comment?orderBy=created&startAt=${said.length}&maxResults=${commentsPerPage}`,
                CommentPage
              )
              if (page === null || page.comments.length === 0) break
              said.push(...page.comments)
              total = page.total
            } while (said.length < Math.min(total, commentsMax))
            const { fields } = issue
            // A comment may be for fewer people than its issue.
            const open = said.filter(
              ({ visibility }) => config.readers === "everybody" || (visibility ?? null) === null
            )
            const read = yield* readText(
              externalId,
              options.tasks.run("jiraTexts", [fields.description, ...open.map(({ body }) => body)])
            )
            const [description, ...texts] = read
            const media = read.reduce((sum, { mediaCount }) => sum + mediaCount, 0)
            const comments = open.map(
              ({ author, created }, at): Comment => ({
                author: author?.displayName ?? null,
                at: utc(created),
                text: texts[at]?.markdown ?? ""
              })
            )
            return {
              readers,
              ...conversationItem({
                ...placeOf(issue),
                externalId,
                version: versionAt(issue),
                url: `${site}/browse/${issue.key}`,
                createdAt: utc(fields.created),
                modifiedAt: utc(fields.updated),
                labels: fields.labels,
                fields: {
                  state: fields.status.name,
                  type: fields.issuetype?.name ?? null,
                  priority: fields.priority?.name ?? null,
                  resolution: fields.resolution?.name ?? null,
                  closed: fields.resolutiondate == null ? null : utc(fields.resolutiondate).slice(0, 10),
                  assignee: fields.assignee?.displayName ?? null,
                  parent: fields.parent?.key ?? null
                },
                first: {
                  author: fields.reporter?.displayName ?? null,
                  at: utc(fields.created),
                  text: description?.markdown ?? ""
                },
                comments,
                warnings: [
                  ...(said.length < total ? [`Only the first ${said.length} comments were read.`] : []),
                  ...(read.some(({ isCut }) => isCut)
                    ? ["A text is too long or too deep to be read whole."]
                    : []),
                  ...(open.length < said.length
                    ? [`${said.length - open.length} comments were left out, which only some may read.`]
                    : []),
                  ...(media === 0 ? [] : [`${media} images or files were left out.`])
                ]
              })
            } satisfies FetchedItem
          })
      }
    })
  )

const placeOf = ({ fields, key }: z.infer<typeof Listed>) => ({
  folder: key.replace(/-\d+$/, ""),
  name: key,
  title: fields.summary
})

/** An issue that moves to another project has another key. */
const versionAt = ({ fields, key }: z.infer<typeof Listed>): string => `${key} ${fields.updated}`

/** Jira writes moments as `2026-02-03T10:05:00.000+0100`. */
const utc = (moment: string): string => {
  const date = new Date(moment.replace(/([+-]\d\d)(\d\d)$/, "$1:$2"))
  return Number.isNaN(date.getTime()) ? moment : date.toISOString()
}

const quoted = (name: string): string => `"${name.replace(/["\\]/g, "\\$&")}"`
