import * as Either from "effect/Either"
import { type EntityId, InvalidTransition, nameNorm } from "../kernel/index.js"
import type { EntityRecord, Lifecycle, PersonField } from "./model.js"

/** Every move between lifecycle states there is. What is not listed is refused; an empty row is terminal. */
export const moves: Readonly<Record<Lifecycle, ReadonlyArray<Lifecycle>>> = {
  draft: ["pending_review", "published", "deprecated", "superseded"],
  pending_review: ["draft", "published", "deprecated", "superseded"],
  published: ["draft", "deprecated", "superseded"],
  deprecated: [],
  superseded: []
}

export type Command =
  /** A person sets fields. */
  | { readonly _tag: "Edit"; readonly fields: Partial<Pick<EntityRecord, PersonField>> }
  /** Extraction says what the documents call it; fields that a person has set stay. */
  | { readonly _tag: "Observe"; readonly name: string; readonly aliases: ReadonlyArray<string> }
  | { readonly _tag: "Delete"; readonly at: string }
  /** Extraction withdraws what no document supports; refused for what a person touched. */
  | { readonly _tag: "Retire"; readonly at: string }
  | { readonly _tag: "Restore" }
  | { readonly _tag: "MergeInto"; readonly head: EntityId }
  | { readonly _tag: "Absorb"; readonly merged: EntityId }
  | { readonly _tag: "Release"; readonly merged: EntityId }

/** The entity after the command: the very same object when nothing changed, else one version on. */
export const decide = (
  now: EntityRecord,
  command: Command
): Either.Either<EntityRecord, InvalidTransition> => {
  switch (command._tag) {
    case "Edit":
      return now.deletedAt === null ? Either.right(edit(now, command.fields)) : refused("deleted", "edited")
    case "Observe":
      return now.deletedAt === null ? Either.right(observe(now, command)) : refused("deleted", "observed")
    case "Delete":
      return Either.right(
        now.deletedAt === null || now.retired
          ? next(now, { deletedAt: now.deletedAt ?? command.at, retired: false, touched: true })
          : now
      )
    case "Retire":
      if (now.deletedAt !== null) return Either.right(now)
      if (now.touched || now.origin !== "extraction") return refused("touched", "retired")
      return Either.right(next(now, { deletedAt: command.at, retired: true }))
    case "Restore":
      return Either.right(restore(now))
    case "MergeInto":
      if (now.mergedInto !== null) return refused("merged", "merged")
      return command.head === now.id
        ? refused("self", "merged")
        : Either.right(next(now, { mergedInto: command.head, touched: true }))
    case "Absorb":
      return Either.right(
        now.mergedIds.includes(command.merged)
          ? now
          : next(now, { mergedIds: [...now.mergedIds, command.merged], touched: true })
      )
    case "Release":
      return Either.right(
        now.mergedIds.includes(command.merged)
          ? next(now, { mergedIds: now.mergedIds.filter((id) => id !== command.merged) })
          : now
      )
  }
}

const refused = (from: string, to: string) => Either.left(new InvalidTransition({ from, to }))

/** One version on. */
const next = (now: EntityRecord, change: Partial<EntityRecord>): EntityRecord => ({
  ...now,
  ...change,
  version: now.version + 1
})

/** A merged entity is split out of its head; one in the trash comes back. */
const restore = (now: EntityRecord): EntityRecord => {
  if (now.mergedInto !== null && now.deletedAt === null) return next(now, { mergedInto: null })
  return now.deletedAt === null ? now : next(now, { deletedAt: null, retired: false })
}

const edit = (now: EntityRecord, fields: Partial<Pick<EntityRecord, PersonField>>): EntityRecord => {
  const name = fields.name ?? now.name
  const wanted = {
    name,
    nameNorm: nameNorm(name),
    type: fields.type ?? now.type,
    description: fields.description === undefined ? now.description : fields.description,
    // A person who lists the aliases decides about all of them, the found ones included.
    aliases: aliasList(fields.aliases ?? now.aliases, name),
    extractedAliases: fields.aliases === undefined ? aliasList(now.extractedAliases, name) : []
  }
  if (same(now, wanted)) return now
  const set = (["name", "type", "aliases", "description"] as const).filter(
    (field) => fields[field] !== undefined
  )
  return next(now, {
    ...wanted,
    touched: true,
    personFields: [...new Set([...now.personFields, ...set])].sort()
  })
}

const observe = (
  now: EntityRecord,
  seen: { readonly name: string; readonly aliases: ReadonlyArray<string> }
): EntityRecord => {
  // Asserted and above is a person's word: extraction adds to it and changes nothing.
  const free = now.authority === "machine_extracted" && !now.personFields.includes("name")
  const name = free ? seen.name : now.name
  const known = new Set(now.aliases.map(nameNorm))
  const wanted = {
    name,
    nameNorm: nameNorm(name),
    extractedAliases: now.personFields.includes("aliases")
      ? now.extractedAliases
      : aliasList([...seen.aliases, seen.name], name).filter((alias) => !known.has(nameNorm(alias)))
  }
  return same(now, wanted) ? now : next(now, wanted)
}

/** Whether taking over the wanted fields would change nothing. */
const same = (now: EntityRecord, wanted: Partial<EntityRecord>): boolean =>
  JSON.stringify({ ...now, ...wanted }) === JSON.stringify(now)

/** Aliases by nameNorm, one of each, without the name itself and without what has nothing to compare. */
export const aliasList = (aliases: ReadonlyArray<string>, name: string): ReadonlyArray<string> => {
  const own = nameNorm(name)
  const byNorm = new Map<string, string>()
  for (const alias of [...aliases].sort()) {
    const norm = nameNorm(alias)
    if (norm !== "" && norm !== own && !byNorm.has(norm)) byNorm.set(norm, alias.trim())
  }
  return [...byNorm].sort(([a], [b]) => (a < b ? -1 : 1)).map(([, alias]) => alias)
}
