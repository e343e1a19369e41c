/** Stores readers of documents, groups, and what keys were made for, on both databases. */

import * as SqlClient from "@effect/sql/SqlClient"
import type { SqlError } from "@effect/sql/SqlError"
import * as Context from "effect/Context"
import * as Effect from "effect/Effect"
import {
  AccessStore,
  type FolderRule,
  type Group,
  type OwnReaders
} from "../../../../core/platform/access/index.js"
import {
  Caller,
  currentView,
  type DocumentId,
  groupBy,
  Ids,
  type ReaderView,
  serviceLayer,
  type UserId,
  type WorkspaceScope
} from "../../../../core/platform/kernel/index.js"
import { fromJson, toJson, toNumber } from "../../codec.js"
import { changing } from "../../content-changes.js"
import { inBatches, insertRows, readAll } from "../../rows.js"
import { makeReaderRules, type SetReaders } from "./reader-rules.js"

interface StoredReaders {
  readonly document_id: DocumentId
  readonly list_id: string | null
  readonly own: string | null
  readonly source: string | null
}

interface Pathed {
  readonly id: DocumentId
  readonly path: string
}

const noReaders: SetReaders = { own: null, source: null }

const setReadersOf = (row: Pick<StoredReaders, "own" | "source"> | undefined): SetReaders =>
  row === undefined
    ? noReaders
    : {
        own: row.own === null ? null : fromJson<OwnReaders>(row.own),
        source: row.source === null ? null : fromJson<ReadonlyArray<string>>(row.source)
      }

/** Counter of the changes of readers. */
const accessRevision = "access"

/** Prefixes of ids whose items a view may leave out, with their tables. */
const hideable = [
  ["doc_", "document"],
  ["chk_", "chunk"],
  ["ent_", "entity"],
  ["rel_", "relation"]
] as const

/**
 * Those of them that stay visible as long as the view has the same key: the revision in it changes with every change of
 * the readers of a document. What an entity rests on may change without.
 */
const lasting: ReadonlySet<string> = new Set(["doc_", "chk_"])

/** Number of views whose visible ids are remembered, and of ids of one. */
const [viewsMax, idsMax] = [64, 20_000]

/** Returns the ids that were found visible under a view; null without one. */
const visibleIds = () => {
  const views = new Map<string, Set<string>>()
  return (workspace: WorkspaceScope, view: ReaderView | null): Set<string> | null => {
    if (view === null) return null
    const key = `${workspace}/${view.key}`
    const before = views.get(key)
    const ids = before === undefined || before.size > idsMax ? new Set<string>() : before
    views.delete(key)
    views.set(key, ids)
    for (const oldest of views.keys()) {
      if (views.size <= viewsMax) break
      views.delete(oldest)
    }
    return ids
  }
}

/** Number of lists whose principals are remembered. */
const listsMax = 10_000

/** Returns the principals of a list; a list never changes its meaning, and each request reads all of them. */
const listReader = () => {
  const known = new Map<string, ReadonlyArray<string>>()
  return (id: string, stored: string): ReadonlyArray<string> => {
    const found = known.get(id)
    if (found !== undefined) return found
    const principals = fromJson<ReadonlyArray<string>>(stored)
    if (known.size >= listsMax) known.clear()
    known.set(id, principals)
    return principals
  }
}

