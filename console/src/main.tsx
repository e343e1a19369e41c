import "../../react/style.css"
import "./theme.css"
import "./pages.css"
import { StrictMode } from "react"
import { createRoot } from "react-dom/client"
import { App } from "./app.js"

// The entry point of the console: shows the application in the page.

const place = document.getElementById("root")
if (place === null) throw new Error("index.html has no #root.")
createRoot(place).render(
  <StrictMode>
    <App />
  </StrictMode>
)
