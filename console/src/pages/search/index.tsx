import type { ReactNode } from "react"
import { Page } from "../../components/page.js"
import { EmptyState } from "../../components/states.js"
import { strings } from "../../strings.js"

const SearchPage = (): ReactNode => (
  <Page title={strings.nav.search}>
    <EmptyState />
  </Page>
)

export default SearchPage
