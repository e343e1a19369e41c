import { stemmer } from "stemmer"
import { normalForm } from "../kernel/index.js"
import { analyse } from "../tokenization/index.js"

/** Folds a word like the shared analyser: no Latin diacritics, Porter's stem for plain letters. */
const termForm = (word: string): string => {
  if (/\p{Script=Cyrillic}/u.test(word)) return analyse(word)[0]?.term ?? word
  const folded = normalForm(word, "NFD").replace(/\p{M}/gu, "").replaceAll("ß", "ss").replaceAll("-", "")
  return /^[a-z]+$/u.test(folded) ? stemmer(folded) : folded
}

/**
 * Synonyms in handbooks and specifications. Deliberately short, because a wrong synonym gives a wrong answer. Each
 * line is one group, named by its first word.
 */
const groups = `
holiday vacation leave pto
salary pay wage remuneration compensation
buy purchase procure acquire bought
start begin commence launch began begun
end finish terminate stop conclude
allow permit authorise authorize
forbid prohibit ban disallow
require need must necessary mandatory
employee staff worker colleague people
work employ
boss manager supervisor
customer client
company organisation organization firm enterprise
email e-mail mail
phone telephone
laptop notebook computer
author writer write written wrote
create make build made built
delete remove erase
change modify alter amend update
fix repair correct resolve
big large
fast quick rapid
help support assist assistance
rise increase grow raise gain rose risen grew grown
fall decrease decline drop reduce lower shrink fell fallen
choose select pick elect chose chosen
aim goal objective purpose
live reside
found founder establish set-up
owner own responsible accountable
contact reach
reimburse refund repay
travel trip journey
illness sick sickness ill
fire dismiss lay-off
hire recruit employ
meeting call
deadline due
office site location
retain keep store preserve kept
error failure fault
guideline policy rule
renew prolong extend
cancel revoke
valid validity expire expiry
valid last
discount rebate reduction
loan lend lent borrow
outage downtime
frequently often regularly
win won winner
lead led leader head
run ran
take took taken
give gave given
hold held
meet met
send sent
teach taught teacher
sell sold seller
yearly annual annually
monthly month
weekly week
daily day
cost price fee charge pay paid
heavy weigh weight mass
tall height high
deep depth
wide width
fly flies flew flown
try tries
dry dries
bring brought
spend spent
lose lost
speak spoke spoken
drive drove driven
break broke broken
wear wore worn
know knew known
show shown
think thought
tell told
become became
catch caught
fight fought
throw threw thrown
draw drew drawn
hide hid hidden
freeze froze frozen
strike struck
steal stole stolen
sink sank sunk
eat ate eaten
understand understood
urlaub ferien
gehalt lohn vergütung bezahlung
kosten preis gebühr
mitarbeiter mitarbeitende angestellte beschäftigte arbeitnehmer mitarbeiterin mitarbeitenden
chef vorgesetzte vorgesetzter führungskraft
kunde kunden auftraggeber
firma unternehmen betrieb gesellschaft
beginnen starten anfangen beginnt startet
enden aufhören endet
erlaubt gestattet zulässig
verboten untersagt unzulässig
krank krankheit krankmeldung
reise dienstreise
rechner laptop notebook
standort büro
zuständig verantwortlich
leitet leiter leiterin leitung leiten geleitet werksleiter teamleiter abteilungsleiter
wiegt schwer gewicht masse
aufbewahrt aufbewahrung gespeichert aufgehoben
beheben beseitigen lösen reparieren behoben beseitigt gelöst repariert
montieren anbringen einbauen aufziehen montiert angebracht eingebaut aufgezogen
rabatt nachlass ermäßigung preisnachlass
löschen vernichten entfernen gelöscht vernichtet entfernt
wechseln tauschen ersetzen erneuern gewechselt getauscht ersetzt erneuert austausch
prüfen kontrollieren testen überprüfen geprüft kontrolliert getestet überprüft
melden mitteilen anzeigen gemeldet mitgeteilt angezeigt
senden schicken versenden gesendet geschickt verschickt versendet
kaufen erwerben bestellen beschaffen gekauft erworben bestellt beschafft
zahlen bezahlen begleichen entrichten zahlt bezahlt zahlung
erstatten zurückzahlen erstattet erstattung rückerstattung
arzt ärztlich mediziner
passwort kennwort
auto wagen fahrzeug pkw
geschäftsführer geschäftsführerin geschäftsführung
vertrag vereinbarung abkommen
verlängern verlängerung verlängert
dauer laufzeit dauert
raum zimmer
telefon durchwahl rufnummer telefonnummer
fehler störung defekt
ändern anpassen aktualisieren geändert angepasst aktualisiert
frist termin stichtag
hilfe unterstützung helpdesk support
verspätung verzug verzögerung
congé congés vacances
salaire rémunération paie
coût prix tarif
employé salarié collaborateur employés salariés collaborateurs
entreprise société
voyage déplacement
bureau site
responsable chargé
payer régler acquitter paie paient payé versé
supprimer effacer détruire supprimé effacé détruit supprimées effacées détruites
remplacer changer remplacé changé remplacement
vérifier contrôler vérifié contrôlé vérifiés contrôlés
envoyer expédier transmettre envoyé expédié transmis
signaler déclarer notifier signalé déclaré notifié
acheter acquérir commander acheté acquis commandé
rembourser remboursement remboursé
réduction remise rabais ristourne
voiture véhicule automobile
contrat accord convention
réparer réparation dépanner réparé
erreur panne défaut incident
durée délai
augmenter hausse relever augmenté
réunion rencontre
médecin docteur médical
ordinateur portable pc
logiciel application programme
salle pièce
téléphone numéro poste
débuter commencer démarrer début
terminer finir achever fin
conserver stocker garder conservé stocké gardé
autorisé permis
interdit défendu
отпуск каникулы
зарплата оклад заработок жалованье
сотрудник работник служащий
начальник руководитель директор босс
руководить возглавлять управлять руководит возглавляет управляет
клиент покупатель заказчик
компания фирма предприятие организация
платить оплачивать оплатить заплатить выплачивать выплатить уплатить оплата выплата
стоить обходиться цена стоимость тариф
скидка снижение
купить покупать приобрести приобретать закупить закупать
продать продавать
заменить заменять менять поменять сменить замена
проверить проверять контролировать контроль проверка
хранить сохранять сохранить хранение
удалить удалять стереть уничтожить уничтожать
отправить отправлять послать посылать отправка
вернуть возвращать возвратить возврат
получить получать получение
выдать выдавать выдача
сообщить сообщать известить извещать уведомить уведомлять
начать начинать начинаться начаться начало
закончить заканчивать закончиться заканчиваться завершить завершать завершиться завершаться
подписать подписывать подпись
заказать заказывать заказ
перенести переносить перенос
назначить назначать назначение
изменить изменять изменение
создать создавать создание
запретить запрещать запрещено
разрешить разрешать разрешено
открыть открывать открываться
закрыть закрывать закрываться
поставить ставить установить устанавливать установка монтировать
взять брать
дать давать выделить выделять предоставить предоставлять
сдать сдавать
ремонт починить чинить отремонтировать ремонтировать
болезнь больничный заболеть болеть
командировка поездка
машина автомобиль
ноутбук компьютер
ошибка сбой неисправность поломка
договор контракт соглашение
срок период
ответственный отвечать
адрес местонахождение
встреча собрание совещание
vacaciones descanso
salario sueldo
costo coste precio tarifa
empleado trabajador empleados trabajadores
empresa compañía
`

