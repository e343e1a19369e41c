import { z } from "zod"
import { numberMax, Timestamp } from "../../platform/kernel/index.js"

export const Count = z.int().min(0).max(numberMax)
export const Position = z.int().min(1).max(numberMax)
/** Audit positions are the only stored numbers beyond 32 bits. */
export const AuditPosition = z.int().min(1)
export const Sha256 = z.string().regex(/^[0-9a-f]{64}$/)
/** Number of a passage in indexes and mentions. */
export const Label = z.int().min(1).max(numberMax)
export const When = Timestamp.nullable()
