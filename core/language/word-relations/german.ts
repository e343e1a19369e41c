import { once } from "../../platform/kernel/index.js"
import { foldRun } from "../tokenization/index.js"
import { type ListedRelations, listedRelations } from "./listed-relations.js"

/** Words of handbooks and news in their base forms. "!" stands between opposites. */
const pairs = `
mitarbeiter angestellte | mitarbeiter beschäftigte | angestellte beschäftigte | chef vorgesetzte | firma unternehmen |
unternehmen betrieb | unternehmen konzern | firma betrieb | gehalt lohn | lohn vergütung | vergütung bezahlung |
urlaub ferien | kündigen beenden | kündigung entlassung | entlassen kündigen | einstellen anstellen |
bewerber kandidat | abteilung bereich | aufgabe tätigkeit | arbeit tätigkeit | arbeit job | beruf job |
stelle arbeitsplatz | besprechung sitzung | sitzung meeting | besprechung meeting | treffen zusammenkunft |
tagung konferenz | kunde auftraggeber | käufer erwerber | verkäufer händler | lieferant zulieferer |
anbieter lieferant | vertrag vereinbarung | abkommen vereinbarung | abkommen vertrag | rechnung faktura |
preis kosten | kosten ausgaben | ausgaben aufwendungen | gebühr entgelt | beitrag gebühr | rabatt nachlass |
nachlass ermäßigung | rückerstattung erstattung | erstatten zurückzahlen | bezahlen zahlen | begleichen bezahlen |
kaufen erwerben | anschaffen kaufen | verkaufen veräußern | mieten pachten | mieter pächter | besitzer eigentümer |
inhaber besitzer | eigentümer inhaber | besitzen haben | wohnung apartment | haus gebäude | büro geschäftsstelle |
zentrale hauptsitz | filiale niederlassung | filiale zweigstelle | niederlassung zweigstelle | standort sitz |
ort stelle | platz stelle | gegend region | gebiet region | gebiet gegend | bezirk distrikt | viertel stadtteil |
stadtteil bezirk | stadt ort | staat land | nation staat | grenze schranke | hauptstadt metropole |
einwohner bewohner | bürger einwohner | volk nation | menschen leute | mensch person | kind nachwuchs |
jugendliche teenager | arzt mediziner | arzt doktor | medikament arznei | medikament arzneimittel | krankheit erkrankung |
krankheit leiden | verletzung wunde | klinik krankenhaus | spital krankenhaus | patient kranke | behandlung therapie |
behandeln therapieren | impfung immunisierung | schule lehranstalt | universität hochschule | schüler lernende |
student studierende | lehrer lehrkraft | dozent lehrer | unterricht lehre | ausbildung lehre | schulung training |
schulung fortbildung | kurs lehrgang | prüfung examen | test prüfung | wissen kenntnis | forschung wissenschaft |
forscher wissenschaftler | untersuchung studie | untersuchen erforschen | analyse untersuchung |
analysieren untersuchen | entdecken finden | herausfinden ermitteln | ermitteln feststellen | feststellen bemerken |
erkennen bemerken | beweisen nachweisen | beweis nachweis | beginnen anfangen | beginnen starten | anfangen starten |
beginn anfang | start beginn | eröffnen beginnen | enden aufhören | beenden abschließen | ende schluss |
abschluss ende | fertigstellen beenden | dauern währen | fortsetzen weiterführen | fortführen fortsetzen |
unterbrechen pausieren | pause unterbrechung | stoppen anhalten | verzögerung verspätung | verspätet verzögert |
frist termin | stichtag frist | jährlich alljährlich | häufig oft | regelmäßig häufig | selten kaum |
meistens meist | gewöhnlich üblicherweise | normalerweise gewöhnlich | normalerweise üblicherweise | immer stets |
sofort unverzüglich | umgehend sofort | umgehend unverzüglich | sofort gleich | derzeit momentan | derzeit gegenwärtig |
aktuell derzeit | heute heutzutage | früher ehemals | ehemalig früher | zuvor vorher | danach anschließend |
später nachher | ungefähr etwa | ungefähr circa | etwa circa | rund etwa | nahezu fast | beinahe fast |
mindestens wenigstens | höchstens maximal | groß riesig | riesig enorm | klein winzig | schnell rasch |
schnell zügig | rasch zügig | langsam gemächlich | wichtig bedeutend | bedeutend bedeutsam | wesentlich wichtig |
wesentlich entscheidend | notwendig nötig | erforderlich notwendig | erforderlich nötig | ausreichend genügend |
hinreichend ausreichend | vollständig komplett | ganz vollständig | gesamt ganz | verschieden unterschiedlich |
mehrere einige | zahlreich viele | gleich identisch | ähnlich vergleichbar | besonders insbesondere |
hauptsächlich vorwiegend | überwiegend hauptsächlich | vor-allem hauptsächlich | schwierig schwer |
kompliziert schwierig | komplex kompliziert | einfach leicht | simpel einfach | richtig korrekt | falsch inkorrekt |
fehler irrtum | fehlerhaft falsch | defekt kaputt | mangel fehler | störung ausfall | panne störung | problem schwierigkeit |
gefährlich riskant | gefahr risiko | sicher geschützt | schützen sichern | sicherheit schutz | schaden beschädigung |
beschädigen schädigen | unfall unglück | katastrophe unglück | brand feuer | reparieren instandsetzen | beheben beseitigen |
lösen beheben | reparatur instandsetzung | wartung instandhaltung | warten instandhalten | austauschen ersetzen |
auswechseln ersetzen | tauschen wechseln | erneuern ersetzen | montieren einbauen | installieren einbauen |
anbringen montieren | entfernen beseitigen | löschen entfernen | hinzufügen ergänzen | erweitern ausbauen |
ändern verändern | ändern modifizieren | anpassen ändern | änderung veränderung | verbessern optimieren |
aktualisieren erneuern | erhöhen steigern | steigen zunehmen | wachsen zunehmen | anstieg zunahme | wachstum zunahme |
senken reduzieren | verringern reduzieren | verringern senken | vermindern verringern | sinken abnehmen | rückgang abnahme |
begrenzen beschränken | einschränken beschränken | grenzwert limit | herstellen produzieren | fertigen herstellen |
erzeugen produzieren | hersteller produzent | produkt erzeugnis | ware produkt | herstellung produktion |
fertigung produktion | bauen errichten | errichten erbauen | gründen errichten | gründung errichtung | schaffen erschaffen |
erstellen anlegen | entwickeln erarbeiten | entwurf konzept | plan vorhaben | projekt vorhaben | planen vorsehen |
ziel zweck | absicht vorsatz | grund ursache | verursachen bewirken | auslösen verursachen | folge konsequenz |
ergebnis resultat | auswirkung folge | wirkung effekt | beeinflussen einwirken | einfluss wirkung | methode verfahren |
verfahren vorgehen | vorgehensweise methode | weg methode | art typ | sorte art | gruppe team | mannschaft team |
teil bestandteil | komponente bestandteil | element bestandteil | abschnitt teil | bauteil komponente | gerät apparat |
anlage einrichtung | maschine anlage | werkzeug gerät | rechner computer | laptop notebook | handy mobiltelefon |
telefon fernsprecher | mail e-mail | nachricht mitteilung | brief schreiben | passwort kennwort | benutzer anwender |
nutzer benutzer | nutzer anwender | benutzen verwenden | nutzen verwenden | gebrauchen benutzen | einsetzen verwenden |
anwenden verwenden | verwendung nutzung | datei dokument | ordner verzeichnis | datenbank datenbestand | einstellung option |
speichern sichern | aufbewahren lagern | archivieren aufbewahren | lager depot | senden schicken | übermitteln senden |
versenden schicken | erhalten bekommen | empfangen erhalten | kriegen bekommen | liefern zustellen | lieferung zustellung |
holen abholen | bringen liefern | geben überreichen | nehmen ergreifen | mitteilen informieren | benachrichtigen informieren |
melden mitteilen | ankündigen bekanntgeben | erklären erläutern | beschreiben schildern | erzählen berichten |
sagen äußern | erwähnen nennen | nennen bezeichnen | heißen nennen | fragen anfragen | antworten erwidern |
beantworten antworten | antwort erwiderung | bitten ersuchen | fordern verlangen | anfordern verlangen |
erlauben gestatten | erlaubt zulässig | gestattet zulässig | genehmigen bewilligen | genehmigung erlaubnis |
zulassen erlauben | verbieten untersagen | verboten unzulässig | verbot untersagung | ablehnen zurückweisen |
verweigern ablehnen | zustimmen einwilligen | zustimmung einwilligung | annehmen akzeptieren | müssen sollen |
pflicht verpflichtung | verpflichtend obligatorisch | vorgeschrieben obligatorisch | freiwillig optional | vorschrift regel |
regel bestimmung | vorschrift bestimmung | richtlinie leitlinie | anweisung anleitung | handbuch anleitung | gesetz recht |
zuständig verantwortlich | verantwortung zuständigkeit | leiten führen | leiter chef | leitung führung | führung management |
lenken steuern | kontrollieren überprüfen | prüfen überprüfen | prüfen kontrollieren | überwachen beobachten |
wählen auswählen | aussuchen auswählen | entscheiden beschließen | entscheidung beschluss | bestimmen festlegen |
festlegen festsetzen | helfen unterstützen | hilfe unterstützung | fördern unterstützen | empfehlen raten | vorschlagen empfehlen |
vorschlag empfehlung | enthalten beinhalten | umfassen beinhalten | umfassen enthalten | bestehen existieren |
ausschließen ausnehmen | gehören zählen | verbinden verknüpfen | verbindung verknüpfung | trennen abtrennen | öffnen aufmachen |
schließen zumachen | betreten eintreten | verlassen weggehen | ankommen eintreffen | abreisen abfahren | reise fahrt |
dienstreise geschäftsreise | fahren reisen | auto wagen | fahrzeug wagen | lkw lastwagen | flugzeug flieger | zug bahn |
fahrrad rad | leben wohnen | sterben umkommen | töten umbringen | krieg konflikt | kampf schlacht | angriff attacke |
angreifen attackieren | sieg triumph | siegen gewinnen | besiegen schlagen | erobern einnehmen | soldat krieger |
armee heer | könig monarch | herrscher monarch | regierung kabinett | minister ressortchef | politiker staatsmann |
verfassung grundgesetz | wahl abstimmung | autor verfasser | autor schriftsteller | verfassen schreiben | buch band |
zeitung blatt | film streifen | lied song | bild abbildung | gemälde bild | berühmt bekannt | bekannt prominent |
reich wohlhabend | arm bedürftig | gewinn profit | ertrag einnahmen | umsatz erlös | einkommen verdienst | verlust einbuße |
geld kapital | kredit darlehen | schulden verbindlichkeiten | konto guthaben | jedoch aber | deshalb daher | weil da |
öffnen ! schließen | beginnen ! enden | beginn ! ende | anfang ! ende | kaufen ! verkaufen | käufer ! verkäufer |
erlauben ! verbieten | erlaubt ! verboten | steigen ! sinken | erhöhen ! senken | zunehmen ! abnehmen |
gewinn ! verlust | gewinnen ! verlieren | einnahmen ! ausgaben | import ! export | groß ! klein | lang ! kurz |
hoch ! niedrig | schnell ! langsam | alt ! neu | alt ! jung | warm ! kalt | heiß ! kalt | früh ! spät |
intern ! extern | öffentlich ! privat | aktiv ! inaktiv | aktivieren ! deaktivieren | richtig ! falsch |
annehmen ! ablehnen | annehmen ! verweigern | einschalten ! ausschalten | innen ! außen | oben ! unten | links ! rechts |
nord ! süd | ost ! west | vorher ! nachher | maximal ! minimal | mindestens ! höchstens | immer ! nie |
freiwillig ! verpflichtend | freiwillig ! obligatorisch | ankunft ! abfahrt | stark ! schwach | sicher ! gefährlich |
billig ! teuer | voll ! leer | arbeitgeber ! arbeitnehmer | mieter ! vermieter | gläubiger ! schuldner |
eingang ! ausgang | krieg ! frieden | sieg ! niederlage | tag ! nacht | sommer ! winter | morgens ! abends |
ein-schließen ! aus-schließen | sender ! empfänger | angebot ! nachfrage | stadt ! land | leicht ! schwer`

