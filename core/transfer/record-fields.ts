import { z } from "zod"
import { Timestamp } from "../kernel/index.js"

/** The databases keep what is counted in 32 bits, but for the places of the audit trail. */
const countMax = 2 ** 31 - 1
export const Count = z.int().min(0).max(countMax)
export const Position = z.int().min(1).max(countMax)
export const AuditPosition = z.int().min(1)
export const Sha256 = z.string().regex(/^[0-9a-f]{64}$/)
/** A passage's number, by which indexes and mentions name it. */
export const Label = z.int().min(1).max(countMax)
export const When = Timestamp.nullable()
