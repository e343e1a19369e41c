const english = `a about above after again all also am an and any are as at be because been before being below
between both but by can could did do does doing down during each few for from further had has have having he her
here hers herself him himself his how i if in into is it its itself just me more most my myself no nor not of off
on once only or other our ours ourselves out over own same she should so some such than that the their theirs them
themselves then there these they this those through to too under until up very was we were what when where which
while who whom why will with would you your yours yourself yourselves
arent cant couldnt didnt doesnt dont hadnt hasnt havent isnt shouldnt wasnt werent wont wouldnt`

/** Function words of German, French and Spanish that are no English words, folded as `foldTerm` folds. */
const others = `aber als auch auf aus bei das dem der des durch ein eine einem einen einer eines fur hat ich im ist
kann mit nach nicht oder sich sie sind uber und vom von wenn werden wie wird wurde zu zum zur
au aux avec ce ces cette dans du elle est et etre il ils je la le les leur mais ne nous ou par pas que qui sa se
ses sont sur une vous y
como con cual del el en entre esta este fue ha los las lo muy para pero por porque sin su sus un una uno`

/** Words that carry no topic, in folded form. They are indexed, but a query of other words leaves them out. */
export const stopWords: ReadonlySet<string> = new Set(`${english} ${others}`.split(/\s+/u))
