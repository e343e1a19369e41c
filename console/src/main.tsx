import "../../react/style.css"
import "./theme.css"
import "./pages.css"
import { addWords, beginIn, wantedLanguage } from "./language.js"

// The entry point of the console: finds the language, then loads the application, whose texts are made as it loads.

const start = async (): Promise<void> => {
  const language = wantedLanguage()
  beginIn(language)
  if (language === "de") {
    try {
      addWords(await import("./strings/de/first.js"))
    } catch {
      // Without its texts the page is English rather than empty.
      beginIn("en")
    }
  }
  const { show } = await import("./app.js")
  show()
}

void start()
