import type * as Layer from "effect/Layer"
import type { CommonOptions } from "../adapters/engine/options.js"
import type { ExportSource, ImportOptions, ImportReport } from "../adapters/sqlite/index.js"
import type { Engine } from "../core/engine.js"
import type { Ports } from "../core/ports.js"

/** Where the data are: a folder, and what is in a database of a server in place of it. */
export interface DataPlace {
  readonly data: string
  readonly vault: string
  /** The URL of a Postgres database; SQLite in the folder without one. */
  readonly database?: string | undefined
}

/** Opens what a place holds, whatever holds it. */
export interface Store {
  readonly createEngine: (options: CommonOptions & { readonly thread?: boolean }) => Promise<Engine>
  readonly ports: (options?: Partial<CommonOptions>) => Layer.Layer<Ports>
  readonly importWorkspace: (
    source: ExportSource,
    options: Omit<ImportOptions, "vault" | "data">
  ) => Promise<ImportReport>
}

/** The one place that chooses the database. Only the chosen one is loaded. */
export const storeOf = async ({ data, database, vault }: DataPlace): Promise<Store> => {
  if (database === undefined) {
    const sqlite = await import("../adapters/sqlite/index.js")
    return {
      createEngine: (options) => sqlite.createEngine({ ...options, data }),
      ports: (options) => sqlite.sqlitePorts({ vault, ...options, data }),
      importWorkspace: (source, options) => sqlite.importWorkspace(source, { ...options, vault, data })
    }
  }
  const postgres = await import("../adapters/postgres/index.js")
  return {
    createEngine: ({ thread: _, ...options }) => postgres.createEngine({ ...options, data, database }),
    ports: (options) => postgres.postgresPorts({ vault, ...options, data, database }),
    importWorkspace: (source, { thread: _, ...options }) =>
      postgres.importWorkspace(source, { ...options, vault, data, database })
  }
}
