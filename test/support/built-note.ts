import { existsSync, readFileSync, renameSync, writeFileSync } from "node:fs"
import { join } from "node:path"
import { z } from "zod"

const Built = z.object({
  /** Whether the compiler was content; the tests run what it wrote either way, and one test says so. */
  succeeded: z.boolean(),
  /** Why there is nothing to run; null where there is. */
  error: z.string().nullable()
})
export type Built = z.infer<typeof Built>

const noteIn = (consumer: string) => join(consumer, "built.json")

/** Notes beside an installed package how it was built: seen whole, or not at all. */
export const noteBuilt = (consumer: string, built: Built): void => {
  const unfinished = `${noteIn(consumer)}.new`
  writeFileSync(unfinished, JSON.stringify(built))
  renameSync(unfinished, noteIn(consumer))
}

/** How the package there was built; null while it is not there. */
export const builtIn = (consumer: string): Built | null =>
  existsSync(noteIn(consumer)) ? Built.parse(JSON.parse(readFileSync(noteIn(consumer), "utf8"))) : null
