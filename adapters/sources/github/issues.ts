/** Issues, pull requests and releases of a repository, by the REST interface. */
import * as Effect from "effect/Effect"
import { z } from "zod"
import {
  type FetchedItem,
  type ItemFault,
  ItemGone,
  type SourceFault
} from "../../../core/connected/sources/index.js"
import { type Comment, conversationItem, conversationPath } from "../issue-document.js"
import { isoMoment, markdownPath, versionOf } from "../item-path.js"
import type { GitHubApi } from "./api.js"

const User = z.object({ login: z.string() }).nullish()

export const Issue = z.object({
  number: z.int(),
  title: z.string(),
  html_url: z.string(),
  repository_url: z.string(),
  body: z.string().nullish(),
  user: User,
  state: z.string(),
  state_reason: z.string().nullish(),
  labels: z.array(z.union([z.string(), z.object({ name: z.string().nullish() })])).catch([]),
  milestone: z.object({ title: z.string() }).nullish(),
  comments: z.int().catch(1),
  created_at: z.string(),
  updated_at: z.string(),
  closed_at: z.string().nullish(),
  pull_request: z.object({ merged_at: z.string().nullish() }).optional()
})
export type Issue = z.infer<typeof Issue>

export const IssueComment = z.object({ issue_url: z.string() })
export const ReviewComment = z.object({ pull_request_url: z.string() })

const Said = z.object({ user: User, body: z.string().nullish(), created_at: z.string() })
const SaidOfFile = Said.extend({ path: z.string().nullish() })
const Review = z.object({
  user: User,
  body: z.string().nullish(),
  submitted_at: z.string().nullish(),
  state: z.string()
})

export const Release = z.object({
  id: z.int(),
  tag_name: z.string(),
  name: z.string().nullish(),
  body: z.string().nullish(),
  html_url: z.string(),
  draft: z.boolean().catch(false),
  prerelease: z.boolean().catch(false),
  author: User,
  created_at: z.string(),
  published_at: z.string().nullish()
})
export type Release = z.infer<typeof Release>

/** More comments are left out, with a warning. */
const commentsMax = 1000

export const issueId = ({ number }: Pick<Issue, "number">): string => `issue/${number}`

export const issuePath = (issue: Issue): string => conversationPath(placeOf(issue))

const placeOf = ({ number, pull_request, title }: Issue) => ({
  folder: pull_request === undefined ? "Issues" : "Pull requests",
  name: String(number),
  title
})

/** An issue or a pull request with all that was said about it. */
export const readIssue = (
  api: GitHubApi,
  externalId: string
): Effect.Effect<FetchedItem, SourceFault | ItemFault> =>
  Effect.gen(function* () {
    const { url } = yield* api.repository
    const number = /^issue\/(\d{1,10})$/.exec(externalId)?.[1]
    const issue = number === undefined ? null : yield* api.one(externalId, `${url}/issues/${number}`, Issue)
    // One that was transferred answers from another repository.
    if (issue === null || issue.repository_url !== url) return yield* new ItemGone({ externalId })
    return yield* issueItem(api, issue)
  })

export const issueItem = (api: GitHubApi, issue: Issue): Effect.Effect<FetchedItem, SourceFault> =>
  Effect.gen(function* () {
    const { url } = yield* api.repository
    const comments: Array<Comment> = []
    let isCut = false
    const collect = <Value>(
      path: string,
      schema: z.ZodType<Value>,
      commentOf: (value: Value) => Comment | null
    ) =>
      Effect.gen(function* () {
        let next: string | null = `${url}/${path}?per_page=100`
        while (next !== null && !isCut) {
          const page: { readonly values: ReadonlyArray<Value>; readonly next: string | null } | null =
            yield* api.page(next, schema)
          for (const value of page?.values ?? []) {
            const comment = commentOf(value)
            if (comment !== null) comments.push(comment)
          }
          next = page?.next ?? null
          isCut = comments.length >= commentsMax && next !== null
        }
      })
    const said = ({ body, created_at, user }: z.infer<typeof Said>): Comment => ({
      author: user?.login ?? null,
      at: created_at,
      text: body ?? ""
    })
    if (issue.comments > 0) yield* collect(`issues/${issue.number}/comments`, Said, said)
    if (issue.pull_request !== undefined) {
      yield* collect(`pulls/${issue.number}/reviews`, Review, ({ body, state, submitted_at, user }) => ({
        author: user?.login ?? null,
        at: submitted_at ?? issue.updated_at,
        text: body ?? "",
        note: state.toLowerCase().replaceAll("_", " ")
      }))
      yield* collect(`pulls/${issue.number}/comments`, SaidOfFile, ({ path, ...rest }) => ({
        ...said(rest),
        ...(path == null ? {} : { note: `on ${path}` })
      }))
    }
    const mergedAt = issue.pull_request?.merged_at ?? null
    return conversationItem({
      ...placeOf(issue),
      externalId: issueId(issue),
      version: issue.updated_at,
      url: issue.html_url,
      createdAt: issue.created_at,
      modifiedAt: issue.updated_at,
      labels: issue.labels.flatMap((label) => (typeof label === "string" ? label : (label.name ?? []))),
      fields: {
        state: mergedAt === null ? issue.state : "merged",
        reason: issue.state_reason ?? null,
        closed: issue.closed_at?.slice(0, 10) ?? null,
        milestone: issue.milestone?.title ?? null
      },
      first: { author: issue.user?.login ?? null, at: issue.created_at, text: issue.body ?? "" },
      comments,
      warnings: isCut ? [`Only the first ${commentsMax} comments were read.`] : []
    })
  })

export const releaseId = ({ id }: Pick<Release, "id">): string => `release/${id}`

/** The notes of a release. */
export const releaseItem = (release: Release): FetchedItem => {
  const { author, body, created_at, html_url, name, prerelease, published_at, tag_name } = release
  const title = name == null || name.trim() === "" ? tag_name : name.replace(/\s+/g, " ").trim()
  const path = markdownPath(["Releases", tag_name])
  const markdown = `${prerelease ? "---\nstate: prerelease\n---\n\n" : ""}# ${title}\n\n${(body ?? "").replace(/\r\n?/g, "\n").trim()}\n`
  return {
    externalId: releaseId(release),
    version: versionOf(path, markdown, published_at ?? ""),
    path,
    title,
    url: html_url,
    author: author?.login ?? null,
    createdAt: isoMoment(created_at),
    modifiedAt: isoMoment(published_at ?? created_at),
    labels: [],
    body: { markdown },
    attachments: [],
    warnings: []
  }
}
