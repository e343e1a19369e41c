import type { ReactNode } from "react"
import { Page } from "../../components/page.js"
import { EmptyState } from "../../components/states.js"
import { strings } from "../../strings.js"

const EntitiesPage = (): ReactNode => (
  <Page title={strings.nav.entities}>
    <EmptyState />
  </Page>
)

export default EntitiesPage
