/**
 * The wire of the console's own endpoints, below the path of `origin`. Pages import these types; the shapes of the
 * operations are those of `kanon/client`, called with `baseUrl: "console"` (relative to `<base href>`), the header
 * `x-workspace-id`, and on every method but GET the header `x-kanon-csrf`.
 *
 * Failures of every endpoint have the envelope of the API: `ErrorBody`. A session that ended is 401 `unauthorized` with
 * `SignInNeeded`; a missing or wrong `x-kanon-csrf` or a foreign `Origin` is 403 `csrf`; a database that does not answer
 * is 503 `database_unavailable` with Retry-After.
 */
import type { AnswerEvent, Feedback, FeedbackKind, KeyScope, StructuredAnswer } from "../client/index.js"

/** Every failure. `requestId` stands in the header `x-request-id` of every response, and in the body of a 500. */
export interface ErrorBody {
  readonly error: string
  readonly message?: string
  readonly existingId?: string
  readonly issues?: ReadonlyArray<{
    readonly path: ReadonlyArray<string | number>
    readonly code: string
    readonly message: string
  }>
  readonly requestId?: string
}

/** Ways to sign in, in the order of preference. */
export type SignInMethod = "key" | "oidc"

/** Body of 401 on every endpoint of the console. */
export interface SignInNeeded extends ErrorBody {
  readonly error: "unauthorized"
  readonly signIn: ReadonlyArray<SignInMethod>
  /** Why signing in cannot work over this connection, in words; null when it can. Show it in place of the form. */
  readonly signInProblem: string | null
}

/**
 * `POST /console/session`: 201 with a `Session` and the cookie. Give a key, or the one-time token of `kanon console`,
 * which stands in the fragment of its link as `#token=…`. Errors: 401 `unauthorized`, 403 `csrf` (foreign Origin), 400
 * `insecure_connection` (plain HTTP beyond this machine; the message explains).
 */
export type SignIn =
  | { readonly key: string; readonly workspaceId?: string }
  | { readonly token: string; readonly workspaceId?: string }

/** `GET /console/session`: the session, or 401 with `SignInNeeded`. */
export interface Session {
  readonly id: string
  /** Null for a workspace key, and where a key signs in without its owner: such a session passes no reviewer gate. */
  readonly member: { readonly id: string; readonly name: string } | null
  /** Who acts, as revisions, audit events and answers name it: the member's id, the key's id, or `local`. */
  readonly actor: string
  readonly method: SessionMethod
  /** What it may do in `workspaceId` now. */
  readonly scopes: ReadonlyArray<KeyScope>
  /** The workspaces that it reaches, with what it may do in each now. */
  readonly workspaces: ReadonlyArray<{
    readonly id: string
    readonly name: string
    readonly scopes: ReadonlyArray<KeyScope>
  }>
  /** The workspace of calls without the header `x-workspace-id`. */
  readonly workspaceId: string
  /** The value of `x-kanon-csrf`; the same for the life of the session. */
  readonly csrf: string
  /** When it ends without further use. Each request moves it, up to seven days after signing in. */
  readonly expiresAt: string
}

/**
 * How a session began: a key, the link of `kanon console`, or OpenID Connect.
 *
 * `GET /console/oidc/start?returnTo=PATH` redirects to the provider (navigate to it; no fetch). The provider leads back
 * to `/console/oidc/callback`, which redirects to `returnTo` within the console, or to `/?signInError=CODE`.
 *
 * `DELETE /console/session` signs out: 200 `{deleted: true, id}`.
 */
export type SessionMethod = "key" | "link" | "oidc"

/**
 * `GET /console/sessions?limit=&offset=`: the caller's own sessions, newest first; with `workspace:admin` those of
 * everybody who reaches this workspace. `limit` 1 to 200, 200 by default. `DELETE /console/sessions/{id}`: 200 `{deleted: true, id}`, 404 for one that is not listed.
 */
export interface SessionPage {
  readonly items: ReadonlyArray<SessionItem>
  readonly total: number
}

export interface SessionItem {
  readonly id: string
  readonly method: SessionMethod
  readonly actor: string
  readonly member: { readonly id: string; readonly name: string } | null
  /**
   * Browser and system as the browser names itself; empty where it does not, and for other people's sessions that began
   * in another workspace.
   */
  readonly userAgent: string
  readonly createdAt: string
  /** To the minute. */
  readonly lastSeenAt: string
  readonly expiresAt: string
  readonly current: boolean
}

