// Czech of hints in sentences, of goals, and of words about bots that are explained where they stand.
export const hints = {
  'No hint: {reason}': 'Nápověda není: {reason}',
  'The bot chose the first turn. The win probabilities come from quick simulated games, so another turn can have a higher one.':
    'První tah zvolil bot. Šance na výhru jsou z rychlých simulovaných her, a tak může mít jiný tah vyšší.',
  'Hint in words': 'Nápověda slovy',
  'What to do': 'Co udělat',
  'Where to look': 'Kam se podívat',
  'Copy to my orders': 'Zkopírovat do mých rozkazů',
  'Wait: no attack and no deploy is useful now.': 'Počkej: žádný útok ani nasazení se teď nevyplatí.',
  'together with {others}, it completes {of} (+{bonus})': 'spolu s územími {others} doplní kontinent {of} (+{bonus})',
  'it completes {of} (+{bonus})': 'doplní kontinent {of} (+{bonus})',
  '{who} loses the bonus of {of} (−{bonus})': 'hráč {who} přijde o bonus kontinentu {of} (−{bonus})',
  'it is the last region of {who}': 'je to poslední území hráče {who}',
  '{who} loses a region': 'hráč {who} přijde o území',
  '{you, select, yes {you then hold} other {{who} then holds}} {held} of the {all} regions of {of}':
    '{you, select, yes {pak držíš} other {{who} pak drží}} {held} z {all} území kontinentu {of}',
  'the armies there are hidden': 'armády tam nejsou vidět',
  'the armies come from {n} regions': 'armády přijdou z {n} území',
  '{region}: {reasons}': '{region}: {reasons}',
  'Take {region} with {n, plural, one {# army} other {# armies}}: {reasons}.':
    'Dobyj území {region} {n, plural, one {# armádou} few {# armádami} many {# armády} other {# armádami}}: {reasons}.',
  'the defender loses {killed} of {armies, plural, one {# army} other {# armies}} on average':
    'obránce ztratí v průměru {killed} z {armies, plural, one {# armády} few {# armád} many {# armády} other {# armád}}',
  'the defender loses almost no armies': 'obránce neztratí skoro žádné armády',
  'Attack {region} with {n, plural, one {# army} other {# armies}}: {reasons}.':
    'Zaútoč na území {region} {n, plural, one {# armádou} few {# armádami} many {# armády} other {# armádami}}: {reasons}.',
  '{region}: an attack kills some of the armies there': '{region}: útok tam zničí část armád',
  'Deploy {n} on {region} for the {count, plural, one {attack} other {attacks}} on {targets}.':
    'Nasaď {n} na území {region} k {count, plural, one {útoku} few {útokům} many {útoku} other {útokům}} na {targets}.',
  '{region}: from there you can attack {targets}': '{region}: odtud lze zaútočit na {targets}',
  '{enemies, plural, one {one enemy army is} other {# enemy armies are}} next to it':
    '{enemies, plural, one {sousedí s ním jedna nepřátelská armáda} few {sousedí s ním # nepřátelské armády} many {sousedí s ním # nepřátelské armády} other {sousedí s ním # nepřátelských armád}}',
  '{enemies, plural, one {one enemy army is} other {# enemy armies are}} next to it, and up to {more} more can be deployed there':
    '{enemies, plural, one {sousedí s ním jedna nepřátelská armáda} few {sousedí s ním # nepřátelské armády} many {sousedí s ním # nepřátelské armády} other {sousedí s ním # nepřátelských armád}} a soupeř tam může nasadit až {more, plural, one {# další} few {# další} many {# další} other {# dalších}}',
  'it protects the bonus of {of} (+{bonus})': 'chrání bonus kontinentu {of} (+{bonus})',
  'Deploy {n} on {region} to defend it: {reasons}.': 'Nasaď {n} na území {region} k obraně: {reasons}.',
  'Deploy {n} on {region}: armies move from there to {targets}.': 'Nasaď {n} na území {region}: armády odtud jdou na území {targets}.',
  '{region}: armies move from there to {targets}': '{region}: armády odtud jdou na území {targets}',
  'Deploy {n} on {region} for the next round.': 'Nasaď {n} na území {region} na příští kolo.',
  '{region}: armies for the next round': '{region}: armády na příští kolo',
  'If armies are left on {from}, they move to {to}.': 'Zbudou-li na území {from} armády, přejdou na území {to}.',
  'If armies are left on {from}, they attack {to}.': 'Zbudou-li na území {from} armády, zaútočí na území {to}.',
  '{you, select, yes {you hold} other {{who} holds}} all neighbours of {from}':
    '{you, select, yes {držíš} other {{who} drží}} všechny sousedy území {from}',
  '{enemies, plural, one {one enemy army is} other {# enemy armies are}} next to {to}':
    's územím {to} {enemies, plural, one {sousedí jedna nepřátelská armáda} few {sousedí # nepřátelské armády} many {sousedí # nepřátelské armády} other {sousedí # nepřátelských armád}}',
  'armies gather there for later attacks': 'armády se tam shromáždí k dalším útokům',
  'for the {count, plural, one {attack} other {attacks}} on {targets}':
    'k {count, plural, one {útoku} few {útokům} many {útoku} other {útokům}} na {targets}',
  'Move {n} from {from} to {to}: {why}.': 'Přesuň {n} z území {from} na území {to}: {why}.',
  '{from} to {to}: {why}': '{from} → {to}: {why}',
  '{kind, select, take {Take {region}} attack {Attack {region}} other {Hold {region}}}, which needs {armies, plural, one {# army} other {# armies}}: worth {worth}':
    '{kind, select, take {Dobýt {region}} attack {Zaútočit na {region}} other {Udržet {region}}}, na což je třeba {armies, plural, one {# armáda} few {# armády} many {# armády} other {# armád}}: vyplatí se za {worth}',

  'What does “{word}” mean?': 'Co znamená „{word}“?',
  Candidates: 'Kandidáti',
  'Turns that the bot compared. The first is the turn that the bot would play. +3 BR: deploy 3 on BR. BR→PE: attack or transfer from BR to PE.':
    'Tahy, které bot porovnal. První je tah, který by zahrál. +3 BR: nasadit 3 na BR. BR→PE: útok nebo přesun z BR na PE.',
  Tries: 'Pokusy',
  'The first calculation of a bot can take some minutes, because its program is compiled.':
    'První výpočet bota může trvat několik minut, protože se jeho program překládá.',
  'How often the bot tried this turn. The bot tries good turns again and again, so the turn with the most tries is usually the best.':
    'Jak často bot tento tah zkoušel. Dobré tahy zkouší znovu a znovu, a tak bývá nejlepší tah s nejvíce pokusy.',
  Value: 'Hodnota',
  'The mean result of the turn in these tries: your share of the position, from 0 (all is lost) to 1 (all is won). Between two players, 0.5 is even.':
    'Průměrný výsledek tahu v těchto pokusech: tvůj podíl na pozici, od 0 (vše je ztraceno) do 1 (vše je vyhráno). Mezi dvěma hráči je 0,5 vyrovnaná pozice.',
  'First guess': 'První odhad',
  'first guess': 'první odhad',
  'The bot’s estimate of the turn before it tries any turn, as a share of all candidates. The bot begins with the turns that look best.':
    'Jak dobrý se tah botovi zdá, než začne tahy zkoušet, jako podíl ze všech kandidátů. Bot začíná tahy, které vypadají nejlépe.',
  'Tries and small changes': 'Pokusy a malé změny',
  'How often the bot tried turns, and how many small changes to the best turn it tried after that. More of them make the numbers more certain.':
    'Kolikrát bot zkoušel tahy a kolik malých změn nejlepšího tahu potom zkusil. Čím víc jich je, tím jistější jsou čísla.',
  Improved: 'Vylepšeno',
  'The bot found this turn by small changes to the best candidate. The turn was not a candidate at the beginning, so it has no tries. Its value was measured separately.':
    'Bot tento tah našel malými změnami nejlepšího kandidáta. Na začátku mezi kandidáty nebyl, a tak nemá žádné pokusy. Jeho hodnota se měřila zvlášť.',
  Goals: 'Cíle',
  'The goals of the bot in this turn, the most valuable first. Each goal has the armies that it needs and its value to the bot, in armies.':
    'Cíle bota v tomto tahu, nejcennější jako první. U každého cíle je počet armád, které potřebuje, a jeho hodnota pro bota v armádách.',
  'Numbers on the map. Region value: how much each region is worth to the bot. Threat: the chance that the strongest neighbour takes your region in its next turn, with all its income. How often the bot tried it: the share of the tried turns that deploy there or attack it.':
    'Čísla na mapě. Hodnota území: jakou cenu má každé území pro bota. Ohrožení: šance, že nejsilnější soused příští tah dobude tvoje území, když na to dá celý svůj příjem. Jak často to bot zkoušel: podíl zkoušených tahů, které tam nasazují nebo tam útočí.',
  'Marks of the timeline': 'Značky na časové ose',
  'Above the line are events. Small dot: captures. Large dot: a super region was won or lost; a ring is your loss. Square: a player is out or made an error. Below the line are mistakes of the analysis: each triangle is one, and the colour is that of its mark.':
    'Nad osou jsou události. Malá tečka: dobytá území. Velká tečka: získaný nebo ztracený kontinent; kroužek je tvoje ztráta. Čtvereček: hráč vypadl nebo udělal chybu v programu. Pod osou jsou chyby z rozboru: každý trojúhelník je jedna a má barvu její značky.',
  'Many games are simulated from this position, in which all players attack every weaker neighbour. The win probability is the share of these games that the player wins. The band is its 95 % interval.':
    'Z této pozice se simuluje mnoho her, ve kterých všichni hráči útočí na každého slabšího souseda. Šance na výhru je podíl her, které hráč vyhraje. Pás je její 95% interval.',
  'Also at the start, players with the same income can have different chances: the start regions of one can be better, for example in super regions with few regions or with fewer neighbours.':
    'I na začátku můžou mít hráči se stejným příjmem různé šance: jeden může mít lepší startovní území, třeba na kontinentech s málo územími nebo s méně sousedy.',
};
