/** Returns a function that makes a value on its first call: for tables that most processes never need. */
export const once = <A extends object>(make: () => A): (() => A) => {
  let made: A | undefined
  return () => {
    made ??= make()
    return made
  }
}
