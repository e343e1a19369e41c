import * as Effect from "effect/Effect"
import type { FormatConverter } from "../../core/documents/index.js"
import { ItemUnreadable } from "../../core/sources/index.js"

/** Markdown of HTML that is content as a whole. */
export const markdownOf = (
  converter: FormatConverter["Type"],
  externalId: string,
  html: string
): Effect.Effect<string, ItemUnreadable> =>
  converter
    .convert({
      name: "content.html",
      mediaType: "text/html",
      html: "fragment",
      bytes: new TextEncoder().encode(html)
    })
    .pipe(
      Effect.map(({ markdown }) => markdown),
      Effect.mapError(
        ({ code, message }) =>
          new ItemUnreadable({
            externalId,
            message,
            isPermanent: code !== "conversion_timeout" && code !== "converter_missing"
          })
      )
    )