/**
 * `POST /console/ask`: the body is that of the operation `query`. Answers `text/event-stream`; each `data:` line is one
 * `AskEvent`, and `answer` or `error` is the last. Leaving stops the question. Bad input and a missing scope are answered
 * as usual (400, 403) before the stream opens.
 */
export type AskEvent =
  /** A stage begins; each stage at most once, in this order. `cached` answers skip `generate`. */
  | { readonly type: "stage"; readonly name: AskStage }
  /** Sources, checked claims and the answer, as the API streams them. `answerId` is null where no answers are kept. */
  | Exclude<AnswerEvent, { readonly type: "stage" }>
  | ({ readonly type: "error"; readonly status: number } & ErrorBody)

export type AskStage = "gather" | "select" | "gate" | "generate" | "ground" | "compare" | "judge"

/**
 * `GET /console/answers?mine=&q=&conversationId=&feedback=&limit=&offset=`: kept answers, newest first, those with policy
 * `off` included. `mine` is true by default; `mine=false` needs `kb:read` or `runs:read`, as the decision log does. `q` is
 * a part of the question without regard to case. `feedback` is `negative`, `positive` or `any`. `limit` 1 to 200, 50 by
 * default.
 */
export interface AnswerPage {
  readonly items: ReadonlyArray<AnswerItem>
  readonly total: number
  readonly limit: number
  readonly offset: number
}

export interface AnswerItem {
  readonly id: string
  readonly question: string
  readonly mode: "off" | "shadow" | "enforce"
  readonly verdict: StructuredAnswer["policy"]["verdict"]
  readonly confidence: number
  readonly askedBy: string
  /** `ui`, `api`, `mcp`, … */
  readonly activity: string
  readonly conversationId: string | null
  /** The decision behind it, for `getPolicyDecision`; null with policy `off`. */
  readonly decisionId: string | null
  readonly feedback: ReadonlyArray<Feedback>
  readonly createdAt: string
}

/** `GET /console/answers/{id}`. 404 for one that is not kept, or that the session may not see. */
export interface AnswerView extends AnswerItem {
  readonly answer: StructuredAnswer
}

/** `POST /console/answers/{id}/feedback`: 201 `{id}`; values as of `addRunFeedback`. */
export interface AnswerFeedback {
  readonly kind: FeedbackKind
  readonly value: unknown
  readonly note?: string
}

/**
 * `GET /console/inbox?mine=&kind=&limit=&offset=`: what waits for a person, "mine" first, then the oldest first. Without
 * `mine=true` everything that the session may see. `limit` 1 to 200, 50 by default.
 */
export interface InboxPage {
  readonly items: ReadonlyArray<InboxItem>
  readonly total: number
  readonly limit: number
  readonly offset: number
  /**
   * Counts of every kind, whatever the filter, each at most 1000; `mine` and `total` are over all kinds. Poll this for
   * the badge.
   */
  readonly counts: Readonly<Record<InboxKind | "mine" | "total", number>>
}

export type InboxKind =
  | "change_request"
  | "review"
  | "verification"
  | "duplicate"
  | "approval"
  | "sync_conflict"
  | "feedback"
  | "judgment"

