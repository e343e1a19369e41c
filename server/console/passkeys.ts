import * as Effect from "effect/Effect"
import * as Option from "effect/Option"
import { z } from "zod"
import { record } from "../../core/platform/audit/index.js"
import {
  IdentityStore,
  join,
  type NewPasskey,
  startSession,
  storePasskey,
  usableInvitation
} from "../../core/platform/identity/index.js"
import {
  atomically,
  Caller,
  Conflict,
  Ids,
  millisOf,
  NotFound,
  now,
  scopeOf,
  timestampOf,
  Unauthorized,
  UserId,
  WorkspaceId
} from "../../core/platform/kernel/index.js"
import { WorkspaceStore } from "../../core/platform/workspace/index.js"
import { reply } from "../http/answer.js"
import type { Answered, AppOptions, Serve } from "../http/app.js"
import { Refused } from "../http/errors.js"
import type { Attempts } from "./attempts.js"
import type { ConsoleConfig } from "./cookies.js"
import { admitSignIn, begun, limitsOf, readShape, runOpen, sessionAdmission } from "./session-routes.js"

// Passkeys: joining a workspace with an invitation, signing in, and further passkeys of one's own.

/** A person may take so long at the authenticator. */
const challengeMs = 5 * 60_000
const passkeysMax = 20
const product = "Kanon"

const Text = z.string().max(8000)
const Name = z.string().trim().min(1).max(200)
/** `WORKSPACE.TOKEN`, as in the link of an invitation. */
const InvitationText = z.string().max(200)

const Registration = z.object({
  id: Text,
  rawId: Text,
  type: z.literal("public-key"),
  clientExtensionResults: z.object({}),
  response: z.object({
    clientDataJSON: Text,
    attestationObject: Text,
    transports: z.array(z.string().max(20)).max(10).exactOptional()
  })
})

const Assertion = z.object({
  id: Text,
  rawId: Text,
  type: z.literal("public-key"),
  clientExtensionResults: z.object({}),
  response: z.object({
    clientDataJSON: Text,
    authenticatorData: Text,
    signature: Text,
    userHandle: Text.exactOptional()
  })
})

/** The site that passkeys are bound to: the host of the page. */
const siteOf = (request: Request, url: URL, config: ConsoleConfig) => {
  const origin = new URL(request.headers.get("origin") ?? config.origin ?? url.origin)
  return { origin: origin.origin, rpID: origin.hostname }
}

const webauthn = Effect.promise(() => import("@simplewebauthn/server"))

/** Makes a challenge that is good once. */
const makeChallenge = Effect.gen(function* () {
  const at = yield* now
  const { hash, token } = yield* (yield* Ids).secrets.makeToken
  yield* (yield* IdentityStore).passkeys.addChallenge(hash, timestampOf(millisOf(at) + challengeMs), at)
  return token
})

/** Whether a challenge, as the browser repeats it, is one of ours that nobody has answered yet. */
const takeChallenge = Effect.fnUntraced(function* (repeated: string) {
  const token = Buffer.from(repeated, "base64url").toString("utf8")
  const hash = (yield* Ids).secrets.hashOfToken(token)
  return Option.isSome(hash) && (yield* (yield* IdentityStore).passkeys.takeChallenge(hash.value, yield* now))
})

const registrationOptions = Effect.fnUntraced(function* (
  site: { readonly rpID: string },
  name: string,
  known: ReadonlyArray<string>
) {
  const { generateRegistrationOptions } = yield* webauthn
  const challenge = yield* makeChallenge
  return yield* Effect.promise(() =>
    generateRegistrationOptions({
      rpName: product,
      rpID: site.rpID,
      userName: name,
      userDisplayName: name,
      challenge,
      excludeCredentials: known.map((id) => ({ id })),
      authenticatorSelection: { residentKey: "required", userVerification: "required" }
    })
  )
})

const refusedPasskey = new Refused({
  answer: {
    status: 400,
    body: { error: "passkey_refused", message: "The passkey could not be verified. Try again." }
  }
})

/** Verifies a new passkey; its challenge is used up. */
const verifiedPasskey = Effect.fnUntraced(function* (
  response: z.output<typeof Registration>,
  site: { readonly origin: string; readonly rpID: string },
  name: string
) {
  const { verifyRegistrationResponse } = yield* webauthn
  let challenge = ""
  const verified = yield* Effect.tryPromise({
    try: () =>
      verifyRegistrationResponse({
        response,
        expectedOrigin: site.origin,
        expectedRPID: site.rpID,
        expectedChallenge: (repeated) => {
          challenge = repeated
          return true
        },
        requireUserVerification: true
      }),
    catch: () => refusedPasskey
  })
  if (!(yield* takeChallenge(challenge)) || !verified.verified) return yield* refusedPasskey
  const { counter, id, publicKey } = verified.registrationInfo.credential
  return {
    id,
    publicKey: Buffer.from(publicKey).toString("base64url"),
    counter,
    transports: response.response.transports ?? [],
    name
  } satisfies NewPasskey
})

