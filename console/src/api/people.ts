import { useQuery } from "@tanstack/react-query"
import type { People } from "../../../server/console/model.js"
import { callOwn } from "./connection.js"
import { useSession } from "./session.js"

type Known = People["items"][number]

let waiting = new Map<string, Array<(known: Known) => void>>()

/** Names that are asked for at one moment travel in one call of at most 200. */
const askForName = (id: string): Promise<Known> =>
  new Promise((resolve) => {
    if (waiting.size === 0) setTimeout(() => void flush(), 5)
    waiting.set(id, [...(waiting.get(id) ?? []), resolve])
  })

const flush = async (): Promise<void> => {
  const asked = [...waiting]
  waiting = new Map()
  for (let at = 0; at < asked.length; at += 200) {
    const some = asked.slice(at, at + 200)
    const { items } = await callOwn<People>("people", {
      query: { ids: some.map(([id]) => id).join(",") }
    }).catch((): People => ({ items: [] }))
    for (const [id, listeners] of some) {
      const known = items.find((one) => one.id === id) ?? { id, name: id, kind: "unknown" as const }
      for (const listener of listeners) listener(known)
    }
  }
}

/** The name of a member, a key, `local` or `system`; the id until it is known. */
export const usePerson = (id: string): Known => {
  const { workspaceId } = useSession()
  const { data } = useQuery({
    queryKey: [workspaceId, "people", id],
    queryFn: () => askForName(id),
    staleTime: 300_000
  })
  return data ?? { id, name: id, kind: "unknown" }
}
