// Czech of hints in sentences, of goals, and of words of searches that are explained where they stand.
export const hints = {
  'Hint in words': 'Nápověda slovy',
  'What to do': 'Co udělat',
  'Where to look': 'Kam se podívat',
  'Put this into my orders': 'Vložit do mých rozkazů',
  'Wait: neither an attack nor a deploy is worth it.': 'Počkej: nevyplatí se ani útok, ani nasazení.',
  'together with {others} it completes {of} (+{bonus})': 'spolu s {others} uzavře kontinent {of} (+{bonus})',
  'it completes {of} (+{bonus})': 'uzavře kontinent {of} (+{bonus})',
  'it breaks {of} of {who} (−{bonus})': 'rozbije kontinent {of}, který drží {who} (−{bonus})',
  'it is the last region of {who}': 'je to poslední území hráče {who}',
  'it takes a region from {who}': 'hráč {who} přijde o území',
  'nobody holds it, and {held} of {all} of {of} would be yours': 'nikdo ho nedrží a z kontinentu {of} bys držel {held} z {all}',
  'what stands there is not seen': 'co tam stojí, není vidět',
  'with a chance of {chance} %': 'se šancí {chance} %',
  'by {n} attacks': '{n, plural, one {# útokem} few {# útoky} many {# útoku} other {# útoky}}',
  '{region}: {reasons}': '{region}: {reasons}',
  'Take {region} with {n}: {reasons}.': 'Dobyj {region}, armád {n}: {reasons}.',
  'it loses about {killed, plural, one {one army} other {# armies}} of {armies}':
    'ztratí asi {killed, plural, one {jednu armádu} few {# armády} many {# armády} other {# armád}} z {armies}',
  'hardly any of the {armies} there fall': 'z armád, kterých je tam {armies}, nepadne skoro žádná',
  'and is taken with a chance of {chance} %': 'a padne se šancí {chance} %',
  'Attack {region} with {n}: {reasons}.': 'Zaútoč na {region}, armád {n}: {reasons}.',
  '{region}: an attack weakens it': '{region}: útok ho oslabí',
  'Deploy {n} on {region}, for the attack on {targets}.': 'Nasaď {n} na {region}, k útoku na {targets}.',
  '{region}: from there {targets} can be attacked': '{region}: odtud lze zaútočit na {targets}',
  '{enemies, plural, one {one army stands} other {# armies stand}} against it':
    'proti {enemies, plural, one {stojí jedna armáda} few {stojí # armády} many {stojí # armády} other {stojí # armád}}',
  'it keeps {of} (+{bonus})': 'udrží kontinent {of} (+{bonus})',
  'Hold {region} with {n} more: {reasons}.': 'Braň {region}, přidej {n}: {reasons}.',
  'from there they move on': 'odtud jdou dál',
  'nothing is attacked from there yet': 'zatím se odtud neútočí',
  'Deploy {n} on {region}: {why}.': 'Nasaď {n} na {region}: {why}.',
  'nothing foreign borders on {from}': 's územím {from} nesousedí nic cizího',
  '{enemies, plural, one {one army stands} other {# armies stand}} against {to}':
    'proti území {to} {enemies, plural, one {stojí jedna armáda} few {stojí # armády} many {stojí # armády} other {stojí # armád}}',
  'they gather there': 'tam se shromáždí',
  'Move {n} from {from} to {to}: {why}.': 'Přesuň {n} z území {from} na {to}: {why}.',
  '{from} to {to}: {why}': '{from} → {to}: {why}',
  '{kind, select, take {Take {region}} attack {Attack {region}} other {Hold {region}}}, which needs {armies, plural, one {# army} other {# armies}}: worth {worth}':
    '{kind, select, take {Dobýt {region}} attack {Zaútočit na {region}} other {Udržet {region}}}, na což je třeba {armies, plural, one {# armáda} few {# armády} many {# armády} other {# armád}}: vyplatí se za {worth}',

  'What does “{word}” mean?': 'Co znamená „{word}“?',
  Candidates: 'Kandidáti',
  'Turns that the bot weighed against each other, the one that it would play first. +3 BR: deploy 3 on BR; BR→PE: attack or move from BR to PE.':
    'Tahy, mezi kterými bot vybíral; první je ten, který by zahrál. +3 BR: nasadit 3 na BR; BR→PE: útok nebo přesun z BR na PE.',
  Visits: 'Návštěvy',
  'How often the search tried this turn. It comes back to what does well, so the most visited turn is usually the one to play.':
    'Kolikrát hledání tento tah zkusilo. Vrací se k tomu, co vychází dobře, a tak nejnavštěvovanější tah bývá ten, který se má hrát.',
  Value: 'Hodnota',
  'What the turn came to on the average in those tries: your share of the position, from 0, all is lost, to 1, all is won. 0.5 is even between two.':
    'Jak tah v těch pokusech průměrně dopadl: tvůj podíl na pozici, od 0 (vše je ztraceno) do 1 (vše je vyhráno). 0,5 je mezi dvěma vyrovnané.',
  Prior: 'Prior',
  prior: 'prior',
  'How promising the turn looked before anything was tried, as a share of all candidates. The search begins with what has a high one.':
    'Jak slibně tah vypadal, než se cokoli zkusilo, jako podíl ze všech kandidátů. Hledání začíná těmi, kteří ho mají vysoký.',
  'Simulations and trials': 'Simulace a pokusy',
  'How many times the search played ahead in thought, and then how many small changes to the best turn it tried. More of them make its figures more certain.':
    'Kolikrát hledání v duchu hrálo dopředu a kolik malých změn nejlepšího tahu potom zkusilo. Čím víc jich je, tím jistější jsou jeho čísla.',
  Refined: 'Vylepšený',
  'Found by changing the best candidate a little where that helped. It was not among the turns that were tried from the beginning, so it has no visits, and its value was measured apart.':
    'Našel se malými změnami nejlepšího kandidáta tam, kde to pomohlo. Od začátku se nezkoušel, a tak nemá návštěvy a jeho hodnota se měřila zvlášť.',
  Goals: 'Cíle',
  'What the bot set out to do in this turn, the most worthwhile first: how many armies each goal takes, and how many armies it is worth to the bot.':
    'Co si bot v tomto tahu předsevzal, nejvýhodnější jako první: kolik armád který cíl stojí a za kolik armád botovi stojí.',
  'Figures on the map. Region value: what a search holds each region to be worth. Threat: the chance that the strongest neighbour takes a region of yours in its next turn, with all its income. Visit share: how much of its tries the search spent on turns that deploy there or attack it.':
    'Čísla na mapě. Hodnota území: za kolik ho hledání pokládá. Ohrožení: šance, že tvoje území příští tah dobude nejsilnější soused s celým svým příjmem. Podíl návštěv: kolik pokusů hledání věnovalo tahům, které tam nasazují nebo na ně útočí.',
  'The share of games won that were played on from this position, everybody playing like the bot “aggressive”. The band is the interval of 95 %: how far chance may have led the figure astray.':
    'Podíl vyhraných her, které se z této pozice dohrály, když všichni hráli jako bot „aggressive“. Pás je interval 95 %: o kolik mohla číslo vychýlit náhoda.',
};
