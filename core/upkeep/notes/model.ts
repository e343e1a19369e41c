import { z } from "zod"
import { ChangeRequestId, DocumentId, MomentOrDay, Text } from "../../platform/kernel/index.js"

/** The folder of the documents that assistants write down. */
export const notesFolder = "assistant-notes"

/** A statement that somebody wants kept. */
export const NewNote = z.object({
  text: Text.trim().min(1).max(2000).describe("One statement, in full sentences that name their subject."),
  about: Text.trim().min(1).max(200).optional().describe("What it is about: a name or a title."),
  expires: MomentOrDay.optional().describe("When it stops being true: a day or a timestamp, to come.")
})
export type NewNote = z.output<typeof NewNote>

/** A passage that says the same as a note, or the opposite. */
const Standing = z.object({
  id: DocumentId,
  title: z.string(),
  path: z.string(),
  quote: z.string()
})

/** What became of a note. */
export const Remembered = z.object({
  outcome: z
    .enum(["remembered", "known", "proposed"])
    .describe(
      "`known`: these documents say it already, and nothing was written. `proposed`: they say otherwise, and a person decides."
    ),
  id: DocumentId.nullable().describe("The note, for forget; only where it was remembered."),
  path: z.string().nullable(),
  requestId: ChangeRequestId.nullable().describe("The change request; only where it was proposed."),
  standing: z.array(Standing)
})
export type Remembered = z.infer<typeof Remembered>

/** A note as it is recalled. `saidBy` and `owner` are ids of members or keys. */
export const Note = z.object({
  id: DocumentId,
  path: z.string(),
  text: z.string(),
  about: z.string().nullable(),
  saidBy: z.string().nullable(),
  client: z.string().nullable().describe("The assistant through which it was said."),
  owner: z.string().nullable(),
  recordedAt: z.string().nullable(),
  expires: z.string().nullable(),
  verification: z.string()
})
export type Note = z.infer<typeof Note>
