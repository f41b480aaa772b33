// Czech of the analysis of a game: marks of turns, better turns, the engine, the report.
export const analysis = {
  'Good turn': 'Dobrý tah',
  Inaccuracy: 'Nepřesnost',
  Mistake: 'Chyba',
  Blunder: 'Hrubá chyba',
  '{you, select, yes {Your} other {{who}’s}} turn is better than the best turn of the bot by {points} ± {error} points.':
    '{you, select, yes {Tvůj tah} other {{who}: tah}} je o {points} ± {error} p. b. lepší než nejlepší tah bota.',
  '{you, select, yes {Your} other {{who}’s}} {kind, select, inaccuracy {inaccuracy} mistake {mistake} other {blunder}}: win probability {played} instead of {better}.':
    '{you, select, yes {Tvoje} other {{who} –}} {kind, select, inaccuracy {nepřesnost} mistake {chyba} other {hrubá chyba}}: šance na výhru {played} místo {better}.',
  '{you, select, yes {You made} other {{who} made}} no clear mistake: win probability {played}, with the best known turn {better}; a difference of {points} ± {error} points.':
    '{you, select, yes {Nemáš žádnou jasnou chybu} other {{who} – žádná jasná chyba}}: šance na výhru {played}, s nejlepším známým tahem {better}; rozdíl {points} ± {error} p. b.',
  '{you, select, yes {You made} other {{who} made}} no clear mistake: no other known turn is clearly better.':
    '{you, select, yes {Nemáš žádnou jasnou chybu} other {{who} – žádná jasná chyba}}: žádný jiný známý tah není jasně lepší.',
  '{you, select, yes {You made} other {{who} made}} no clear mistake.': '{you, select, yes {Nemáš žádnou jasnou chybu.} other {{who} – žádná jasná chyba.}}',
  'Looking for {you, select, yes {your } other {}}mistakes …': 'Hledám {you, select, yes {tvoje } other {}}chyby …',
  '{you, select, yes {You made} other {{who} made}} no clear mistake in this game.': '{you, select, yes {V této hře nemáš žádnou jasnou chybu.} other {{who} – v této hře žádná jasná chyba.}}',
  'No player made a clear mistake in this game.': 'V této hře nemá žádný hráč jasnou chybu.',
  'No player made a clear mistake.': 'Žádný hráč nemá jasnou chybu.',
  'Mean over the dice, against the orders that {you, select, yes {you} others {the others} other {{who}}} really gave. A hint during the game does not know these orders.':
    'Průměr přes kostky, proti rozkazům, které {you, select, yes {jsi opravdu zadal ty} others {opravdu zadali ostatní} other {opravdu zadal hráč {who}}}. Nápověda během hry tyto rozkazy nezná.',
  'The better turn differs only in the deployed armies.': 'Lepší tah se liší jen nasazenými armádami.',
  'The better turn differs only in the order of the moves.': 'Lepší tah se liší jen pořadím přesunů.',
  'The better turn is the same without the {kind, select, attack {attack} other {move}} from {source} to {target}.':
    'Lepší tah je stejný, jen bez {kind, select, attack {útoku} other {přesunu}} z {source} do {target}.',
  'The better turn is the same with one more {kind, select, attack {attack} other {move}}: from {source} to {target} with {armies, plural, one {# army} other {# armies}}.':
    'Lepší tah je stejný, jen navíc {kind, select, attack {útočí} other {přesouvá}} z {source} do {target} s {armies, plural, one {# armádou} few {# armádami} many {# armády} other {# armádami}}.',
  'The better turn differs only in the {kind, select, attack {attack} other {move}} from {source} to {target}: {armies, plural, one {# army} other {# armies}} instead of {was}.':
    'Lepší tah se liší jen {kind, select, attack {útokem} other {přesunem}} z {source} do {target}: {armies, plural, one {# armáda} few {# armády} many {# armády} other {# armád}} místo {was}.',
  '{rounds, plural, one {One round} other {# rounds}} later, {you, select, yes {you hold} other {{who} holds}} {region} in {better} of the simulated games with the better turn, in {played} with the played turn.':
    '{rounds, plural, one {O jedno kolo} few {O # kola} many {O # kola} other {O # kol}} později {you, select, yes {držíš} other {{who} drží}} území {region} v {better} simulovaných her po lepším tahu, v {played} po zahraném.',
  '{rounds, plural, one {One round} other {# rounds}} later, {you, select, yes {you hold} other {{who} holds}} all of {bonus} (+{income}) in {better} of the simulated games with the better turn, in {played} with the played turn.':
    '{rounds, plural, one {O jedno kolo} few {O # kola} many {O # kola} other {O # kol}} později {you, select, yes {držíš} other {{who} drží}} celý kontinent {bonus} (+{income}) v {better} simulovaných her po lepším tahu, v {played} po zahraném.',
  '{rounds, plural, one {One round} other {# rounds}} later, {you, select, yes {you have} other {{who} has}} {armies} more armies on average with the better turn.':
    '{rounds, plural, one {O jedno kolo} few {O # kola} many {O # kola} other {O # kol}} později {you, select, yes {máš} other {má {who}}} po lepším tahu v průměru o {armies} armády víc.',
  '{rounds, plural, one {One round} other {# rounds}} later, {you, select, yes {you have} others {the others have} other {{who} has}} {armies} fewer armies on average with the better turn.':
    '{rounds, plural, one {O jedno kolo} few {O # kola} many {O # kola} other {O # kol}} později {you, select, yes {máš} others {mají ostatní} other {má {who}}} po lepším tahu v průměru o {armies} armády méně.',
  'The attack on {region} with {armies, plural, one {# army} other {# armies}} had a chance of {chance} against the {there, plural, one {# army} other {# armies}} there. {who} deployed {more} more: the chance was {defended}.':
    'Útok na území {region} s {armies, plural, one {# armádou} few {# armádami} many {# armády} other {# armádami}} měl šanci {chance}, když tam {there, plural, one {byla # armáda} few {byly # armády} many {bylo # armády} other {bylo # armád}}. Hráč {who} tam ale nasadil ještě {more}: šance byla {defended}.',
  'The attack on {region} with {armies, plural, one {# army} other {# armies}} had only a chance of {chance}.':
    'Útok na území {region} s {armies, plural, one {# armádou} few {# armádami} many {# armády} other {# armádami}} měl šanci jen {chance}.',
  'The better turn holds {bonus} (+{income}) after the round in {better} of cases, the played turn in {played}.':
    'Lepší tah drží po kole {bonus} (+{income}) v {better} případů, zahraný tah v {played}.',
  '{you, select, yes {You hold} other {{who} holds}} {bonus} (+{income}) after the better turn in {better} of cases, after the played turn in {played}.':
    '{you, select, yes {Držíš} other {{who} drží}} {bonus} (+{income}) po lepším tahu v {better} případů, po zahraném tahu v {played}.',
  'The better turn keeps {region} in {better} of cases, the played turn in {played}.': 'Lepší tah udrží {region} v {better} případů, zahraný tah v {played}.',
  'The better turn takes {region} in {better} of cases, the played turn in {played}.': 'Lepší tah dobude {region} v {better} případů, zahraný tah v {played}.',
  'After the better turn, {you, select, yes {you have} other {{who} has}} {armies} more armies on average.':
    'Po lepším tahu {you, select, yes {máš} other {má {who}}} v průměru o {armies} armády víc.',
  'After the better turn, {you, select, yes {you have} others {the others have} other {{who} has}} {armies} fewer armies on average.':
    'Po lepším tahu {you, select, yes {máš} others {mají ostatní} other {má {who}}} v průměru o {armies} armády méně.',
  'After the better turn, {armies} more armies are on {region} on average, next to {you, select, yes {your armies} other {armies of {who}}}.':
    'Po lepším tahu je na území {region} v průměru o {armies} armády víc, vedle {you, select, yes {tvých armád} other {armád hráče {who}}}.',
  'Right after the round, no single difference is clear: small differences add up.': 'Hned po kole není zřejmý žádný jednotlivý rozdíl: malé rozdíly se sčítají.',
  'The dice were bad for {you, select, yes {you} other {{who}}}: the battle from {source} to {target} cost {armies} armies more than expected.':
    '{you, select, yes {Měl jsi smůlu} other {{who} – smůla}} na kostky: boj z {source} do {target} stál o {armies} armády víc, než se čekalo.',
  'The dice were bad for {you, select, yes {you} other {{who}}}: the attack from {source} to {target} had a chance of {outcome, select, captured {only {chance} and succeeded} other {{chance} and failed}}. The battle cost {armies} armies more than expected.':
    '{you, select, yes {Měl jsi smůlu} other {{who} – smůla}} na kostky: útok z {source} do {target} měl šanci {outcome, select, captured {jen {chance} a vyšel} other {{chance} a nevyšel}}. Boj stál o {armies} armády víc, než se čekalo.',
  'No single battle was very unlucky for {you, select, yes {you} other {{who}}}, but the random order of all moves and the other dice were bad.':
    '{you, select, yes {Pro tebe} other {{who}:}} žádný jednotlivý boj nebyl velká smůla, ale nevýhodné bylo náhodné pořadí všech přesunů a ostatní kostky.',
  '{who} lost {regions} to {takers}, with the bonus of {bonuses}.': '{who} – ztráta území {regions} (ve prospěch: {takers}), s bonusem {bonuses}.',
  '{who} lost {regions} to {takers}.': '{who} – ztráta území {regions} (ve prospěch: {takers}).',
  'the others': 'ostatní',
  '{who} lost no region, but the orders of {you, select, yes {you} others {the others} other {{rival}}} were better than those in the simulated games.':
    '{who} – žádné ztracené území, ale rozkazy {you, select, yes {tvoje} others {ostatních} other {hráče {rival}}} byly lepší než rozkazy v simulovaných hrách.',
  '{who} lost no region, but {rival} took {taken, plural, one {# region} other {# regions}} and now holds all of {bonuses}.':
    '{who} – žádné ztracené území, ale {rival} získal {taken, plural, one {# území} few {# území} many {# území} other {# území}} a teď drží celý kontinent {bonuses}.',
  '{who} lost no region, but {rival} took {taken, plural, one {# region} other {# regions}}.':
    '{who} – žádné ztracené území, ale {rival} získal {taken, plural, one {# území} few {# území} many {# území} other {# území}}.',
  'The win probability of {who} rose by {points} points.': 'Šance na výhru: {who} o {points} p. b. víc.',
  '{n, plural, one {# more} other {# more}}': '{n, plural, one {# další} few {# další} many {# dalšího} other {# dalších}}',

  '100 % means that no better turns are known; 0 % means that the turns were no better than turns without orders. A turn counts more if it could change the win probability more.':
    '100 % znamená, že žádné lepší tahy nejsou známé; 0 % znamená, že tahy nebyly lepší než tahy bez rozkazů. Tah má tím větší váhu, čím víc mohl změnit šanci na výhru.',
  '± 95 %': '± 95 %',
  'The number after ± is half the width of the 95 % interval: with a probability of 95 %, the exact value is at most this far away. More simulated games make it smaller.':
    'Číslo za ± je polovina šířky 95% intervalu: s pravděpodobností 95 % není přesná hodnota dál než tolik. Víc simulovaných her ho zmenší.',
  '?! inaccuracy: from 5 points of win probability lost; ? mistake: from 10; ?? blunder: from 15.': '?! nepřesnost: ztráta od 5 p. b. šance na výhru; ? chyba: od 10; ?? hrubá chyba: od 15.',
  'Accuracy and luck': 'Přesnost a štěstí',
  'Losses, regions, income': 'Ztráty, území, příjem',

  win: 'výhra',

  'Bot for analysis': 'Bot pro rozbor',
  Analysis: 'Rozbor tahů',
  'Progress of the analysis': 'Postup rozboru',
  'No analysis: {reason}': 'Rozbor není: {reason}',
  'Better: {orders}.': 'Lepší: {orders}.',
  'Best turn found: {orders}.': 'Nejlepší nalezený tah: {orders}.',
  'Show on the map': 'Ukázat na mapě',
  'The bot calculated for {seconds} s per turn, with {games} simulated games for the value of each turn.':
    'Bot počítal {seconds} s na tah; hodnota každého tahu je z tolika simulovaných her: {games}.',
  Numbers: 'Čísla',
  preliminary: 'předběžně',
  'First estimate; the bot is still calculating.': 'První odhad; bot ještě počítá.',
  'Show the newest result': 'Ukázat nejnovější výsledek',
  'The bot still looks for better turns: the result may change.': 'Bot ještě hledá lepší tahy: výsledek se může změnit.',
  'The analysis knows the orders that the others really gave. A hint during the game does not know them.':
    'Rozbor zná rozkazy, které ostatní opravdu zadali. Nápověda během hry je nezná.',
  'no turn': 'bez tahu',
  'no turn was judged': 'žádný tah nebyl hodnocen',
  '{before} before the round; {others} by {rivals, select, yes {your} others {the others’} other {{rival}’s}} orders, {own} by {side, select, yes {your} other {{who}’s}} turn, {dice} by the dice: {after} after it.':
    '{before} před kolem; {others} {rivals, select, yes {tvými rozkazy} others {rozkazy ostatních} other {rozkazy hráče {rival}}}, {own} {side, select, yes {tvým tahem} other {tahem hráče {who}}}, {dice} kostkami: {after} po kole.',
  'Parts of the change': 'Části změny',
  'The win probability before a round assumes usual orders of all players. The orders of the others give a player points if they are worse than usual; this part also includes what the best known turn gains over a usual turn. The player’s own turn costs points if another known turn is better. The dice give or cost the rest. All values are rounded.':
    'Šance na výhru před kolem předpokládá obvyklé rozkazy všech hráčů. Když jsou rozkazy ostatních horší než obvykle, hráč body získá; tato část obsahuje i to, oč je nejlepší známý tah lepší než obvyklý. Když je jiný známý tah lepší, hráč svým tahem body ztratí. Zbytek přinesou nebo vezmou kostky. Všechny hodnoty jsou zaokrouhlené.',
  'As a mean over the dice, and against the orders that the others really gave: {played} after the played turn, {better} after the better turn.':
    'V průměru přes kostky a proti rozkazům, které ostatní opravdu zadali: {played} po zahraném tahu, {better} po lepším tahu.',
  'The difference is {points} ± {error} points of win probability.': 'Rozdíl je {points} ± {error} p. b. šance na výhru.',
  'The bot is analysing this round …': 'Bot toto kolo právě rozebírá …',

  Mistakes: 'Chyby',
  Previous: 'Předchozí',
  'Previous mistake': 'Předchozí chyba',
  'Previous mistake (Shift+B)': 'Předchozí chyba (Shift+B)',
  'Next mistake': 'Další chyba',
  'Next mistake (B)': 'Další chyba (B)',
  'next, previous mistake': 'další, předchozí chyba',
  'Searching …': 'Hledá se …',
  'This server offers no bot that can analyse this game. To analyse it, open its log in “warlight play”.':
    'Tento server nenabízí žádného bota, který by tuto hru mohl rozebrat. Rozbor: otevři záznam hry ve „warlight play“.',
  'To analyse the game, open its log in “warlight play”': 'Rozbor hry: otevři její záznam ve „warlight play“',
  'An offline file without a report has no analysis': 'Tento soubor neobsahuje rozbor',
};