/** Returns forms of a German verb ("Behebe", "behebt"), which the English stemmer does not unify. */
const verbForms = (word: string): ReadonlyArray<string> => {
  const root = /^(\p{Ll}{4,})en$/u.exec(word)?.[1]
  return root === undefined ? [] : [`${root}e`, `${root}t`]
}

let made: ReadonlyMap<string, ReadonlyArray<string>> | undefined

/** Built on first use: start-up would wait for it, and most processes read no question. */
const groupsByTerm = (): ReadonlyMap<string, ReadonlyArray<string>> => {
  made ??= makeGroups()
  return made
}

const makeGroups = (): ReadonlyMap<string, ReadonlyArray<string>> => {
  const map = new Map<string, Array<string>>()
  for (const line of groups.trim().split("\n")) {
    const forms = line.split(" ").flatMap((word) => [word, ...verbForms(word)].map(termForm))
    const [name = ""] = forms
    for (const form of new Set(forms)) map.set(form, [...(map.get(form) ?? []), name])
  }
  return map
}

const none: ReadonlyArray<string> = []

/** Returns the groups of an index term (folded and stemmed by the analyser): none for most terms, two for a few. */
export const groupsOf = (term: string): ReadonlyArray<string> => groupsByTerm().get(term) ?? none

/** Whether two index terms share a synonym group. */
export const areSynonyms = (term: string, other: string): boolean =>
  groupsOf(term).some((group) => groupsOf(other).includes(group))

/** Returns the first group only: when two words are unified, a second group must not merge groups. */
export const synonymOf = (term: string): string | undefined => groupsByTerm().get(term)?.[0]
