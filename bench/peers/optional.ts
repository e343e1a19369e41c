import type { BenchContext } from "../result.js"

/** Loads a peer; null, and a line saying so, where it does not load. */
export const optional = async <A>(
  { skip }: BenchContext,
  name: string,
  load: () => Promise<A>
): Promise<A | null> => {
  try {
    return await load()
  } catch (error) {
    skip(`${name} does not load: ${error instanceof Error ? error.message : String(error)}`)
    return null
  }
}
