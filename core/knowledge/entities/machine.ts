import * as Either from "effect/Either"
import { type EntityId, InvalidTransition, nameNorm, stepOf } from "../../platform/kernel/index.js"
import type { Authority, EntityRecord, PersonField } from "./model.js"
import { type AuthorityTrigger, authorityTable, type LifecycleTrigger, lifecycleTable } from "./states.js"

/** When a review was made, and when the next one is due. */
export interface Stamps {
  readonly at: string
  readonly nextReviewAt: string
}

/** Every command on an entity. A command changes nothing or makes exactly one version. */
export type Command =
  /** A person sets fields. */
  | { readonly _tag: "Edit"; readonly fields: EntityFields }
  /** Extraction reports the names found in documents; fields that a person has set do not change. */
  | {
      readonly _tag: "Observe"
      readonly name: string
      readonly aliases: ReadonlyArray<string>
      /** The key by which documents name it from now on; unchanged when left out. */
      readonly claimKey?: string
    }
  | { readonly _tag: "Delete"; readonly at: string }
  /** Extraction removes an entity that no document supports; refused if a person has touched it. */
  | { readonly _tag: "Retire"; readonly at: string }
  | { readonly _tag: "Restore" }
  | { readonly _tag: "MergeInto"; readonly head: EntityId }
  | { readonly _tag: "Absorb"; readonly merged: EntityId }
  | { readonly _tag: "Release"; readonly merged: EntityId }
  | { readonly _tag: "Certify"; readonly stamps: Stamps }
  | { readonly _tag: "Review"; readonly stamps: Stamps }
  | { readonly _tag: "SetAuthority"; readonly authority: Authority }
  /** Keeps the stewards if none are given. */
  | {
      readonly _tag: "SetOwner"
      readonly ownerId: string | null
      readonly stewardIds?: ReadonlyArray<string>
    }
  | { readonly _tag: "SetLifecycle"; readonly to: "draft" | "pending_review" | "published" }
  | { readonly _tag: "Deprecate"; readonly supersededBy: EntityId | null }

/** The fields that a person may edit. */
export type EntityFields = Partial<Pick<EntityRecord, PersonField | "editorialNote">>

/** Returns the entity after the command: the same object if nothing changed, else the next version. */
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
    default:
      return now.deletedAt === null ? curate(now, command) : refused("deleted", "curated")
  }
}

type Curation = Extract<
  Command,
  { readonly _tag: "Certify" | "Review" | "SetAuthority" | "SetOwner" | "SetLifecycle" | "Deprecate" }
>

const curate = (now: EntityRecord, command: Curation): Either.Either<EntityRecord, InvalidTransition> => {
  switch (command._tag) {
    case "Certify":
      return Either.map(authority(now, "certify"), (to) => changed(now, { authority: to, ...dated(command) }))
    case "Review":
      return Either.map(authority(now, "review"), (to) => changed(now, { authority: to, ...dated(command) }))
    case "SetAuthority":
      return Either.map(authority(now, command.authority), (to) => changed(now, { authority: to }))
    case "SetOwner": {
      const stewardIds = [...new Set(command.stewardIds ?? now.stewardIds)]
      return Either.right(changed(now, { ownerId: command.ownerId, stewardIds }))
    }
    case "SetLifecycle":
      return Either.map(lifecycle(now, command.to), (to) => changed(now, { lifecycle: to }))
    case "Deprecate": {
      const { supersededBy } = command
      const trigger = supersededBy === null ? "deprecate" : "supersede"
      return supersededBy === now.id
        ? refused(now.lifecycle, "superseded by itself")
        : Either.map(lifecycle(now, trigger), (to) => changed(now, { lifecycle: to, supersededBy }))
    }
  }
}

const authority = ({ authority: from }: EntityRecord, on: AuthorityTrigger) => {
  const step = stepOf(authorityTable, from, on)
  return step === null ? refused(from, on) : Either.right(step.to)
}

