import * as Effect from "effect/Effect"
import { z } from "zod"
import type { Engine } from "../../core/engine/engine/index.js"
import type { CurationMeta, Revision } from "../../core/knowledge/entities/index.js"
import { operations } from "../../core/operations.js"
import { EntityId, nameNorm } from "../../core/platform/kernel/index.js"
import { command, operationCommand } from "./command.js"
import { differenceLines } from "./difference.js"
import { type Failure, failed, wrongUsage } from "./failure.js"
import { acting, switchFlag, textFlag } from "./flags.js"
import { actingAs, call, type Result, withWorkspace } from "./session.js"
import { dayOf, wordsOf } from "./tables.js"
import { paint } from "./terminal.js"
import { cleanLine, counted } from "./text.js"

/** The id of an entity, given by its id or by a name or alias that only it has. */
export const entityId = (engine: Engine, idOrName: string): Effect.Effect<string, Failure> =>
  Effect.gen(function* () {
    if (EntityId.safeParse(idOrName).success) return idOrName
    if (nameNorm(idOrName) === "") return yield* failed("not_found", "No such entity.")
    const { candidates } = yield* call(() => engine.entities.resolve(idOrName, { limit: 20 }))
    const exact = candidates.filter(({ matchKind }) => matchKind === "exact")
    const named = exact.length > 0 ? exact : candidates.filter(({ matchKind }) => matchKind === "alias")
    const [only, ...others] = named
    if (only === undefined) {
      const near = candidates.slice(0, 3).map(({ name }) => `'${cleanLine(name)}'`)
      const hint = near.length === 0 ? "" : ` Near it: ${near.join(", ")}.`
      return yield* failed("not_found", `No entity is called '${cleanLine(idOrName)}'.${hint}`)
    }
    if (others.length > 0) {
      const choices = named.map(({ id, name, type }) => `${cleanLine(name)} (${cleanLine(type)}) ${id}`)
      return yield* failed(
        "ambiguous_name",
        `Several entities are called '${cleanLine(idOrName)}'; name one by its id: ${choices.join("; ")}`
      )
    }
    return only.id
  })

/** The argument that names an entity. */
export const entity = {
  name: "id-or-name",
  description: "Id of the entity (ent_…), its name or an alias.",
  resolve: entityId
}

/** Changes the curation of an entity and shows the difference. */
const change = (
  done: string,
  context: {
    readonly engine: Engine
    readonly input: { readonly id: string }
    readonly perform: Effect.Effect<CurationMeta, Failure>
  }
): Effect.Effect<Result, Failure> =>
  Effect.gen(function* () {
    const { engine, input, perform } = context
    const before = (yield* call(() => engine.entities.get(input.id))).curation
    const after = yield* perform
    const { name } = yield* call(() => engine.entities.get(input.id))
    const text = () =>
      after.version === before.version
        ? `${cleanLine(name)} is unchanged.`
        : [
            `${paint.green(done)} ${cleanLine(name)}, now version ${after.version}`,
            ...differenceLines(between(before, after))
          ].join("\n")
    return { output: after, text }
  })

const certify = operationCommand("certify", operations.certifyEntity, {
  description: "Certify an entity as it stands; its next review is scheduled.",
  arguments: { id: entity },
  acting: true,
  run: (context) => change("Certified", context)
})

const review = operationCommand("review", operations.reviewEntity, {
  description: "Record a review of an entity; one that was only extracted becomes curated.",
  arguments: { id: entity },
  acting: true,
  run: (context) => change("Reviewed", context)
})

const authority = operationCommand("authority", operations.setAuthority, {
  description: "Set the authority of an entity.",
  arguments: { id: entity, authority: {} },
  acting: true,
  run: (context) => change("Set", context)
})

const lifecycle = operationCommand("lifecycle", operations.setEntityLifecycle, {
  description: "Move an entity between draft, review and publication.",
  arguments: { id: entity, lifecycleStatus: { name: "lifecycle" } },
  acting: true,
  run: (context) => change("Moved", context)
})

