const english = `a about above after again all also am an and any are as at be because been before being below
between both but by can could did do does doing down during each few for from further had has have having he her
here hers herself him himself his how i if in into is it its itself just me more most my myself no nor not of off
on once only or other our ours ourselves out over own per same she should so some such than that the their theirs them
themselves then there these they this those through to too under until up very was we were what when where which
while who whom why will with would you your yours yourself yourselves
arent cant couldnt didnt doesnt dont hadnt hasnt havent isnt shouldnt wasnt werent wont wouldnt`

/** Function words of German, French and Spanish that are not English words, folded by `foldRun`. */
const german = `aber als auch auf aus bei beim das dem den der des diese diesem diesen dieser dieses durch ein eine einem
einen einer eines fur gibt hat ich ihr ihre im ist kann kein keine mit muss nach nicht oder ohne seit sich sie sind
uber und unser unsere vom von vor wann warum welche welchem welchen welcher welches wenn wer werden wie wieviel wir wird
wurde zu zum zur`

const french = `au aux avec ce ces cet cette combien dans dont du elle est et etre il ils je la le les leur mais ne nous
ou par pas pourquoi quand que quel quelle quelles quels qui sa se ses sont sur une vous y`

const spanish = `como con cual del el en entre esta este fue ha los las lo muy para pero por porque sin su sus un una uno`

/** Snowball's list for Russian, with е for ё. */
const russian = `без более больше будет будто бы был была были было быть вам вас ведь во вот все всего всех вы где да даже
для до его ее ей ему если есть еще же за из или им их как какая какие какой какого когда кого кто куда ли либо между меня
мне может можно мой мы на надо нас не него нее ней нет ни них но ну об он она они от очень по под после потому почему при
про раз с сам свое своего своей свой свою сколько со так также такой там тебя тем то тогда того тоже только том тот тут ты
у уже хотя чего чей чем что чтобы чье эта эти это этого этой этом этот эту я и а в к о`

const wordsOf = (list: string): ReadonlySet<string> => new Set(list.split(/\s+/u))

/** Function words that identify the language of a question; no word is in two of the lists. */
export const functionWords = { en: wordsOf(english), de: wordsOf(german), fr: wordsOf(french) } as const

/** Stop words in folded form. They are indexed, but omitted from queries with other words. */
export const stopWords: ReadonlySet<string> = wordsOf(`${english} ${german} ${french} ${spanish} ${russian}`)
