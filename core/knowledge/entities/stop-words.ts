/** Function words and keywords of RFC 2119, folded. */
const words = `a about above after again all also although am an and any are as at be because been before being
below between both but by can cannot could did do does doing down during each either else etc even every few for
from further get had has have having he hence her here hers him his how however i if in into is it its itself just
let like may me might more most must my near no none nor not note now of off often on once one only or other
otherwise our out over own per please rather same see shall she should since so some such than that the their them
then there therefore these they this those though through thus to too under unless until up upon us use used using
very via was we were what when whenever where whereas whether which while who whom whose why will with within
without would yes yet you your
ab aber alle als am an auch auf aus bei beim bis da das dass dem den denn der des die dies diese dieser dieses doch
du durch ein eine einem einen einer eines er es für gegen hat hier ich ihr ihre im in ist ja jede jeder kann kein
keine man mit muss nach nicht noch nun nur ob oder ohne sein seine sich sie sind so soll um und uns unter vom von
vor war was wenn wer werden wie wir wird wo zu zum zur über
au aux avec ce ces cette dans de du elle est et il ils je la le les leur mais ne nous ou où par pas pour qui que sa
se ses son sont sur un une vous como con cual del el en entre es esta este la las lo los más muy no para pero por
porque se sin su sus un una uno y ya
required recommended optional true false null todo tbd`

/** Stop words in English, German, French and Spanish, folded; none of them alone is an entity name. */
export const stopWords: ReadonlySet<string> = new Set(words.split(/\s+/u))
