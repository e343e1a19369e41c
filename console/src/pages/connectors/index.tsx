import type { ReactNode } from "react"
import { Page } from "../../components/page.js"
import { EmptyState } from "../../components/states.js"
import { strings } from "../../strings.js"

const ConnectorsPage = (): ReactNode => (
  <Page title={strings.nav.connectors}>
    <EmptyState />
  </Page>
)

export default ConnectorsPage
