import type { z } from "zod"
import type { operations } from "../../../core/operations.js"
import type { ConsoleOperation } from "../../../server/console/model.js"

/** Result of an operation without a route. Types alone: nothing of the core is in the console. */
export type ConsoleOutput<Name extends ConsoleOperation> = z.output<(typeof operations)[Name]["output"]>

export type DuplicatePage = ConsoleOutput<"listDuplicates">
export type Duplicate = DuplicatePage["items"][number]
