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
export type SignInMethod = "key" | "oidc" | "passkey"

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
 * How a session began: a key, the link of `kanon console`, OpenID Connect, or a passkey; `client` is an MCP client that acts for the
 * person (docs/mcp.md).
 *
 * `GET /console/oidc/start?returnTo=PATH` redirects to the provider (navigate to it; no fetch). The provider leads back
 * to `/console/oidc/callback`, which redirects to `returnTo` within the console, or to `/?signInError=CODE`.
 *
 * `DELETE /console/session` signs out: 200 `{deleted: true, id}`.
 */
export type SessionMethod = "key" | "link" | "oidc" | "passkey" | "client"

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
   * Browser and system as the browser names itself, or the name of an MCP client; empty where it does not, and for other people's sessions that began
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
 * `POST /console/clients/preview {request}`: what an MCP client asks for; `request` holds the parameters of its
 * authorization request. `POST /console/clients {request, allow, scopes}`: the person's answer, 200 `{redirectTo}`, an
 * address of the client.
 */
export interface ClientConsent {
  /** `host` vouches for the name; null where the client gave it itself. */
  readonly client: { readonly name: string; readonly host: string | null }
  readonly redirectHost: string
  /** What the person could allow. */
  readonly scopes: ReadonlyArray<{ readonly scope: string; readonly isAsked: boolean }>
  /** Why it cannot be allowed; null where it can. */
  readonly problem: string | null
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

export type MemberRole = "admin" | "curator" | "member" | "reader"

/**
 * `GET /console/members` (`workspace:admin`): the members with how they can sign in. `PATCH /console/members/{id}
 * {role}` and `DELETE /console/members/{id}`: 409 `conflict` for the last administrator. `DELETE
 * /console/members/{id}/keys/{keyId}` ends a user key.
 */
export interface MemberAccess {
  readonly id: string
  readonly displayName: string
  readonly role: MemberRole
  /** Scopes of the role of the member. */
  readonly scopes: ReadonlyArray<KeyScope>
  readonly since: string
  readonly lastSeenAt: string | null
  readonly passkeys: number
  /** Logins through OpenID Connect. */
  readonly logins: number
  readonly keys: ReadonlyArray<{ readonly id: string; readonly name: string; readonly prefix: string }>
}

/**
 * `POST /console/invitations {role}` or `{userId}` for a member whose passkey is lost: 201 with the `token` of the link
 * `/join#WORKSPACE.TOKEN`, shown this once. `GET` lists those that can still be used; `DELETE …/{id}` revokes one.
 */
export interface InvitationItem {
  readonly id: string
  readonly role: MemberRole
  readonly userId: string | null
  readonly createdBy: string
  readonly createdAt: string
  readonly expiresAt: string
}

/**
 * `POST /console/join {invitation}`: what an invitation is for; 404 for one that was used, revoked or has ended.
 * `POST /console/join/options {invitation, name}`: options for the browser to make a passkey.
 * `POST /console/join/finish {invitation, name, response}`: 201 with a `Session` and its cookie.
 */
export interface Joining {
  readonly workspace: string
  readonly role: MemberRole
  /** The member whose passkeys are replaced; null for a new person. */
  readonly member: string | null
}

/**
 * `GET /console/passkeys`: one's own. `POST /console/passkeys/options` and `POST /console/passkeys {name, response}` add
 * one; `DELETE /console/passkeys/{id}` removes one. `POST /console/sign-in/options` gives options for signing in, and
 * `POST /console/sign-in {response}` answers as `POST /console/session`.
 */
export interface PasskeyItem {
  readonly id: string
  readonly name: string
  readonly createdAt: string
  readonly lastUsedAt: string | null
}

/** `GET /console/conversations?limit=&offset=`: one's own conversations, the last continued first. */
export interface ConversationPage {
  readonly items: ReadonlyArray<ConversationItem>
  readonly total: number
  readonly limit: number
  readonly offset: number
}

export interface ConversationItem {
  readonly id: string
  /** As the person named it, else its first question; empty where the workspace keeps no questions. */
  readonly title: string
  readonly questions: number
  readonly createdAt: string
  readonly updatedAt: string
}

/**
 * `GET /console/conversations/{id}`: its latest 100 questions with their answers, oldest first; 404 for one that is
 * another person's. `PATCH` takes `{title}`; `DELETE` deletes its answers with it: 200 `{deleted: true, id}`.
 */
export interface ConversationView extends ConversationItem {
  readonly turns: ReadonlyArray<AnswerView>
}

/** `POST /console/answers/{id}/feedback`: 201 `{id}`; values as of `addRunFeedback`. */
export interface AnswerFeedback {
  readonly kind: FeedbackKind
  readonly value: unknown
  readonly note?: string
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
  | "settleContradiction"
  | "compileTopic"
  | "getProposal"
  | "proposeDocument"
  | "approveProposal"
  | "rejectProposal"
  | "getDocumentAccess"
  | "setDocumentAccess"
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
