import { deflateSync, inflateSync } from "node:zlib"

/** A PDF of numbered objects, whose first is the catalog. */
const pdfOf = (objects: ReadonlyArray<Buffer | string>): Buffer => {
  const parts: Array<Buffer> = [Buffer.from("%PDF-1.4\n")]
  const offsets: Array<number> = []
  const length = () => parts.reduce((sum, part) => sum + part.length, 0)
  for (const [at, object] of objects.entries()) {
    offsets.push(length())
    parts.push(Buffer.from(`${at + 1} 0 obj\n`), Buffer.from(object), Buffer.from("\nendobj\n"))
  }
  const start = length()
  const table = offsets.map((offset) => `${String(offset).padStart(10, "0")} 00000 n \n`).join("")
  parts.push(
    Buffer.from(
      `xref\n0 ${objects.length + 1}\n0000000000 65535 f \n${table}trailer\n<< /Size ${objects.length + 1} /Root 1 0 R >>\nstartxref\n${start}\n%%EOF\n`
    )
  )
  return Buffer.concat(parts)
}

const stream = (dictionary: string, data: Buffer) =>
  Buffer.concat([
    Buffer.from(`<< ${dictionary} /Length ${data.length} >>\nstream\n`),
    data,
    Buffer.from("\nendstream")
  ])

/** A page of lines of text in a serif; tabs part columns. It may be skewed by degrees, or grey on grey paper. */
export const pdfOfLines = (
  lines: ReadonlyArray<string>,
  { grey = false, skew = 0 }: { readonly grey?: boolean; readonly skew?: number } = {}
): Buffer => {
  const [cos, sin] = [Math.cos((skew * Math.PI) / 180), Math.sin((skew * Math.PI) / 180)]
  const paper = grey ? "0.8 g 0 0 595 842 re f 0.35 g" : "0 g"
  const turned = `${paper} ${cos.toFixed(5)} ${sin.toFixed(5)} ${(-sin).toFixed(5)} ${cos.toFixed(5)} 0 0 cm`
  const shown = lines.flatMap((line, row) =>
    line
      .split("\t")
      .map((cell, column) => `BT /F 12 Tf ${70 + column * 140} ${770 - row * 26} Td (${cell}) Tj ET`)
  )
  return pdfOf([
    "<< /Type /Catalog /Pages 2 0 R >>",
    "<< /Type /Pages /Kids [3 0 R] /Count 1 >>",
    "<< /Type /Page /Parent 2 0 R /MediaBox [0 0 595 842] /Contents 4 0 R /Resources << /Font << /F 5 0 R >> >> >>",
    stream("", Buffer.from([turned, ...shown].join("\n"))),
    "<< /Type /Font /Subtype /Type1 /BaseFont /Times-Roman >>"
  ])
}

/** A PDF of one page with the given operators; `/F` is a serif and `/I` a grey picture. */
export const pdfOfContent = (content: string): Buffer =>
  pdfOf([
    "<< /Type /Catalog /Pages 2 0 R >>",
    "<< /Type /Pages /Kids [3 0 R] /Count 1 >>",
    "<< /Type /Page /Parent 2 0 R /MediaBox [0 0 595 842] /Contents 4 0 R /Resources << /Font << /F 5 0 R >> /XObject << /I 6 0 R >> >> >>",
    stream("", Buffer.from(content)),
    "<< /Type /Font /Subtype /Type1 /BaseFont /Times-Roman >>",
    stream(
      "/Type /XObject /Subtype /Image /Width 20 /Height 20 /ColorSpace /DeviceGray /BitsPerComponent 8",
      Buffer.from(Array.from({ length: 400 }, (_, at) => (at * 7) % 256))
    )
  ])

/** A PDF with a page of text, and a second that is the given PNG alone. */
export const pdfOfImage = (png: Buffer): Buffer => {
  const { channels, height, pixels, width } = pixelsOf(png)
  const color = channels === 1 ? "/DeviceGray" : "/DeviceRGB"
  const page = (contents: number) =>
    `<< /Type /Page /Parent 2 0 R /MediaBox [0 0 595 842] /Contents ${contents} 0 R /Resources << /Font << /F 8 0 R >> /XObject << /I 7 0 R >> >> >>`
  return pdfOf([
    "<< /Type /Catalog /Pages 2 0 R >>",
    "<< /Type /Pages /Kids [3 0 R 4 0 R] /Count 2 >>",
    page(5),
    page(6),
    stream("", Buffer.from("BT /F 12 Tf 70 770 Td (Cover sheet of the archive of Heron Ltd) Tj ET")),
    stream("", Buffer.from("595 0 0 842 0 0 cm /I Do")),
    stream(
      `/Type /XObject /Subtype /Image /Width ${width} /Height ${height} /ColorSpace ${color} /BitsPerComponent 8 /Filter /FlateDecode`,
      deflateSync(pixels)
    ),
    "<< /Type /Font /Subtype /Type1 /BaseFont /Times-Roman >>"
  ])
}

/** The pixels of a PNG of eight bits a channel without interlacing; transparency is dropped. */
const pixelsOf = (png: Buffer) => {
  const [width, height] = [png.readUInt32BE(16), png.readUInt32BE(20)]
  const stored = { 0: 1, 2: 3, 4: 2, 6: 4 }[png.readUInt8(25)] ?? 0
  const data: Array<Buffer> = []
  for (let at = 8; at < png.length; at += 12 + png.readUInt32BE(at))
    if (png.toString("latin1", at + 4, at + 8) === "IDAT")
      data.push(png.subarray(at + 8, at + 8 + png.readUInt32BE(at)))
  const raw = inflateSync(Buffer.concat(data))
  const channels = stored < 3 ? 1 : 3
  const pixels = Buffer.alloc(width * height * channels)
  let above = Buffer.alloc(width * stored)
  for (let row = 0; row < height; row += 1) {
    const start = row * (width * stored + 1)
    const filter = raw.readUInt8(start)
    const line = Buffer.from(raw.subarray(start + 1, start + 1 + width * stored))
    for (let at = 0; at < line.length; at += 1) {
      const [a, b, c] = [line[at - stored] ?? 0, above[at] ?? 0, at < stored ? 0 : (above[at - stored] ?? 0)]
      const [da, db, dc] = [Math.abs(b - c), Math.abs(a - c), Math.abs(a + b - 2 * c)]
      const nearest = da <= db && da <= dc ? a : db <= dc ? b : c
      line[at] = ((line[at] ?? 0) + ([0, a, b, (a + b) >> 1, nearest][filter] ?? 0)) & 255
    }
    for (let column = 0; column < width; column += 1)
      for (let channel = 0; channel < channels; channel += 1)
        pixels[(row * width + column) * channels + channel] = line[column * stored + channel] ?? 0
    above = line
  }
  return { width, height, channels, pixels }
}
