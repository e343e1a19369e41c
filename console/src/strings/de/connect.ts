import type { Words } from "../../language.js"
import type { englishConnect } from "../connect.js"

export const connect: Words<typeof englishConnect> = {
  title: "Assistenten verbinden",
  asks: (name) => `${name} möchte diesen Arbeitsbereich mit Ihren Rechten nutzen.`,
  unverified: "Dieser Name ist nicht bestätigt.",
  verified: (host) => `Der Name ist auf ${host} veröffentlicht.`,
  goesTo: (host) => `Die Entscheidung geht an ${host}.`,
  workspace: (name) =>
    `Der Zugriff gilt nur für den Arbeitsbereich ${name}. Zum Wechseln oben einen anderen auswählen.`,
  what: "Was erlaubt ist",
  scopes: {
    "kb:read": "Dokumente und Entitäten suchen und lesen",
    "kb:write": "Dokumente, Notizen und Änderungsanträge schreiben",
    "agents:run": "Fragen stellen und Agenten starten",
    "runs:read": "Läufe von Agenten und Entscheidungen lesen",
    "data:read": "Abfragen von Livedaten und ihre Protokolle sehen",
    "data:run": "Abfragen von Livedaten ausführen",
    "reports:read": "Berichte lesen",
    "reports:write": "Berichte erstellen"
  },
  ends: "Ein Assistent darf nie mehr als die Person selbst. Der Zugriff lässt sich jederzeit unter „Einstellungen“, „Sitzungen“ entziehen.",
  allow: "Erlauben",
  deny: "Nicht erlauben",
  none: "Mindestens einen Punkt auswählen.",
  back: "Zurück zum Assistenten",
  sent: "Weiter geht es beim Assistenten."
}
