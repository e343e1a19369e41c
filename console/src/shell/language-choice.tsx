import type { ReactNode } from "react"
import { chooseLanguage, chosenLanguage, type Language, languages } from "../language.js"
import { strings } from "../strings.js"

const texts = strings.shell
const known = Object.keys(languages) as ReadonlyArray<Language>

/** Chooses the language of the page in this browser. */
export const LanguageChoice = (): ReactNode => (
  <label>
    <span className="visually-hidden">{texts.language}</span>
    <select
      data-testid="language"
      value={chosenLanguage() ?? ""}
      onChange={(event) => chooseLanguage(known.find((one) => one === event.target.value) ?? null)}
    >
      <option value="">{texts.languageOfBrowser}</option>
      {known.map((one) => (
        <option key={one} value={one} lang={one}>
          {languages[one]}
        </option>
      ))}
    </select>
  </label>
)
