import * as Effect from "effect/Effect"
import {
  type CrawlerProvider,
  crawlerProvider,
  providerConfigs,
  providers,
  SourceRejected
} from "../../core/connected/sources/index.js"
import type { CrawlerOptions } from "./options.js"

/** The built-in crawlers. Their code is loaded when the first of them is opened. */
export const lazyCrawlers = (options: CrawlerOptions): ReadonlyArray<CrawlerProvider> =>
  typedEntries(providers).map(([name, declared]) =>
    crawlerProvider<unknown>({
      provider: name,
      ...declared,
      config: providerConfigs[name],
      open: (target) =>
        Effect.gen(function* () {
          const { builtInCrawlers } = yield* Effect.promise(() => import("./index.js"))
          const found = builtInCrawlers(options).find(({ provider }) => provider === name)
          return yield* found?.open(target) ??
            new SourceRejected({ message: `There is no crawler for ${name}.` })
        })
    })
  )

const typedEntries = <Key extends string, Value>(
  record: Readonly<Record<Key, Value>>
): ReadonlyArray<readonly [Key, Value]> => Object.entries(record) as Array<[Key, Value]>