const lifecycle = ({ lifecycle: from }: EntityRecord, on: LifecycleTrigger) => {
  const step = stepOf(lifecycleTable, from, on)
  return step === null ? refused(from, wordOf[on]) : Either.right(step.to)
}

const wordOf: Readonly<Record<LifecycleTrigger, string>> = {
  draft: "draft",
  pending_review: "pending_review",
  published: "published",
  deprecate: "deprecated",
  supersede: "superseded"
}

const dated = ({ stamps }: { readonly stamps: Stamps }) => ({
  lastReviewedAt: stamps.at,
  nextReviewAt: stamps.nextReviewAt
})

/** Returns the next version, marked as touched by a person, or the same entity if nothing changed. */
const changed = (now: EntityRecord, change: Partial<EntityRecord>): EntityRecord =>
  same(now, change) ? now : next(now, { ...change, touched: true })

const refused = (from: string, to: string) => Either.left(new InvalidTransition({ from, to }))

/** Returns the next version of the entity. */
const next = (now: EntityRecord, change: Partial<EntityRecord>): EntityRecord => ({
  ...now,
  ...change,
  version: now.version + 1
})

/** Restores an entity: splits a merged one out of its head, or takes a deleted one out of the trash. */
const restore = (now: EntityRecord): EntityRecord => {
  if (now.mergedInto !== null && now.deletedAt === null) return next(now, { mergedInto: null })
  return now.deletedAt === null ? now : next(now, { deletedAt: null, retired: false })
}

const edit = (now: EntityRecord, fields: EntityFields): EntityRecord => {
  const name = fields.name ?? now.name
  const wanted = {
    name,
    nameNorm: nameNorm(name),
    type: fields.type ?? now.type,
    description: fields.description === undefined ? now.description : fields.description,
    editorialNote: fields.editorialNote ?? now.editorialNote,
    // A person who edits the aliases decides about all of them, including the extracted ones.
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
  seen: Pick<Extract<Command, { readonly _tag: "Observe" }>, "name" | "aliases" | "claimKey">
): EntityRecord => {
  // From `asserted` upwards, extraction adds to an entity but changes none of its fields.
  const free = now.authority === "machine_extracted" && !now.personFields.includes("name")
  const name = free ? seen.name : now.name
  const known = new Set(now.aliases.map(nameNorm))
  const wanted = {
    name,
    nameNorm: nameNorm(name),
    claim:
      seen.claimKey === undefined || seen.claimKey === now.claim?.key
        ? now.claim
        : { type: now.claim?.type ?? now.type, key: seen.claimKey },
    extractedAliases: now.personFields.includes("aliases")
      ? now.extractedAliases
      : aliasList([...seen.aliases, seen.name], name).filter((alias) => !known.has(nameNorm(alias)))
  }
  return same(now, wanted) ? now : next(now, wanted)
}

/** Returns whether applying the wanted fields would change nothing. */
const same = (now: EntityRecord, wanted: Partial<EntityRecord>): boolean => {
  const is: Readonly<Record<string, unknown>> = { ...now }
  return Object.entries(wanted).every(
    ([field, value]) => is[field] === value || JSON.stringify(is[field]) === JSON.stringify(value)
  )
}

/** Returns the aliases sorted and unique by nameNorm, without the name itself and without empty keys. */
export const aliasList = (aliases: ReadonlyArray<string>, name: string): ReadonlyArray<string> => {
  if (aliases.length === 0) return []
  const own = nameNorm(name)
  const byNorm = new Map<string, string>()
  for (const alias of [...aliases].sort()) {
    const norm = nameNorm(alias)
    if (norm !== "" && norm !== own && !byNorm.has(norm)) byNorm.set(norm, alias.trim())
  }
  return [...byNorm].sort(([a], [b]) => (a < b ? -1 : 1)).map(([, alias]) => alias)
}
