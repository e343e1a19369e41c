/** The size that an image declares, read from its header: nothing is unpacked. */
export interface ImageSize {
  readonly width: number
  readonly height: number
  /** Pages of a TIFF; 1 for others. */
  readonly pages: number
}

/** The size of a PNG, JPEG, TIFF or WebP image; null for anything else, and for a header that is cut or empty. */
export const imageSize = (bytes: Uint8Array): ImageSize | null => {
  const view = Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength)
  try {
    const size = png(view) ?? webp(view) ?? jpeg(view) ?? tiff(view)
    return size === null || size.width < 1 || size.height < 1 ? null : size
  } catch (error) {
    if (error instanceof RangeError) return null // The header ends too early.
    throw error
  }
}

const sized = (width: number, height: number, pages = 1): ImageSize => ({ width, height, pages })

const png = (view: Buffer): ImageSize | null =>
  view.subarray(0, 8).toString("latin1") === "\x89PNG\r\n\x1a\n"
    ? sized(view.readUInt32BE(16), view.readUInt32BE(20))
    : null

const webp = (view: Buffer): ImageSize | null => {
  if (view.toString("latin1", 0, 4) !== "RIFF" || view.toString("latin1", 8, 12) !== "WEBP") return null
  switch (view.toString("latin1", 12, 16)) {
    case "VP8X":
      return sized(view.readUIntLE(24, 3) + 1, view.readUIntLE(27, 3) + 1)
    case "VP8L": {
      const bits = view.readUInt32LE(21)
      return sized((bits & 0x3fff) + 1, ((bits >>> 14) & 0x3fff) + 1)
    }
    case "VP8 ":
      return sized(view.readUInt16LE(26) & 0x3fff, view.readUInt16LE(28) & 0x3fff)
    default:
      return null
  }
}

const jpeg = (view: Buffer): ImageSize | null => {
  if (view.readUInt16BE(0) !== 0xffd8) return null
  let at = 2
  while (view.readUInt8(at) === 0xff) {
    const marker = view.readUInt8(at + 1)
    // Start of frame, except the tables of Huffman, arithmetic coding and JPEG extensions.
    if (marker >= 0xc0 && marker <= 0xcf && ![0xc4, 0xc8, 0xcc].includes(marker))
      return sized(view.readUInt16BE(at + 7), view.readUInt16BE(at + 5))
    at += marker === 0xff ? 1 : 2 + view.readUInt16BE(at + 2)
  }
  return null
}

/** Directories of a TIFF that are counted. */
const directoriesMax = 10_000

const tiff = (view: Buffer): ImageSize | null => {
  const order = view.toString("latin1", 0, 4)
  const isLittle = order === "II*\0"
  if (!isLittle && order !== "MM\0*") return null
  const short = (at: number) => (isLittle ? view.readUInt16LE(at) : view.readUInt16BE(at))
  const long = (at: number) => (isLittle ? view.readUInt32LE(at) : view.readUInt32BE(at))
  let [width, height, pages] = [0, 0, 0]
  for (let at = long(4); at !== 0 && pages < directoriesMax; pages += 1) {
    const entries = short(at)
    for (let entry = 0; entry < entries; entry += 1) {
      const field = at + 2 + entry * 12
      const value = short(field + 2) === 3 ? short(field + 8) : long(field + 8)
      if (short(field) === 256) width = Math.max(width, value)
      if (short(field) === 257) height = Math.max(height, value)
    }
    at = long(at + 2 + entries * 12)
  }
  return sized(width, height, pages)
}
