import { createHash } from "node:crypto"
import * as Effect from "effect/Effect"
import { sendJson, webServer } from "./crawling.js"

interface GitHubComment {
  readonly user: string
  body: string
  at: string
  /** The file that a comment of a review is about. */
  readonly path?: string
  readonly replies?: ReadonlyArray<{ readonly user: string; readonly body: string }>
}

interface GitHubIssue {
  readonly number: number
  title: string
  body: string
  state: string
  labels: ReadonlyArray<string>
  updatedAt: string
  readonly createdAt: string
  readonly mergedAt?: string
  readonly isPull: boolean
  readonly isDiscussion: boolean
  readonly comments: Array<GitHubComment>
  readonly reviews: ReadonlyArray<GitHubComment>
}

/**
 * A server of GitHub Enterprise with the repository `boats/sail`, written from the documentation of the REST interface
 * (2022-11-28) and of GraphQL. It counts requests that are not conditional, as GitHub does.
 */
export const gitHubServer = (token: string) =>
  Effect.gen(function* () {
    const issues = new Map<number, GitHubIssue>()
    const releases: Array<Readonly<Record<string, unknown>>> = []
    const requests: Array<string> = []
    let [now, nextNumber, left] = [Date.now() - 3_600_000, 1, Number.POSITIVE_INFINITY]
    const tick = () => {
      now += 1000
      return new Date(now).toISOString().replace(/\.\d+/, "")
    }
    const user = (login: string) => ({ login })
    const origin: string = yield* webServer((request, response) => {
      const url = new URL(request.url ?? "/", origin)
      const base = `${origin}/api/v3/repos/boats/sail`
      const headers = { date: new Date(now).toUTCString() }
      const send = (value: unknown, link?: string) => {
        const text = JSON.stringify(value)
        const etag = `"${createHash("sha256").update(text).digest("hex")}"`
        const isSame = request.headers["if-none-match"] === etag
        requests.push(`${url.pathname.replace("/api/v3/repos/boats/sail", "")} ${isSame ? 304 : 200}`)
        response.writeHead(isSame ? 304 : 200, {
          ...headers,
          etag,
          "content-type": "application/json",
          ...(link === undefined ? {} : { link })
        })
        response.end(isSame ? undefined : text)
      }
      if (request.headers.authorization !== `Bearer ${token}`)
        return sendJson(response, { message: "Bad credentials" }, 401)
      if (left-- <= 0) {
        response.writeHead(403, {
          ...headers,
          "x-ratelimit-remaining": "0",
          "x-ratelimit-reset": String(Math.floor(now / 1000) + 1800)
        })
        response.end("{}")
        return
      }
      const page = (values: ReadonlyArray<unknown>) => {
        const size = Number(url.searchParams.get("per_page") ?? 30)
        const at = Number(url.searchParams.get("page") ?? 1)
        const next = new URL(url)
        next.searchParams.set("page", String(at + 1))
        const hasNext = at * size < values.length
        return send(
          values.slice((at - 1) * size, at * size),
          hasNext ? `<${base}/first>; rel="first", <${next}>; rel="next"` : undefined
        )
      }
      const shown = (issue: GitHubIssue) => ({
        number: issue.number,
        title: issue.title,
        body: issue.body,
        html_url: `${origin}/boats/sail/issues/${issue.number}`,
        repository_url: base,
        user: user("ada"),
        state: issue.state,
        state_reason: issue.state === "closed" ? "completed" : null,
        closed_at: issue.state === "closed" ? issue.updatedAt : null,
        labels: issue.labels.map((name) => ({ name })),
        milestone: null,
        comments: issue.comments.length,
        created_at: issue.createdAt,
        updated_at: issue.updatedAt,
        ...(issue.isPull ? { pull_request: { merged_at: issue.mergedAt ?? null } } : {})
      })
      const comment = (one: GitHubComment) => ({
        user: user(one.user),
        body: one.body,
        created_at: one.at,
        path: one.path ?? null
      })
      const since = (at: string) => at >= (url.searchParams.get("since") ?? "")
      const all = [...issues.values()].filter(({ isDiscussion }) => !isDiscussion)
      const path = url.pathname.replace("/api/v3/repos/boats/sail", "")
      const [, kind, id = "", list] = /^\/(\w+)(?:\/(\w+))?(?:\/(\w+))?$/.exec(path) ?? []
      const issue = issues.get(Number(id))
      if (url.pathname === "/api/graphql")
        return send({ data: { repository: graphql(JSON.parse(request.body)) } })
      if (path === "") return send({ url: base, name: "sail", owner: user("boats") })
      if (path === "/issues") return page(all.filter(({ updatedAt }) => since(updatedAt)).map(shown))
      if (path === "/issues/comments" || path === "/pulls/comments")
        return page(
          all.flatMap(({ comments, number, reviews }) =>
            (path === "/issues/comments" ? comments : reviews)
              .filter(({ at }) => since(at))
              .map(() => ({
                issue_url: `${base}/issues/${number}`,
                pull_request_url: `${base}/pulls/${number}`
              }))
          )
        )
      if (path === "/releases") return page(releases)
      if (kind === "releases") {
        const release = releases.find((one) => String(one["id"]) === id)
        return release === undefined ? sendJson(response, {}, 404) : send(release)
      }
      if (issue === undefined || issue.isDiscussion) return sendJson(response, { message: "Gone" }, 410)
      if (list === "reviews")
        return page([{ user: user("grace"), body: "", state: "APPROVED", submitted_at: issue.updatedAt }])
      if (list === "comments") return page((kind === "issues" ? issue.comments : issue.reviews).map(comment))
      return send(shown(issue))
    })
    const text = (login: string, body: string, createdAt: string) => ({
      author: user(login),
      body,
      createdAt
    })
    const graphql = ({
      query,
      variables
    }: {
      query: string
      variables: Record<string, string | number | null>
    }) => {
      const all = [...issues.values()].filter(({ isDiscussion }) => isDiscussion)
      const found = issues.get(Number(variables["number"]))
      if (query.includes("discussion(number"))
        return {
          discussion:
            found?.isDiscussion !== true
              ? null
              : {
                  ...text("ada", found.body, found.createdAt),
                  number: found.number,
                  title: found.title,
                  url: `${origin}/boats/sail/discussions/${found.number}`,
                  updatedAt: found.updatedAt,
                  closed: false,
                  closedAt: null,
                  category: { name: "Q&A" },
                  labels: { nodes: [] },
                  comments: {
                    pageInfo: { hasNextPage: false, endCursor: null },
                    nodes: found.comments.map((one, at) => ({
                      ...text(one.user, one.body, one.at),
                      isAnswer: at === 0,
                      replies: {
                        totalCount: 51 + (one.replies?.length ?? 0),
                        nodes: (one.replies ?? []).map((reply) => text(reply.user, reply.body, one.at))
                      }
                    }))
                  }
                }
        }
      if (variables["direction"] === "DESC") all.sort((a, b) => (a.updatedAt < b.updatedAt ? 1 : -1))
      const from = Number(variables["after"] ?? 0)
      const to = from + Number(variables["count"])
      return {
        discussions: {
          pageInfo: { hasNextPage: to < all.length, endCursor: String(to) },
          nodes: all.slice(from, to).map(({ number, title, updatedAt }) => ({ number, title, updatedAt }))
        }
      }
    }
    return {
      origin,
      issues,
      releases,
      tick,
      /** The requests since the last call, by their path in the repository. */
      asked: (): ReadonlyArray<string> => requests.splice(0),
      /** Answers so many requests more, then asks for half an hour. */
      limit: (count: number) => {
        left = count
      },
      /** Opens an issue, or changes it. */
      put: (title: string, about: Partial<Omit<GitHubIssue, "number">> = {}): GitHubIssue => {
        const at = tick()
        const known = [...issues.values()].find((one) => one.title === title)
        const issue: GitHubIssue = {
          number: known?.number ?? nextNumber++,
          title,
          body: "",
          state: "open",
          labels: [],
          createdAt: at,
          isPull: false,
          isDiscussion: false,
          comments: [],
          reviews: [],
          ...known,
          ...about,
          updatedAt: at
        }
        issues.set(issue.number, issue)
        return issue
      }
    }
  })
