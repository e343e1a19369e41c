import type { ReactNode } from "react"
import { Page } from "../../components/page.js"
import { EmptyState } from "../../components/states.js"
import { strings } from "../../strings.js"

const SettingsPage = (): ReactNode => (
  <Page title={strings.nav.settings}>
    <EmptyState />
  </Page>
)

export default SettingsPage