const owner = command("owner", {
  description: "Set the owner and the stewards of an entity.",
  input: z.object({
    id: z.string(),
    ...acting,
    owner: textFlag("The owner; left out, the owner stays.", "ID"),
    nobody: switchFlag("Remove the owner."),
    stewards: z
      .array(z.string())
      .optional()
      .describe("The stewards, who may decide too; replaces the present ones."),
    noStewards: switchFlag("Remove all stewards.")
  }),
  arguments: { id: entity },
  flags: { as: { placeholder: "MEMBER" }, stewards: { name: "steward", placeholder: "ID" } },
  run: (input) => {
    const { noStewards, nobody, owner: given } = input
    const stewards = noStewards ? [] : input.stewards
    if (nobody && given !== undefined) return wrongUsage("--owner and --nobody exclude each other.")
    if (noStewards && input.stewards !== undefined)
      return wrongUsage("--steward and --no-stewards exclude each other.")
    if (!nobody && given === undefined && stewards === undefined)
      return wrongUsage("Say who: --owner ID, --nobody, --steward ID or --no-stewards.")
    return withWorkspace(input, function* ({ engine }) {
      const id = yield* entityId(engine, input.id)
      const perform = call(async () => {
        const { entities } = actingAs(engine, input)
        const ownerId = nobody ? null : (given ?? (await entities.get(id)).curation.ownerId)
        return entities.setOwner(id, ownerId, stewards)
      })
      const { output, text } = yield* change("Set", { engine, input: { id }, perform })
      return { output, text }
    })
  }
})

const deprecate = operationCommand("deprecate", operations.deprecateEntity, {
  description: "Retire an entity for good; it can still be found, ranked lower and labelled.",
  arguments: { id: entity },
  flags: {
    supersededBy: {
      placeholder: "ID",
      description: "The published entity that replaces it, by id or name.",
      resolve: entityId
    }
  },
  acting: true,
  run: (context) => change("Retired", context)
})

const merge = operationCommand("merge", operations.mergeEntity, {
  description: "Merge a duplicate into another entity; kanon trash restore splits it out again.",
  arguments: {
    id: entity,
    intoId: { name: "into", description: "The entity that stays, by id, name or alias.", resolve: entityId }
  },
  flags: { dryRun: { description: "Only report what would change." } },
  acting: true,
  run: function* ({ engine, input: { dryRun }, perform }) {
    const merged = yield* perform
    const head = yield* call(() => engine.entities.get(merged.canonicalId))
    const text = () =>
      [
        `${dryRun ? paint.yellow("Would merge") : paint.green("Merged")} ${merged.mergedId} into ${cleanLine(head.name)} ${merged.canonicalId}`,
        `${dryRun ? "Would move" : "Moved"} ${counted(merged.movedMentions, "mention")} and ${counted(merged.movedRelations, "relation")}; ` +
          `${counted(merged.droppedDuplicateEdges, "duplicate edge")} dropped.`,
        ...(merged.aliasesAdded.length === 0
          ? []
          : [`New aliases: ${merged.aliasesAdded.map(cleanLine).join(", ")}`])
      ].join("\n")
    return { output: merged, text }
  }
})

const history = operationCommand("history", operations.listRevisions, {
  description: "Show the versions of an entity, newest first, and what each one changed.",
  arguments: { id: entity },
  flags: { limit: { description: "Maximum number of versions to show" } },
  print: ({ revisions }) => revisions.map(describeRevision).join("\n\n")
})

const restoreRevision = operationCommand("restore-revision", operations.restoreRevision, {
  description: "Restore the fields of an earlier version of an entity, as a new version.",
  arguments: { id: entity, version: { description: "The version, from its history" } },
  acting: true,
  print: ({ id, name }, { version }) => `${cleanLine(name)} has the fields of version ${version}: ${id}`
})

/** The commands of those who curate entities. */
export const curationCommands = [
  certify,
  review,
  authority,
  owner,
  lifecycle,
  deprecate,
  merge,
  history,
  restoreRevision
]

/** A version and what it changed. */
export const describeRevision = (revision: Revision): string =>
  [
    `${paint.bold(`version ${revision.version}`)}  ${wordsOf(revision.changeKind)}  ` +
      paint.dim(
        `${dayOf(revision.createdAt)} ${cleanLine(revision.changedBy)} (${cleanLine(revision.activity)})`
      ),
    ...(revision.note === null ? [] : [`  ${cleanLine(revision.note)}`]),
    ...differenceLines(revision.diff)
  ].join("\n")

const between = (before: CurationMeta, after: CurationMeta) => {
  const old = new Map<string, unknown>(Object.entries(before))
  return Object.fromEntries(
    Object.entries(after).map(([field, to]) => [field, { from: old.get(field), to }] as const)
  )
}
