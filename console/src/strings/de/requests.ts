import { counted, formatNumber, type Words } from "../../language.js"
import type { englishRequests } from "../requests.js"

export const requests: Words<typeof englishRequests> = {
  title: "Anträge",
  lead: "Änderungen, die Menschen, Agenten und Importe vorschlagen. Ohne Freigabe ändert sich nichts.",
  listLabel: "Änderungsanträge",
  kinds: {
    create: "Neue Entität",
    update: "Änderung",
    deprecate: "Als veraltet markieren",
    supersede: "Ersetzen",
    delete: "Löschen"
  },
  statuses: { open: "Offen", approved: "Freigegeben", rejected: "Abgelehnt", withdrawn: "Zurückgezogen" },
  filters: { status: "Zustand", any: "Alle" },
  keys: "j und k bewegen, x wählt aus, a gibt frei, r lehnt ab.",
  select: (name) => `Antrag zu ${name} auswählen`,
  propose: "Änderung vorschlagen",
  unnamed: "Eine gelöschte Entität",
  empty: {
    open: "Kein Antrag ist offen",
    hint: "Eine Änderung an einer Entität vorschlagen; die Verantwortlichen entscheiden.",
    other: "Kein solcher Antrag"
  },
  choose: "Einen Antrag wählen, um zu sehen, was er ändern würde.",
  diff: "Was sich ändern würde",
  diffDone: "Was vorgeschlagen war",
  noDiff: "Keine sichtbaren Änderungen.",
  impact: {
    title: "Was sich darauf stützt",
    relations: (count) => counted(count, "Beziehung", "Beziehungen"),
    answers: (count) => counted(count, "aufbewahrte Antwort", "aufbewahrte Antworten"),
    cache: (count) =>
      count === 1 ? "1 Antwort neu zu berechnen" : `${formatNumber(count)} Antworten neu zu berechnen`
  },
  note: "Begründung des Vorschlags",
  reviewNote: "Eigene Anmerkung (freiwillig)",
  reviewNoteOf: "Anmerkung zur Entscheidung",
  proposed: "vorgeschlagen",
  decided: "entschieden",
  discussion: "Änderungen der Entität seitdem",
  approve: "Freigeben",
  reject: "Ablehnen",
  withdraw: "Zurückziehen",
  withdrawTitle: "Diesen Antrag zurückziehen?",
  withdrawHint: "Zurückziehen kann nur, wer ihn gestellt hat.",
  blocked: {
    title: "Freigabe ist jetzt nicht möglich",
    reviewer_required: "Darüber entscheiden nur die Verantwortlichen dieser Entität.",
    reviewer_required_key:
      "Darüber entscheiden nur die Verantwortlichen dieser Entität, und diese Sitzung gehört zu einem Schlüssel ohne Mitglied. Bitte mit persönlichem Schlüssel oder über die Organisation anmelden.",
    conflict:
      "Der Antrag passt nicht mehr: Die Entität hat sich geändert, oder eine andere heißt inzwischen so. Ablehnen oder neu vorschlagen.",
    not_open: "Darüber ist schon entschieden."
  },
  openEntity: "Entität öffnen",
  bulk: {
    selected: (count) => `${counted(count, "Antrag", "Anträge")} ausgewählt`,
    approve: (count) => `${formatNumber(count)} freigeben`,
    reject: (count) => `${formatNumber(count)} ablehnen`,
    all: "Alle gezeigten auswählen",
    none: "Auswahl aufheben",
    confirmApprove: (count) => `${counted(count, "Antrag", "Anträge")} freigeben?`,
    confirmReject: (count) => `${counted(count, "Antrag", "Anträge")} ablehnen?`,
    text: "Über jeden Antrag wird einzeln entschieden. Was nicht geht, bleibt offen und wird aufgelistet.",
    result: (done, all) => `${formatNumber(done)} von ${formatNumber(all)} entschieden.`,
    failed: "Nicht entschieden"
  },
  done: {
    approved: "Freigegeben und angewendet.",
    rejected: "Abgelehnt.",
    withdrawn: "Zurückgezogen.",
    proposed: "Der Antrag ist gestellt."
  },
  form: {
    kind: "Art",
    entity: "Entität",
    successor: "Nachfolge",
    name: "Neuer Name",
    type: "Neue Art",
    description: "Neue Beschreibung",
    keep: "Leer lassen, um nichts zu ändern.",
    note: "Begründung",
    submit: "Vorschlagen",
    pickEntity: "Zuerst die Entität wählen.",
    pickSuccessor: "Zuerst die Nachfolge wählen."
  }
}
