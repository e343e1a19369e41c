/**
 * Queries and changes. Keys are `[workspaceId, name, input]`, so switching the workspace shows its own data and a change
 * refreshes lists by the names of their operations.
 */
import {
  keepPreviousData,
  type UseMutationResult,
  type UseQueryResult,
  useMutation,
  useQuery,
  useQueryClient
} from "@tanstack/react-query"
import type { CallOptions, KanonClient, Operations } from "../../../server/client/index.js"
import type { ConsoleOperation } from "../../../server/console/model.js"
import { callOwn, client } from "./connection.js"
import { useSession } from "./session.js"

/** Operations of `kanon/client` by name; a run is streamed with `client.streamRun`. */
export type OperationName = Exclude<keyof Operations, "streamRun">
export type InputOf<Name extends OperationName> = NonNullable<Parameters<Operations[Name]>[0]>
export type OutputOf<Name extends OperationName> = Awaited<ReturnType<Operations[Name]>>

export interface QuerySettings {
  /** False waits, for example until a field is filled. */
  readonly enabled?: boolean
  /** Asks again after so many milliseconds while the page is visible. */
  readonly everyMs?: number | undefined
  /** Shows the last result while another input loads. */
  readonly keepPrevious?: boolean
}

/** Calls an operation by name; the client's methods take exactly these inputs. */
export const callOperation = <Name extends OperationName>(
  name: Name,
  input: InputOf<Name>,
  options?: CallOptions
): Promise<OutputOf<Name>> => {
  const method = client[name] as unknown as (
    input: InputOf<Name>,
    options?: CallOptions
  ) => Promise<OutputOf<Name>>
  return method(input, options)
}

/** The result of a reading operation, kept and shared by all that show it. */
export const useOperation = <Name extends OperationName>(
  name: Name,
  input: InputOf<Name>,
  settings: QuerySettings = {}
): UseQueryResult<OutputOf<Name>> => {
  const { workspaceId } = useSession()
  return useQuery({
    queryKey: [workspaceId, name, input],
    queryFn: ({ signal }) => callOperation(name, input, { signal }),
    ...settingsOf(settings)
  })
}

/** The result of an own endpoint, such as `useOwn<InboxPage>("inbox", { mine: true })`. */
export const useOwn = <Output>(
  path: string,
  query: Readonly<Record<string, string | number | boolean | undefined>> = {},
  settings: QuerySettings = {}
): UseQueryResult<Output> => {
  const { workspaceId } = useSession()
  return useQuery({
    queryKey: [workspaceId, path, query],
    queryFn: ({ signal }) => callOwn<Output>(path, { query, signal }),
    ...settingsOf(settings)
  })
}

/** The result of an operation without a route, by `POST /console/operations/{name}`. */
export const useConsoleOperation = <Output>(
  name: ConsoleOperation,
  input: object = {},
  settings: QuerySettings = {}
): UseQueryResult<Output> => {
  const { workspaceId } = useSession()
  return useQuery({
    queryKey: [workspaceId, name, input],
    queryFn: ({ signal }) => callOwn<Output>(`operations/${name}`, { method: "POST", body: input, signal }),
    ...settingsOf(settings)
  })
}

const settingsOf = ({ enabled, everyMs, keepPrevious }: QuerySettings) => ({
  ...(enabled === undefined ? {} : { enabled }),
  ...(everyMs === undefined ? {} : { refetchInterval: everyMs }),
  ...(keepPrevious === true ? { placeholderData: keepPreviousData } : {})
})

/** Names of operations and own paths whose results a change makes stale. */
export type Stale = ReadonlyArray<
  | OperationName
  | ConsoleOperation
  | "inbox"
  | "answers"
  | "conversations"
  | `conversations/${string}`
  | "sessions"
  | "members"
  | "invitations"
  | "passkeys"
  | "health"
>

/** Forgets the results of the named operations and asks again where they are shown. */
export const useRefresh = (): ((stale: Stale) => Promise<void>) => {
  const queries = useQueryClient()
  const { workspaceId } = useSession()
  return (stale) =>
    queries.invalidateQueries({
      predicate: ({ queryKey }) => queryKey[0] === workspaceId && stale.some((name) => name === queryKey[1])
    })
}

/** A change by an operation: `const save = useChange("replaceDocument", ["getDocument", "listDocuments"])`. */
export const useChange = <Name extends OperationName>(
  name: Name,
  stale: Stale = []
): UseMutationResult<OutputOf<Name>, Error, InputOf<Name>> => {
  const refresh = useRefresh()
  return useMutation({
    mutationFn: (input: InputOf<Name>) => callOperation(name, input),
    onSuccess: () => refresh(stale)
  })
}

/** A change by an operation without a route. */
export const useConsoleChange = <Output>(
  name: ConsoleOperation,
  stale: Stale = []
): UseMutationResult<Output, Error, object> => {
  const refresh = useRefresh()
  return useMutation({
    mutationFn: (input: object) => callOwn<Output>(`operations/${name}`, { method: "POST", body: input }),
    onSuccess: () => refresh(stale)
  })
}

/** All methods of the client, for calls outside of a query: streams, several at once. */
export const useClient = (): KanonClient => client
