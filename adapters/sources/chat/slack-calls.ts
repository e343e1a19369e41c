import * as Effect from "effect/Effect"
import { z } from "zod"
import {
  type CrawlTarget,
  type ProviderConfig,
  type SourceFault,
  SourceRejected,
  SourceUnauthorized
} from "../../../core/connected/sources/index.js"
import type { AddressRules } from "../../host/addresses.js"
import { credentialHeaders, jsonOf, sourceHttp } from "../http.js"

/** Items of one page of a method. */
const pageSize = 200

/** Calls a method of the Web API and gives what it answers, in the form that is asked for. */
export type SlackCall = <Value>(
  method: string,
  parameters: Readonly<Record<string, string>>,
  schema: z.ZodType<Value>
) => Effect.Effect<Value, SourceFault>

/** The Web API of one workspace. */
export const slackCalls = (
  rules: AddressRules,
  { config, credential }: CrawlTarget<ProviderConfig<"slack">>
): Effect.Effect<SlackCall, SourceRejected> =>
  Effect.gen(function* () {
    const base = (config.url ?? "https://slack.com/api").replace(/\/$/, "")
    const http = yield* sourceHttp(rules, {
      url: base,
      requestsPerSecond: config.requestsPerSecond ?? 1,
      secretHeaders: credentialHeaders(undefined, credential)
    })
    return (method, parameters, schema) =>
      Effect.gen(function* () {
        const request = { url: `${base}/${method}`, method: "POST", body: new URLSearchParams(parameters) }
        const json = yield* jsonOf(yield* http.send(request), request)
        const { error = "unknown_error", ok } = Outcome.safeParse(json).data ?? { ok: false }
        if (ok) {
          const parsed = schema.safeParse(json)
          return parsed.success
            ? parsed.data
            : yield* new SourceRejected({ message: `Slack answers ${method} in an unknown form.` })
        }
        const message = `Slack refuses ${method} (${error.slice(0, 100)}).`
        return yield* /auth|token|account|scope|not_allowed|access/.test(error)
          ? new SourceUnauthorized({ message })
          : new SourceRejected({ message })
      })
  })

const Outcome = z.object({ ok: z.boolean(), error: z.string().optional() })
const Cursor = z.object({ response_metadata: z.object({ next_cursor: z.string().optional() }).optional() })

/** The pages of a method that is paged by cursors: all, or until there is enough. */
export const pages = <Value, Item>(
  call: SlackCall,
  method: string,
  parameters: Readonly<Record<string, string>>,
  schema: z.ZodType<Value>,
  itemsOf: (page: Value) => ReadonlyArray<Item>,
  isEnough: (items: ReadonlyArray<Item>) => boolean = () => false
): Effect.Effect<ReadonlyArray<Item>, SourceFault> =>
  Effect.gen(function* () {
    const items: Array<Item> = []
    let cursor = ""
    do {
      const page = yield* call(
        method,
        { ...parameters, limit: String(pageSize), ...(cursor === "" ? {} : { cursor }) },
        z.intersection(schema, Cursor)
      )
      items.push(...itemsOf(page))
      cursor = page.response_metadata?.next_cursor ?? ""
    } while (cursor !== "" && !isEnough(items))
    return items
  })
