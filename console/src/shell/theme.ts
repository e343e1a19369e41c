import { useEffect, useState } from "react"

export type Theme = "system" | "light" | "dark"
const slot = "kanon.theme"

const kept = (): Theme => {
  const theme = localStorage.getItem(slot)
  return theme === "light" || theme === "dark" ? theme : "system"
}

/** The chosen theme; `theme.css` reads `data-theme` of the document. */
export const useTheme = (): readonly [Theme, (theme: Theme) => void] => {
  const [theme, setTheme] = useState<Theme>(kept)
  useEffect(() => {
    if (theme === "system") delete document.documentElement.dataset["theme"]
    else document.documentElement.dataset["theme"] = theme
  }, [theme])
  return [
    theme,
    (next) => {
      localStorage.setItem(slot, next)
      setTheme(next)
    }
  ]
}
