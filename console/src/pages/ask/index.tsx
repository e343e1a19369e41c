import type { ReactNode } from "react"
import { Page } from "../../components/page.js"
import { EmptyState } from "../../components/states.js"
import { strings } from "../../strings.js"

const AskPage = (): ReactNode => (
  <Page title={strings.nav.ask}>
    <EmptyState />
  </Page>
)

export default AskPage
