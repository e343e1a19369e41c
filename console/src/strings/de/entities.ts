import { counted, formatNumber, type Words } from "../../language.js"
import type { englishEntities } from "../entities.js"

export const entities: Words<typeof englishEntities> = {
  title: "Entitäten",
  lead: "Die Begriffe der Dokumente, wer dafür verantwortlich ist und wie sie zusammenhängen.",
  listLabel: "Entitäten",
  create: "Neue Entität",
  createTitle: "Neue Entität",
  created: (name) => `„${name}“ ist angelegt.`,
  filters: {
    q: "Name",
    type: "Art",
    authority: "Verlässlichkeit",
    lifecycle: "Lebenszyklus",
    owner: "Verantwortlich",
    sort: "Reihenfolge",
    any: "Alle",
    mine: "Meine",
    clear: "Filter entfernen"
  },
  sorts: { rank: "Zentralste zuerst", name: "Nach Name", review: "Nächste Prüfung zuerst" },
  found: (count) => counted(count, "Entität", "Entitäten"),
  empty: {
    title: "Noch keine Entitäten",
    hint: "Entitäten werden in Dokumenten gefunden. Dokumente hinzufügen oder die erste Entität von Hand anlegen.",
    documents: "Dokumente hinzufügen",
    filtered: "Keine Entität passt zu diesen Filtern"
  },
  picker: {
    placeholder: "Name eingeben …",
    change: "Ändern",
    searching: "Wird gesucht …",
    none: "Keine Entität heißt so."
  },
  tabs: {
    about: "Überblick",
    relations: "Beziehungen",
    mentions: "Erwähnungen",
    history: "Verlauf",
    duplicates: "Dubletten"
  },
  verbs: {
    certify: "Zertifizieren",
    review: "Als geprüft markieren",
    compile: "Seite schreiben",
    edit: "Bearbeiten",
    graph: "Im Graphen zeigen",
    retire: "Stilllegen …",
    merge: "Zusammenführen …",
    remove: "Löschen",
    care: "Verantwortliche ändern",
    propose: "Änderung vorschlagen",
    proposeMerge: "Zusammenführung vorschlagen …",
    proposeRetire: "Stilllegung vorschlagen …",
    proposeRemove: "Löschung vorschlagen"
  },
  care: {
    reason: (name) => `Für diese Entität ist ${name} verantwortlich. Das dürfen nur die Verantwortlichen.`,
    editedSince: (version) => `Zertifiziert in Version ${version}, seitdem bearbeitet`,
    noteFor: "Begründung (für die Entscheidung)",
    submit: "Vorschlag senden",
    mergeText:
      "Nach der Freigabe tritt die andere Entität an ihre Stelle. Die Verantwortlichen können beide dann zusammenführen.",
    removeText: "Die Verantwortlichen entscheiden. Bis dahin ändert sich nichts."
  },
  done: {
    certified: "Zertifiziert. Die nächste Prüfung hat ein neues Datum.",
    reviewed: "Als geprüft markiert.",
    compiled: "Im Eingang wartet eine vorgeschlagene Seite.",
    authority: (value) => `Neue Verlässlichkeit: ${value}.`,
    lifecycle: (value) => `Neuer Lebenszyklus: ${value}.`,
    care: "Die Verantwortlichen sind geändert.",
    saved: "Gespeichert.",
    removed: (name) => `„${name}“ liegt im Papierkorb.`,
    retired: (name) => `„${name}“ ist stillgelegt.`,
    merged: (name, into) => `„${name}“ gehört jetzt zu „${into}“.`,
    relationAdded: "Die Beziehung ist hinzugefügt.",
    relationRemoved: "Die Beziehung liegt im Papierkorb.",
    restored: (version) => `Die Felder von Version ${version} sind zurück, als neue Version.`,
    proposed: "Die Änderung ist vorgeschlagen."
  },
  curation: {
    title: "Kuration",
    authority: "Verlässlichkeit",
    lifecycle: "Lebenszyklus",
    owner: "Verantwortlich",
    stewards: "Betreuung",
    reviewed: "Zuletzt geprüft",
    next: "Nächste Prüfung",
    overdue: "Überfällig",
    version: "Version",
    origin: "Herkunft",
    nobody: "Niemand",
    successor: "Ersetzt durch",
    terminal:
      "Eine stillgelegte Entität ändert sich nicht mehr. Eine frühere Version lässt sich aus dem Verlauf wiederherstellen.",
    noMove: (to) => `Von hier geht es nicht zu „${to}“.`
  },
  about: {
    description: "Beschreibung",
    noDescription: "Noch keine Beschreibung.",
    aliases: "Andere Namen",
    noAliases: "Keine.",
    note: "Redaktionelle Notiz",
    noteHint: "Nur für alle sichtbar, die bearbeiten dürfen.",
    sources: "Woher das kommt",
    aliasesHint: "Einer je Zeile.",
    requests: "Offene Änderungsanträge"
  },
  conflict: {
    title: "Inzwischen hat jemand anderes das geändert",
    text: "Nichts ist verloren. Den gespeicherten Stand mit den eigenen Eingaben vergleichen und entscheiden.",
    theirs: "Gespeichertes übernehmen",
    mine: "Mit eigenen Eingaben überschreiben"
  },
  retire: {
    title: (name) => `„${name}“ stilllegen`,
    text: "Sie bleibt auffindbar, steht unter aktuellen Entitäten und ist als stillgelegt gekennzeichnet. Das ist endgültig.",
    successor: "Nachfolge (freiwillig)",
    successorHint: "Eine veröffentlichte Entität, die sie ersetzt. Ohne Angabe gilt sie als veraltet.",
    note: "Begründung",
    action: "Stilllegen"
  },
  merge: {
    title: (name) => `„${name}“ mit einer anderen Entität zusammenführen`,
    into: "Ziel",
    goes: "Geht auf",
    stays: "Bleibt",
    turn: "Beide tauschen",
    note: "Begründung",
    action: "Zusammenführen",
    preview: "Was geschehen würde",
    mentions: (count) =>
      count === 1 ? "1 Erwähnung zieht um" : `${formatNumber(count)} Erwähnungen ziehen um`,
    relations: (count) =>
      count === 1 ? "1 Beziehung zieht um" : `${formatNumber(count)} Beziehungen ziehen um`,
    dropped: (count) =>
      count === 1 ? "1 doppelte Beziehung entfällt" : `${formatNumber(count)} doppelte Beziehungen entfallen`,
    aliases: (names) => `Neue andere Namen: ${names}`,
    noAliases: "Keine neuen anderen Namen",
    undo: "Über den Papierkorb lässt sich das rückgängig machen."
  },
  remove: {
    title: (name) => `„${name}“ löschen?`,
    text: "Sie kommt mit ihren Beziehungen in den Papierkorb und lässt sich von dort wiederherstellen."
  },
  relations: {
    empty: "Noch keine Beziehungen",
    emptyHint: "Hier lässt sich angeben, wie diese Entität mit einer anderen zusammenhängt.",
    add: "Beziehung hinzufügen",
    type: "Art der Beziehung",
    typeHint: "Etwa „Teil von“ oder „arbeitet für“.",
    other: "Andere Entität",
    direction: "Richtung",
    outgoing: (name) => `${name} → andere`,
    incoming: (name) => `andere → ${name}`,
    evidence: "Beleg (freiwillig)",
    remove: (type, name) => `Beziehung ${type} ${name} entfernen`,
    removeShort: "Entfernen",
    noEvidence: "Ohne Dokument angegeben",
    origin: { manual: "Von Hand angegeben", extraction: "In Dokumenten gefunden", import: "Importiert" },
    more: "Mehr anzeigen"
  },
  mentions: {
    empty: "Kein Dokument erwähnt sie",
    emptyHint: "Andere Namen hinzufügen, die in den Dokumenten stehen.",
    confidence: (share) => `${share} sicher`
  },
  history: {
    version: (version) => `Version ${version}`,
    restore: "Wiederherstellen",
    restoreLabel: (version) => `Felder von Version ${version} wiederherstellen`,
    current: "Aktuell",
    noDiff: "Nur Daten haben sich geändert.",
    via: {
      ui: "in der Konsole",
      api: "über die API",
      mcp: "über MCP"
    },
    byRequest: "durch einen Änderungsantrag",
    byExtraction: "durch Erkennung",
    kinds: {
      create: "Angelegt",
      update: "Geändert",
      certify: "Zertifiziert",
      review: "Geprüft",
      set_authority: "Verlässlichkeit gesetzt",
      set_owner: "Verantwortliche gesetzt",
      set_lifecycle: "Lebenszyklus gesetzt",
      deprecate: "Als veraltet markiert",
      supersede: "Ersetzt",
      merge: "Zusammengeführt",
      delete: "Gelöscht",
      restore: "Wiederhergestellt"
    }
  },
  duplicates: {
    empty: "Nichts sieht nach einer Dublette aus",
    emptyHint: "Verglichen wurden Namen, Schreibweisen, Nachbarn und Umgebung.",
    all: "Mögliche Dubletten",
    score: (share) => `${share} wahrscheinlich`,
    merge: "Vergleichen und zusammenführen",
    apart: "Keine Dublette",
    keep: (name) => `„${name}“ würde bleiben`
  },
  form: {
    name: "Name",
    type: "Art",
    typeHint: "Etwa Person, Produkt oder Begriff."
  }
}
