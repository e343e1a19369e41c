/** Discussions of a repository, which GitHub gives by GraphQL. */
import * as Effect from "effect/Effect"
import { z } from "zod"
import {
  type FetchedItem,
  type ItemFault,
  ItemGone,
  type SourceFault
} from "../../../core/connected/sources/index.js"
import { type Comment, conversationItem, conversationPath } from "../issue-document.js"
import type { GitHubApi } from "./api.js"

const PageInfo = z.object({ hasNextPage: z.boolean(), endCursor: z.string().nullish() })
const Listed = z.object({ number: z.int(), title: z.string(), updatedAt: z.string() })
const List = z.object({
  repository: z
    .object({ discussions: z.object({ pageInfo: PageInfo, nodes: z.array(Listed.nullable()) }).nullable() })
    .nullable()
})

const Author = z.object({ login: z.string() }).nullable()
const Text = z.object({ author: Author, body: z.string(), createdAt: z.string() })
const CommentNode = Text.extend({
  isAnswer: z.boolean().catch(false),
  replies: z.object({ totalCount: z.int(), nodes: z.array(Text.nullable()) })
})
const Discussion = z.object({
  repository: z
    .object({
      discussion: Text.extend({
        number: z.int(),
        title: z.string(),
        url: z.string(),
        updatedAt: z.string(),
        closed: z.boolean().catch(false),
        closedAt: z.string().nullish(),
        category: z.object({ name: z.string() }).nullish(),
        labels: z.object({ nodes: z.array(z.object({ name: z.string() }).nullable()) }).nullish(),
        comments: z.object({ pageInfo: PageInfo, nodes: z.array(CommentNode.nullable()) })
      }).nullable()
    })
    .nullable()
})

const listQuery = `query($owner: String!, $name: String!, $count: Int!, $after: String, $field: DiscussionOrderField!, $direction: OrderDirection!) {
  repository(owner: $owner, name: $name) {
    discussions(first: $count, after: $after, orderBy: {field: $field, direction: $direction}) {
      pageInfo { hasNextPage endCursor }
      nodes { number title updatedAt }
    }
  }
}`
const repliesMax = 50
const discussionQuery = `query($owner: String!, $name: String!, $number: Int!, $after: String) {
  repository(owner: $owner, name: $name) {
    discussion(number: $number) {
      number title url body createdAt updatedAt closed closedAt
      author { login }
      category { name }
      labels(first: 50) { nodes { name } }
      comments(first: 50, after: $after) {
        pageInfo { hasNextPage endCursor }
        nodes {
          body createdAt isAnswer author { login }
          replies(first: ${repliesMax}) { totalCount nodes { body createdAt author { login } } }
        }
      }
    }
  }
}`

const commentPagesMax = 20

export interface ListedDiscussion {
  readonly externalId: string
  readonly version: string
  readonly path: string
}

const placeOf = ({ number, title }: { readonly number: number; readonly title: string }) => ({
  folder: "Discussions",
  name: String(number),
  title
})

/** A page of discussions: all, the oldest first; with a moment those that changed since, the newest first. */
export const listDiscussions = (
  api: GitHubApi,
  {
    after,
    count,
    since
  }: { readonly after: string | null; readonly count: number; readonly since: string | null }
): Effect.Effect<
  { readonly found: ReadonlyArray<ListedDiscussion>; readonly next: string | null },
  SourceFault
> =>
  Effect.gen(function* () {
    const { name, owner } = yield* api.repository
    const order =
      since === null ? { field: "CREATED_AT", direction: "ASC" } : { field: "UPDATED_AT", direction: "DESC" }
    const { repository } = yield* api.query(listQuery, { owner, name, count, after, ...order }, List)
    const list = repository?.discussions ?? null
    // Null where discussions are turned off.
    if (list === null) return { found: [], next: null }
    const nodes = list.nodes.flatMap((node) => node ?? [])
    const changed = nodes.filter(
      ({ updatedAt }) => since === null || Date.parse(updatedAt) >= Date.parse(since)
    )
    const isEnough = changed.length < nodes.length || !list.pageInfo.hasNextPage
    return {
      found: changed.map((node) => ({
        externalId: `discussion/${node.number}`,
        version: node.updatedAt,
        path: conversationPath(placeOf(node))
      })),
      next: isEnough ? null : (list.pageInfo.endCursor ?? null)
    }
  })

/** A discussion with its comments and their replies. */
export const readDiscussion = (
  api: GitHubApi,
  externalId: string
): Effect.Effect<FetchedItem, SourceFault | ItemFault> =>
  Effect.gen(function* () {
    const { name, owner } = yield* api.repository
    const number = Number(/^discussion\/(\d{1,9})$/.exec(externalId)?.[1] ?? 0)
    const read = (after: string | null) =>
      Effect.map(
        api.query(discussionQuery, { owner, name, number, after }, Discussion),
        ({ repository }) => repository?.discussion ?? null
      )
    const discussion = number === 0 ? null : yield* read(null)
    if (discussion === null) return yield* new ItemGone({ externalId })
    const nodes = [...discussion.comments.nodes]
    let { endCursor, hasNextPage } = discussion.comments.pageInfo
    for (let page = 1; hasNextPage && page < commentPagesMax; page++) {
      const more = yield* read(endCursor ?? null)
      if (more === null) return yield* new ItemGone({ externalId })
      nodes.push(...more.comments.nodes)
      ;({ endCursor, hasNextPage } = more.comments.pageInfo)
    }
    const found = nodes.flatMap((node) => node ?? [])
    const leftOut = found.reduce((sum, { replies }) => sum + Math.max(0, replies.totalCount - repliesMax), 0)
    return conversationItem({
      ...placeOf(discussion),
      externalId,
      version: discussion.updatedAt,
      url: discussion.url,
      createdAt: discussion.createdAt,
      modifiedAt: discussion.updatedAt,
      labels: (discussion.labels?.nodes ?? []).flatMap((label) => label?.name ?? []),
      fields: {
        state: discussion.closed ? "closed" : "open",
        closed: discussion.closedAt?.slice(0, 10) ?? null,
        category: discussion.category?.name ?? null
      },
      first: commentOf(discussion),
      comments: found.map((node) => ({
        ...commentOf(node),
        ...(node.isAnswer ? { note: "the answer" } : {}),
        replies: node.replies.nodes.flatMap((reply) => (reply === null ? [] : commentOf(reply)))
      })),
      warnings: [
        ...(hasNextPage ? ["Only the first 1,000 comments were read."] : []),
        ...(leftOut === 0
          ? []
          : [`${leftOut} replies were left out: of each comment ${repliesMax} are read.`])
      ]
    })
  })

const commentOf = ({ author, body, createdAt }: z.infer<typeof Text>): Comment => ({
  author: author?.login ?? null,
  at: createdAt,
  text: body
})
