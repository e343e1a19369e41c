import { useMemo } from "react"
import { useLocation, useRouter } from "wouter"
import type { SourceViewProps } from "../../../react/index.js"
import { basePath } from "../api/connection.js"

type SourceLinks = Required<Pick<SourceViewProps, "imageUrl" | "linkUrl" | "onNavigate">>

/** Addresses in rendered documents: images of the vault by the session, links to other documents within the console. */
export const useSourceLinks = (): SourceLinks => {
  const [, go] = useLocation()
  const { base } = useRouter()
  return useMemo(
    () => ({
      imageUrl: (source) => (source.startsWith("console/files/") ? `${basePath}/${source}` : null),
      linkUrl: (target) => (/^(?:documents|entities)\/[\w-]+/.test(target) ? `${base}/${target}` : null),
      onNavigate: (url) => go(url.slice(base.length))
    }),
    [base, go]
  )
}
