import type { ClaimLanguage } from "./claim-synonyms.js"

/** A sentence that is put into a passage, and what is claimed of it. */
export interface Template {
  readonly source: string
  readonly claims: ReadonlyArray<readonly [kind: string, isTrue: boolean, text: string]>
}

type Random = () => number
const between = (random: Random, from: number, to: number): number =>
  from + Math.floor(random() * (to - from + 1))

const [sign, rate, version, clock, dimension] = [
  "sign",
  "rate",
  "version",
  "time of day",
  "unit of another dimension"
]
const [units, passive, swapped] = ["values in other units", "passive", "roles swapped"]

/**
 * Sentences with values that collections seldom have, in the words of handbooks. Numbers are drawn, so that no claim
 * can be known by heart.
 */
export const templatesIn = (language: ClaimLanguage, random: Random): ReadonlyArray<Template> => {
  const n = between(random, 3, 28)
  const hour = between(random, 6, 11)
  const minor = between(random, 1, 4)
  const round = 100 * between(random, 11, 49)
  const thousand = (round / 1000).toString()
  const comma = thousand.replace(".", ",")
  return {
    en: (): ReadonlyArray<Template> => [
      {
        source: `The sealed valve works at temperatures down to −${n} °C.`,
        claims: [
          [sign, false, `The sealed valve works at temperatures down to ${n} °C.`],
          [units, true, `The sealed valve works at temperatures down to minus ${n} °C.`]
        ]
      },
      {
        source: `The closing balance of the fund was -${n} million euros.`,
        claims: [[sign, false, `The closing balance of the fund was ${n} million euros.`]]
      },
      {
        source: `Samples are stored at minus ${n} degrees in the annex.`,
        claims: [
          [sign, false, `Samples are stored at ${n} degrees in the annex.`],
          [units, true, `Samples are stored at −${n} degrees in the annex.`]
        ]
      },
      {
        source: `A seat in the reading room costs ${n} euros per month.`,
        claims: [
          [rate, false, `A seat in the reading room costs ${n} euros per week.`],
          [rate, false, `A seat in the reading room costs ${n} euros a year.`],
          [units, true, `A seat in the reading room costs ${n} euros a month.`]
        ]
      },
      {
        source: "The outer filter is replaced twice a year.",
        claims: [
          [rate, false, "The outer filter is replaced twice a month."],
          [units, true, "The outer filter is replaced two times a year."]
        ]
      },
      {
        source: `The transfer pump moves ${n} litres per minute.`,
        claims: [
          [rate, false, `The transfer pump moves ${n} litres per hour.`],
          [units, true, `The transfer pump moves ${n} litres a minute.`]
        ]
      },
      {
        source: `The importer requires Python 3.${minor}0 or newer.`,
        claims: [[version, false, `The importer requires Python 3.${minor} or newer.`]]
      },
      {
        source: `Release 2.${minor} introduced the nightly export.`,
        claims: [
          [version, false, `Release 2.${minor}0 introduced the nightly export.`],
          [version, false, `Release 2.${minor + 1} introduced the nightly export.`]
        ]
      },
      {
        source: `The ferry office opens at ${hour} am.`,
        claims: [
          [clock, false, `The ferry office opens at ${hour} pm.`],
          [units, true, `The ferry office opens at ${hour}:00.`]
        ]
      },
      {
        source: `The north gate closes at ${hour}:30 p.m.`,
        claims: [
          [clock, false, `The north gate closes at ${hour}:30 a.m.`],
          [units, true, `The north gate closes at ${hour + 12}:30.`]
        ]
      },
      {
        source: `The settling tank holds ${round} litres.`,
        claims: [[dimension, false, `The settling tank holds ${round} kilograms.`]]
      },
      {
        source: `The main engine delivers ${round} kW.`,
        claims: [
          [dimension, false, `The main engine delivers ${round} Nm.`],
          [units, true, `The main engine delivers ${thousand} MW.`]
        ]
      },
      {
        source: `The tunnel is ${round} metres long.`,
        claims: [
          [dimension, false, `The tunnel is ${round} days long.`],
          [units, true, `The tunnel is ${thousand} km long.`]
        ]
      },
      {
        source: `The registrar checks every transfer form.`,
        claims: [
          [passive, true, `Every transfer form is checked by the registrar.`],
          [swapped, false, `Every transfer form checks the registrar.`]
        ]
      },
      {
        source: `The council rejected the harbour proposal in ${1950 + n}.`,
        claims: [[passive, true, `The harbour proposal was rejected by the council in ${1950 + n}.`]]
      },
      {
        source: "Landlords pay the tenants for the meter readings.",
        claims: [[swapped, false, "Tenants pay the landlords for the meter readings."]]
      },
      {
        source: "The auditor reports the treasurer to the board.",
        claims: [
          [swapped, false, "The treasurer reports the auditor to the board."],
          [passive, true, "The treasurer is reported to the board by the auditor."]
        ]
      }
    ],
    de: (): ReadonlyArray<Template> => [
      {
        source: `Das dichte Ventil arbeitet bei Temperaturen bis −${n} °C.`,
        claims: [
          [sign, false, `Das dichte Ventil arbeitet bei Temperaturen bis ${n} °C.`],
          [units, true, `Das dichte Ventil arbeitet bei Temperaturen bis minus ${n} °C.`]
        ]
      },
      {
        source: `Ein Platz im Lesesaal kostet ${n} Euro pro Monat.`,
        claims: [
          [rate, false, `Ein Platz im Lesesaal kostet ${n} Euro pro Woche.`],
          [units, true, `Ein Platz im Lesesaal kostet ${n} Euro im Monat.`]
        ]
      },
      {
        source: "Der äußere Filter wird zweimal im Jahr gewechselt.",
        claims: [[rate, false, "Der äußere Filter wird zweimal im Monat gewechselt."]]
      },
      {
        source: `Der Import setzt Python 3.${minor}0 voraus.`,
        claims: [[version, false, `Der Import setzt Python 3.${minor} voraus.`]]
      },
      {
        source: `Das Fährbüro öffnet um ${hour} Uhr morgens.`,
        claims: [[clock, false, `Das Fährbüro öffnet um ${hour} Uhr abends.`]]
      },
      {
        source: `Das Becken fasst ${round} Liter.`,
        claims: [[dimension, false, `Das Becken fasst ${round} Kilogramm.`]]
      },
      {
        source: `Der Hauptmotor leistet ${round} kW.`,
        claims: [
          [dimension, false, `Der Hauptmotor leistet ${round} Nm.`],
          [units, true, `Der Hauptmotor leistet ${comma} MW.`]
        ]
      },
      {
        source: "Der Registrar prüft jedes Formular.",
        claims: [[passive, true, "Jedes Formular wird vom Registrar geprüft."]]
      },
      {
        source: "Die Vermieter bezahlen die Mieter für die Ablesung.",
        claims: [[swapped, false, "Die Mieter bezahlen die Vermieter für die Ablesung."]]
      }
    ],
    es: (): ReadonlyArray<Template> => [
      {
        source: `La válvula sellada trabaja a temperaturas de hasta −${n} °C.`,
        claims: [
          [sign, false, `La válvula sellada trabaja a temperaturas de hasta ${n} °C.`],
          [units, true, `La válvula sellada trabaja a temperaturas de hasta menos ${n} °C.`]
        ]
      },
      {
        source: `Una plaza en la sala de lectura cuesta ${n} euros por mes.`,
        claims: [
          [rate, false, `Una plaza en la sala de lectura cuesta ${n} euros por semana.`],
          [units, true, `Una plaza en la sala de lectura cuesta ${n} euros al mes.`]
        ]
      },
      {
        source: "El filtro exterior se cambia dos veces al año.",
        claims: [[rate, false, "El filtro exterior se cambia dos veces al mes."]]
      },
      {
        source: `La importación requiere Python 3.${minor}0.`,
        claims: [[version, false, `La importación requiere Python 3.${minor}.`]]
      },
      {
        source: `La oficina del puerto abre a las ${hour} de la mañana.`,
        claims: [[clock, false, `La oficina del puerto abre a las ${hour} de la noche.`]]
      },
      {
        source: `El depósito contiene ${round} litros.`,
        claims: [[dimension, false, `El depósito contiene ${round} kilogramos.`]]
      },
      {
        source: `El motor principal entrega ${round} kW.`,
        claims: [
          [dimension, false, `El motor principal entrega ${round} Nm.`],
          [units, true, `El motor principal entrega ${comma} MW.`]
        ]
      },
      {
        source: "El registrador revisa cada formulario.",
        claims: [[passive, true, "Cada formulario es revisado por el registrador."]]
      },
      {
        source: "Los propietarios pagan a los inquilinos por la lectura.",
        claims: [[swapped, false, "Los inquilinos pagan a los propietarios por la lectura."]]
      }
    ]
  }[language]()
}
