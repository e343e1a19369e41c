import { createContext, type ReactNode, useContext } from "react"
import type { KanonClient } from "../server/client/index.js"

const ClientContext = createContext<KanonClient | null>(null)

/** Gives the hooks below it a client, such as `createClient({ baseUrl: "/kanon" })` behind a proxy of the same origin. */
export const KanonProvider = ({
  client,
  children
}: {
  readonly client: KanonClient
  readonly children: ReactNode
}): ReactNode => <ClientContext value={client}>{children}</ClientContext>

/** The client of the nearest provider. */
export const useKanon = (): KanonClient => {
  const client = useContext(ClientContext)
  if (client === null) throw new Error("Hooks of kanon/react need a KanonProvider above them.")
  return client
}
