import type { Document } from "../../files/documents/index.js"
import { parseFrontMatter, slugPath } from "../../files/markdown/index.js"
import { millisOf, nameNorm } from "../../platform/kernel/index.js"
import { type NewNote, type Note, notesFolder } from "./model.js"

/** Who said a note, and when. */
export interface Said {
  readonly by: string
  /** The assistant through which it was said; null when it does not say its name. */
  readonly client: string | null
  readonly at: string
}

const titleMaxChars = 80

/** The title of a note: its first words. What it is about is no title, or the note would pass for that thing. */
export const noteTitle = ({ text }: Pick<NewNote, "text">): string => {
  const words = [...text.replace(/\s+/gu, " ")]
  return words.length <= titleMaxChars ? words.join("") : `${words.slice(0, titleMaxChars).join("")}…`
}

/** The text that says the same as every other spelling of a note, of which a digest names its file. */
export const noteIdentity = ({ about, text }: Pick<NewNote, "about" | "text">): string =>
  JSON.stringify([nameNorm(about ?? ""), nameNorm(text)])

/** The path of a note; the same note has the same one, so that it cannot be written twice. */
export const notePath = (note: Pick<NewNote, "about" | "text">, digest: string): string =>
  `${notesFolder}/${slugPath(noteTitle(note), () => false).replace(/\.md$/u, "")}-${digest.slice(0, 12)}.md`

/** A note as a document. Its heading carries the subject for searches and for the check of answers. */
export const noteContent = (note: NewNote, { at, by, client }: Said): string => {
  // A text in quotes of JSON is the same text in YAML.
  const fields = {
    title: noteTitle(note),
    tags: ["note"],
    about: note.about,
    said_by: by,
    client,
    owner: by,
    recorded: at,
    expires: note.expires
  }
  const lines = Object.entries(fields).flatMap(([name, value]) =>
    value === undefined || value === null ? [] : [`${name}: ${JSON.stringify(value)}`]
  )
  const heading = note.about === undefined ? "" : `# ${note.about.replace(/\s+/gu, " ")}\n\n`
  return `---\n${lines.join("\n")}\n---\n\n${heading}${note.text}\n`
}

/** Whether a document is a note, and not something else that somebody put into the folder. */
export const isNote = ({ frontMatter, path }: Pick<Document, "frontMatter" | "path">): boolean =>
  path.toLowerCase().startsWith(`${notesFolder}/`) && typeof frontMatter.other["said_by"] === "string"

/** Whether the date until which a note holds has passed. A date that nobody can read ends nothing. */
export const isExpired = ({ frontMatter }: Pick<Document, "frontMatter">, at: string): boolean =>
  millisOf(String(frontMatter.other["expires"] ?? "")) <= millisOf(at)

/** A note as it is recalled. */
export const noteOf = (
  { id, path, verification }: Pick<Document, "id" | "path" | "verification">,
  content: string
): Note => {
  const { bodyStart, frontMatter } = parseFrontMatter(content)
  const { other } = frontMatter
  const field = (name: string): string | null => (typeof other[name] === "string" ? other[name] : null)
  const about = field("about")
  const body = content.slice(bodyStart).trim()
  return {
    id,
    path,
    text: about === null ? body : body.replace(/^# .*\n+/u, ""),
    about,
    saidBy: field("said_by"),
    client: field("client"),
    owner: field("owner"),
    recordedAt: field("recorded"),
    expires: field("expires"),
    verification
  }
}
