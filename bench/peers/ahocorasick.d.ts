declare module "ahocorasick" {
  export default class AhoCorasick {
    constructor(keywords: ReadonlyArray<string>)
    search(text: string): ReadonlyArray<readonly [end: number, keywords: ReadonlyArray<string>]>
  }
}
