import * as Effect from "effect/Effect"
import {
  type CrawlTarget,
  type ProviderConfig,
  type SourceFault,
  SourceRejected
} from "../../../core/connected/sources/index.js"
import type { AddressRules } from "../../host/addresses.js"
import { cachedSuccess } from "../cached.js"
import { credentialHeaders, type SourceHttp, sourceHttp, textOf } from "../http.js"
import { canonicalAddress, isSameSite, type WebScope } from "./addresses.js"
import { type RobotRules, readRobots } from "./robots.js"

/** A site as it says that it wants to be read. */
export interface WebSite {
  readonly http: SourceHttp
  readonly scope: WebScope
  readonly robots: RobotRules
}

const robotsMaxBytes = 4 * 1024 * 1024
const defaultPerSecond = 10

/** Reads the rules for robots, and with them the origin under which the site answers. */
export const webSite = (
  rules: AddressRules,
  { config, credential }: CrawlTarget<ProviderConfig<"web">>
): Effect.Effect<Effect.Effect<WebSite, SourceFault>, SourceRejected> =>
  Effect.gen(function* () {
    const settings = {
      url: config.url,
      requestsPerSecond: config.requestsPerSecond,
      secretHeaders: credentialHeaders(config.username, credential)
    }
    const http = yield* sourceHttp(rules, settings)
    const read = Effect.gen(function* () {
      const given = new URL(config.url)
      const found = yield* http.send({
        url: `${given.origin}/robots.txt`,
        mayBeForbidden: true,
        maxBytes: robotsMaxBytes
      })
      if (found.status === 413)
        return yield* new SourceRejected({ message: `${given.host} gives a robots.txt that is too large.` })
      const robots = readRobots(found.ok ? textOf(found) : "")
      const answered = URL.parse(found.url)
      // Servers send robots, too, from `http:` to `https:` and to the name that they prefer.
      const { origin } = answered !== null && isSameSite(answered, given) ? answered : given
      const start = canonicalAddress(config.url, config.url, { origin, start: "", prefix: "/" })
      if (start === null)
        return yield* new SourceRejected({ message: "The address of the start page is too long." })
      const prefix = config.prefix ?? new URL(start).pathname.replace(/[^/]*$/, "")
      const perSecond = Math.min(config.requestsPerSecond ?? defaultPerSecond, 1 / (robots.delay ?? 0))
      return {
        http:
          robots.delay === null
            ? http
            : yield* sourceHttp(rules, { ...settings, requestsPerSecond: perSecond }),
        scope: { origin, start, prefix },
        robots
      }
    })
    return yield* cachedSuccess(read)
  })
