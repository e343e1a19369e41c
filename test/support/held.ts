import { createHook } from "node:async_hooks"
import type { EventEmitter } from "node:events"
import { readdirSync, readlinkSync } from "node:fs"
import { setTimeout as sleep } from "node:timers/promises"

/** How many there are of each kind: what a process holds that it must let go. */
export type Held = Readonly<Record<string, number>>

/** Lets go what nobody holds, also what a finaliser or a later turn ends where there are several. Needs `--expose-gc`. */
export const clearHeap = async (turns = 4): Promise<void> => {
  if (globalThis.gc === undefined) throw new Error("Run it with --expose-gc.")
  for (let turn = 0; turn < turns; turn += 1) {
    globalThis.gc()
    await sleep(10)
  }
}

/** Returns the bytes of the heap and of array buffers after a garbage collection. */
export const heapBytes = async (): Promise<number> => {
  await clearHeap()
  const { arrayBuffers, heapUsed } = process.memoryUsage()
  return heapUsed + arrayBuffers
}

/** Resources that code waiting for promises creates in any number; they keep nothing open. */
const passing = new Set(["PROMISE", "TickObject", "Microtask"])

/** Notes handles, timers and requests from now on, also those that keep no process alive. Costs each of them time. */
export const watchResources = (): (() => Held) => {
  const living = new Map<number, string>()
  createHook({
    init: (id, type) => {
      if (!passing.has(type)) living.set(id, type)
    },
    destroy: (id) => {
      living.delete(id)
    }
  }).enable()
  return () => counted([...living.values()].map((type) => `resource ${type}`))
}

/** Listeners on the process and its streams, and file descriptors by what they lead to. */
export const listenersAndFiles = (): Held => {
  const emitters: Readonly<Record<string, EventEmitter>> = {
    process,
    stdout: process.stdout,
    stderr: process.stderr
  }
  const listeners = Object.entries(emitters).flatMap(([name, emitter]) =>
    emitter.eventNames().flatMap((event) => emitter.listeners(event).map(() => `${name} on ${String(event)}`))
  )
  return counted([...listeners, ...descriptors()])
}

/** None where the platform does not tell them. */
const descriptors = (): ReadonlyArray<string> => {
  if (process.platform !== "linux") return []
  return readdirSync("/proc/self/fd").flatMap((descriptor) => {
    try {
      return [`file ${readlinkSync(`/proc/self/fd/${descriptor}`).replace(/:\[\d+\]$/, "")}`]
    } catch {
      // That of the look itself.
      return []
    }
  })
}

/** Returns by how much each kind of resource grew. */
export const grownSince = (before: Held, now: Held): Held =>
  Object.fromEntries(
    Object.entries(now).flatMap(([kind, count]) => {
      const more = count - (before[kind] ?? 0)
      return more > 0 ? [[kind, more]] : []
    })
  )

const counted = (kinds: ReadonlyArray<string>): Held => {
  const counts = new Map<string, number>()
  for (const kind of kinds) counts.set(kind, (counts.get(kind) ?? 0) + 1)
  return Object.fromEntries(counts)
}
