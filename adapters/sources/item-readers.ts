/** Readers of items in the form of the port. Whom the source names in another form is left out, and reads nothing. */
import type { ItemReaders } from "../../core/connected/sources/index.js"
import { GroupName, groupPrincipal } from "../../core/platform/access/index.js"

/** A person by e-mail address; nobody where the source shows none. */
export const personReader = (email: string | null | undefined): ReadonlyArray<string> =>
  email != null && /^[^\s@]{1,200}@[^\s@]{1,200}$/u.test(email) ? [`email:${email.toLowerCase()}`] : []

/** A group by name; nobody where no group of a workspace can have the name. */
export const groupReader = (name: string | null | undefined): ReadonlyArray<string> => {
  const parsed = GroupName.safeParse(name?.trim())
  return parsed.success ? [groupPrincipal(parsed.data)] : []
}

/** Those whom all lists name, where an item needs every one of them. */
export const inAll = (lists: ReadonlyArray<ItemReaders>): ItemReaders =>
  lists.reduce<ItemReaders>(
    (both, list) =>
      both === null ? list : list === null ? both : both.filter((reader) => list.includes(reader)),
    null
  )

/** How a crawler gives the readers of items that it can tell without asking the source. */
export const readersBy =
  (readersOf: (externalId: string) => ItemReaders | undefined) =>
  (externalIds: ReadonlyArray<string>): ReadonlyMap<string, ItemReaders> =>
    new Map(
      externalIds.flatMap((id) => {
        const readers = readersOf(id)
        return readers === undefined ? [] : [[id, readers] as const]
      })
    )
