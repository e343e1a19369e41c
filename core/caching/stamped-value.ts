/** Number of workspaces whose values are cached; the least recently set is evicted. */
const workspacesMax = 64

/** Caches one value per workspace, valid for one stamp. */
export class StampedValue<Value> {
  readonly #values = new Map<string, { readonly stamp: string; readonly value: Value }>()

  /** Returns the value if the stamp is unchanged; undefined without a stamp. */
  get(workspace: string, stamp: string | null): Value | undefined {
    const cached = this.#values.get(workspace)
    return stamp !== null && cached?.stamp === stamp ? cached.value : undefined
  }

  set(workspace: string, stamp: string | null, value: Value): void {
    this.#values.delete(workspace)
    if (stamp === null) return
    this.#values.set(workspace, { stamp, value })
    if (this.#values.size <= workspacesMax) return
    for (const oldest of this.#values.keys()) {
      this.#values.delete(oldest)
      return
    }
  }
}
