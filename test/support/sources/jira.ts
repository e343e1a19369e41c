import * as Effect from "effect/Effect"
import { sendJson, webServer } from "./crawling.js"

interface JiraIssue {
  readonly id: string
  key: string
  summary: string
  description: unknown
  readonly fields: Readonly<Record<string, unknown>>
  updatedAt: number
  readonly comments: Array<{
    readonly author: string
    readonly body: unknown
    readonly at: string
    readonly visibility?: unknown
  }>
}

/** A text in the Atlassian Document Format. */
export const adf = (...content: ReadonlyArray<unknown>) => ({ type: "doc", version: 1, content })
/** A paragraph of it. */
export const adfParagraph = (text: string) => ({ type: "paragraph", content: [{ type: "text", text }] })

/** A site of Jira Cloud with the project BOAT, written from the documentation of its REST interface, version 3. */
export const jiraServer = (authorization: string) =>
  Effect.gen(function* () {
    const issues = new Map<string, JiraIssue>()
    /** Holders of security levels, by the id of the level. */
    const levels = new Map<string, ReadonlyArray<unknown>>()
    let nextId = 10_001
    const moment = (ms: number) => new Date(ms).toISOString().replace("Z", "+0000")
    const url: string = yield* webServer((request, response) => {
      const { pathname, searchParams } = new URL(request.url ?? "/", "http://localhost")
      if (request.headers.authorization !== authorization) return sendJson(response, {}, 401)
      const shown = (issue: JiraIssue) => ({
        id: issue.id,
        key: issue.key,
        fields: {
          summary: issue.summary,
          description: issue.description,
          created: "2026-02-03T10:05:00.000+0100",
          updated: moment(issue.updatedAt),
          labels: [],
          status: { name: "To Do" },
          reporter: { displayName: "Ada" },
          ...issue.fields
        }
      })
      if (pathname === "/rest/api/3/search/jql") {
        const jql = searchParams.get("jql") ?? ""
        const [from, size] = [
          Number(searchParams.get("nextPageToken") ?? 0),
          Number(searchParams.get("maxResults"))
        ]
        if (Number.isNaN(from) || /"NONE"/.test(jql))
          return sendJson(response, { errorMessages: ["no"] }, 400)
        const span = /updated >= "-(\d+)m"/.exec(jql)?.[1]
        const found = [...issues.values()].filter(
          ({ updatedAt }) => span === undefined || updatedAt >= Date.now() - Number(span) * 60_000
        )
        const isLast = from + size >= found.length
        const page = found.slice(from, from + size)
        const ofIds = searchParams.get("fields") === "id"
        return sendJson(response, {
          issues: ofIds ? page.map(({ id }) => ({ id })) : page.map(shown),
          isLast,
          ...(isLast ? {} : { nextPageToken: String(from + size) })
        })
      }
      if (pathname === "/rest/api/3/issue/bulkfetch") {
        const { issueIdsOrKeys } = JSON.parse(request.body) as { issueIdsOrKeys: Array<string> }
        const found = issueIdsOrKeys.flatMap((one) => issues.get(one) ?? [])
        return sendJson(response, { issues: found.map(shown), issueErrors: [] })
      }
      if (pathname === "/rest/api/3/issuesecurityschemes/level/member") {
        const level = searchParams.get("levelId") ?? ""
        const from = Number(searchParams.get("startAt"))
        const held = (levels.get(level) ?? []).map((holder) => ({ issueSecurityLevelId: level, holder }))
        return sendJson(response, { values: held.slice(from, from + 100), isLast: from + 100 >= held.length })
      }
      const [, id = "", list] = /^\/rest\/api\/3\/issue\/(\w+)(\/comment)?$/.exec(pathname) ?? []
      const issue = issues.get(id)
      if (issue === undefined) return sendJson(response, { errorMessages: ["Issue does not exist"] }, 404)
      if (list === undefined) return sendJson(response, shown(issue))
      const from = Number(searchParams.get("startAt"))
      return sendJson(response, {
        total: issue.comments.length,
        comments: issue.comments.slice(from, from + 2).map(({ at, author, body, visibility }) => ({
          author: { displayName: author },
          created: at,
          body,
          visibility
        }))
      })
    })
    return {
      url,
      issues,
      levels,
      /** Opens an issue, or changes the one of that summary. */
      put: (
        summary: string,
        description: unknown,
        about: Partial<Pick<JiraIssue, "fields" | "comments">> = {}
      ) => {
        const known = [...issues.values()].find((one) => one.summary === summary)
        const id = known?.id ?? String(nextId++)
        const issue: JiraIssue = {
          id,
          key: `BOAT-${Number(id) - 10_000}`,
          fields: {},
          comments: [],
          ...known,
          summary,
          description,
          ...about,
          updatedAt: Math.max(Date.now(), (known?.updatedAt ?? 0) + 1)
        }
        issues.set(id, issue)
        return issue
      }
    }
  })