/** Forms of irregular verbs, the infinitive first. */
const irregular = `
beginnen begann begannen begonnen | anfangen angefangen | enden geendet | finden fand fanden gefunden |
herausfinden herausgefunden | besitzen besaß besaßen besessen | bringen brachte brachten gebracht |
erhalten erhielt erhielten | enthalten enthielt enthielten | anhalten angehalten | bekommen bekam bekamen |
ankommen angekommen | umkommen umgekommen | geben gibt gab gaben gegeben | bekanntgeben bekanntgegeben |
nehmen nimmt nahm nahmen genommen | annehmen angenommen | abnehmen abgenommen | zunehmen zugenommen |
einnehmen eingenommen | helfen hilft half halfen geholfen | sterben stirbt starb starben gestorben |
gewinnen gewann gewannen gewonnen | verlieren verlor verloren | steigen stieg stiegen gestiegen |
sinken sank sanken gesunken | wachsen wuchs wuchsen gewachsen | schließen schloss schlossen geschlossen |
abschließen abgeschlossen | ausschließen ausgeschlossen | beschließen beschloss beschlossen | beschlossen beschlossen |
entscheiden entschied entschieden | schreiben schrieb schrieben geschrieben | beschreiben beschrieb beschrieben |
verbieten verbot verboten | heißen hieß hießen geheißen | nennen nannte nannten genannt | senden sandte gesandt |
verbinden verband verbanden verbunden | verlassen verließ verließen | entlassen entließ entließen | zulassen zugelassen |
fahren fuhr fuhren gefahren | schlagen schlug schlugen geschlagen | vorschlagen vorgeschlagen |
raten riet rieten geraten | schaffen schuf schufen geschaffen | bestehen bestand bestanden | sehen sah sahen gesehen |
vorsehen vorgesehen | beheben behob behoben | angreifen angriff angriffen angegriffen | tun tat taten getan |
betreten betrat betraten | unterbrechen unterbrach unterbrochen | wissen weiß wusste wussten gewusst |
erkennen erkannte erkannten erkannt | bitten bat baten gebeten | empfehlen empfahl empfahlen empfohlen |
erwerben erwirbt erwarb erwarben erworben | bewilligen bewilligt | verweisen verwies | angreifen angegriffen |
  werfen warf geworfen | treffen trifft traf trafen getroffen | sprechen spricht sprach gesprochen |
  halten hielt hielten gehalten | kommen kam kamen gekommen | gehen ging gingen gegangen | laufen lief liefen gelaufen |
  essen isst aß gegessen | trinken trank getrunken | sitzen saß gesessen | stehen stand standen gestanden |
  bieten bot boten geboten | anbieten angeboten | heben hob gehoben | aufheben aufgehoben |
  beweisen bewies bewiesen | nachweisen nachgewiesen | zurückweisen zurückgewiesen | ergreifen ergriff ergriffen`

