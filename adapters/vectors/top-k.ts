import type { ScoredLabel } from "../../core/search/vectors/index.js"

/** Best first, equal scores by label. */
export const byScore = (a: ScoredLabel, b: ScoredLabel): number => b.score - a.score || a.label - b.label

/** Keeps the best of many scored labels: higher scores first, equal ones by label. A heap with the worst on top. */
export class TopK {
  readonly limit: number
  readonly #labels: Array<number> = []
  readonly #scores: Array<number> = []

  constructor(limit: number) {
    this.limit = limit
  }

  /** The least score that can still enter. */
  get bar(): number {
    return this.#labels.length < this.limit ? Number.NEGATIVE_INFINITY : (this.#scores[0] ?? 0)
  }

  add(label: number, score: number): void {
    const size = this.#labels.length
    if (size < this.limit) {
      this.#set(size, label, score)
      this.#up(size)
    } else if (size > 0 && this.#worse(this.#scores[0] ?? 0, this.#labels[0] ?? 0, score, label)) {
      this.#set(0, label, score)
      this.#down()
    }
  }

  /** Returns the kept labels, best first. */
  sorted(): ReadonlyArray<ScoredLabel> {
    return this.#labels.map((label, place) => ({ label, score: this.#scores[place] ?? 0 })).sort(byScore)
  }

  #set(place: number, label: number, score: number): void {
    this.#labels[place] = label
    this.#scores[place] = score
  }

  #worse(score: number, label: number, otherScore: number, otherLabel: number): boolean {
    return score < otherScore || (score === otherScore && label > otherLabel)
  }

  #worseAt(a: number, b: number): boolean {
    return this.#worse(this.#scores[a] ?? 0, this.#labels[a] ?? 0, this.#scores[b] ?? 0, this.#labels[b] ?? 0)
  }

  #swap(a: number, b: number): void {
    const [label, score] = [this.#labels[a] ?? 0, this.#scores[a] ?? 0]
    this.#set(a, this.#labels[b] ?? 0, this.#scores[b] ?? 0)
    this.#set(b, label, score)
  }

  #up(from: number): void {
    let place = from
    while (place > 0) {
      const parent = (place - 1) >> 1
      if (!this.#worseAt(place, parent)) return
      this.#swap(place, parent)
      place = parent
    }
  }

  #down(): void {
    const size = this.#labels.length
    let place = 0
    while (true) {
      const [left, right] = [2 * place + 1, 2 * place + 2]
      let worst = place
      if (left < size && this.#worseAt(left, worst)) worst = left
      if (right < size && this.#worseAt(right, worst)) worst = right
      if (worst === place) return
      this.#swap(place, worst)
      place = worst
    }
  }
}
