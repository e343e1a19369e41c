import type { Words } from "./words-en.js"

/** Words of German: see `en`. */
export const de: Words = {
  function: `der die das den dem des ein eine einen einem einer eines kein keine keinen keinem keiner dieser
    diese dieses diesem diesen jener jede jeder jedes alle allem allen aller ich du er sie es wir ihr
    mich dich uns euch mir dir ihm ihn ihnen mein meine meinen meinem meiner dein deine sein seine
    seinen seinem seiner ihre ihren ihrem ihrer unser unsere unseren unserem unserer euer man sich
    selbst wer wen wem wessen was welche welcher welches welchem welchen wann wo wohin woher warum
    weshalb wieso wie wieviel wieviele viel viele ist sind war waren bin bist sei seid gewesen wird
    werden wurde wurden worden hat haben hatte hatten habe hast kann können könnte darf dürfen muss
    müssen musst soll sollen sollte will wollen möchte mag gibt geben gilt und oder aber doch wenn dann
    als ob dass daß weil für von vom mit ohne zu zum zur auf aus ab an am bei beim in im ins nach über
    unter vor hinter zwischen durch gegen um bis seit während wegen nicht nur auch noch schon sehr mehr
    hier dort da so etwa bitte mal denn eigentlich werde wirst brauche brauchst braucht brauchen
    bekomme bekommst bekommt bekommen bedeutet bedeuten`,
  pronouns: `er sie es dieser diese dieses dies ihr sein seine ihre`,
  synonyms: `urlaub ferien | gehalt lohn vergütung bezahlung | kosten preis gebühr |
    mitarbeiter mitarbeitende angestellte beschäftigte arbeitnehmer mitarbeiterin mitarbeitenden |
    chef vorgesetzte vorgesetzter führungskraft | kunde kunden auftraggeber |
    firma unternehmen betrieb gesellschaft | beginnen starten anfangen beginnt startet |
    enden aufhören endet | erlaubt gestattet zulässig | verboten untersagt unzulässig |
    krank krankheit krankmeldung | reise dienstreise | rechner laptop notebook | standort büro |
    zuständig verantwortlich |
    leitet leiter leiterin leitung leiten geleitet werksleiter teamleiter abteilungsleiter |
    wiegt schwer gewicht masse | aufbewahrt aufbewahrung gespeichert aufgehoben |
    beheben beseitigen lösen reparieren behoben beseitigt gelöst repariert |
    montieren anbringen einbauen aufziehen montiert angebracht eingebaut aufgezogen |
    rabatt nachlass ermäßigung preisnachlass | löschen vernichten entfernen gelöscht vernichtet entfernt |
    wechseln tauschen ersetzen erneuern gewechselt getauscht ersetzt erneuert austausch |
    prüfen kontrollieren testen überprüfen geprüft kontrolliert getestet überprüft |
    melden mitteilen anzeigen gemeldet mitgeteilt angezeigt |
    senden schicken versenden gesendet geschickt verschickt versendet |
    kaufen erwerben bestellen beschaffen gekauft erworben bestellt beschafft |
    zahlen bezahlen begleichen entrichten zahlt bezahlt zahlung |
    erstatten zurückzahlen erstattet erstattung rückerstattung | arzt ärztlich mediziner |
    passwort kennwort | auto wagen fahrzeug pkw | geschäftsführer geschäftsführerin geschäftsführung |
    vertrag vereinbarung abkommen | verlängern verlängerung verlängert | dauer laufzeit dauert |
    raum zimmer | telefon durchwahl rufnummer telefonnummer | fehler störung defekt |
    ändern anpassen aktualisieren geändert angepasst aktualisiert | frist termin stichtag |
    hilfe unterstützung helpdesk support | verspätung verzug verzögerung`,
  antonyms: `erste letzte | größte kleinste | höchste niedrigste | höher niedriger | größer kleiner |
    länger kürzer | nord süd | nördlich südlich | öffentlich privat | aktiv inaktiv |
    eingeschaltet ausgeschaltet | intern extern | gültig ungültig | früh spät | früher später | mit ohne |
    wahr falsch | schnell langsam | gleich verschieden | möglich unmöglich`,
  past: "war|waren|hatten?|wurden?|galt(?:en)?|betrug(?:en)?|kostete[nt]?|früher|ehemals|zuvor",
  present: "ist|sind|hat|haben|beträgt|betragen|kostet|gilt|gelten|seit",
  now: "jetzt|nun|derzeit|aktuell|heute|inzwischen",
  ended: "bis|früher|ehemals|zuvor|davor",
  all: "alle[nrms]?|jede[nrms]?|sämtliche[nrs]?",
  some: "einige[nr]?|manche[nrs]?|viele[nr]?|meisten|mehrere[nr]?|wenige[nr]?",
  invariably: "immer|stets|ausnahmslos",
  usually: "oft|häufig|meist|meistens|manchmal|normalerweise|gelegentlich",
  must: "muss|müssen|verpflichtend",
  may: "kann|können|darf|dürfen|sollte|sollten|könnte|optional|empfohlen",
  only: "nur|ausschließlich|lediglich",
  condition: "wenn|falls|sobald|sofern",
  newest: "nächste[nrs]?|letzte[nrs]?|zuletzt|neueste[nrs]?",
  placed: "am|an|auf|bei|beim|hinter|im|neben|nach|unter|über|vor|zwischen|zum|zur",
  priced: String.raw`gebühr(?:en)?|\p{L}*kosten|preise?|kostenlos|tarif`,
  frequency: "täglich|wöchentlich|monatlich|vierteljährlich|jährlich|jede[nrsm]?|einmal|zweimal|nie",
  howOften: "wie (?:oft|häufig)",
  howLong: "wie lange?",
  howOld: "wie alt",
  noDenial: "nicht (?:nur|mehr als|weniger als|später als|länger als)",
  up: String.raw`steig\w*|stieg\w*|gestiegen|erhöh\w*`,
  down: String.raw`sink\w*|sank|gesunken|fiel\w*|gesenkt|verringer\w*`,
  before: "vor|bevor",
  after: "nach|nachdem",
  least: "mindestens|wenigstens|mehr als",
  most: "höchstens|maximal|bis zu|weniger als",
  above: "oberhalb|über",
  below: "unterhalb|unter",
  allowed: "erlaubt?|gestattet|zulässig",
  forbidden: "verboten|untersagt|unzulässig",
  enabled: "aktiviert?",
  disabled: "deaktiviert?",
  open: "geöffnet|offen",
  closed: "geschlossen",
  always: "immer",
  never: "nie|niemals",
  included: "inklusive|einschließlich",
  excluded: "exklusive|ausschließlich|ausgenommen",
  accepted: "angenommen|genehmigt",
  refused: "abgelehnt",
  mandatory: "verpflichtend|pflicht",
  optional: "freiwillig",
  success: "erfolgreich",
  failure: "fehlgeschlagen|gescheitert"
}
