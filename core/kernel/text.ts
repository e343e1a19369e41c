import { z } from "zod"

/** Text that every disk, database and export can store: well-formed, without NUL. */
export const Text = z.string().overwrite((text) => text.toWellFormed().replaceAll("\0", "\ufffd"))
