import type { ComponentType } from "react"

/** A page: its path for wouter, and its component. */
export interface PageRoute {
  readonly path: string | RegExp
  readonly page: ComponentType<{ readonly params: Readonly<Record<string, string | undefined>> }>
}
