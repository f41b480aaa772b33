// Czech of the guide of a first game.
export const guide = {
  Guide: 'Průvodce',
  'Continue the guide': 'Pokračovat s průvodcem',
  'Leave the guide': 'Opustit průvodce',
  'Part {n} of {all}': 'Část {n} z {all}',
  'Got it': 'Rozumím',
  'What now?': 'Co teď?',
  'Go to the start page': 'Na úvodní obrazovku',
  'To find it, press the marked bar.': 'Najdeš to, když stiskneš označenou lištu.',
  'To uncover it, press the marked bar.': 'Odkryješ to, když stiskneš označenou lištu.',
  'Armies that are not deployed are lost. Go back and deploy them.': 'Nenasazené armády propadnou. Vrať se a nasaď je.',
  'First deploy: press {button}.': 'Nejdřív nasaď armády: stiskni {button}.',
  'You win when you have taken every region of the other player. Regions with a blue circle are yours. The number shows the armies there. You have {n, plural, one {# new army} other {# new armies}} to deploy: press {from}.':
    'Vyhraješ, když dobudeš všechna území soupeře. Území s modrým kruhem jsou tvoje. Číslo ukazuje, kolik je na nich armád. Máš {n, plural, one {# novou armádu} few {# nové armády} many {# nové armády} other {# nových armád}} k nasazení: stiskni {from}.',
  '{n, plural, one {One army is} other {# armies are}} deployed. Deploy the other {left} there, too: press {from} again.':
    '{n, plural, one {Jedna armáda už je nasazená} few {# armády už jsou nasazené} many {# armády už je nasazeno} other {# armád už je nasazeno}}. Zbývá {left}: nasaď je tam také, stiskni znovu {from}.',
  'The button “{all}” deploys all armies at once.': 'Tlačítko „{all}“ nasadí všechny armády najednou.',
  'Shift and a click deploy all armies at once.': 'Shift a klik nasadí všechny najednou.',
  'A super region is all regions inside a coloured outline. A player who holds all of them gets its bonus in every round. You need only {to} to complete {name}, which gives {bonus, plural, one {# more army} other {# more armies}}. Deploy beside it: press {from} until all armies are there.':
    'Kontinent jsou všechna území uvnitř barevného obrysu. Hráč, který je drží všechna, dostává každé kolo jeho bonus. Z kontinentu {name} ti chybí už jen {to}. Přinese o {bonus, plural, one {# armádu} few {# armády} many {# armády} other {# armád}} víc. Nasaď armády vedle: tiskni {from}, dokud tam nebudou všechny.',
  'A super region is all regions inside a coloured outline. A player who holds all of them gets its bonus in every round. {name} gives {bonus, plural, one {# army} other {# armies}}, and you hold {held} of its {all} regions. Take {to} next. Deploy beside it: press {from} until all armies are there.':
    'Kontinent jsou všechna území uvnitř barevného obrysu. Hráč, který je drží všechna, dostává každé kolo jeho bonus. Kontinent {name} přináší {bonus, plural, one {# armádu} few {# armády} many {# armády} other {# armád}} a držíš z něj {held} z {all} území. Na řadě je {to}. Nasaď armády vedle: tiskni {from}, dokud tam nebudou všechny.',
  'One possibility: attack {to}{why, select, wins { to complete {of} (+{bonus})} breaks { to break the bonus of {of} (+{bonus})} other {}}. For this, deploy beside it: press {from} until all armies are there.':
    'Jedna z možností: zaútoč na {to}{why, select, wins {, tím získáš celý kontinent {of} (+{bonus})} breaks {, soupeř tím přijde o bonus kontinentu {of} (+{bonus})} other {}}. K tomu nasaď armády vedle: tiskni {from}, dokud tam nebudou všechny.',
  'But {who} has {n, plural, one {# army} other {# armies}} in {from}. To protect {r}, deploy some armies there.':
    'Na území {from} má ale {who} {n, plural, one {# armádu} few {# armády} many {# armády} other {# armád}}. Chceš-li chránit {r}, nasaď tam část armád.',
  'No attack has a good chance in this round. Deploy to defend your regions: press {r}.':
    'Žádný útok teď nemá dobrou šanci. Nasaď armády k obraně svých území: stiskni {r}.',
  'No attack has a good chance now: your armies stay and defend. Press {button}.':
    'Žádný útok teď nemá dobrou šanci: tvoje armády zůstanou a budou bránit. Stiskni {button}.',
  'Your attack on {to} will {very, select, yes {very probably} other {probably}} fail, {chances}. {what, select, send {Send more armies} deploy {Deploy more armies on {from} and send them} other {Attack with more armies from another region}}, or remove this order and attack another region.':
    'Tvůj útok na {to} {very, select, yes {velmi pravděpodobně} other {pravděpodobně}} selže, {chances}. {what, select, send {Pošli víc armád} deploy {Nasaď víc armád na {from} a pošli je} other {Zaútoč s více armádami z jiného území}}, nebo tento rozkaz odstraň a zaútoč jinam.',
  'Or drag from {from} to {to}.': 'Nebo táhni: {from} → {to}.',
  'All armies are deployed. Now attack: press {button}.': 'Všechny armády jsou nasazené. Teď zaútoč: stiskni {button}.',
  'You can attack more than once. Another possibility is {to}: press {from}.': 'Útočit můžeš víckrát. Další možnost je {to}: stiskni {from}.',
  'Choose the region that attacks. Press {from}: all its armies except one can leave.':
    'Vyber území, které zaútočí. Stiskni {from}: odejít mohou všechny armády kromě jedné.',
  'No attack from {source} has a good chance: press it again, and choose another region.':
    'Žádný útok z území {source} nemá dobrou šanci: stiskni ho znovu a vyber jiné.',
  'The neighbours have rings. Press {to}: {n, plural, one {one neutral army is} other {# neutral armies are}} there.':
    'Sousedé jsou zakroužkovaní. Stiskni {to}: {n, plural, one {je tam jedna neutrální armáda} few {jsou tam # neutrální armády} many {je tam # neutrální armády} other {je tam # neutrálních armád}}.',
  'The neighbours have rings. Press {to}: {n, plural, one {one army} other {# armies}} of {who} {n, plural, one {is} other {are}} there.':
    'Sousedé jsou zakroužkovaní. Stiskni {to}: {n, plural, one {stojí tam jedna armáda} few {stojí tam # armády} many {stojí tam # armády} other {stojí tam # armád}} hráče {who}.',
  'Choose your attack on {to}: press it in the list of orders.': 'Vyber svůj útok na {to}: stiskni ho v seznamu rozkazů.',
  '{n, plural, one {One army attacks} other {# armies attack}} {to}, {chances}. Send more armies: move the slider to the right.':
    'Na {to} {n, plural, one {útočí jedna armáda} few {útočí # armády} many {útočí # armády} other {útočí # armád}}, {chances}. Pošli víc armád: posuň jezdec doprava.',
  '{n, plural, one {One army attacks} other {# armies attack}} {to}, {chances}. Move the slider to send fewer armies, and see how the chance changes.':
    'Na {to} {n, plural, one {útočí jedna armáda} few {útočí # armády} many {útočí # armády} other {útočí # armád}}, {chances}. Posuň jezdec, pošli jich méně a podívej se, jak se šance změní.',
  'Or type the number.': 'Nebo napiš počet.',
  'Now move armies: press {button}.': 'Teď přesuň armády: stiskni {button}.',
  'All neighbours of {from} are yours, and {n, plural, one {one army there does} other {# armies there do}} nothing. Move {n, plural, one {it} other {them}} to the front: press {from}.':
    'S územím {from} nesousedí nic cizího: {n, plural, one {jedna armáda tam jen stojí} few {# armády tam jen stojí} many {# armády tam jen stojí} other {# armád tam jen stojí}}. Přesuň {n, plural, one {ji} few {je} many {je} other {je}} k frontě: stiskni {from}.',
  'Then press {to}. Armies move to your own region without a fight.': 'Pak stiskni {to}. Na tvoje vlastní území se armády přesunou bez boje.',
  'Press {button}. Then the orders of all players are executed: first the deploys, then the attacks in a random order.':
    'Stiskni {button}. Pak se provedou rozkazy všech hráčů: nejdřív nasazení, potom útoky v náhodném pořadí.',
  'You can add more attacks. When you are ready, press {button}.': 'Útoků můžeš přidat víc. Až budeš chtít, stiskni {button}.',
  'Ctrl and Enter commit.': 'Tah odevzdá i Ctrl a Enter.',
  'Orders are executed one after the other. The numbers at the arrow are the armies that the attacker lost and killed.':
    'Rozkazy se provádějí jeden po druhém. Čísla u šipky říkají, kolik armád útočník ztratil a kolik jich zničil.',
  'The round is over. To see your attack again, press it in the move list. {result} means: armies sent, armies lost, armies killed, ✓ taken. Each attacker kills with a chance of {attack} %, each defender with {defense} %.':
    'Kolo skončilo. Svůj útok uvidíš znovu, když ho stiskneš v seznamu tahů. {result} znamená: vyslané armády, ztracené armády, zničené armády, ✓ dobyto. Každý útočník ničí s šancí {attack} %, každý obránce s šancí {defense} %.',
  'The round is over. To see it again, press your order in the move list.':
    'Kolo skončilo. Uvidíš ho znovu, když stiskneš svůj rozkaz v seznamu tahů.',
  'You see an earlier round. To return to the current round, press {button}.':
    'Díváš se na dřívější kolo. Do současného kola se vrátíš, když stiskneš {button}.',
  'Or L.': 'Nebo L.',
  '{n, plural, one {One army is} other {# armies are}} not deployed. You lose armies that are not deployed when you commit.':
    '{n, plural, one {Jedna armáda není nasazená} few {# armády nejsou nasazené} many {# armády není nasazeno} other {# armád není nasazeno}}. Armády, které při odevzdání nejsou nasazené, propadnou.',
  'You hold all of {of}. While you hold it, it gives {bonus, plural, one {# more army} other {# more armies}} in every round: your income is now {all}.':
    'Celý kontinent {of} je teď tvůj. Dokud ho celý držíš, přináší každé kolo o {bonus, plural, one {# armádu} few {# armády} many {# armády} other {# armád}} víc: tvůj příjem je teď {all}.',
  '{who} is your neighbour in {from}. It deploys {n, plural, one {# army} other {# armies}} in each round, and you do not see where. Send more armies than are there now, or deploy on {r} to defend it.':
    '{who} s tebou sousedí na území {from}. Každé kolo nasadí {n, plural, one {# armádu} few {# armády} many {# armády} other {# armád}} a předem neuvidíš kam. Pošli víc armád, než kolik jich tam je teď, nebo nasaď armády na {r}, ať ho udržíš.',
  '{n, plural, one {One army is} other {# armies are}} idle in {from}, besides the one that must stay: all neighbours of {from} are yours. Move {n, plural, one {it} other {them}} to the front through {to}, with an order like an attack.':
    'Na území {from} {n, plural, one {je zbytečně jedna armáda} few {jsou zbytečně # armády} many {je zbytečně # armády} other {je zbytečně # armád}}, kromě té, která musí zůstat: nesousedí s ním nic cizího. Pošli {n, plural, one {ji} few {je} many {je} other {je}} k frontě přes {to}, stejným rozkazem jako útok.',
  'Now you know the game. In games with fog you see only your regions and their neighbours. In this game you see all regions.':
    'Teď hru znáš. Ve hrách s mlhou vidíš jen svoje území a jejich sousedy. V této hře vidíš všechna území.',
  'Open the analysis': 'Otevřít rozbor',
  'You have won your first game. The analysis shows which of your turns were mistakes, and better turns. Press {open} here, or the marked button. Then try a stronger bot.':
    'Tvoje první hra je vyhraná. Rozbor ukáže, které tvoje tahy byly chyby, a lepší tahy. Stiskni tady {open}, nebo použij označené tlačítko. Potom zkus silnějšího bota.',
  'This game is over, and you did not win. The analysis shows which of your turns were mistakes, and better turns. Press {open} here, or the marked button. Then start the guide again, or start another game.':
    'Tato hra skončila a nevyhráváš ji ty. Rozbor ukáže, které tvoje tahy byly chyby, a lepší tahy. Stiskni tady {open}, nebo použij označené tlačítko. Potom začni průvodce znovu, nebo začni jinou hru.',
};
