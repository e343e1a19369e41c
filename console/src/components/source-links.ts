import { useMemo } from "react"
import { useLocation, useRouter } from "wouter"
import type { SourceViewProps } from "../../../react/index.js"
import { basePath } from "../api/connection.js"
import { useSession } from "../api/session.js"
import { strings } from "../strings.js"

type SourceLinks = Required<Pick<SourceViewProps, "frontMatterLabel" | "imageUrl" | "linkUrl" | "onNavigate">>

/** Where the session reads a file of the vault: an image, or the original of a document as a download. */
export const fileUrl = (workspaceId: string, path: string): string =>
  `${basePath}/console/files/${workspaceId}/${path.split("/").map(encodeURIComponent).join("/")}`

const fileOf = (source: string): string | null =>
  source.startsWith("files?") ? new URLSearchParams(source.slice("files?".length)).get("path") : null

/** What rendered documents need beside their text: images of the vault by the session, links to other documents within the console. */
export const useSourceLinks = (): SourceLinks => {
  const [, go] = useLocation()
  const { base } = useRouter()
  const { workspaceId } = useSession()
  return useMemo(
    () => ({
      frontMatterLabel: strings.source.properties,
      imageUrl: (source) => {
        const path = fileOf(source)
        return path === null ? null : fileUrl(workspaceId, path)
      },
      linkUrl: (target) => (/^(?:documents|entities)\/[\w-]+/.test(target) ? `${base}/${target}` : null),
      onNavigate: (url) => go(url.slice(base.length))
    }),
    [base, go, workspaceId]
  )
}
