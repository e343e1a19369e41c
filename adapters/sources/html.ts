import * as Effect from "effect/Effect"
import { ItemUnreadable, SourceRejected, SourceUnreachable } from "../../core/connected/sources/index.js"
import type { ConversionFailed, FormatConverter } from "../../core/files/documents/index.js"

/** The result of a conversion, or why the item cannot be read. */
export const readText = <A>(
  externalId: string,
  conversion: Effect.Effect<A, ConversionFailed>
): Effect.Effect<A, ItemUnreadable> =>
  Effect.mapError(
    conversion,
    ({ code, message }) =>
      new ItemUnreadable({
        externalId,
        message,
        isPermanent: code !== "conversion_timeout" && code !== "converter_missing"
      })
  )

/** A listing that was read, or why the source cannot be crawled. */
export const readListing = <A>(
  listing: Effect.Effect<A, ConversionFailed>,
  host: string
): Effect.Effect<A, SourceRejected | SourceUnreachable> =>
  Effect.mapError(listing, ({ code, message }) =>
    code === "conversion_timeout"
      ? new SourceUnreachable({ message: `${host} gives a listing that takes too long to read.` })
      : new SourceRejected({ message: `${host} gives a listing that cannot be read: ${message}` })
  )

/** Markdown of HTML that is content as a whole. */
export const markdownOf = (
  converter: FormatConverter["Type"],
  externalId: string,
  html: string
): Effect.Effect<string, ItemUnreadable> =>
  Effect.map(
    readText(
      externalId,
      converter.convert({
        name: "content.html",
        mediaType: "text/html",
        html: "fragment",
        bytes: new TextEncoder().encode(html)
      })
    ),
    ({ markdown }) => markdown
  )
