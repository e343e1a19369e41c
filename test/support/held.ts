import { setTimeout as sleep } from "node:timers/promises"

/** Lets go what nobody holds, also what ends with a finaliser or in a later turn. Needs `--expose-gc`. */
export const clearHeap = async (): Promise<void> => {
  if (globalThis.gc === undefined) throw new Error("Run it with --expose-gc.")
  for (let turn = 0; turn < 4; turn += 1) {
    globalThis.gc()
    await sleep(10)
  }
}
