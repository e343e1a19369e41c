import { counted, formatNumber, type Words } from "../../language.js"
import type { englishUploads } from "../uploads.js"

export const uploads: Words<typeof englishUploads> = {
  add: "Dateien hinzufügen",
  addFolder: "Ordner hinzufügen",
  drop: "Dateien oder Ordner hier ablegen",
  title: "Hinzugefügte Dateien",
  progress: (done, total) => `${formatNumber(done)} von ${counted(total, "Datei", "Dateien")} fertig`,
  states: {
    waiting: "Wartet",
    sending: "Wird gesendet",
    reading: "Wird gelesen",
    done: "Hinzugefügt",
    refused: "Nicht hinzugefügt"
  },
  open: (name) => `${name} öffnen`,
  close: "Liste schließen",
  connector: "Uploads",
  tooLarge: "Die Datei ist zu groß: höchstens 5 MB für Text, 7 MB für andere Formate.",
  taken: (path) => `Unter ${path} gibt es schon ein Dokument.`,
  unfinished: "Die Datei wurde nicht zu Ende gelesen. Bitte noch einmal versuchen.",
  slow: "Der Server liest diese Datei noch. Sie erscheint später unter „Dokumente“.",
  warnings: (count) => `${counted(count, "Teil", "Teile")} ausgelassen`
}
