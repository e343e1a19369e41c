import * as Effect from "effect/Effect"
import type { Engine, EngineCalls } from "../../core/engine/engine.js"
import type { Authority, CurationMeta, Revision } from "../../core/entities/index.js"
import { differenceLines } from "./difference.js"
import { dayOf } from "./documents.js"
import { entityId } from "./entities.js"
import { type Failure, wrongUsage } from "./failure.js"
import type { ActingInput } from "./options.js"
import { actingAs, call, withWorkspace } from "./session.js"
import { answer, paint } from "./terminal.js"
import { cleanLine, counted } from "./text.js"

type OnEntity = ActingInput & { readonly entity: string }

export const certify = (input: OnEntity & { readonly note: string | undefined }) =>
  verb(input, "Certified", (entities, id) => entities.certify(id, input.note))

export const review = (input: OnEntity) => verb(input, "Reviewed", (entities, id) => entities.review(id))

export const authority = (input: OnEntity & { readonly authority: Authority }) =>
  verb(input, "Set", (entities, id) => entities.setAuthority(id, input.authority))

export const lifecycle = (
  input: OnEntity & {
    readonly lifecycle: "draft" | "pending_review" | "published"
    readonly note: string | undefined
  }
) => verb(input, "Moved", (entities, id) => entities.setLifecycle(id, input.lifecycle, input.note))

export const owner = (
  input: OnEntity & {
    readonly owner: string | undefined
    readonly nobody: boolean
    readonly stewards: ReadonlyArray<string> | undefined
    readonly noStewards: boolean
  }
): Effect.Effect<void, Failure> => {
  const { noStewards, nobody, owner: given } = input
  const stewards = noStewards ? [] : input.stewards
  if (nobody && given !== undefined) return wrongUsage("--owner and --nobody exclude each other.")
  if (noStewards && input.stewards !== undefined)
    return wrongUsage("--steward and --no-stewards exclude each other.")
  if (!nobody && given === undefined && stewards === undefined)
    return wrongUsage("Say who: --owner ID, --nobody, --steward ID or --no-stewards.")
  return verb(input, "Set", async (entities, id) => {
    const ownerId = nobody ? null : (given ?? (await entities.get(id)).curation.ownerId)
    return entities.setOwner(id, ownerId, stewards)
  })
}

export const deprecate = (
  input: OnEntity & { readonly supersededBy: string | undefined; readonly note: string | undefined }
): Effect.Effect<void, Failure> =>
  withEntity(input, (engine, id) =>
    Effect.gen(function* () {
      const { note, supersededBy } = input
      const successor = supersededBy === undefined ? undefined : yield* entityId(engine, supersededBy)
      yield* tell(input, "Retired", id, (entities) =>
        entities.deprecate(id, {
          ...(successor === undefined ? {} : { supersededBy: successor }),
          ...(note === undefined ? {} : { note })
        })
      )(engine)
    })
  )

export const merge = (
  input: OnEntity & {
    readonly into: string
    readonly dryRun: boolean
    readonly note: string | undefined
  }
): Effect.Effect<void, Failure> =>
  withEntity(input, (engine, id) =>
    Effect.gen(function* () {
      const { dryRun, note } = input
      const into = yield* entityId(engine, input.into)
      const merged = yield* call(() => actingAs(engine, input).entities.merge(id, into, note, { dryRun }))
      const head = yield* call(() => engine.entities.get(merged.canonicalId))
      yield* answer(input.json, merged, () =>
        [
          `${dryRun ? paint.yellow("Would merge") : paint.green("Merged")} ${merged.mergedId} into ${cleanLine(head.name)} ${merged.canonicalId}`,
          `It ${dryRun ? "would bring" : "brings"} ${counted(merged.movedMentions, "mention")} and ${counted(merged.movedRelations, "relation")}; ` +
            `${counted(merged.droppedDuplicateEdges, "edge")} ${merged.droppedDuplicateEdges === 1 ? "was" : "were"} there twice.`,
          ...(merged.aliasesAdded.length === 0
            ? []
            : [`New names: ${merged.aliasesAdded.map(cleanLine).join(", ")}`])
        ].join("\n")
      )
    })
  )

export const history = (input: OnEntityRead & { readonly limit: number }): Effect.Effect<void, Failure> =>
  withEntity(input, (engine, id) =>
    Effect.gen(function* () {
      const found = yield* call(() => engine.entities.revisions(id, input.limit))
      yield* answer(input.json, found, () => found.revisions.map(shownRevision).join("\n\n"))
    })
  )

type OnEntityRead = Omit<OnEntity, "as">

export const restoreRevision = (
  input: OnEntity & { readonly version: number }
): Effect.Effect<void, Failure> =>
  withEntity(input, (engine, id) =>
    Effect.gen(function* () {
      const entity = yield* call(() => actingAs(engine, input).entities.restoreRevision(id, input.version))
      yield* answer(
        input.json,
        entity,
        () => `${cleanLine(entity.name)} is what it was in version ${input.version}: ${entity.id}`
      )
    })
  )

/** A version with what it changed. */
export const shownRevision = (revision: Revision): string =>
  [
    `${paint.bold(`version ${revision.version}`)}  ${revision.changeKind.replaceAll("_", " ")}  ` +
      paint.dim(
        `${dayOf(revision.createdAt)} ${cleanLine(revision.changedBy)} (${cleanLine(revision.activity)})`
      ),
    ...(revision.note === null ? [] : [`  ${cleanLine(revision.note)}`]),
    ...differenceLines(revision.diff)
  ].join("\n")

const withEntity = (
  input: OnEntityRead,
  use: (engine: Engine, id: string) => Effect.Effect<void, Failure>
): Effect.Effect<void, Failure> =>
  withWorkspace(input, { worker: false }, ({ engine }) =>
    Effect.flatMap(entityId(engine, input.entity), (id) => use(engine, id))
  )

/** One verb on one entity, and the curation that it has then. */
const verb = (
  input: OnEntity,
  done: string,
  work: (entities: EngineCalls["entities"], id: string) => Promise<CurationMeta>
): Effect.Effect<void, Failure> =>
  withEntity(input, (engine, id) => tell(input, done, id, (entities) => work(entities, id))(engine))

const tell =
  (
    input: OnEntity,
    done: string,
    id: string,
    work: (entities: EngineCalls["entities"]) => Promise<CurationMeta>
  ) =>
  (engine: Engine): Effect.Effect<void, Failure> =>
    Effect.gen(function* () {
      const before = (yield* call(() => engine.entities.get(id))).curation
      const after = yield* call(() => work(actingAs(engine, input).entities))
      const { name } = yield* call(() => engine.entities.get(id))
      yield* answer(input.json, after, () =>
        after.version === before.version
          ? `${cleanLine(name)} is as it was: nothing to change.`
          : [
              `${paint.green(done)} ${cleanLine(name)}, now version ${after.version}`,
              ...differenceLines(between(before, after))
            ].join("\n")
      )
    })

const between = (before: CurationMeta, after: CurationMeta) => {
  const old = new Map<string, unknown>(Object.entries(before))
  return Object.fromEntries(
    Object.entries(after).map(([field, to]) => [field, { from: old.get(field), to }] as const)
  )
}
