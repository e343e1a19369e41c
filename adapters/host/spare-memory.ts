import { promisify } from "node:util"

/** Gives what was freed back to the system; false where there was nothing, or nothing that could do it. */
type Trim = () => Promise<boolean>

const none: Trim = () => Promise.resolve(false)

/** The function of the GNU C library, where this process runs on it and the library that calls it is installed. */
const load = async (): Promise<Trim> => {
  if (process.platform !== "linux") return none
  try {
    const { default: native } = await import("koffi")
    // Other C libraries have no file of this name, and give memory back by themselves.
    const trim = native.load("libc.so.6").func("int malloc_trim(size_t pad)")
    // In a thread of the pool: what is given back is given back page by page.
    const call = promisify<number, number>(trim.async)
    return async () => (await call(0)) === 1
  } catch {
    return none
  }
}

let loaded: Promise<Trim> | undefined
let running: Promise<boolean> | null = null

/**
 * Gives memory of this process that was freed back to the system. GNU's allocator keeps it otherwise: an arena shrinks
 * from its end only, so a thread that has ended leaves about as much as it held at its highest. Safe to call at any time
 * and from several places at once; false where it gave nothing back, never rejected. Takes some ten milliseconds beside
 * the main loop.
 */
export const giveMemoryBack = (): Promise<boolean> => {
  loaded ??= load()
  running ??= loaded
    .then((trim) => trim())
    .catch(() => false)
    .finally(() => (running = null))
  return running
}
