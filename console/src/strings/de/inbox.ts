import { formatNumber, type Words } from "../../language.js"
import type { englishInbox } from "../inbox.js"

export const inbox: Words<typeof englishInbox> = {
  title: "Eingang",
  lead: "Alles, was eine Person braucht. Eigenes steht oben, dann das Älteste.",
  listLabel: "Einträge im Eingang",
  keys: "j und k bewegen, a führt das Erste aus, r das Zweite, Eingabe öffnet.",
  all: "Alles",
  mineOnly: "Nur meine",
  mine: "Meine",
  kinds: {
    change_request: "Änderungsantrag",
    change: "Von anderen geändert",
    review: "Prüfung überfällig",
    verification: "Prüfung fällig",
    duplicate: "Mögliche Dublette",
    approval: "Frage eines Agenten",
    sync_conflict: "Konflikt beim Abgleich",
    feedback: "Negative Rückmeldung",
    judgment: "Vorgeschlagenes Urteil",
    contradiction: "Widerspruch",
    proposal: "Vorgeschlagenes Dokument"
  },
  empty: "Nichts zu tun",
  emptyHint:
    "Hier erscheinen Änderungsanträge, überfällige Prüfungen, Dubletten, Freigaben für Läufe und Rückmeldungen.",
  emptyKind: "Keine Einträge dieser Art.",
  choose: "Einen Eintrag wählen.",
  since: "eingegangen",
  count: (count) => (count === 1 ? "1 Eintrag wartet" : `${formatNumber(count)} Einträge warten`),
  open: {
    entity: "Entität öffnen",
    document: "Dokument öffnen",
    run: "Lauf öffnen",
    answer: "Antwort öffnen",
    connector: "Konnektor öffnen",
    evaluation: "Urteile öffnen"
  },
  review: {
    text: "Stimmt die Entität noch? Dann als geprüft markieren.",
    review: "Als geprüft markieren",
    certify: "Zertifizieren",
    done: "Als geprüft markiert.",
    certified: "Zertifiziert."
  },
  verification: {
    text: "Stimmt das Dokument noch? Dann bis zur nächsten Prüfung bestätigen.",
    verify: "Stimmt noch: bestätigen",
    unverify: "Nicht mehr sicher",
    done: "Bis zur nächsten Prüfung bestätigt.",
    undone: "Jetzt ungeprüft."
  },
  duplicate: {
    text: (name, head, score) => `„${name}“ und „${head}“ könnten dasselbe sein (${score}).`,
    merge: "Vergleichen und zusammenführen",
    apart: "Bleiben getrennt. Der Vorschlag kommt nicht wieder."
  },
  change: {
    text: "Diese Entität gehört zur eigenen Verantwortung, und eine andere Person oder ein Programm hat sie geändert.",
    certify: "So zertifizieren"
  },
  settle: {
    done: "Erledigt",
    reject: "Ablehnen",
    assign: "Zugewiesen an",
    nobody: "Niemand",
    isDone: "Erledigt. Der Eintrag ist aus dem Eingang.",
    isRejected: "Abgelehnt. Der Eintrag ist aus dem Eingang."
  },
  conflict: {
    text: "Das Dokument wurde hier und in der Quelle bearbeitet. Bis auf Weiteres gilt der Text von hier.",
    keep: "Text von hier behalten",
    source: "Text der Quelle nehmen",
    done: "Der Abgleich löst das gerade."
  },
  feedback: {
    text: "Jemand war nicht zufrieden. Antwort prüfen, dann Dokument oder Entität dahinter berichtigen.",
    about: "Die Antwort, um die es geht",
    noOutput: "Der Lauf hat keine Antwort."
  },
  contradiction: {
    text: "Zwei Dokumente widersprechen sich. Eines berichtigen, als veraltet markieren oder sagen, warum beide stimmen.",
    change: "Berichtigen",
    deprecate: "Als veraltet markieren",
    deprecated: "Das Dokument gilt als veraltet.",
    reason: "Warum beide stimmen",
    row: (standing) => `Livedaten, ${standing}`,
    bothTrue: "Beide stimmen",
    noReason: "Bitte zuerst begründen.",
    done: "Beide gelten als richtig."
  },
  proposal: {
    text: (path, isNew) =>
      isNew
        ? `Eine neue Seite ist vorgeschlagen: ${path}. Jeder Satz nennt seinen Beleg.`
        : `Für ${path} ist eine neue Fassung vorgeschlagen. Jeder Satz nennt seinen Beleg.`,
    edit: (path) => `Für ${path} ist ein anderer Text vorgeschlagen; das Dokument ist geprüft.`,
    move: (from, to) => `${from} soll nach ${to} umziehen. Links darauf werden angepasst.`,
    remove: (path) => `${path} soll in den Papierkorb.`,
    by: "Vorgeschlagen von",
    accept: "Freigeben",
    accepted: "Freigegeben; das Dokument ist geändert.",
    blocked: "Darüber entscheidet nur, wer das Dokument geprüft hat.",
    dropped: (count) =>
      count === 1
        ? "1 Satz des Modells wurde weggelassen"
        : `${formatNumber(count)} Sätze des Modells wurden weggelassen`,
    diff: "Vorgeschlagener Text",
    same: "Der Text ist gleich.",
    approve: "Seite schreiben",
    reject: "Ablehnen",
    approved: "Die Seite ist geschrieben.",
    rejected: "Der Vorschlag ist abgelehnt."
  },
  judgment: {
    text: (set) => `Rückmeldungen legen ein Urteil für den Satz „${set}“ nahe.`,
    question: "Frage",
    document: "Dokument",
    grade: "Note",
    answers: "Akzeptierte Antworten",
    why: "Warum",
    accept: "Annehmen",
    reject: "Passt nicht: Note 0",
    done: "Als eigenes Urteil gespeichert."
  }
}
