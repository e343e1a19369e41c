/**
 * Invented handbooks with true and false claims about them, frozen: a change makes another set with another id. A line
 * with `#` names a document, `>` has its text, `+` a claim that the text carries, `-` one that it does not.
 */
export const claimSetTexts = {
  en: `# Corvo pumps
> The Corvo P4 is a centrifugal pump for clean water. Its housing is painted green and made of cast iron. The pump moves 90 litres per minute at full speed. Operators check the seal every morning before the pump is started. The motor must not run dry for longer than 20 seconds. Spare seals are kept in the cellar of the workshop. The P4 works at water temperatures from −5 °C to 60 °C. It weighs 42 kg without the base plate. The supplier replaced the old bearings with ceramic ones in 2021.
+ as written | Its housing is painted green and made of cast iron.
+ as written | Spare seals are kept in the cellar of the workshop.
+ shortened | The housing is made of cast iron.
+ one synonym | Spare seals are stored in the cellar of the workshop.
+ one synonym | Operators inspect the seal every morning before the pump is started.
+ two synonyms | Operators inspect the seal each morning before the pump is switched on.
+ passive | The seal is checked by operators every morning before the pump is started.
+ other units | The pump moves 90 litres a minute at full speed.
+ other units | It weighs 42,000 g without the base plate.
- exchanged word | Its housing is painted red and made of cast iron.
- exchanged word | Spare seals are kept in the cellar of the canteen.
- exchanged word | The Corvo P4 is a centrifugal pump for clean oil.
- near word | Its housing is painted green and made of cast steel.
- near word | Operators check the seal every evening before the pump is started.
- same paragraph | Spare bearings are kept in the cellar of the workshop.
- two words | Its motor is painted green and made of cast plastic.
- beside a synonym | Spare seals are stored in the attic of the workshop.
- sign | The P4 works at water temperatures from 5 °C to 60 °C.
- rate | The pump moves 90 litres per hour at full speed.
- other dimension | The pump moves 90 kilograms per minute at full speed.
- negation | The motor may run dry for longer than 20 seconds.
- swapped roles | The supplier replaced the ceramic bearings with old ones in 2021.
# Talvik guest house
> Guests check in from 3 pm and leave their rooms by 11 am. Breakfast is served on the terrace between 7:30 and 10 o'clock. Dogs are welcome in the two rooms of the annex, cats are not. A parking space costs 12 euros a night. The owner lends bicycles to guests free of charge. Children under six sleep in the room of their parents at no cost. The sauna is heated on Fridays and Sundays only. Reservations are cancelled without a fee up to three days before arrival. The cook buys the bread from the bakery in Nessa.
+ as written | A parking space costs 12 euros a night.
+ as written | The sauna is heated on Fridays and Sundays only.
+ shortened | Breakfast is served on the terrace.
+ one synonym | The cook purchases the bread from the bakery in Nessa.
+ one synonym | Kids under six sleep in the room of their parents at no cost.
+ two synonyms | The proprietor lends bikes to guests free of charge.
+ passive | Bicycles are lent to guests by the owner free of charge.
+ passive | The bread is bought from the bakery in Nessa by the cook.
+ other units | Guests check in from 15:00 and leave their rooms by 11:00.
+ other units | A parking space costs 12 euros per night.
- exchanged word | Breakfast is served on the roof between 7:30 and 10 o'clock.
- exchanged word | The owner lends umbrellas to guests free of charge.
- near word | Dinner is served on the terrace between 7:30 and 10 o'clock.
- near word | The cook buys the cheese from the bakery in Nessa.
- same paragraph | Dogs are welcome in the two rooms of the terrace, cats are not.
- two words | The owner lends umbrellas to children free of charge.
- beside a synonym | The cook purchases the fruit from the bakery in Nessa.
- swapped roles | Guests lend bicycles to the owner free of charge.
- swapped roles | Cats are welcome in the two rooms of the annex, dogs are not.
- rate | A parking space costs 12 euros a week.
- time of day | Guests check in from 3 am and leave their rooms by 11 am.
- time of day | Guests check in from 3 pm and leave their rooms by 11 pm.
- number | Reservations are cancelled without a fee up to five days before arrival.
# Meridian export tool
> Meridian 3.10 introduced the nightly export. The tool requires Node 18.2 or newer. Only administrators delete projects; editors archive them. A failed export is repeated three times before an alert is sent. Log files are encrypted and removed after 30 days. The default batch holds 500 records. Version 2.4 dropped support for XML. The scheduler writes a report, and the auditor signs it. Uploads larger than 2 GB are rejected.
+ as written | Only administrators delete projects; editors archive them.
+ as written | The default batch holds 500 records.
+ shortened | Log files are removed after 30 days.
+ one synonym | Log files are encrypted and deleted after 30 days.
+ one synonym | Meridian 3.10 launched the nightly export.
+ one synonym | A failed export is retried three times before an alert is sent.
+ two synonyms | Uploads bigger than 2 GB are refused.
+ passive | The report is written by the scheduler.
+ other units | Uploads larger than 2,000 MB are rejected.
- exchanged word | Only visitors delete projects; editors archive them.
- exchanged word | The default batch holds 500 photographs.
- exchanged word | Log files are printed and removed after 30 days.
- near word | A failed import is repeated three times before an alert is sent.
- near word | Version 2.4 dropped support for JSON.
- same paragraph | Log projects are encrypted and removed after 30 days.
- two words | The default folder holds 500 photographs.
- beside a synonym | Log tables are encrypted and deleted after 30 days.
- swapped roles | Only editors delete projects; administrators archive them.
- swapped roles | The auditor writes a report, and the scheduler signs it.
- version | Meridian 3.1 introduced the nightly export.
- version | The tool requires Node 18.20 or newer.
- version | Version 2.40 dropped support for XML.
- number | A failed export is repeated five times before an alert is sent.
- negation | Uploads larger than 2 GB are not rejected.
# Larkfield clinic
> Children take 5 mg of Solvene twice a day. Adults take 10 mg in the evening. The samples are stored at −18 °C in the blue freezer. Nurses record the pulse of each patient every four hours. The pharmacy closes at 6:30 pm. Visitors wear masks on the second floor. A doctor reviews every prescription before it is sent to the pharmacy. The ambulance parks behind the north wing. Results arrive within 48 hours.
+ as written | Children take 5 mg of Solvene twice a day.
+ as written | The ambulance parks behind the north wing.
+ shortened | The samples are stored in the blue freezer.
+ one synonym | A physician reviews every prescription before it is sent to the pharmacy.
+ one synonym | Nurses record the pulse of every patient every four hours.
+ two synonyms | A physician checks every prescription before it is sent to the pharmacy.
+ passive | Every prescription is reviewed by a doctor before it is sent to the pharmacy.
+ passive | Masks are worn by visitors on the second floor.
+ other units | Children take 5 mg of Solvene two times a day.
+ other units | The pharmacy closes at 18:30.
+ other units | The samples are stored at minus 18 °C in the blue freezer.
+ other units | Results arrive within two days.
- exchanged word | Dogs take 5 mg of Solvene twice a day.
- exchanged word | Nurses record the pulse of each prisoner every four hours.
- exchanged word | Visitors wear helmets on the second floor.
- near word | Nurses record the temperature of each patient every four hours.
- near word | The samples are stored at −18 °C in the red freezer.
- same paragraph | The ambulance parks behind the north pharmacy.
- two words | Visitors wear helmets on the second bridge.
- beside a synonym | A physician reviews every invoice before it is sent to the pharmacy.
- sign | The samples are stored at 18 °C in the blue freezer.
- rate | Children take 5 mg of Solvene twice a week.
- rate | Nurses record the pulse of each patient every four days.
- time of day | The pharmacy closes at 6:30 am.
- other dimension | Children take 5 ml of Solvene twice a day.
- swapped roles | Every prescription reviews a doctor before it is sent to the pharmacy.
# Brannoc wind park
> The park has eight turbines with three blades each. Together they deliver 12 MW. The operator pays the village 900 euros per month for the access road. A technician climbs each tower once a quarter. The turbines stop when the wind exceeds 25 metres per second. Nesting falcons were counted on the eastern ridge in April. The substation stands 40 metres below the ridge. An inspection takes about 15 minutes. The old cable was buried in clay.
+ as written | The old cable was buried in clay.
+ as written | The park has eight turbines with three blades each.
+ shortened | The park has eight turbines.
+ one synonym | An inspection lasts about 15 minutes.
+ one synonym | The turbines halt when the wind exceeds 25 metres per second.
+ two synonyms | The turbines halt when the wind surpasses 25 metres per second.
+ passive | Each tower is climbed by a technician once a quarter.
+ passive | The village is paid 900 euros per month by the operator for the access road.
+ other units | Together they deliver 12,000 kW.
+ other units | The operator pays the village 900 euros a month for the access road.
- exchanged word | The old cable was buried in snow.
- exchanged word | Nesting rabbits were counted on the eastern ridge in April.
- exchanged word | A tourist climbs each tower once a quarter.
- near word | The old cable was buried in sand.
- near word | Nesting falcons were counted on the western ridge in April.
- same paragraph | The old road was buried in clay.
- two words | Nesting rabbits were painted on the eastern ridge in April.
- beside a synonym | The mills halt when the temperature exceeds 25 metres per second.
- swapped roles | The village pays the operator 900 euros per month for the access road.
- rate | The operator pays the village 900 euros per week for the access road.
- rate | A technician climbs each tower once a year.
- other dimension | Together they deliver 12 MNm.
- sign | The substation stands 40 metres above the ridge.
- number | The park has nine turbines with three blades each.`,
  de: `# Handbuch der Firma Orlin
> Die Mitarbeiter erhalten 28 Tage Urlaub im Jahr. Reisekosten werden innerhalb von zwei Wochen erstattet. Das Lager in Velden schließt um 18 Uhr. Der Betriebsrat prüft jede Kündigung. Neue Geräte werden vor dem ersten Gebrauch gereinigt. Die Kühlkammer hat eine Temperatur von −20 °C. Ein Stellplatz kostet 45 Euro pro Monat. Besucher tragen in der Halle gelbe Westen. Der Lieferant bringt dem Händler die Ware am Montag.
+ as written | Der Betriebsrat prüft jede Kündigung.
+ as written | Besucher tragen in der Halle gelbe Westen.
+ one synonym | Die Beschäftigten erhalten 28 Tage Urlaub im Jahr.
+ one synonym | Die Mitarbeiter bekommen 28 Tage Urlaub im Jahr.
+ two synonyms | Die Angestellten bekommen 28 Tage Urlaub im Jahr.
+ passive | Jede Kündigung wird vom Betriebsrat geprüft.
+ passive | Gelbe Westen werden in der Halle von Besuchern getragen.
+ other units | Ein Stellplatz kostet 45 Euro im Monat.
+ other units | Die Kühlkammer hat eine Temperatur von minus 20 °C.
+ other units | Reisekosten werden innerhalb von 14 Tagen erstattet.
- exchanged word | Besucher tragen in der Halle gelbe Hüte.
- exchanged word | Das Museum in Velden schließt um 18 Uhr.
- exchanged word | Neue Geräte werden vor dem ersten Gebrauch verpackt.
- near word | Besucher tragen in der Halle rote Westen.
- near word | Der Betriebsrat prüft jede Beförderung.
- same paragraph | Neue Westen werden vor dem ersten Gebrauch gereinigt.
- two words | Kinder tragen in der Halle gelbe Hüte.
- beside a synonym | Die Beschäftigten erhalten 28 Tage Unterricht im Jahr.
- swapped roles | Der Händler bringt dem Lieferanten die Ware am Montag.
- sign | Die Kühlkammer hat eine Temperatur von 20 °C.
- rate | Ein Stellplatz kostet 45 Euro pro Woche.
- rate | Die Mitarbeiter erhalten 28 Tage Urlaub im Monat.
- time of day | Das Lager in Velden schließt um 6 Uhr.
- number | Die Mitarbeiter erhalten 25 Tage Urlaub im Jahr.
- negation | Neue Geräte werden vor dem ersten Gebrauch nicht gereinigt.
# Anlage Kastell
> Die Anlage leistet 1,5 MW. Der Schichtführer meldet Störungen dem Techniker. Das Becken fasst 300 Liter. Version 4.10 der Steuerung öffnet die Ventile selbsttätig. Die Filter werden zweimal im Jahr gewechselt. Die alte Pumpe wurde 2019 durch eine stärkere ersetzt. Der Schlüssel hängt im Büro neben der Tür. Bei Frost wird das Wasser abgelassen. Die Leitung besteht aus Kupfer.
+ as written | Die Leitung besteht aus Kupfer.
+ as written | Der Schlüssel hängt im Büro neben der Tür.
+ one synonym | Die alte Pumpe wurde 2019 durch eine stärkere ausgetauscht.
+ one synonym | Die Filter werden zweimal im Jahr getauscht.
+ passive | Störungen werden dem Techniker vom Schichtführer gemeldet.
+ other units | Die Anlage leistet 1.500 kW.
+ shortened | Die alte Pumpe wurde durch eine stärkere ersetzt.
- exchanged word | Die Leitung besteht aus Holz.
- exchanged word | Der Schlüssel hängt im Keller neben der Tür.
- exchanged word | Bei Frost wird das Wasser verkauft.
- near word | Die Leitung besteht aus Eisen.
- near word | Bei Regen wird das Wasser abgelassen.
- same paragraph | Der Filter hängt im Büro neben der Tür.
- two words | Der Hammer hängt im Keller neben der Tür.
- swapped roles | Der Techniker meldet Störungen dem Schichtführer.
- version | Version 4.1 der Steuerung öffnet die Ventile selbsttätig.
- rate | Die Filter werden zweimal im Monat gewechselt.
- other dimension | Das Becken fasst 300 Kilogramm.
- other dimension | Die Anlage leistet 1,5 MNm.
- opposite | Version 4.10 der Steuerung schließt die Ventile selbsttätig.
- opposite | Die alte Pumpe wurde 2019 durch eine schwächere ersetzt.`,
  es: `# Manual de la empresa Nerva
> Los empleados reciben 24 días de vacaciones al año. El almacén de Lobera cierra a las 18 horas. Las facturas se pagan en un plazo de dos semanas. El director revisa cada contrato antes de la firma. La cámara fría está a −20 °C. Una plaza de aparcamiento cuesta 45 euros por mes. Los visitantes llevan chalecos amarillos en la nave. El proveedor entrega la mercancía al vendedor los lunes. Las máquinas nuevas se limpian antes del primer uso.
+ as written | El director revisa cada contrato antes de la firma.
+ as written | Los visitantes llevan chalecos amarillos en la nave.
+ one synonym | Los trabajadores reciben 24 días de vacaciones al año.
+ one synonym | El director comprueba cada contrato antes de la firma.
+ two synonyms | Los trabajadores obtienen 24 días de vacaciones al año.
+ passive | Cada contrato es revisado por el director antes de la firma.
+ other units | Una plaza de aparcamiento cuesta 45 euros al mes.
+ other units | La cámara fría está a menos 20 °C.
+ other units | Las facturas se pagan en un plazo de 14 días.
- exchanged word | Los visitantes llevan sombreros amarillos en la nave.
- exchanged word | El museo de Lobera cierra a las 18 horas.
- exchanged word | Las máquinas nuevas se venden antes del primer uso.
- near word | Los visitantes llevan chalecos rojos en la nave.
- near word | El director revisa cada factura antes de la firma.
- same paragraph | Las vacaciones nuevas se limpian antes del primer uso.
- two words | Los niños llevan sombreros amarillos en la nave.
- beside a synonym | Los trabajadores reciben 24 días de clases al año.
- swapped roles | El vendedor entrega la mercancía al proveedor los lunes.
- sign | La cámara fría está a 20 °C.
- rate | Una plaza de aparcamiento cuesta 45 euros por semana.
- rate | Los empleados reciben 24 días de vacaciones al mes.
- time of day | El almacén de Lobera cierra a las 6 horas.
- number | Los empleados reciben 26 días de vacaciones al año.
- negation | Las máquinas nuevas no se limpian antes del primer uso.
# Planta Almena
> La planta entrega 1,5 MW. El encargado avisa al técnico de cada avería. El depósito contiene 300 litros. La versión 4.10 del control abre las válvulas sola. Los filtros se cambian dos veces al año. La bomba vieja fue sustituida en 2019 por otra más fuerte. La llave cuelga en la oficina junto a la puerta. La tubería es de cobre. Cuando hiela, se vacía el agua.
+ as written | La tubería es de cobre.
+ as written | La llave cuelga en la oficina junto a la puerta.
+ one synonym | La bomba vieja fue reemplazada en 2019 por otra más fuerte.
+ one synonym | Los filtros se sustituyen dos veces al año.
+ shortened | La bomba vieja fue sustituida por otra más fuerte.
+ passive | El técnico es avisado de cada avería por el encargado.
+ other units | La planta entrega 1.500 kW.
- exchanged word | La tubería es de madera.
- exchanged word | La llave cuelga en la cocina junto a la puerta.
- exchanged word | Cuando hiela, se vende el agua.
- near word | La tubería es de hierro.
- near word | Cuando llueve, se vacía el agua.
- same paragraph | La bomba cuelga en la oficina junto a la puerta.
- two words | El martillo cuelga en la cocina junto a la puerta.
- swapped roles | El técnico avisa al encargado de cada avería.
- version | La versión 4.1 del control abre las válvulas sola.
- rate | Los filtros se cambian dos veces al mes.
- other dimension | El depósito contiene 300 kilogramos.
- other dimension | La planta entrega 1,5 MNm.
- opposite | La versión 4.10 del control cierra las válvulas sola.
- opposite | La bomba vieja fue sustituida en 2019 por otra más débil.`
} as const
