import { closeSync, fsyncSync, mkdirSync, openSync, readFileSync, renameSync, writeSync } from "node:fs"
import { dirname, join } from "node:path"
import { setTimeout } from "node:timers/promises"
import Database from "better-sqlite3"
import { dataFolder, readCorpus } from "./data.js"
import { chosen, engineAt } from "./database.js"
import { type Cost, compare, costOf, interleaved } from "./measure.js"
import type { BenchContext, RunBench, Size } from "./result.js"
import { syncsEach } from "./slow-sync.js"
import { withFolder } from "./workspace.js"

const pairsWanted: Readonly<Record<Size, number>> = { small: 2, default: 40, full: 100 }
/** Number of writes of each side whose syncs are counted. */
const counted: Readonly<Record<Size, number>> = { small: 2, default: 200, full: 200 }
/** Writes of each side before any is measured: what is asked is how a program fares that runs. */
const warmUp: Readonly<Record<Size, number>> = { small: 2, default: 600, full: 600 }

/** By then it is noted that the file of a write is in its place. */
const notedMs = 500

const leastWrite = "write, fsync, rename, fsync of the folder, one commit"

/** The least that keeps a document durably: file and folder synced, one commit that a power cut does not undo. */
const floorWriter = (folder: string) => {
  mkdirSync(folder)
  const database = new Database(join(folder, "floor.sqlite"))
  database.pragma("journal_mode = wal")
  database.pragma("synchronous = full")
  database.exec("create table document (path text primary key, text text)")
  const put = database.prepare(
    "insert into document values (?, ?) on conflict do update set text = excluded.text"
  )
  const write = (path: string, text: string): void => {
    const target = join(folder, path)
    const file = openSync(`${target}.tmp`, "w")
    writeSync(file, text)
    fsyncSync(file)
    closeSync(file)
    renameSync(`${target}.tmp`, target)
    const parent = openSync(dirname(target), "r")
    fsyncSync(parent)
    closeSync(parent)
    put.run(path, text)
  }
  return { write, close: () => database.close() }
}

/** Commits that lie in the log of the database: frames that carry its size, under the salt of the log's head. */
const commitsIn = (log: string): number => {
  const bytes = readFileSync(log)
  if (bytes.length < 32) return 0
  const frameBytes = 24 + bytes.readUInt32BE(8)
  let commits = 0
  for (let at = 32; at + frameBytes <= bytes.length; at += frameBytes) {
    if (bytes.compare(bytes, 16, 24, at + 8, at + 16) !== 0) break
    if (bytes.readUInt32BE(at + 4) !== 0) commits += 1
  }
  return commits
}

export const ingestOne: RunBench = async (context) => {
  const documents = readCorpus("eips")
  if (documents === null) return context.skip(`no eips in ${dataFolder}`)
  // Texts are cut to a usual length: the bench measures one write, not the analysis of a book.
  const texts = documents.map(({ text }) => text.slice(0, 4000))
  const textAt = (i: number): string => texts.at(i % texts.length) ?? ""
  await withFolder(async (folder) => {
    const [vault, data] = [join(folder, "vault"), join(folder, "data")]
    mkdirSync(vault)
    const engine = await engineAt({ vault, data, worker: false })
    const floor = floorWriter(join(folder, "floor"))
    const ids: Array<string> = []
    const create = async (i: number): Promise<void> => {
      ids.push((await engine.documents.create({ path: `${i}.md`, content: textAt(i) })).docId)
    }
    const replace = async (i: number): Promise<void> => {
      await engine.documents.replace(ids.at(i % ids.length) ?? "", `${textAt(i + 1)}\n\n${i}\n`)
    }
    const of = async (what: string, ours: (i: number) => Promise<void>) => {
      // Another text for each kind: a row that is written as it was is not written, and its commit syncs nothing.
      const least = (i: number): void => floor.write(`${i}.md`, `${textAt(i)}\n\n${what} ${i}\n`)
      for (let i = 1; i <= warmUp[context.size]; i++) {
        await ours(-i)
        least(-i)
      }
      const pairs = await interleaved(
        pairsWanted[context.size],
        (i) => costOf(() => ours(i)),
        (i) => costOf(() => least(i))
      )
      reportWrites(context, what, pairs)
      const [from, times] = [pairsWanted.full + 10, counted[context.size]]
      const ourSyncs = await syncsEach(times, (i) => ours(from + i))
      const theirs = await syncsEach(times, (i) => least(from + i))
      if (ourSyncs !== null && theirs !== null)
        context.report({
          metric: `${what}, syncs with those of checkpoints`,
          ours: ourSyncs,
          floor: theirs,
          n: times,
          unit: "a write",
          peer: leastWrite
        })
      if (chosen() !== "sqlite") return
      const log = join(data, "kanon.sqlite-wal")
      for (let write = pairs.length + 1; ; write += 1) {
        await setTimeout(notedMs)
        const before = commitsIn(log)
        await ours(write)
        const atReturn = commitsIn(log) - before
        await setTimeout(notedMs)
        const inAll = commitsIn(log) - before
        // A checkpoint has begun the log anew in between.
        if (atReturn < 1 || inAll < atReturn) continue
        report(context, `${what}, commits until the call returns`, atReturn, "a write")
        report(context, `${what}, commits with what follows`, inAll, "a write")
        return
      }
    }
    await of("created", create)
    await of("replaced", replace)
    floor.close()
    await engine.close()
  })
}

const reportWrites = (
  context: BenchContext,
  what: string,
  pairs: Parameters<typeof compare<Cost>>[0]
): void => {
  const line = (cost: keyof Cost) => ({ ...compare(pairs, (one) => one[cost]), unit: "ms", peer: leastWrite })
  context.report({ metric: `${what}, wall`, ...line("wallMs"), target: "<= 1.5" })
  context.report({ metric: `${what}, CPU`, ...line("cpuMs") })
}

const report = ({ report }: BenchContext, metric: string, ours: number, unit: string): void =>
  report({ metric, ours, n: 1, unit, peer: "exact count" })
