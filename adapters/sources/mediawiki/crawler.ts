import * as Effect from "effect/Effect"

import { cachedSuccess } from "../cached.js"
import { idsOf } from "../checkpoints.js"
import { type CrawlerOptions, providerOf } from "../options.js"
import { wikiApi } from "./api.js"
import { wikiListing } from "./listing.js"
import { wikiPages } from "./page.js"
import { readSite } from "./site.js"

/** A MediaWiki, read through its Action API. */
export const mediaWiki = (options: CrawlerOptions) =>
  providerOf("mediawiki", (target) =>
    Effect.gen(function* () {
      const { namespaces = [0], url } = target.config
      const api = yield* wikiApi(options, target)
      const site = yield* cachedSuccess(readSite(api, url))
      const changes = wikiListing(api, site, namespaces, options.pageSize ?? 500)
      return {
        traits: { changes: "feed", deletions: "changes" } as const,
        check: Effect.asVoid(site),
        changes,
        listIds: (position) => Effect.map(changes(position), idsOf),
        fetch: wikiPages(api, site, namespaces, options.tasks)
      }
    })
  )
