/** Sentence forms, names and subjects of vaults with a history; those of the second half are held back. */

/** A language of the vaults. */
export type DatedLanguage = "en" | "de" | "es"

/** Forms of one half of the vaults of a language. */
interface Forms {
  readonly prices: ReadonlyArray<{ readonly says: string; readonly asks: string; readonly asked: string }>
  readonly things: ReadonlyArray<string>
  readonly counts: ReadonlyArray<{ readonly says: string; readonly asks: string; readonly asked: string }>
  readonly holders: ReadonlyArray<string>
  readonly people: ReadonlyArray<string>
  readonly person: ReadonlyArray<{
    readonly says: string
    readonly asks: string
    readonly asked: string
    readonly before: string
  }>
  readonly offices: ReadonlyArray<string>
  readonly yearly: ReadonlyArray<{ readonly says: string; readonly asked: string }>
  readonly inTime: ReadonlyArray<string>
  readonly before: string
  readonly version: string
  readonly changes: ReadonlyArray<string>
  readonly fillers: ReadonlyArray<string>
}

export const open: Readonly<Record<DatedLanguage, Forms>> = {
  en: {
    prices: [
      {
        says: "A {thing} costs {value} EUR.",
        asks: "What does a {thing} cost?",
        asked: "What did a {thing} cost{time}?"
      },
      {
        says: "The price of a {thing} is {value} EUR, taxes included.",
        asks: "How much is a {thing}?",
        asked: "What was the price of a {thing}{time}?"
      },
      {
        says: "We charge {value} EUR for a {thing}.",
        asks: "How much do we charge for a {thing}?",
        asked: "How much did we charge for a {thing}{time}?"
      }
    ],
    things: ["day ticket", "mooring ring", "diving course", "tow to the shipyard"],
    counts: [
      {
        says: "{holder} has {value} lockers.",
        asks: "How many lockers does {holder} have?",
        asked: "How many lockers did {holder} have{time}?"
      },
      {
        says: "There are {value} lockers in {holder}.",
        asks: "How many lockers are in {holder}?",
        asked: "How many lockers were in {holder}{time}?"
      }
    ],
    holders: ["Elmstow Hall", "the Cormorant House"],
    people: ["Mara Quill", "Jonas Etter", "Ivo Brandt", "Selma Roth"],
    person: [
      {
        says: "Until {month} {old} ran the {office}; since then {new} has run it.",
        asks: "Who runs the {office}?",
        asked: "Who ran the {office} in {year}?",
        before: "Who ran the {office} before {new}?"
      },
      {
        says: "{old} was head of the {office} until {month}. {new} has been head of the {office} since {month}.",
        asks: "Who is head of the {office}?",
        asked: "Who was head of the {office} in {year}?",
        before: "Who was head of the {office} before {new}?"
      }
    ],
    offices: ["sailing school", "rope workshop"],
    yearly: [
      {
        says: "In {year} the club counted {value} members.",
        asked: "How many members did the club count in {year}?"
      },
      {
        says: "The club had {value} members in {year}.",
        asked: "How many members did the club have in {year}?"
      }
    ],
    inTime: [" in {month}", " at the end of {month}"],
    before: " before",
    version: " as of version {version}",
    changes: ["What changed in the price of a {thing}?", "How has the price of a {thing} changed?"],
    fillers: [
      "Bookings are taken at the front desk.",
      "Dogs are welcome on a lead.",
      "Please bring your own towel."
    ]
  },
  de: {
    prices: [
      {
        says: "Eine {thing} kostet {value} EUR.",
        asks: "Was kostet eine {thing}?",
        asked: "Was kostete eine {thing}{time}?"
      },
      {
        says: "Der Preis einer {thing} beträgt {value} EUR.",
        asks: "Wie hoch ist der Preis einer {thing}?",
        asked: "Wie hoch war der Preis einer {thing}{time}?"
      }
    ],
    things: ["Tageskarte", "Bootsmiete", "Reparaturstunde", "Segelstunde"],
    counts: [
      {
        says: "{holder} hat {value} Schließfächer.",
        asks: "Wie viele Schließfächer hat {holder}?",
        asked: "Wie viele Schließfächer hatte {holder}{time}?"
      },
      {
        says: "In {holder} gibt es {value} Schließfächer.",
        asks: "Wie viele Schließfächer gibt es in {holder}?",
        asked: "Wie viele Schließfächer gab es{time} in {holder}?"
      }
    ],
    holders: ["Haus Ulmenhof", "Halle Nord"],
    people: ["Mara Quell", "Jonas Etter", "Ivo Brandt", "Selma Roth"],
    person: [
      {
        says: "Bis {month} leitete {old} die {office}; seitdem leitet sie {new}.",
        asks: "Wer leitet die {office}?",
        asked: "Wer leitete die {office} im Jahr {year}?",
        before: "Wer leitete die {office} vor {new}?"
      },
      {
        says: "{old} war bis {month} Leiterin der {office}. {new} ist seit {month} Leiter der {office}.",
        asks: "Wer ist Leiter der {office}?",
        asked: "Wer war {year} Leiterin der {office}?",
        before: "Wer war vor {new} Leiterin der {office}?"
      }
    ],
    offices: ["Segelschule", "Seilerei"],
    yearly: [
      {
        says: "Im Jahr {year} zählte der Verein {value} Mitglieder.",
        asked: "Wie viele Mitglieder zählte der Verein im Jahr {year}?"
      },
      {
        says: "{year} hatte der Verein {value} Mitglieder.",
        asked: "Wie viele Mitglieder hatte der Verein {year}?"
      }
    ],
    inTime: [" im {month}", " Ende {month}"],
    before: " vorher",
    version: " nach dem Stand von Version {version}",
    changes: [
      "Was hat sich am Preis einer {thing} geändert?",
      "Wie hat sich der Preis einer {thing} geändert?"
    ],
    fillers: [
      "Anmeldungen nimmt die Rezeption entgegen.",
      "Hunde sind an der Leine willkommen.",
      "Bitte bringen Sie ein Handtuch mit."
    ]
  },
  es: {
    prices: [
      {
        says: "Una {thing} cuesta {value} EUR.",
        asks: "¿Cuánto cuesta una {thing}?",
        asked: "¿Cuánto costaba una {thing}{time}?"
      },
      {
        says: "El precio de una {thing} es de {value} EUR.",
        asks: "¿Cuál es el precio de una {thing}?",
        asked: "¿Cuál era el precio de una {thing}{time}?"
      }
    ],
    things: ["entrada diaria", "clase de vela", "hora de taller", "plaza de amarre"],
    counts: [
      {
        says: "{holder} tiene {value} taquillas.",
        asks: "¿Cuántas taquillas tiene {holder}?",
        asked: "¿Cuántas taquillas tenía {holder}{time}?"
      },
      {
        says: "En {holder} hay {value} taquillas.",
        asks: "¿Cuántas taquillas hay en {holder}?",
        asked: "¿Cuántas taquillas había en {holder}{time}?"
      }
    ],
    holders: ["Casa Olmeda", "el Pabellón Norte"],
    people: ["Mara Quiroga", "Jonás Prado", "Ivo Salas", "Selma Robles"],
    person: [
      {
        says: "Hasta {month} {old} dirigió la {office}; desde entonces la dirige {new}.",
        asks: "¿Quién dirige la {office}?",
        asked: "¿Quién dirigía la {office} en {year}?",
        before: "¿Quién dirigía la {office} antes de {new}?"
      },
      {
        says: "{old} fue directora de la {office} hasta {month}. {new} es director de la {office} desde {month}.",
        asks: "¿Quién es director de la {office}?",
        asked: "¿Quién fue directora de la {office} en {year}?",
        before: "¿Quién fue directora de la {office} antes de {new}?"
      }
    ],
    offices: ["escuela de vela", "cordelería"],
    yearly: [
      {
        says: "En {year} el club contaba con {value} socios.",
        asked: "¿Con cuántos socios contaba el club en {year}?"
      },
      { says: "El club tuvo {value} socios en {year}.", asked: "¿Cuántos socios tuvo el club en {year}?" }
    ],
    inTime: [" en {month}", " a finales de {month}"],
    before: " antes",
    version: " según la versión {version}",
    changes: ["¿Qué ha cambiado en el precio de una {thing}?", "¿Cómo ha cambiado el precio de una {thing}?"],
    fillers: [
      "Las reservas se hacen en recepción.",
      "Se admiten perros con correa.",
      "Traiga su propia toalla."
    ]
  }
}

