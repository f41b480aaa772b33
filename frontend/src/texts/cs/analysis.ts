// Czech of the analysis of a game: marks of turns, better turns, the engine, the report.
export const analysis = {
  'Good turn': 'Dobrý tah',
  Inaccuracy: 'Nepřesnost',
  Mistake: 'Chyba',
  Blunder: 'Hrubá chyba',
  'Better than the turn of the search by {points} ± {error} points.': 'Lepší než tah hledání o {points} ± {error} p. b.',
  '{mark}: {points} ± {error} points of win probability lost.': '{mark}: ztráta {points} ± {error} p. b. šance na výhru.',
  '{points} ± {error} points of win probability lost.': 'Ztráta {points} ± {error} p. b. šance na výhru.',
  'No known turn is certainly better.': 'Žádný známý tah není jistě lepší.',
  'The best known turn.': 'Nejlepší známý tah.',
  '{who} chose a weaker turn: the better turn moves {armies} from {source} to {target}.': '{who} – slabší tah: lepší tah přesouvá {armies} z {source} do {target}.',
  '{who} chose a weaker turn: the better turn puts {armies} more on {region}.': '{who} – slabší tah: lepší tah nasazuje na {region} o {armies} víc.',
  '{who} chose a weaker turn: the better turn does not move {armies} from {source} to {target}.': '{who} – slabší tah: lepší tah nepřesouvá {armies} z {source} do {target}.',
  '{who} chose a weaker turn: the better turn moves the armies in another number or order.': '{who} – slabší tah: lepší tah přesouvá armády v jiném počtu nebo pořadí.',
  'The dice were bad for {who}: the battle from {source} to {target} cost {lost} armies more than expected.':
    '{who} – smůla na kostky: boj z {source} do {target} stál o {lost} armády víc, než se čekalo.',
  'The dice were bad for {who}: the order of the moves was unlucky.': '{who} – smůla na kostky: pořadí přesunů nevyšlo.',
  'The other players had a strong turn and took {regions}, with the bonus of {bonuses}.': 'Ostatní hráli silný tah a vzali {regions}, s bonusem: {bonuses}.',
  'The other players had a strong turn and took {regions}.': 'Ostatní hráli silný tah a vzali {regions}.',
  'The other players had a strong turn: {who} lost no region, but its position became worse.': 'Ostatní hráli silný tah: {who} o žádné území nepřišel, ale pozice se zhoršila.',
  '{n, plural, one {# more} other {# more}}': '{n, plural, one {# další} few {# další} many {# dalšího} other {# dalších}}',

  'The part of the win probability at stake that the turns of a player kept. At stake is the difference between the best known turn and a turn without orders, so turns in decided positions have little weight.':
    'Část šance na výhru v sázce, kterou si hráč svými tahy udržel. V sázce je rozdíl mezi nejlepším známým tahem a tahem bez rozkazů, takže tahy v rozhodnutých pozicích mají malou váhu.',
  '± 95 %': '± 95 %',
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
  'Searched for {seconds} s per turn so far: the displayed round is searched for longer than the chosen time. {games} simulated games per value.':
    'Hledání zatím trvalo {seconds} s na tah: zobrazené kolo se hledá déle, než je zvolený čas. Na každou hodnotu {games} dohrávek.',
  'before and after the round, with the dice that were rolled': 'před kolem a po něm, s kostkami, které padly',
  'no turn': 'bez tahu',
  'no turn was judged': 'žádný tah nebyl hodnocen',
  'Win probability after the round, as a mean over the dice and against the orders that the others really gave: {played} after the played turn, {better} after the better turn.':
    'Šance na výhru po kole, v průměru přes kostky a proti rozkazům, které ostatní opravdu zadali: {played} po zahraném tahu, {better} po lepším tahu.',
  'The round went well ({before} → {after}), but a better turn was possible.': 'Kolo dopadlo dobře ({before} → {after}), ale byl možný lepší tah.',
  'The attack on {region} with {armies} takes it in {chance} of cases; only in {defended} if {who} deploys {more} there.':
    'Útok na {region} s {armies} uspěje v {chance} případů; jen v {defended}, když tam {who} nasadí {more}.',
  'The attack on {region} with {armies} takes it in only {chance} of cases.': 'Útok na {region} s {armies} uspěje jen v {chance} případů.',
  'The search is analysing this round …': 'Toto kolo se právě rozebírá …',

  Mistakes: 'Chyby',
  Previous: 'Předchozí',
  'Previous mistake': 'Předchozí chyba',
  'Previous mistake (Shift+B)': 'Předchozí chyba (Shift+B)',
  'Next mistake': 'Další chyba',
  'Next mistake (B)': 'Další chyba (B)',
  'next, previous mistake': 'další, předchozí chyba',
  'Searching …': 'Hledá se …',
  'To analyse the game, open its log in “warlight play”': 'Rozbor hry: otevři její záznam ve „warlight play“',
  'An offline file without a report has no analysis': 'Soubor bez rozboru ho bez serveru nemá',
};
