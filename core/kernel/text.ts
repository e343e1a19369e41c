import { z } from "zod"

/** Text that every disk, database and export can hold. */
export const Text = z.string().overwrite((text) => text.toWellFormed().replaceAll("\0", "\ufffd"))
