import { crc32, deflateSync, inflateSync } from "node:zlib"

const signature = Buffer.from("89504e470d0a1a0a", "hex")

/** Writes a screenshot with a palette of its 256 most frequent colours, which takes a third of the bytes. */
export const smallPng = (image: Buffer): Buffer => {
  const chunks = chunksOf(image)
  const header = chunks.find(({ type }) => type === "IHDR")?.data ?? Buffer.alloc(13)
  const [width, height] = [header.readUInt32BE(0), header.readUInt32BE(4)]
  const data = Buffer.concat(chunks.flatMap(({ data, type }) => (type === "IDAT" ? [data] : [])))
  // A screenshot has eight bits for each of red, green and blue, and for opacity where colour type 6 says so.
  const colours = coloursOf(inflateSync(data), width, height, header[9] === 6 ? 4 : 3)
  const palette = paletteOf(colours)
  const places = new Map(palette.map((colour, place) => [colour, place]))
  const rows = Buffer.alloc(height * (width + 1))
  colours.forEach((colour, index) => {
    const place = places.get(colour) ?? nearest(palette, colour)
    places.set(colour, place)
    rows[index + Math.floor(index / width) + 1] = place
  })
  const written = Buffer.from(header)
  written[9] = 3
  return Buffer.concat([
    signature,
    chunk("IHDR", written),
    chunk("PLTE", Buffer.from(palette.flatMap((colour) => parts(colour)))),
    chunk("IDAT", deflateSync(rows, { level: 9 })),
    chunk("IEND", Buffer.alloc(0))
  ])
}

const chunksOf = (image: Buffer) => {
  const chunks: Array<{ readonly type: string; readonly data: Buffer }> = []
  for (let at = signature.length; at < image.length; ) {
    const length = image.readUInt32BE(at)
    chunks.push({
      type: image.toString("latin1", at + 4, at + 8),
      data: image.subarray(at + 8, at + 8 + length)
    })
    at += 12 + length
  }
  return chunks
}

const chunk = (type: string, data: Buffer): Buffer => {
  const [length, checksum] = [Buffer.alloc(4), Buffer.alloc(4)]
  length.writeUInt32BE(data.length)
  const body = Buffer.concat([Buffer.from(type, "latin1"), data])
  checksum.writeUInt32BE(crc32(body))
  return Buffer.concat([length, body, checksum])
}

/** Undoes the filters of the rows and gives each pixel as one number. */
const coloursOf = (bytes: Buffer, width: number, height: number, channels: number): Uint32Array => {
  const stride = width * channels
  const colours = new Uint32Array(width * height)
  let above = Buffer.alloc(stride)
  for (let y = 0; y < height; y++) {
    const start = y * (stride + 1)
    const row = Buffer.from(bytes.subarray(start + 1, start + 1 + stride))
    for (let at = 0; at < stride; at++) {
      const [left, up] = [at < channels ? 0 : (row[at - channels] ?? 0), above[at] ?? 0]
      const corner = at < channels ? 0 : (above[at - channels] ?? 0)
      const guesses = [0, left, up, (left + up) >> 1, paeth(left, up, corner)]
      row[at] = (row[at] ?? 0) + (guesses[bytes[start] ?? 0] ?? 0)
    }
    for (let x = 0; x < width; x++) colours[y * width + x] = row.readUIntBE(x * channels, 3)
    above = row
  }
  return colours
}

const paeth = (left: number, up: number, corner: number): number => {
  const guess = left + up - corner
  const [a, b, c] = [Math.abs(guess - left), Math.abs(guess - up), Math.abs(guess - corner)]
  return a <= b && a <= c ? left : b <= c ? up : corner
}

const parts = (colour: number): [number, number, number] => [colour >> 16, (colour >> 8) & 255, colour & 255]

const paletteOf = (colours: Uint32Array): ReadonlyArray<number> => {
  const counts = new Map<number, number>()
  for (const colour of colours) counts.set(colour, (counts.get(colour) ?? 0) + 1)
  return [...counts]
    .sort(([, a], [, b]) => b - a)
    .slice(0, 256)
    .map(([colour]) => colour)
}

const nearest = (palette: ReadonlyArray<number>, colour: number): number => {
  const [red, green, blue] = parts(colour)
  const distances = palette.map((other) => {
    const [r, g, b] = parts(other)
    return (r - red) ** 2 + (g - green) ** 2 + (b - blue) ** 2
  })
  return distances.indexOf(Math.min(...distances))
}
