import * as Effect from "effect/Effect"
import * as Redacted from "effect/Redacted"
import { z } from "zod"
import {
  type ChangePage,
  type Checkpoint,
  type FetchedItem,
  type ItemChange,
  SourceRejected
} from "../../../core/connected/sources/index.js"
import { idsOf, readCheckpoint } from "../checkpoints.js"
import { readListing } from "../html.js"
import { itemMaxBytes, itemResponse, sourceHttp } from "../http.js"
import { isoMoment, libraryPath } from "../item-path.js"
import { type CrawlerOptions, providerOf } from "../options.js"
import { unquoted } from "./listings.js"

/** The last key that was listed; none before a listing. */
const Position = z.object({ after: z.string().nullable() })

/** A bucket of S3, or of a server that speaks like it. */
export const s3Bucket = (options: CrawlerOptions) =>
  providerOf("s3", ({ config, credential }) =>
    Effect.gen(function* () {
      const { bucket, prefix = "", region = "us-east-1" } = config
      const endpoint = (config.endpoint ?? `https://s3.${region}.amazonaws.com`).replace(/\/$/, "")
      const http = yield* sourceHttp(options, {
        url: endpoint,
        requestsPerSecond: config.requestsPerSecond,
        sign: signer(config.accessKeyId, Redacted.value(credential ?? Redacted.make("")), region)
      })
      const list = (after: string | null) =>
        Effect.gen(function* () {
          const query = new URLSearchParams({
            "list-type": "2",
            "max-keys": String(options.pageSize ?? 1000),
            prefix
          })
          if (after !== null) query.set("start-after", after)
          const response = yield* http.send({ url: `${endpoint}/${bucket}?${query}` })
          if (!response.ok)
            return yield* new SourceRejected({
              message:
                response.status === 404
                  ? "There is no bucket of that name."
                  : `The bucket cannot be listed (status ${response.status}).`
            })
          return yield* readListing(
            options.tasks.run("s3Listing", { bytes: response.bytes, prefix, paths: config.paths }),
            new URL(endpoint).host
          )
        })

      const changes = (checkpoint: Checkpoint | null) =>
        Effect.gen(function* () {
          const { after } =
            checkpoint === null ? { after: null } : yield* readCheckpoint(Position, checkpoint)
          const { isTruncated, last, objects } = yield* list(after)
          const isLast = !isTruncated || last === null
          return {
            changes: objects.map(
              ({ documentPath, etag, key }): ItemChange => ({
                op: "upsert",
                externalId: key,
                version: etag,
                path: documentPath
              })
            ),
            failures: [],
            checkpoint: { after: isLast ? null : last },
            isLast,
            total: null
          } satisfies ChangePage
        })

      return {
        traits: { changes: "listing", deletions: "ids" } as const,
        check: Effect.asVoid(list(null)),
        changes,
        listIds: (position) => Effect.map(changes(position), idsOf),
        fetch: (externalId) =>
          Effect.gen(function* () {
            const url = `${endpoint}/${bucket}/${externalId.split("/").map(encodeURIComponent).join("/")}`
            const { bytes, headers } = yield* Effect.flatMap(
              http.send({ url, maxBytes: itemMaxBytes, mayBeForbidden: true }),
              (given) => itemResponse(externalId, given)
            )
            const path = externalId.slice(prefix.length).replace(/^\//, "")
            return {
              externalId,
              version: unquoted(headers.get("etag")),
              path: libraryPath(path),
              title: null,
              url,
              author: null,
              createdAt: null,
              modifiedAt: isoMoment(headers.get("last-modified")),
              labels: [],
              body: { bytes, mediaType: /\.md$/i.test(path) ? "text/markdown" : headers.get("content-type") },
              attachments: [],
              warnings: []
            } satisfies FetchedItem
          })
      }
    })
  )

const signer = (accessKeyId: string, secretAccessKey: string, region: string) => async (request: Request) => {
  const { AwsClient } = await import("aws4fetch")
  const client = new AwsClient({ accessKeyId, secretAccessKey, region, service: "s3", retries: 0 })
  return client.sign(request, { signal: request.signal })
}