const endings =
  "e en n er em es s ens t et st est te ten test tet ete eten end ende enden ender endes in innen ern ung ungen".split(
    " "
  )

const prefixes =
  "ab an auf aus ein her heraus hin ein fort mit nach vor weiter zu zurück zusammen fest fertig bekannt instand um"
    .split(" ")
    .map(foldRun)
const participle = new RegExp(`^(${prefixes.join("|")})?(?:ge|zu)(.{3,})$`, "u")
const rootLettersMin = 3

/** A word without the ending of infinitives and weak nouns, in ASCII letters. */
export const germanKey = (word: string): string => {
  const folded = foldRun(word)
  const root = folded.replace(/(?:en|e)$|(?<=[lr])n$/u, "")
  return root.length < rootLettersMin ? folded : root
}

const bases = once(
  () =>
    new Map(
      irregular
        .trim()
        .split(/\s*\|\s*/u)
        .flatMap((verb) => {
          const [infinitive = "", ...forms] = verb.split(/\s+/u)
          return forms.map((form) => [foldRun(form), germanKey(infinitive)] as const)
        })
    )
)

/** Relations of listed German words by their roots, read on first use. */
export const germanRelations: () => ListedRelations = once(() => listedRelations(pairs, germanKey))

/** Returns the roots that a German word may have; most are none. */
export const germanRoots = (word: string): ReadonlySet<string> => {
  const folded = foldRun(word)
  const [, prefix = "", rest] = participle.exec(folded) ?? []
  const roots = new Set<string>()
  for (const form of rest === undefined ? [folded] : [folded, prefix + rest]) {
    roots.add(form)
    for (const ending of endings) {
      const root = form.slice(0, form.length - ending.length)
      if (!form.endsWith(ending) || root.length < rootLettersMin) continue
      roots.add(root)
      const base = bases().get(root)
      if (base !== undefined) roots.add(base)
    }
    const base = bases().get(form)
    if (base !== undefined) roots.add(base)
  }
  return roots
}
