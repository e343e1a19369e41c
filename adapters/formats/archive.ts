import { strFromU8, type Unzipped, unzipSync } from "fflate"
import { broken, ConversionError, encrypted, tooLarge } from "./converted.js"

/** Most bytes of all the files taken from one archive, and of one of them. */
const totalBytesMax = 256 * 1024 * 1024
const entryBytesMax = 128 * 1024 * 1024
const entriesMax = 20_000
/** A file larger than `ratioFrom` may not be packed more tightly than this: text packs 20 times at the most. */
const ratioMax = 200
const ratioFrom = 8 * 1024 * 1024

/** The files of an archive that a filter lets through, unpacked; media are counted and left packed. */
export interface Archive {
  readonly files: Unzipped
  readonly images: number
  /** All files, those left packed included. */
  readonly count: number
  /** The text of a file as UTF-8; undefined when there is none of that name. */
  readonly text: (name: string) => string | undefined
}

/**
 * Unpacks an archive in memory. Sizes are judged before anything is unpacked, and no file grows beyond the size
 * that the archive declares for it.
 */
export const openArchive = (
  bytes: Uint8Array,
  isWanted: (name: string) => boolean,
  { filesMax = entriesMax, bytesMax = totalBytesMax } = {}
): Archive => {
  refuseOtherContainers(bytes)
  let [total, count, images] = [0, 0, 0]
  const files = unpack(bytes, (name, size, originalSize) => {
    count += 1
    if (count > filesMax) throw tooLarge(`The archive holds more than ${filesMax} files.`)
    if (isImage(name)) {
      images += 1
      return false
    }
    if (name.endsWith("/") || !isWanted(name)) return false
    total += originalSize
    if (originalSize > entryBytesMax || total > bytesMax)
      throw tooLarge(`The archive unpacks to more than ${Math.floor(bytesMax / 1024 / 1024)} MiB.`)
    if (originalSize > ratioFrom && originalSize / Math.max(1, size) > ratioMax)
      throw tooLarge("The archive is packed so tightly that it may be a decompression bomb.")
    return true
  })
  const text = (name: string): string | undefined => {
    const file = Object.hasOwn(files, name) ? files[name] : undefined
    return file === undefined ? undefined : decodeXml(file)
  }
  return { files, images, count, text }
}

const unpack = (
  bytes: Uint8Array,
  isWanted: (name: string, size: number, originalSize: number) => boolean
): Unzipped => {
  try {
    return unzipSync(bytes, { filter: ({ name, originalSize, size }) => isWanted(name, size, originalSize) })
  } catch (error) {
    if (error instanceof ConversionError) throw error
    throw broken(`The archive cannot be unpacked: ${error instanceof Error ? error.message : String(error)}.`)
  }
}

/** Office files that are encrypted, and those of old versions, are no archives but OLE compound files. */
const refuseOtherContainers = (bytes: Uint8Array): void => {
  const isCompound = bytes[0] === 0xd0 && bytes[1] === 0xcf && bytes[2] === 0x11 && bytes[3] === 0xe0
  if (isCompound) {
    const start = Buffer.from(bytes.buffer, bytes.byteOffset, Math.min(bytes.byteLength, 1024 * 1024))
    throw start.includes(Buffer.from("EncryptedPackage", "utf16le"))
      ? encrypted("The file is protected by a password.")
      : broken("The file has the binary format of an old Office version; save it in the present one.")
  }
  if (bytes[0] !== 0x50 || bytes[1] !== 0x4b)
    throw broken("The file is no archive, which its format needs to be.")
  if (bytes[2] === 3 && ((bytes[6] ?? 0) & 1) === 1) throw encrypted()
}

const isImage = (name: string): boolean =>
  /\.(?:png|jpe?g|gif|bmp|tiff?|emf|wmf|svgz?|webp|ico|avif)$/i.test(name) && !/thumbnail/i.test(name)

const decodeXml = (file: Uint8Array): string =>
  file[0] === 0xff || file[0] === 0xfe
    ? new TextDecoder(file[0] === 0xff ? "utf-16le" : "utf-16be").decode(file)
    : strFromU8(file).replace(/^\ufeff/, "")
