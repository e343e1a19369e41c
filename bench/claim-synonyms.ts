/**
 * Words that may stand for each other in a sentence of news, an encyclopaedia or a handbook, in the same form. Written
 * for the bench without a look at the lists of the product; no word list of the product is made from it.
 */
const pairs = {
  en: `began started | begins starts | built constructed | large big | rapidly quickly | nearly almost | often frequently |
    usually normally | famous well-known | main principal | several multiple | important significant | created established |
    obtained acquired | purchased bought | attempted tried | required needed | requires needs | permitted allowed |
    permits allows | prohibited banned | received got | helped assisted | ended finished | ended concluded | showed demonstrated |
    shows demonstrates | shown demonstrated | described characterized | called named | known recognized | selected chosen |
    used employed | uses employs | uses utilizes | increased grew | decreased declined | reduced lowered | destroyed demolished |
    killed slain | defeated beat | conquered seized | attacked assaulted | supported backed | rejected refused |
    approved endorsed | announced declared | believed thought | stated said | claimed asserted | contains includes |
    contained included | consists comprises | located situated | remained stayed | returned came-back | appeared emerged |
    occurred happened | occurs happens | moved relocated | joined entered | left departed | arrived came | produced manufactured |
    produces manufactures | repaired fixed | replaced substituted | removed deleted | changed modified | changes modifies |
    changed altered | revised amended | improved enhanced | developed devised | discovered found | invented devised |
    studied examined | taught instructed | wrote authored | published released | founded established | largest biggest |
    smallest tiniest | difficult hard | easy simple | old ancient | modern contemporary | wealthy rich | poor impoverished |
    entire whole | total complete | sufficient adequate | necessary essential | typical characteristic | common widespread |
    rare uncommon | different distinct | similar alike | powerful strong | dangerous hazardous | ill sick | correct right |
    incorrect wrong | various diverse | numerous many | primarily mainly | approximately roughly | currently presently |
    formerly previously | subsequently afterwards | immediately instantly | completely entirely | area region | areas regions |
    aim goal | goals objectives | answer reply | method technique | methods techniques | way manner | rule regulation |
    rules regulations | statute law | war conflict | battle fight | victory triumph | soldiers troops | king monarch |
    ruler sovereign | citizens people | inhabitants residents | children kids | physician doctor | illness disease |
    medicine medication | automobile car | cars automobiles | aircraft airplanes | film movie | films movies | author writer |
    job occupation | wages pay | employees workers | company firm | companies firms | customers clients | error mistake |
    problem issue | problems issues | result outcome | results outcomes | effect consequence | cause reason | part portion |
    kind type | kinds types | size magnitude | amount quantity | start beginning | end conclusion | journey trip | home residence |
    shop store | gift present | power authority | energy vigor | agreement accord | treaty pact | idea notion | proof evidence`,
  de: `begann startete | beginnt startet | gebaut errichtet | erbaut errichtet | große riesige | schnell rasch | fast beinahe |
    oft häufig | meistens üblicherweise | bekannte berühmte | bekannt berühmt | wichtigsten bedeutendsten | wichtige bedeutende |
    wichtig bedeutsam | gegründet errichtet | erhielt bekam | erhalten bekommen | gekauft erworben | benötigt gebraucht |
    erlaubt gestattet | verboten untersagt | verwendet benutzt | verwendet genutzt | verwendeten benutzten | nutzt verwendet |
    endete schloss | zeigte belegte | zeigen belegen | genannt bezeichnet | gewählt ausgesucht | gestiegen gewachsen |
    gesunken zurückgegangen | reduziert verringert | zerstört vernichtet | getötet umgebracht | besiegt geschlagen | erobert eingenommen |
    angegriffen attackiert | unterstützt gefördert | abgelehnt zurückgewiesen | enthält umfasst | enthalten beinhalten |
    befindet liegt | blieb verharrte | geschah passierte | hergestellt produziert | produziert gefertigt | ersetzt ausgetauscht |
    entfernt beseitigt | geändert modifiziert | verbessert optimiert | entwickelt erarbeitet | entdeckt gefunden | untersucht erforscht |
    veröffentlicht publiziert | größte umfangreichste | schwierig schwer | einfach leicht | alten betagten | gesamte ganze |
    notwendig erforderlich | verschiedene unterschiedliche | verschiedenen unterschiedlichen | ähnlich vergleichbar | mächtig stark |
    gefährlich riskant | richtig korrekt | zahlreiche viele | hauptsächlich vorwiegend | ungefähr etwa | derzeit momentan |
    später danach | sofort umgehend | vollständig komplett | Gebiet Gegend | Gebiete Regionen | Ziel Absicht | Methode Verfahren |
    Regel Vorschrift | Regeln Vorschriften | Krieg Konflikt | Schlacht Kampf | Sieg Triumph | König Monarch | Einwohner Bewohner |
    Bürger Einwohner | Arzt Mediziner | Krankheit Erkrankung | Krankheiten Erkrankungen | Auto Wagen | Film Streifen | Autor Verfasser |
    Beruf Job | Lohn Gehalt | Mitarbeiter Beschäftigte | Unternehmen Firmen | Unternehmen Betriebe | Kunden Abnehmer | Fehler Irrtum |
    Problem Schwierigkeit | Ergebnis Resultat | Ergebnisse Resultate | Wirkung Effekt | Grund Ursache | Teil Abschnitt | Art Sorte |
    Beginn Anfang | Ende Schluss | Reise Fahrt | Vertrag Abkommen | Beweis Nachweis | Macht Gewalt | Fähigkeit Vermögen`,
  es: `comenzó empezó | comienza empieza | construido edificado | construyó edificó | grande enorme | grandes enormes |
    rápidamente velozmente | casi prácticamente | frecuentemente habitualmente | famoso célebre | conocido célebre | conocida célebre |
    principal central | varios diversos | varias diversas | importante relevante | importantes relevantes | creado fundado |
    obtuvo consiguió | recibió obtuvo | compró adquirió | necesario preciso | necesaria precisa | permite autoriza | permitido autorizado |
    prohibido vetado | utilizado usado | utilizada usada | utilizan usan | utiliza emplea | usa emplea | terminó acabó |
    terminó finalizó | demostró probó | muestra demuestra | llamado denominado | llamada denominada | elegido escogido |
    aumentó creció | disminuyó bajó | reducido disminuido | destruido devastado | murió falleció | mató asesinó | derrotó venció |
    conquistó tomó | atacó agredió | apoyó respaldó | rechazó negó | contiene incluye | incluye abarca | ubicado situado |
    ubicada situada | permaneció quedó | ocurrió sucedió | ocurre sucede | producido fabricado | produce fabrica | reemplazado sustituido |
    eliminado suprimido | cambiado modificado | mejorado perfeccionado | desarrollado elaborado | descubrió halló |
    estudió examinó | publicado editado | difícil complicado | fácil sencillo | antigua vieja | moderna contemporánea |
    entero completo | diferentes distintos | diferentes distintas | similar parecido | poderoso potente | peligroso arriesgado |
    correcto acertado | numerosos muchos | principalmente mayormente | aproximadamente alrededor | actualmente ahora |
    posteriormente después | anteriormente antes | inmediatamente enseguida | completamente totalmente | zona área | zonas áreas |
    región zona | objetivo meta | método procedimiento | métodos procedimientos | manera forma | norma regla | normas reglas |
    guerra conflicto | batalla combate | victoria triunfo | rey monarca | habitantes residentes | ciudadanos habitantes | niños chicos |
    médico doctor | enfermedad dolencia | enfermedades dolencias | coche automóvil | película filme | autor escritor | trabajo empleo |
    salario sueldo | trabajadores empleados | empresa compañía | empresas compañías | error fallo | problema dificultad |
    resultado efecto | causa motivo | causas motivos | parte porción | tipo clase | tipos clases | inicio comienzo | final fin |
    viaje trayecto | casa vivienda | acuerdo pacto | prueba evidencia | poder autoridad | idea noción`
} as const

export type ClaimLanguage = keyof typeof pairs

/** For each word those that may take its place. */
export const synonymsIn = (language: ClaimLanguage): ReadonlyMap<string, ReadonlyArray<string>> => {
  const found = new Map<string, Array<string>>()
  for (const pair of pairs[language].trim().split(/\s*\|\s*/u)) {
    const [one = "", other = ""] = pair.split(" ").map((word) => word.replaceAll("came-back", "came back"))
    found.set(one, [...(found.get(one) ?? []), other])
    found.set(other, [...(found.get(other) ?? []), one])
  }
  return found
}
