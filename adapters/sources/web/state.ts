/**
 * Keeps what crawls of one site found, in the cache folder: the pages that are known with what the server needs to say
 * "unchanged", and a journal of the crawl that is under way, from which its queue is built again. Both may be lost at
 * any time; the next crawl then asks for every page.
 */
import { appendFile, mkdir, readFile, rename, rm, writeFile } from "node:fs/promises"
import { join } from "node:path"
import * as Effect from "effect/Effect"
import { z } from "zod"
import { SourceUnreachable } from "../../../core/connected/sources/index.js"
import { privateFileMode, privateFolderMode } from "../../host/private-files.js"
import { versionOf } from "../item-path.js"

/** A place that is to be visited: a page, or a sitemap. */
const QueuedPlace = z.object({
  address: z.string(),
  depth: z.int().min(0),
  isSitemap: z.boolean().optional(),
  /** The known page that has moved here. */
  from: z.string().optional()
})
export type QueuedPlace = z.infer<typeof QueuedPlace>

/** A page that became a document. */
const KnownPage = z.object({
  address: z.string(),
  depth: z.int().min(0),
  version: z.string(),
  path: z.string(),
  etag: z.string().nullable(),
  lastModified: z.string().nullable()
})
export type KnownPage = z.infer<typeof KnownPage>

/** One visit in the journal: what was found, and what is to be visited because of it. */
const Visit = z.object({
  address: z.string(),
  page: KnownPage.nullable(),
  queued: z.array(QueuedPlace).readonly(),
  bytes: z.number()
})
export type Visit = z.infer<typeof Visit>

const Header = z.object({ run: z.string(), key: z.string() })

export interface KnownSite {
  /** The settings and rules under which the pages were read. */
  readonly key: string
  readonly pages: ReadonlyArray<KnownPage>
}

/** The two files of one connector. Without a folder nothing is kept. */
export interface WebState {
  readonly known: Effect.Effect<KnownSite, SourceUnreachable>
  readonly begin: (run: string, key: string) => Effect.Effect<void, SourceUnreachable>
  readonly append: (visits: ReadonlyArray<Visit>) => Effect.Effect<void, SourceUnreachable>
  /** The first visits of a crawl; null when they are not kept any more. Later ones are forgotten. */
  readonly resume: (
    run: string,
    count: number
  ) => Effect.Effect<ReadonlyArray<Visit> | null, SourceUnreachable>
  /** Keeps the pages that the crawl knows, and ends its journal. */
  readonly finish: (site: KnownSite) => Effect.Effect<void, SourceUnreachable>
}

export const webState = (cacheFolder: string | null, key: string): WebState => {
  if (cacheFolder === null)
    return {
      known: Effect.succeed({ key: "", pages: [] }),
      begin: () => Effect.void,
      append: () => Effect.void,
      resume: () => Effect.succeed(null),
      finish: () => Effect.void
    }
  const folder = join(cacheFolder, "web")
  const name = versionOf(key)
  const [knownFile, journalFile] = [join(folder, `${name}.known`), join(folder, `${name}.run`)]
  const written = (file: string, lines: ReadonlyArray<unknown>) => async () => {
    await mkdir(folder, { recursive: true, mode: privateFolderMode })
    await writeFile(`${file}.new`, linesOf(lines), { mode: privateFileMode })
    await rename(`${file}.new`, file)
  }
  return {
    known: Effect.map(
      attempt(() => readFile(knownFile, "utf8").catch(() => "")),
      (text) => {
        const [first = "", ...rest] = text.split("\n")
        const header = Header.safeParse(parsed(first))
        return header.success
          ? { key: header.data.key, pages: valid(rest, KnownPage) }
          : { key: "", pages: [] }
      }
    ),
    begin: (run, about) => attempt(written(journalFile, [{ run, key: about }])),
    append: (visits) => attempt(() => appendFile(journalFile, linesOf(visits), { mode: privateFileMode })),
    resume: (run, count) =>
      Effect.gen(function* () {
        const text = yield* attempt(() => readFile(journalFile, "utf8").catch(() => ""))
        const [first = "", ...rest] = text.split("\n")
        const header = Header.safeParse(parsed(first))
        if (!header.success || header.data.run !== run) return null
        const visits = valid(rest.slice(0, count), Visit)
        if (visits.length < count) return null
        yield* attempt(written(journalFile, [header.data, ...visits]))
        return visits
      }),
    finish: ({ key: about, pages }) =>
      attempt(async () => {
        await written(knownFile, [{ run: "", key: about }, ...pages])()
        await rm(journalFile, { force: true })
      })
  }
}

const attempt = <A>(work: () => Promise<A>): Effect.Effect<A, SourceUnreachable> =>
  Effect.tryPromise({
    try: work,
    catch: () => new SourceUnreachable({ message: "This host cannot write to its folder for crawls." })
  })

const linesOf = (values: ReadonlyArray<unknown>): string =>
  values.map((value) => `${JSON.stringify(value)}\n`).join("")

const parsed = (line: string): unknown => {
  try {
    return JSON.parse(line)
  } catch {
    return null
  }
}

/** The lines up to the first that was not written whole. */
const valid = <Value>(lines: ReadonlyArray<string>, schema: z.ZodType<Value>): ReadonlyArray<Value> => {
  const values: Array<Value> = []
  for (const line of lines) {
    const value = schema.safeParse(parsed(line))
    if (!value.success) break
    values.push(value.data)
  }
  return values
}
