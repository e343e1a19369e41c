import type { Words } from "../../language.js"
import type { englishFields } from "../fields.js"

export const fields: Words<typeof englishFields> = {
  names: {
    name: "Name",
    type: "Art",
    aliases: "Andere Namen",
    description: "Beschreibung",
    editorialNote: "Redaktionelle Notiz",
    authority: "Verlässlichkeit",
    lifecycle: "Lebenszyklus",
    lifecycleStatus: "Lebenszyklus",
    ownerId: "Verantwortlich",
    stewardIds: "Betreuung",
    supersededBy: "Ersetzt durch",
    lastReviewedAt: "Zuletzt geprüft",
    nextReviewAt: "Nächste Prüfung",
    deletedAt: "Gelöscht",
    mergedInto: "Aufgegangen in",
    verification: "Status",
    note: "Notiz"
  },
  lifecycles: {
    draft: "Entwurf",
    pending_review: "Wartet auf Prüfung",
    published: "Veröffentlicht",
    deprecated: "Veraltet",
    superseded: "Ersetzt"
  },
  nothing: "nichts",
  yes: "ja",
  no: "nein",
  people: {
    you: (name) => `${name} (ich)`,
    noMember: (id) => `${id} (kein Mitglied)`
  }
}
