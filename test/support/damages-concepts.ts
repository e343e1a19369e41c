import { type Damage, run } from "./harm.js"

/** Every kind of damage to what is kept of concepts. */
export const conceptDamages: ReadonlyArray<Damage> = [
  [
    "concepts_stray",
    "concepts of nobody",
    run(
      `insert into concept select id, 'ent_00000000000000000000000000', 'https://example.org/crane',
        '{"schemes":[],"topOf":[],"nameLanguage":null,"described":null,"texts":[]}' from workspace`
    )
  ]
]
