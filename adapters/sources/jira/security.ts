/** Who may read an issue of Jira Cloud: the members of its security level. */
import * as Effect from "effect/Effect"
import { z } from "zod"
import type { ItemReaders, SourceFault } from "../../../core/connected/sources/index.js"
import { jsonOf, type SourceHttp } from "../http.js"
import { groupReader, personReader } from "../item-readers.js"

const membersPerPage = 100
/** More than any scheme has; a longer list is cut, and hides. */
const pagesMax = 50

const Level = z.object({ id: z.union([z.string(), z.number()]).transform(String) })
const Person = z.object({ emailAddress: z.string().nullish() })
const Member = z.object({
  issueSecurityLevelId: z.union([z.string(), z.number()]).transform(String),
  holder: z.object({
    type: z.string(),
    parameter: z.string().nullish(),
    user: Person.nullish(),
    group: z.object({ name: z.string().nullish() }).nullish()
  })
})
const MemberPage = z.object({ values: z.array(z.unknown()), isLast: z.boolean().optional() })

interface SecuredFields {
  readonly security?: unknown
  readonly reporter?: unknown
  readonly assignee?: unknown
}

/**
 * Reads the levels of a site once for each crawl. Members that are roles of a project, or fields of an issue other than
 * reporter and assignee, are left out. Where the account may not see the members of levels, only host and rules know who
 * reads: nobody.
 */
export const issueSecurity = ({
  http,
  isForEverybody,
  site
}: {
  readonly http: SourceHttp
  readonly isForEverybody: boolean
  readonly site: string
}) => {
  const levels = new Map<string, ReadonlyArray<z.infer<typeof Member>["holder"]>>()
  const holdersOf = (
    level: string
  ): Effect.Effect<ReadonlyArray<z.infer<typeof Member>["holder"]>, SourceFault> =>
    Effect.gen(function* () {
      const known = levels.get(level)
      if (known !== undefined) return known
      const found: Array<z.infer<typeof Member>["holder"]> = []
      for (let page = 0; page < pagesMax; page++) {
        const query = new URLSearchParams({
          levelId: level,
          expand: "all",
          startAt: String(page * membersPerPage),
          maxResults: String(membersPerPage)
        })
        const request = {
          url: `${site}/rest/api/3/issuesecurityschemes/level/member?${query}`,
          headers: { accept: "application/json" },
          mayBeForbidden: true
        }
        const response = yield* http.send(request)
        const parsed = response.ok ? MemberPage.safeParse(yield* jsonOf(response, request)) : undefined
        if (parsed?.success !== true) break
        found.push(
          ...parsed.data.values.flatMap((value) => {
            const member = Member.safeParse(value)
            // A server may give members of all levels.
            return member.success && member.data.issueSecurityLevelId === level ? [member.data.holder] : []
          })
        )
        if (parsed.data.isLast !== false) break
      }
      levels.set(level, found)
      return found
    })
  const personOf = (person: unknown) => personReader(Person.safeParse(person).data?.emailAddress)
  return {
    readersOf: (fields: SecuredFields): Effect.Effect<ItemReaders, SourceFault> => {
      if (isForEverybody || fields.security === undefined || fields.security === null)
        return Effect.succeed(null)
      const level = Level.safeParse(fields.security)
      if (!level.success) return Effect.succeed([])
      return Effect.map(holdersOf(level.data.id), (holders) =>
        holders.flatMap(({ group, parameter, type, user }) => {
          if (type === "group") return groupReader(group?.name ?? parameter)
          if (type === "user") return personReader(user?.emailAddress)
          if (type === "reporter") return personOf(fields.reporter)
          return type === "assignee" ? personOf(fields.assignee) : []
        })
      )
    }
  }
}
