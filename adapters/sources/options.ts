import { realpath } from "node:fs/promises"
import { sep } from "node:path"
import * as Effect from "effect/Effect"
import type * as Scope from "effect/Scope"
import type { z } from "zod"
import {
  type Crawler,
  type CrawlTarget,
  crawlerProvider,
  type ProviderConfig,
  type ProviderName,
  providerConfigs,
  providers,
  SourceRejected
} from "../../core/connected/sources/index.js"
import type { FormatConverter } from "../../core/files/documents/index.js"
import type { FormatTasks } from "../formats/format-tasks.js"
import type { AddressRules } from "../host/addresses.js"

/** Permissions of the host for crawlers, and services that they share. */
export interface CrawlerOptions extends AddressRules {
  /** Folders below which repositories and exports with a `file:` address may lie; none by default. */
  readonly folders: ReadonlyArray<string>
  /** Folder in which copies of repositories are kept between syncs; they can be removed at any time. Null: not kept. */
  readonly cacheFolder: string | null
  readonly converter: FormatConverter["Type"]
  /** Reads foreign text elsewhere than on the event loop. */
  readonly tasks: FormatTasks["Type"]
  /** Items that one page of a crawl names, about; by default as many as the source gives at once. */
  readonly pageSize?: number
}

const configs: { readonly [Name in ProviderName]: z.ZodType<ProviderConfig<Name>> } = providerConfigs

/** Makes the provider of a kind of source that core describes. */
export const providerOf = <Name extends ProviderName>(
  provider: Name,
  open: (target: CrawlTarget<ProviderConfig<Name>>) => Effect.Effect<Crawler, SourceRejected, Scope.Scope>
) => crawlerProvider({ provider, ...providers[provider], config: configs[provider], open })

const refusal =
  "Sources on this host are read only below folders that its administrator names (KANON_SOURCE_FOLDERS), and the path is below none of them."

/** The path of a file or folder of this host, links resolved, where the host allows it. */
export const allowedFolder = (
  { folders }: Pick<CrawlerOptions, "folders">,
  path: string
): Effect.Effect<string, SourceRejected> =>
  Effect.flatMap(
    Effect.promise(async () => {
      const found = await realpath(path).catch(() => null)
      const roots = await Promise.all(folders.map((folder) => realpath(folder).catch(() => null)))
      const isInside = (root: string | null) =>
        root !== null &&
        found !== null &&
        (found === root || found.startsWith(root.endsWith(sep) ? root : root + sep))
      return roots.some(isInside) ? found : null
    }),
    (found) =>
      found === null ? Effect.fail(new SourceRejected({ message: refusal })) : Effect.succeed(found)
  )
