import type { ReactNode } from "react"
import { Link } from "wouter"
import { Page } from "../components/page.js"
import { EmptyState } from "../components/states.js"
import { strings } from "../strings.js"

/** Page for an address that the console does not have. */
export const NotFound = (): ReactNode => (
  <Page title={strings.shell.notFound}>
    <EmptyState title={strings.shell.notFoundHint}>
      <Link href="/" className="button plain">
        {strings.shell.toAsk}
      </Link>
    </EmptyState>
  </Page>
)
