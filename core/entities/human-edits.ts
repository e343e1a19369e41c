import { nameNorm } from "../kernel/index.js"
import type { PersonAct } from "./inspection.js"
import { ChangeKind, type EntityRecord, type PersonField, type Revision, type StoredEntity } from "./model.js"

/** What an entity must say of the people who had a hand in it. */
export type HumanEdits = Pick<EntityRecord, "touched" | "personFields">

/** What a repair says of itself in the history. */
export const repairNote = "put back to what its history says by a repair"

/** What only people do: of what was made or brought back, origin and fields tell. */
const curations = new Set<string>(ChangeKind.exclude(["create", "restore"]).options)

/**
 * What an entity says of its people, and beside it what its history tells of them, which is the least that there was:
 * that a person set a field to what it was already, no history shows. Who made an entity gave its name and type.
 */
export const humanEditsOf = (
  { origin, personFields, touched }: Pick<StoredEntity, "origin" | "personFields" | "touched">,
  acts: ReadonlyArray<PersonAct>
): HumanEdits => {
  const isMade = origin !== "extraction"
  const own = acts.filter(({ note }) => note !== repairNote)
  const set = own.flatMap(({ changeKind, diff }) =>
    diff !== null && (changeKind === "update" || changeKind === "restore") ? fieldsIn(diff) : []
  )
  const fields = new Set<PersonField>([
    ...personFields,
    ...(isMade ? (["name", "type"] as const) : []),
    ...set
  ])
  return {
    touched: touched || isMade || set.length > 0 || own.some(({ changeKind }) => curations.has(changeKind)),
    personFields: fields.size === personFields.length ? personFields : [...fields].sort()
  }
}

/** Whether an entity says all that its history tells of its people. */
export const isEditedByPerson = (entity: StoredEntity, acts: ReadonlyArray<PersonAct>): boolean => {
  const { personFields, touched } = humanEditsOf(entity, acts)
  return touched === entity.touched && personFields.length === entity.personFields.length
}

/** What an edit set; an alias that only became the name was not. */
const fieldsIn = (diff: Revision["diff"]): ReadonlyArray<PersonField> => {
  const { aliases, description, name, type } = diff
  const become = typeof name?.to === "string" ? nameNorm(name.to) : null
  const isSet = aliases !== undefined && normsOf(aliases.from, become) !== normsOf(aliases.to, become)
  return [
    ...(name === undefined ? [] : (["name"] as const)),
    ...(type === undefined ? [] : (["type"] as const)),
    ...(description === undefined ? [] : (["description"] as const)),
    ...(isSet ? (["aliases"] as const) : [])
  ]
}

const normsOf = (aliases: unknown, name: string | null): string =>
  (Array.isArray(aliases) ? aliases.map(String).map(nameNorm) : [])
    .filter((norm) => norm !== name)
    .sort()
    .join("\n")