/** The workspace and the token of an invitation's link. */
const partsOf = (text: string) =>
  Effect.gen(function* () {
    const at = text.indexOf(".")
    const workspace = WorkspaceId.safeParse(text.slice(0, at)).data
    return workspace === undefined
      ? yield* new NotFound({ what: "invitation" })
      : { workspace, token: text.slice(at + 1) }
  })

const nameOf = (user: UserId) =>
  Effect.gen(function* () {
    const found = yield* (yield* IdentityStore).user(user)
    return Option.match(found, { onNone: () => user, onSome: ({ displayName }) => displayName })
  })

/** Begins the session of a person who has shown a passkey, in a workspace that they are a member of. */
const beginSession = Effect.fnUntraced(function* (
  user: UserId,
  wished: WorkspaceId | undefined,
  request: Request,
  config: ConsoleConfig
) {
  const own = yield* (yield* IdentityStore).sessions.workspacesOf(user)
  const workspaceId = own.find((id) => id === wished) ?? own[0]
  if (workspaceId === undefined) return yield* new Unauthorized()
  return yield* startSession(
    {
      method: "passkey",
      actor: user,
      userId: user,
      keyId: null,
      scopes: null,
      workspaceId,
      userAgent: request.headers.get("user-agent") ?? ""
    },
    limitsOf(config)
  )
})

const signInWith = Effect.fnUntraced(function* (
  response: z.output<typeof Assertion>,
  site: { readonly origin: string; readonly rpID: string }
) {
  const store = (yield* IdentityStore).passkeys
  const passkey = Option.getOrNull(yield* store.find(response.id))
  if (passkey === null) return yield* refusedPasskey
  const { verifyAuthenticationResponse } = yield* webauthn
  let challenge = ""
  const verified = yield* Effect.tryPromise({
    try: () =>
      verifyAuthenticationResponse({
        response,
        expectedOrigin: site.origin,
        expectedRPID: site.rpID,
        expectedChallenge: (repeated) => {
          challenge = repeated
          return true
        },
        credential: {
          id: passkey.id,
          publicKey: new Uint8Array(Buffer.from(passkey.publicKey, "base64url")),
          counter: passkey.counter
        },
        requireUserVerification: true
      }),
    catch: () => refusedPasskey
  })
  if (!(yield* takeChallenge(challenge)) || !verified.verified) return yield* refusedPasskey
  yield* store.touch(passkey.id, verified.authenticationInfo.newCounter, yield* now)
  return passkey.userId
})

