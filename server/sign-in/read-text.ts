/** Bounds of a body that anybody may send. */
const [bytesMax, timeMs] = [16_384, 10_000] as const

/** Reads a body as text; null where it is larger, slower or no UTF-8. */
export const readText = async ({ body }: Request): Promise<string | null> => {
  if (body === null) return ""
  const reader = body.getReader()
  const parts: Array<Uint8Array> = []
  const late = AbortSignal.timeout(timeMs)
  const ended = new Promise<null>((resolve) => late.addEventListener("abort", () => resolve(null)))
  let size = 0
  try {
    for (;;) {
      const read = await Promise.race([reader.read(), ended])
      if (read === null) return null
      if (read.done) return new TextDecoder("utf-8", { fatal: true }).decode(Buffer.concat(parts))
      size += read.value.length
      if (size > bytesMax) return null
      parts.push(read.value)
    }
  } catch {
    return null
  } finally {
    reader.releaseLock()
  }
}
