import { copyFile, mkdtemp, rm } from "node:fs/promises"
import { createRequire } from "node:module"
import { tmpdir } from "node:os"
import { dirname, join } from "node:path"
import { broken } from "./converted.js"
import type { PageReader, ReadLine } from "./page-reader.js"

/** Languages of which the data is used where its package is installed. */
const languages = ["eng", "deu", "fra", "spa", "ita", "por", "nld", "pol", "swe", "dan", "nor", "fin", "ces"]

const require = createRequire(import.meta.url)

/** Folder of a language's data, in its package; null where that is not installed. */
const dataFolder = (language: string): string | null => {
  try {
    const manifest = require.resolve(`@tesseract.js-data/${language}/package.json`)
    return join(dirname(manifest), "4.0.0_best_int")
  } catch {
    return null
  }
}

/** Starts the reader of `tesseract.js`. Nothing is downloaded: language data comes from installed packages. */
const tesseractReader = async (): Promise<PageReader> => {
  const { createWorker } = await import("tesseract.js")
  const data = languages.flatMap((code) => {
    const from = dataFolder(code)
    return from === null ? [] : [{ code, from }]
  })
  if (data.length === 0)
    throw Object.assign(new Error("Cannot find package '@tesseract.js-data/eng'"), {
      code: "ERR_MODULE_NOT_FOUND"
    })
  // The library reads all languages from one folder: it takes data given as bytes for the name of a language.
  const folder = await mkdtemp(join(tmpdir(), "kanon-languages-"))
  const worker = await Promise.all(
    data.map(({ code, from }) => {
      const file = `${code}.traineddata.gz`
      return copyFile(join(from, file), join(folder, file))
    })
  )
    .then(() =>
      createWorker(
        data.map(({ code }) => code),
        1,
        // Without `none` the library looks for data in the current folder, and writes it there.
        { langPath: folder, cacheMethod: "none", errorHandler: () => undefined }
      )
    )
    .finally(() => rm(folder, { recursive: true, force: true }))
  return {
    name: "tesseract.js 7",
    read: async (image) => {
      const { data: page } = await worker
        .recognize(Buffer.from(image), { rotateAuto: true }, { blocks: true, text: false })
        .catch(() => {
          throw broken("The image cannot be read.")
        })
      return (page.blocks ?? []).flatMap((block, at) =>
        block.paragraphs.flatMap((paragraph) =>
          paragraph.lines.map(
            ({ words }): ReadLine => ({
              block: at,
              words: words.map(({ bbox, confidence, text }) => ({
                text,
                left: bbox.x0,
                top: bbox.y0,
                right: bbox.x1,
                bottom: bbox.y1,
                confidence: confidence / 100
              }))
            })
          )
        )
      )
    }
  }
}

let started: Promise<PageReader> | undefined

/** The reader of this process; started with the first picture. */
export const pageReader = (): Promise<PageReader> => {
  started ??= tesseractReader()
  return started
}