export const heldBack: Readonly<Record<DatedLanguage, Forms>> = {
  en: {
    prices: [
      {
        says: "For a {thing}, members pay {value} EUR.",
        asks: "How much do members pay for a {thing}?",
        asked: "How much did members pay for a {thing}{time}?"
      },
      {
        says: "The fee for a {thing} amounts to {value} EUR per person.",
        asks: "What is the fee for a {thing}?",
        asked: "What was the fee for a {thing}{time}?"
      },
      {
        says: "A {thing} is sold for {value} EUR.",
        asks: "For how much is a {thing} sold?",
        asked: "For how much was a {thing} sold{time}?"
      }
    ],
    things: ["kiln firing", "guided walk", "library card", "seat in the reading room"],
    counts: [
      {
        says: "{holder} employs {value} people.",
        asks: "How many people does {holder} employ?",
        asked: "How many people did {holder} employ{time}?"
      },
      {
        says: "At present {value} people work for {holder}.",
        asks: "How many people work for {holder}?",
        asked: "How many people worked for {holder}{time}?"
      }
    ],
    holders: ["Tarn Pottery", "the Wexcombe Archive"],
    people: ["Odile Marsh", "Pieter Vonk", "Nadia Holm", "Ruben Castle"],
    person: [
      {
        says: "{new} took over the {office} in {month}; until then it was led by {old}.",
        asks: "Who leads the {office}?",
        asked: "Who led the {office} in {year}?",
        before: "Who led the {office} before {new}?"
      },
      {
        says: "The {office} was managed by {old} until {month} and has been managed by {new} since {month}.",
        asks: "Who manages the {office}?",
        asked: "Who managed the {office} in {year}?",
        before: "Who managed the {office} before {new}?"
      }
    ],
    offices: ["glaze laboratory", "map collection"],
    yearly: [
      { says: "Visitors in {year}: {value}.", asked: "How many visitors came in {year}?" },
      {
        says: "During {year} the museum welcomed {value} visitors.",
        asked: "How many visitors did the museum welcome in {year}?"
      }
    ],
    inTime: [" in {month}", " back in {month}"],
    before: " previously",
    version: " as of version {version}",
    changes: ["What changed about the {thing}?", "What is new about the {thing}?"],
    fillers: [
      "The garden is open all year.",
      "Groups should write to us first.",
      "Photographs are allowed without flash."
    ]
  },
  de: {
    prices: [
      {
        says: "Für eine {thing} zahlen Mitglieder {value} EUR.",
        asks: "Wie viel zahlen Mitglieder für eine {thing}?",
        asked: "Wie viel zahlten Mitglieder{time} für eine {thing}?"
      },
      {
        says: "Die Gebühr für eine {thing} liegt bei {value} EUR.",
        asks: "Wie hoch ist die Gebühr für eine {thing}?",
        asked: "Wie hoch war{time} die Gebühr für eine {thing}?"
      }
    ],
    things: ["Führung", "Lesekarte", "Brennofenfüllung", "Werkstattwoche"],
    counts: [
      {
        says: "{holder} beschäftigt {value} Menschen.",
        asks: "Wie viele Menschen beschäftigt {holder}?",
        asked: "Wie viele Menschen beschäftigte {holder}{time}?"
      },
      {
        says: "Für {holder} arbeiten {value} Menschen.",
        asks: "Wie viele Menschen arbeiten für {holder}?",
        asked: "Wie viele Menschen arbeiteten{time} für {holder}?"
      }
    ],
    holders: ["Töpferei Tarn", "Archiv Wexheim"],
    people: ["Odile Marsch", "Pieter Vonk", "Nadja Holm", "Ruben Kastell"],
    person: [
      {
        says: "{new} hat die {office} im {month} übernommen; bis dahin wurde sie von {old} geführt.",
        asks: "Wer führt die {office}?",
        asked: "Wer führte die {office} im Jahr {year}?",
        before: "Wer führte die {office} vor {new}?"
      },
      {
        says: "Die {office} wurde bis {month} von {old} betreut, seit {month} wird sie von {new} betreut.",
        asks: "Wer betreut die {office}?",
        asked: "Wer betreute die {office} {year}?",
        before: "Wer betreute die {office} vor {new}?"
      }
    ],
    offices: ["Kartensammlung", "Glasurwerkstatt"],
    yearly: [
      { says: "Besucher {year}: {value}.", asked: "Wie viele Besucher kamen {year}?" },
      {
        says: "Das Museum begrüßte {year} {value} Besucher.",
        asked: "Wie viele Besucher begrüßte das Museum {year}?"
      }
    ],
    inTime: [" im {month}", " damals im {month}"],
    before: " zuvor",
    version: " nach dem Stand von Version {version}",
    changes: ["Welche Änderungen gab es bei der {thing}?", "Was ist neu bei der {thing}?"],
    fillers: [
      "Der Garten ist ganzjährig geöffnet.",
      "Gruppen melden sich bitte vorher an.",
      "Fotografieren ist ohne Blitz erlaubt."
    ]
  },
  es: {
    prices: [
      {
        says: "Por una {thing}, los socios pagan {value} EUR.",
        asks: "¿Cuánto pagan los socios por una {thing}?",
        asked: "¿Cuánto pagaban los socios por una {thing}{time}?"
      },
      {
        says: "La tarifa de una {thing} asciende a {value} EUR.",
        asks: "¿A cuánto asciende la tarifa de una {thing}?",
        asked: "¿A cuánto ascendía la tarifa de una {thing}{time}?"
      }
    ],
    things: ["visita guiada", "tarjeta de lectura", "hornada", "semana de taller"],
    counts: [
      {
        says: "{holder} emplea a {value} personas.",
        asks: "¿A cuántas personas emplea {holder}?",
        asked: "¿A cuántas personas empleaba {holder}{time}?"
      },
      {
        says: "En {holder} trabajan {value} personas.",
        asks: "¿Cuántas personas trabajan en {holder}?",
        asked: "¿Cuántas personas trabajaban en {holder}{time}?"
      }
    ],
    holders: ["Alfarería Tarna", "el Archivo Vescomba"],
    people: ["Odila Marchena", "Pedro Vónquez", "Nadia Olmo", "Rubén Castell"],
    person: [
      {
        says: "{new} se hizo cargo de la {office} en {month}; hasta entonces la llevaba {old}.",
        asks: "¿Quién lleva la {office}?",
        asked: "¿Quién llevaba la {office} en {year}?",
        before: "¿Quién llevaba la {office} antes de {new}?"
      },
      {
        says: "La {office} fue gestionada por {old} hasta {month} y es gestionada por {new} desde {month}.",
        asks: "¿Quién gestiona la {office}?",
        asked: "¿Quién gestionaba la {office} en {year}?",
        before: "¿Quién gestionaba la {office} antes de {new}?"
      }
    ],
    offices: ["mapoteca", "sala de esmaltes"],
    yearly: [
      { says: "Visitantes en {year}: {value}.", asked: "¿Cuántos visitantes hubo en {year}?" },
      {
        says: "Durante {year} el museo recibió {value} visitantes.",
        asked: "¿Cuántos visitantes recibió el museo en {year}?"
      }
    ],
    inTime: [" en {month}", " allá por {month}"],
    before: " anteriormente",
    version: " según la versión {version}",
    changes: ["¿Qué ha cambiado en la {thing}?", "¿Qué hay de nuevo en la {thing}?"],
    fillers: [
      "El jardín abre todo el año.",
      "Los grupos deben escribir antes.",
      "Se puede fotografiar sin flash."
    ]
  }
}
