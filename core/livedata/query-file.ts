import { z } from "zod"
import { Text } from "../kernel/index.js"
import { QueryDefinition, QuerySlug } from "./model.js"

/** Queries as a team keeps them in a file: a connector is named, since its id is another one in each workspace. */
export const QueryFile = z.strictObject({
  queries: z
    .array(
      QueryDefinition.omit({ connectorId: true })
        .extend({
          slug: QuerySlug,
          connector: Text.trim().min(1).max(200),
          columns: z
            .array(z.string())
            .optional()
            .describe("Columns that the result must have; checked, not published.")
        })
        .strict()
    )
    .max(1000)
})