/** `id` is unique within its kind. */
export type InboxItem = InboxCommon &
  (
    | {
        /** An open change request; approve (a) and reject (r) with the operations. */
        readonly kind: "change_request"
        readonly data: {
          readonly requestId: string
          readonly requestKind: "create" | "update" | "deprecate" | "supersede" | "delete"
          readonly entityId: string | null
          readonly proposedBy: string
          readonly note: string | null
          /** `reviewer_required` when this session may not approve it. */
          readonly blocked: "reviewer_required" | null
        }
      }
    | {
        /** An entity whose review is overdue; `reviewEntity` (a). */
        readonly kind: "review"
        readonly data: {
          readonly entityId: string
          readonly ownerId: string | null
          readonly nextReviewAt: string | null
        }
      }
    | {
        /** A document whose verification is due; `verifyDocument` (a). */
        readonly kind: "verification"
        readonly data: { readonly docId: string; readonly path: string; readonly nextVerifyAt: string | null }
      }
    | {
        /** Two entities that may be the same; `mergeEntity` (a). */
        readonly kind: "duplicate"
        readonly data: {
          readonly headId: string
          readonly headName: string
          readonly duplicateId: string
          readonly duplicateName: string
          readonly score: number
        }
      }
    | {
        /** A run that waits for a decision on a tool call; `approveRunStep` with allow (a) or deny (r). */
        readonly kind: "approval"
        readonly data: {
          readonly runId: string
          readonly approvalId: string
          readonly toolName: string
          readonly arguments: unknown
          readonly expiresAt: string | null
        }
      }
    | {
        /** A document that was edited here and at its source; `syncContentConnector` with `onConflict`. */
        readonly kind: "sync_conflict"
        readonly data: {
          readonly connectorId: string
          readonly connectorName: string
          readonly externalId: string | null
          readonly reason: string
        }
      }
    | {
        /** Negative feedback on an answer or a run. */
        readonly kind: "feedback"
        readonly data: {
          readonly feedbackId: string
          readonly answerId: string | null
          readonly runId: string | null
          readonly feedbackKind: FeedbackKind
          readonly value: unknown
          readonly saidBy: string
        }
      }
    | {
        /** Judgments that feedback suggests for a question; operation `acceptQrels` (a) takes set and feedbackIds. */
        readonly kind: "judgment"
        readonly data: {
          readonly set: string
          readonly feedbackIds: ReadonlyArray<string>
          readonly query: string
          readonly docId: string | null
          readonly path: string | null
          readonly grade: number | null
          readonly answers: ReadonlyArray<string>
          readonly why: string
        }
      }
  )

export interface InboxCommon {
  readonly id: string
  /** One line: a name, a path or a question. Content of the workspace: show it as text with `dir="auto"`. */
  readonly title: string
  /** Whether it waits for this member: owner, steward, verifier or starter. */
  readonly mine: boolean
  /** Since when it waits. */
  readonly at: string
}

/** `GET /console/people?ids=a,b,c` (200 at most): names in the order of the ids. */
export interface People {
  readonly items: ReadonlyArray<{
    readonly id: string
    /** The id itself where nobody is known under it. */
    readonly name: string
    readonly kind: "member" | "key" | "local" | "system" | "unknown"
  }>
}

/**
 * `POST /console/preview` with `{content, path}`: text that is not saved, rendered as `getDocument` with `render=html`
 * does. `path` is where the document lies or shall lie, which relative links and images start from; the root when left
 * out.
 */
export interface Preview {
  readonly html: string
  readonly title: string | null
}

/**
 * `GET /console/files/{workspaceId}/{path}`: an image of the vault, or the original of a converted document as a
 * download. Rendered HTML holds such addresses, relative to `<base href>`.
 *
 * `GET /console/health`: needs `kb:read`.
 */
export interface Health {
  readonly version: string
  readonly counts: {
    readonly documents: number
    readonly chunks: number
    readonly entities: number
    readonly relations: number
  }
  readonly jobs: {
    readonly queued: number
    readonly running: number
    readonly failed: number
    readonly oldestQueuedAt: string | null
  }
  readonly vectors: { readonly model: string | null; readonly upToDate: boolean }
  readonly vault: { readonly readable: boolean; readonly message: string | null }
}

/** `POST /console/models/{role}/test`: one short call of the model of a role; needs `workspace:admin`. */
export interface ModelTest {
  /** Null where nobody chose a model, and the built-in one works. */
  readonly modelId: string | null
  readonly ms: number
  /** Message of the failure; null when the model answered. */
  readonly error: string | null
}

/** `GET /console/tools`: the tools that agents may be given; needs `kb:read` and `agents:run`. */
export interface ToolList {
  readonly items: ReadonlyArray<{
    readonly name: string
    readonly description: string
    /** `read_only`, `idempotent` or `write`. */
    readonly effect: string
  }>
}

/**
 * `POST /console/operations/{name}`: the body is the operation's input, the response (200) its output, with the scopes of
 * the operation. 404 for any other name.
 */
export type ConsoleOperation =
  | "listStewardship"
  | "listDuplicates"
  | "restoreRevision"
  | "getDocumentByPath"
  | "listDataCalls"
  | "proposeQrels"
  | "acceptQrels"
  | "poolQrels"
  | "judgeAgreement"
  | "claimsToLabel"
  | "labelClaims"
  | "cancelEval"
