import { createRequire } from "node:module"
import { isImage, isVaultFile } from "../../core/files/markdown/index.js"
import { once } from "../../core/platform/kernel/index.js"

/** Whether the package that reads pictures is installed. */
const isInstalled = (): boolean => {
  try {
    createRequire(import.meta.url).resolve("tesseract.js")
    return true
  } catch {
    return false
  }
}

/**
 * Pictures of a folder are documents only where the host asks for it: most are diagrams and screenshots, and reading one
 * takes some seconds of CPU time.
 */
const pictures = once(() => ({ areRead: process.env["KANON_READ_PICTURES"] === "1" && isInstalled() }))

/** Whether the vault reads a file of that name. */
export const isTakenIn = (path: string): boolean => isVaultFile(path) || (isImage(path) && pictures().areRead)