/** Returns the routes of invitations and passkeys. */
export const passkeyRoutes = (
  config: ConsoleConfig,
  runtime: AppOptions["runtime"],
  attempts: Attempts
): ReadonlyArray<{ readonly method: string; readonly path: string; readonly serve: Serve }> => {
  const run = runOpen(runtime)
  const admission = sessionAdmission(config)
  const answer = (status: number, body: unknown, requestId: string): Answered => ({
    response: reply(status, body, requestId),
    admitted: null,
    error: null
  })
  type Work = (
    request: Request,
    url: URL,
    requestId: string,
    parameters: Parameters<Serve>[2]
  ) => Parameters<typeof run>[0]
  const route = (method: string, path: string, work: Work) => ({
    method,
    path,
    serve: ((request, url, parameters, requestId) =>
      run(work(request, url, requestId, parameters), request, requestId)) satisfies Serve
  })
  /** The person of a session; passkeys belong to people. */
  const person = (request: Request, url: URL) =>
    Effect.gen(function* () {
      const { caller } = yield* admission(request, url)
      const user = UserId.safeParse(caller.actor).data
      return user === undefined
        ? yield* new Conflict({ message: "This session belongs to no member, who alone has passkeys." })
        : { caller, user }
    })

  return [
    route("POST", "/console/join", (request, url, requestId) =>
      Effect.gen(function* () {
        const succeed = yield* admitSignIn(request, url, config, attempts)
        const given = yield* readShape(
          request,
          z.object({ invitation: InvitationText }),
          "Give the invitation."
        )
        const { token, workspace } = yield* partsOf(given.invitation)
        const { invitation } = yield* usableInvitation(workspace, token)
        const { name } = yield* (yield* WorkspaceStore).get(scopeOf(workspace))
        const member = invitation.userId === null ? null : yield* nameOf(invitation.userId)
        yield* succeed
        return answer(200, { workspace: name, role: invitation.role, member }, requestId)
      })
    ),
    route("POST", "/console/join/options", (request, url, requestId) =>
      Effect.gen(function* () {
        const succeed = yield* admitSignIn(request, url, config, attempts)
        const shape = z.object({ invitation: InvitationText, name: Name })
        const given = yield* readShape(request, shape, "Give the invitation and a name.")
        const { token, workspace } = yield* partsOf(given.invitation)
        yield* usableInvitation(workspace, token)
        yield* succeed
        const options = yield* registrationOptions(siteOf(request, url, config), given.name, [])
        return answer(200, options, requestId)
      })
    ),
    route("POST", "/console/join/finish", (request, url, requestId) =>
      Effect.gen(function* () {
        const succeed = yield* admitSignIn(request, url, config, attempts)
        const shape = z.object({
          invitation: InvitationText,
          name: Name,
          device: Name.optional(),
          response: Registration
        })
        const given = yield* readShape(request, shape, "Give the invitation, a name and the new passkey.")
        const { token, workspace } = yield* partsOf(given.invitation)
        const passkey = yield* verifiedPasskey(
          given.response,
          siteOf(request, url, config),
          given.device ?? "Passkey"
        )
        const user = yield* join(workspace, token, { name: given.name, passkey })
        const signedIn = yield* beginSession(user, workspace, request, config)
        yield* succeed
        return yield* begun(signedIn, request, requestId, config)
      })
    ),
    route("POST", "/console/sign-in/options", (request, url, requestId) =>
      Effect.gen(function* () {
        yield* admitSignIn(request, url, config, attempts)
        const { generateAuthenticationOptions } = yield* webauthn
        const challenge = yield* makeChallenge
        const { rpID } = siteOf(request, url, config)
        const options = yield* Effect.promise(() =>
          generateAuthenticationOptions({ rpID, challenge, userVerification: "required" })
        )
        return answer(200, options, requestId)
      })
    ),
    route("POST", "/console/sign-in", (request, url, requestId) =>
      Effect.gen(function* () {
        const succeed = yield* admitSignIn(request, url, config, attempts)
        const given = yield* readShape(
          request,
          z.object({ response: Assertion }),
          "Give a passkey's response."
        )
        const user = yield* signInWith(given.response, siteOf(request, url, config))
        const signedIn = yield* beginSession(user, undefined, request, config)
        yield* succeed
        return yield* begun(signedIn, request, requestId, config)
      })
    ),
    route("GET", "/console/passkeys", (request, url, requestId) =>
      Effect.gen(function* () {
        const { user } = yield* person(request, url)
        const items = (yield* (yield* IdentityStore).passkeys.ofUser(user)).map(
          ({ createdAt, id, lastUsedAt, name }) => ({ id, name, createdAt, lastUsedAt })
        )
        return answer(200, { items }, requestId)
      })
    ),
    route("POST", "/console/passkeys/options", (request, url, requestId) =>
      Effect.gen(function* () {
        const { user } = yield* person(request, url)
        const known = (yield* (yield* IdentityStore).passkeys.ofUser(user)).map(({ id }) => id)
        const options = yield* registrationOptions(siteOf(request, url, config), yield* nameOf(user), known)
        return answer(200, options, requestId)
      })
    ),
    route("POST", "/console/passkeys", (request, url, requestId) =>
      Effect.gen(function* () {
        const { caller, user } = yield* person(request, url)
        const shape = z.object({ name: Name, response: Registration })
        const given = yield* readShape(request, shape, "Give a name and the new passkey.")
        if ((yield* (yield* IdentityStore).passkeys.ofUser(user)).length >= passkeysMax)
          return yield* new Conflict({ message: `A person has ${passkeysMax} passkeys at most.` })
        const passkey = yield* verifiedPasskey(given.response, siteOf(request, url, config), given.name)
        yield* Effect.provideService(atomically(storePasskey(user, passkey)), Caller, caller)
        return answer(201, { id: passkey.id }, requestId)
      })
    ),
    route("DELETE", "/console/passkeys/{id}", (request, url, requestId, parameters) =>
      Effect.gen(function* () {
        const { caller, user } = yield* person(request, url)
        const id = parameters["id"] ?? ""
        const work = Effect.gen(function* () {
          if (!(yield* (yield* IdentityStore).passkeys.remove(user, id)))
            return yield* new NotFound({ what: "passkey" })
          yield* record([{ action: "passkey.remove", subjectId: user }])
        })
        yield* Effect.provideService(atomically(work), Caller, caller)
        return answer(200, { deleted: true, id }, requestId)
      })
    )
  ]
}