export const sqlAccessStore = serviceLayer(
  AccessStore,
  Effect.gen(function* () {
    const sql = yield* SqlClient.SqlClient
    const seen = visibleIds()
    const principalsOf = listReader()
    const { sha256 } = yield* Ids
    const listId = (principals: ReadonlyArray<string>) => sha256(toJson(principals)).slice(0, 32)
    const putList = (workspace: WorkspaceScope, id: string, principals: ReadonlyArray<string>) =>
      sql`insert into access_list ${sql.insert({ workspace_id: workspace, id, principals: toJson(principals) })}
        on conflict (workspace_id, id) do nothing`
    const stored = (workspace: WorkspaceScope, ids: ReadonlyArray<DocumentId>) =>
      inBatches(
        ids,
        (batch) => sql<StoredReaders>`select document_id, list_id, own, source from document_access
          where workspace_id = ${workspace} and ${sql.in("document_id", batch)}`
      )
    /** Documents of the database, whatever the caller may read. */
    const paths = (workspace: WorkspaceScope, ids: ReadonlyArray<DocumentId>) =>
      unviewed(
        inBatches(
          ids,
          (batch) => sql<Pathed>`select id, path from document
            where workspace_id = ${workspace} and ${sql.in("id", batch)}`
        )
      )

    /** Writes what changes of the readers of documents; `set` replaces what is set for one of them. */
    const apply = (
      workspace: WorkspaceScope,
      documents: ReadonlyArray<Pathed>,
      folders: ReadonlyArray<FolderRule>,
      set: ReadonlyMap<string, Partial<SetReaders>> = new Map()
    ): Effect.Effect<number, SqlError> =>
      Effect.gen(function* () {
        const rules = makeReaderRules(folders)
        const known = new Map(
          (yield* stored(
            workspace,
            documents.map(({ id }) => id)
          )).map((row) => [row.document_id, row])
        )
        const lists = new Map<string, ReadonlyArray<string>>()
        const rows = documents.flatMap(({ id, path }) => {
          const before = known.get(id)
          const readers = { ...setReadersOf(before), ...set.get(id) }
          const { effective } = rules(path, readers)
          const list = effective === null ? null : listId(effective)
          if (effective !== null && list !== null) lists.set(list, effective)
          const row = {
            workspace_id: workspace,
            document_id: id,
            list_id: list,
            own: readers.own === null ? null : toJson(readers.own),
            source: readers.source === null ? null : toJson(readers.source)
          }
          const isSame =
            before === undefined
              ? list === null && row.own === null && row.source === null
              : before.list_id === list && before.own === row.own && before.source === row.source
          return isSame ? [] : [row]
        })
        if (rows.length === 0) return 0
        const write = Effect.gen(function* () {
          for (const [id, principals] of lists) yield* putList(workspace, id, principals)
          yield* inBatches(
            rows.map(({ document_id }) => document_id),
            (batch) =>
              sql`delete from document_access where workspace_id = ${workspace} and ${sql.in("document_id", batch)}`
          )
          yield* insertRows(
            sql,
            "document_access",
            rows.filter(({ list_id, own, source }) => list_id !== null || own !== null || source !== null)
          )
          yield* sql`insert into counter (workspace_id, name, value) values (${workspace}, ${accessRevision}, 1)
            on conflict (workspace_id, name) do update set value = counter.value + 1`
          yield* sql`delete from access_list where workspace_id = ${workspace} and not exists (
            select 1 from document_access a where a.workspace_id = ${workspace} and a.list_id = access_list.id)`
        })
        yield* changing(
          sql,
          workspace,
          { content: true, documents: rows.map(({ document_id }) => document_id) },
          write
        )
        return rows.length
      })

    const all = (workspace: WorkspaceScope) =>
      unviewed(sql<Pathed>`select id, path from document where workspace_id = ${workspace} order by id`)

    return AccessStore.of({
      lists: (workspace) =>
        sql<{ id: string; principals: string; revision: unknown }>`select id, principals,
            (select value from counter where workspace_id = ${workspace} and name = ${accessRevision}) as revision
          from access_list where workspace_id = ${workspace} order by id`.pipe(
          Effect.map((rows) => ({
            revision: toNumber(rows[0]?.revision),
            lists: rows.map(({ id, principals }) => ({
              id,
              principals: principalsOf(id, principals)
            }))
          })),
          Effect.orDie
        ),
      readers: (workspace, ids) =>
        inBatches(
          ids,
          (batch) => sql<{ document_id: DocumentId; principals: string }>`
            select a.document_id, l.principals from document_access a
            join access_list l on l.workspace_id = ${workspace} and l.id = a.list_id
            where a.workspace_id = ${workspace} and ${sql.in("a.document_id", batch)}`
        ).pipe(
          Effect.map(
            (rows) =>
              new Map(
                rows.map(({ document_id, principals }) => [
                  document_id,
                  { read: fromJson<Array<string>>(principals) }
                ])
              )
          ),
          Effect.orDie
        ),
      explain: (workspace, id, folders) =>
        Effect.gen(function* () {
          const [row] = yield* stored(workspace, [id])
          const [document] = yield* paths(workspace, [id])
          const set = setReadersOf(row)
          const { effective, folder } = makeReaderRules(folders)(document?.path ?? "", set)
          return {
            access: effective === null ? null : { read: [...effective] },
            own: set.own === null ? null : { read: set.own.read === null ? null : [...set.own.read] },
            source: set.source === null ? null : [...set.source],
            folder: folder === null ? null : { path: folder.path, read: [...folder.read] }
          }
        }).pipe(Effect.orDie),
      setOwn: (workspace, id, own, folders) =>
        Effect.flatMap(paths(workspace, [id]), (documents) =>
          apply(workspace, documents, folders, new Map([[id, { own }]]))
        ).pipe(Effect.asVoid, Effect.orDie),
      setSource: (workspace, source, folders) =>
        Effect.flatMap(paths(workspace, [...source.keys()]), (documents) =>
          apply(
            workspace,
            documents,
            folders,
            new Map([...source].map(([id, readers]) => [id, { source: readers }]))
          )
        ).pipe(Effect.orDie),
      applyTo: (workspace, ids, folders) =>
        Effect.flatMap(paths(workspace, ids), (documents) => apply(workspace, documents, folders)).pipe(
          Effect.asVoid,
          Effect.orDie
        ),
      applyFolders: (workspace, folders) =>
        Effect.flatMap(all(workspace), (documents) => apply(workspace, documents, folders)).pipe(
          Effect.orDie
        ),
      adopt: (workspace, readers) =>
        Effect.gen(function* () {
          for (const { effective } of readers)
            if (effective !== null) yield* putList(workspace, listId(effective), effective)
          yield* insertRows(
            sql,
            "document_access",
            readers.map(({ documentId, effective, own, source }) => ({
              workspace_id: workspace,
              document_id: documentId,
              list_id: effective === null ? null : listId(effective),
              own: own === null ? null : toJson(own),
              source: source === null ? null : toJson(source)
            }))
          )
        }).pipe(Effect.orDie),
      differing: (workspace, folders) =>
        Effect.gen(function* () {
          const rules = makeReaderRules(folders)
          const rows = new Map(
            (yield* sql<StoredReaders>`select document_id, list_id, own, source from document_access
              where workspace_id = ${workspace}`).map((row) => [row.document_id, row])
          )
          return (yield* all(workspace))
            .filter(({ id, path }) => {
              const row = rows.get(id)
              const { effective } = rules(path, setReadersOf(row))
              return (row?.list_id ?? null) !== (effective === null ? null : listId(effective))
            })
            .slice(0, 100)
            .map(({ id }) => id)
        }).pipe(Effect.orDie),
      readersOfFile: (path, folders) => makeReaderRules(folders)(path, noReaders).effective,
      unused: (workspace, folders) =>
        folders.length === 0
          ? Effect.succeed([])
          : Effect.map(all(workspace), (documents) => {
              const rules = makeReaderRules(folders)
              const used = new Set(documents.map(({ path }) => rules(path, noReaders).folder?.path))
              return folders.flatMap(({ path }) => (used.has(path) ? [] : [path]))
            }).pipe(Effect.orDie),
      hidden: (workspace, ids) =>
        Effect.gen(function* () {
          const found = new Set<string>()
          const known = seen(workspace, yield* currentView)
          for (const [prefix, table] of hideable) {
            const isLasting = lasting.has(prefix)
            const own = ids.filter((id) => id.startsWith(prefix) && !(isLasting && known?.has(id) === true))
            if (own.length === 0) continue
            const named = (batch: ReadonlyArray<string>) =>
              sql<{
                id: string
              }>`select id from ${sql(table)} where workspace_id = ${workspace} and ${sql.in("id", batch)}`
            const visible = new Set((yield* inBatches(own, named)).map(({ id }) => id))
            if (isLasting && known !== null) for (const id of visible) known.add(id)
            const left = own.filter((id) => !visible.has(id))
            if (left.length === 0) continue
            for (const { id } of yield* unviewed(inBatches(left, named))) found.add(id)
            if (table !== "document") continue
            for (const { document_id, list_id } of yield* stored(workspace, left.map(idOfDocument)))
              if (list_id !== null) found.add(document_id)
          }
          return found
        }).pipe(Effect.orDie),
      names: (workspace, ids) =>
        Effect.gen(function* () {
          const found = yield* inBatches(
            ids,
            (batch) => sql<{ id: string; name: string }>`
              select e.id, e.name from entity e where e.workspace_id = ${workspace} and ${sql.in("e.id", batch)}
              union all select a.entity_id as id, a.alias as name from entity_alias a
                where a.workspace_id = ${workspace} and ${sql.in("a.entity_id", batch)}`
          )
          return new Map(
            [...groupBy(found, ({ id }) => id)].map(([id, rows]) => [
              id,
              new Set(rows.map(({ name }) => name))
            ])
          )
        }).pipe(Effect.orDie),
      groups: (workspace) =>
        sql<{ name: string; user_id: UserId }>`select name, user_id from user_group
          where workspace_id = ${workspace} order by name, user_id`.pipe(
          Effect.map((rows) =>
            [...groupBy(rows, ({ name }) => name)].map(
              ([name, members]): Group => ({ name, members: members.map(({ user_id }) => user_id) })
            )
          ),
          Effect.orDie
        ),
      groupsOf: (workspace, user) =>
        sql<{ name: string }>`select name from user_group
          where workspace_id = ${workspace} and user_id = ${user} order by name`.pipe(
          readAll(({ name }) => name)
        ),
      addToGroup: (workspace, name, user) =>
        sql`insert into user_group ${sql.insert({ workspace_id: workspace, user_id: user, name })}
          on conflict (workspace_id, user_id, name) do nothing returning name`.pipe(
          Effect.map((rows) => rows.length > 0),
          Effect.orDie
        ),
      removeFromGroup: (workspace, name, user) =>
        sql`delete from user_group where workspace_id = ${workspace} and user_id = ${user} and name = ${name}
          returning name`.pipe(
          Effect.map((rows) => rows.length > 0),
          Effect.orDie
        ),
      replaceGroups: (workspace, user, names) =>
        Effect.gen(function* () {
          const wanted = [...new Set(names)].sort()
          const present = (yield* sql<{ name: string }>`select name from user_group
            where workspace_id = ${workspace} and user_id = ${user} order by name`).map(({ name }) => name)
          if (present.length === wanted.length && present.every((name) => wanted.includes(name))) return false
          yield* sql`delete from user_group where workspace_id = ${workspace} and user_id = ${user}`
          yield* insertRows(
            sql,
            "user_group",
            wanted.map((name) => ({ workspace_id: workspace, user_id: user, name }))
          )
          return true
        }).pipe(Effect.orDie)
    })
  })
)

const idOfDocument = (id: string) => id as DocumentId

/** Runs statements that see every document, for the upkeep of rights alone. */
const unviewed = <A, E, R>(work: Effect.Effect<A, E, R>): Effect.Effect<A, E, R> =>
  Effect.mapInputContext(work, (context: Context.Context<R>) => {
    const caller = Context.getOption(context as Context.Context<R | Caller>, Caller)
    return caller._tag === "None" ? context : Context.add(context, Caller, { ...caller.value, view: null })
  })
