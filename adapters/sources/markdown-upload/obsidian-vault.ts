import { asUtf8 } from "../../../core/files/documents/index.js"
import { isMarkdown } from "../../../core/files/markdown/index.js"
import type { ExportFile } from "../archive.js"
import type { CleanFile } from "./clean-file.js"

const settingsPattern = /^((?:.*\/)?)\.obsidian\//

/** Whether the files are a vault of Obsidian, which has its settings in `.obsidian`. */
export const isObsidianVault = (files: ReadonlyArray<ExportFile>): boolean =>
  files.some(({ path }) => settingsPattern.test(path))

/** Cleans a vault: without settings, trash, templates and drawings; notes without comments and block ids. */
export const cleanObsidian = (files: ReadonlyArray<ExportFile>): ReadonlyArray<CleanFile> => {
  const root =
    files.map(({ path }) => settingsPattern.exec(path)?.[1]).find((found) => found !== undefined) ?? ""
  const templates = templateFolder(files, root)
  return files.flatMap((file) => {
    const path = file.path.startsWith(root) ? file.path.slice(root.length) : file.path
    if (/(?:^|\/)\.|\.excalidraw\.md$/i.test(path)) return []
    if (templates !== null && path.startsWith(templates)) return []
    if (!isMarkdown(path)) return [{ ...file, path }]
    return [
      { path, bytes: new TextEncoder().encode(cleanNote(new TextDecoder().decode(asUtf8(file.bytes)))) }
    ]
  })
}

const templateFolder = (files: ReadonlyArray<ExportFile>, root: string): string | null => {
  const settings = files.find(({ path }) => path === `${root}.obsidian/templates.json`)
  try {
    const read: unknown = JSON.parse(new TextDecoder().decode(settings?.bytes))
    const folder = typeof read === "object" && read !== null && "folder" in read ? read.folder : null
    return typeof folder === "string" && folder !== "" ? `${folder.replace(/\/$/, "")}/` : null
  } catch {
    return null
  }
}

/** Removes `%% comments %%` and ` ^block-ids` outside code. */
const cleanNote = (text: string): string => {
  // Without a pair there is no comment, but text about per cent.
  const hasComments = text.split("%%").length % 2 === 1
  let fence: string | null = null
  let isComment = false
  const lines: Array<string> = []
  for (const line of text.split("\n")) {
    const mark: string | undefined = /^ {0,3}(`{3,}|~{3,})/.exec(line)?.[1]
    if (!isComment && fence === null && mark !== undefined) {
      fence = mark
      lines.push(line)
      continue
    }
    if (fence !== null) {
      if (mark?.startsWith(fence) === true && line.trim() === mark) fence = null
      lines.push(line)
      continue
    }
    const parts = line.split(/(`+[^`]*`+)/)
    let kept = ""
    for (const part of parts) {
      if (part.startsWith("`")) {
        if (!isComment) kept += part
        continue
      }
      for (const [at, piece] of (hasComments ? part.split("%%") : [part]).entries()) {
        if (at > 0) isComment = !isComment
        if (!isComment) kept += piece
      }
    }
    const hadComment = hasComments && (line.includes("%%") || isComment)
    if (kept.trim() === "" && hadComment) continue
    lines.push(kept.replace(/\s+\^[A-Za-z0-9-]+\s*$/, "").replace(/[ \t]+$/, hadComment ? "" : "$&"))
  }
  return lines.join("\n")
}
