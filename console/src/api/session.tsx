import { useQueryClient } from "@tanstack/react-query"
import { createContext, type ReactNode, useCallback, useContext, useEffect, useMemo, useState } from "react"
import { KanonApiError, type KeyScope } from "../../../server/client/index.js"
import type {
  MemberAccess,
  Session,
  SignIn,
  SignInMethod,
  SignInNeeded
} from "../../../server/console/model.js"
import { strings } from "../strings.js"
import { callOwn, credentials, onSessionLost } from "./connection.js"

/** How the server lets people sign in, and why it cannot, if it cannot. */
export interface SignInOffer {
  readonly methods: ReadonlyArray<SignInMethod>
  readonly problem: string | null
}

type SeenAs = Pick<MemberAccess, "id" | "displayName" | "scopes">

interface SessionState {
  /** Null before the first sign-in. It stays while a lost session asks for sign-in over the page. */
  readonly session: Session | null
  /** Present while somebody has to sign in. */
  readonly offer: SignInOffer | null
  /** The server did not answer at all. */
  readonly failure: unknown
  readonly signIn: (how: SignIn) => Promise<void>
  /** Goes on with a session that has just begun. */
  readonly begin: (session: Session) => void
  readonly signOut: () => Promise<void>
  readonly workspaceId: string
  readonly switchWorkspace: (id: string) => void
  /** The member as whom an administrator sees the workspace; until the page is loaded again or the workspace changes. */
  readonly seenAs: SeenAs | null
  readonly seeAs: (member: SeenAs | null) => void
  readonly retry: () => void
}

const SessionContext = createContext<SessionState | null>(null)

const workspaceSlot = "kanon.workspace"

/** The workspace that this tab last used, if the session still reaches it. */
const workspaceOf = (session: Session): string => {
  const kept = sessionStorage.getItem(workspaceSlot) ?? localStorage.getItem(workspaceSlot)
  return session.workspaces.some(({ id }) => id === kept) && kept !== null ? kept : session.workspaceId
}

/** The one-time token of `kanon console` in the fragment; it is removed from the address at once. */
const takeToken = (): string | null => {
  const token = new URLSearchParams(location.hash.slice(1)).get("token")
  if (token !== null) history.replaceState(null, "", location.pathname + location.search)
  return token
}

/** The session of the browser's cookie, or how to sign in without one. */
const readSession = async (): Promise<Session | SignInOffer> => {
  const response = await fetch(new URL("console/session", document.baseURI), { credentials: "same-origin" })
  const body: unknown = await response.json().catch(() => undefined)
  if (response.ok) return body as Session
  if (response.status !== 401) throw new KanonApiError(response, body)
  const { signIn, signInProblem } = body as Partial<SignInNeeded>
  return { methods: signIn ?? ["key"], problem: signInProblem ?? null }
}

export const SessionProvider = ({ children }: { readonly children: ReactNode }): ReactNode => {
  const queries = useQueryClient()
  const [session, setSession] = useState<Session | null>(null)
  const [offer, setOffer] = useState<SignInOffer | null>(null)
  const [failure, setFailure] = useState<unknown>(null)
  const [workspaceId, setWorkspaceId] = useState("")
  const [seenAs, setSeenAs] = useState<SeenAs | null>(null)

  const seeAs = useCallback(
    (member: SeenAs | null) => {
      credentials.seenAs = member?.id ?? null
      setSeenAs(member)
      // Pages load again, because the other member may read other documents.
      void queries.resetQueries()
    },
    [queries]
  )

  const begin = useCallback(
    (next: Session) => {
      const chosen = workspaceOf(next)
      // Another person in the same tab must not see what the first one loaded.
      if (session !== null && session.actor !== next.actor) queries.clear()
      credentials.csrf = next.csrf
      credentials.workspaceId = chosen
      setWorkspaceId(chosen)
      setSession(next)
      setOffer(null)
      setFailure(null)
      void queries.invalidateQueries()
    },
    [queries, session]
  )

  /** Continues the session of the cookie, or asks for sign-in. */
  const resume = useCallback(async () => {
    setFailure(null)
    try {
      const found = await readSession()
      if ("csrf" in found) begin(found)
      else setOffer(found)
    } catch (error) {
      setFailure(error)
    }
  }, [begin])

  const start = useCallback(async () => {
    const token = takeToken()
    if (token === null) return resume()
    try {
      begin(await callOwn<Session>("session", { method: "POST", body: { token } }))
    } catch (error) {
      // A link that was used already still leads to the session that it began.
      await resume()
      setFailure(
        error instanceof KanonApiError && error.status === 401 ? new Error(strings.signIn.linkUsed) : error
      )
    }
  }, [begin, resume])

  // biome-ignore lint/correctness/useExhaustiveDependencies: once, when the page opens.
  useEffect(() => void start(), [])
  useEffect(() => {
    // The link of `kanon console` may be opened in a tab that shows the console already.
    const listen = () => {
      if (location.hash.startsWith("#token=")) void start()
    }
    addEventListener("hashchange", listen)
    return () => removeEventListener("hashchange", listen)
  }, [start])
  useEffect(
    () =>
      onSessionLost(() => {
        if (session !== null) void resume()
      }),
    [session, resume]
  )

  const state = useMemo<SessionState>(
    () => ({
      session,
      offer,
      failure,
      workspaceId,
      begin,
      signIn: async (how) => begin(await callOwn<Session>("session", { method: "POST", body: how })),
      signOut: async () => {
        await callOwn("session", { method: "DELETE" })
        credentials.csrf = null
        credentials.seenAs = null
        setSeenAs(null)
        queries.clear()
        setSession(null)
        await resume()
      },
      switchWorkspace: (id) => {
        sessionStorage.setItem(workspaceSlot, id)
        localStorage.setItem(workspaceSlot, id)
        credentials.workspaceId = id
        setWorkspaceId(id)
        if (seenAs !== null) seeAs(null)
      },
      seenAs,
      seeAs,
      retry: () => void start()
    }),
    [session, offer, failure, workspaceId, seenAs, seeAs, begin, resume, start, queries]
  )
  return <SessionContext value={state}>{children}</SessionContext>
}

/** The state of signing in, for the shell. */
export const useSessionState = (): SessionState => {
  const state = useContext(SessionContext)
  if (state === null) throw new Error("useSessionState needs a SessionProvider.")
  return state
}

/** The session of the page that shows, with its rights in the chosen workspace; only below the shell, which waits for one. */
export const useSession = (): Session & { readonly workspaceId: string } => {
  const { seenAs, session, workspaceId } = useSessionState()
  if (session === null) throw new Error("useSession needs a session.")
  return useMemo(() => {
    const own = session.workspaces.find(({ id }) => id === workspaceId)?.scopes ?? session.scopes
    const scopes = seenAs === null ? own : own.filter((scope) => seenAs.scopes.includes(scope))
    return { ...session, scopes, workspaceId }
  }, [session, workspaceId, seenAs])
}

/** Why the session may not do what needs `scope`; undefined if it may. For the `reason` of a button. */
export const useScopeReason = (scope: KeyScope): string | undefined => {
  const { scopes } = useSession()
  return scopes.includes(scope) ? undefined : strings.reasons.scope(scope)
}
