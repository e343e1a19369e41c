import type { Patient } from "./patient.js"

/** A kind of damage: the code of its finding, what is damaged, and what damages a closed workspace. */
export type Damage = readonly [code: string, what: string, harm: (patient: Patient) => void | Promise<void>]

/** Runs statements. */
export const run =
  (...statements: ReadonlyArray<string>) =>
  ({ sql }: Patient): void =>
    sql((database) => {
      for (const statement of statements) database.exec(statement)
    })

/** Flips a bit in the middle of some bytes. */
export const flip = (table: string, column: string, where: string) => (patient: Patient) =>
  patient.sql((database) => {
    database.function("flip", (bytes) => {
      if (!(bytes instanceof Uint8Array)) return bytes
      const copy = Buffer.from(bytes)
      const middle = copy.length >>> 1
      copy[middle] = (copy[middle] ?? 0) ^ 0x10
      return copy
    })
    database.exec(`update ${table} set ${column} = flip(${column}) where ${where}`)
  })

/** The document that most damages affect, its number, its first passage; and the id of no document. */
export const orchard = "(select id from document where path = 'orchard.md')"
export const orchardNo = `(select number from id_number where id = ${orchard})`
export const firstChunk = `(select min(label) from chunk where document_id = ${orchard})`
export const nobody = "doc_00000000000000000000000000"
